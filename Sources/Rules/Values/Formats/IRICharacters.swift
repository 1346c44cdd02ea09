/// The characters of IRIs in addition to those of URIs (RFC 3987, section 2.2).
enum IRICharacters {
  /// Returns true for `ucschar` without the marks that change the writing direction: section 4.1 excludes them from IRIs, because
  /// they change how one looks.
  static func isUnreserved(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200E, 0x200F, 0x202A...0x202E: false
    default: isUniversal(scalar)
    }
  }

  /// Returns true for the characters of a query: `ucschar` and `iprivate`.
  static func isInQuery(_ scalar: Unicode.Scalar) -> Bool { isUnreserved(scalar) || isPrivate(scalar) }

  /// Returns true for `ucschar`: all but controls, private use, noncharacters, and the specials and tags at the end of their
  /// planes.
  static func isUniversal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: true
    case 0x10000...0xDFFFF, 0xE1000...0xEFFFF: scalar.value & 0xFFFF <= 0xFFFD
    default: false
    }
  }

  /// Returns true for `iprivate`.
  static func isPrivate(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xE000...0xF8FF: true
    case 0xF0000...0x10FFFF: scalar.value & 0xFFFF <= 0xFFFD
    default: false
    }
  }
}
