import JSONEvents

/// URIs in the grammar of RFC 3986, appendix A, and IRIs in that of RFC 3987, section 2.2.
///
///     scheme://user@host:port/path?query#fragment
///             └─────────────┘                       authority, only after `//`
///
/// A reference may omit the scheme and the parts after it. Then the first segment of its path has no `:`, which would end a
/// scheme. Cost: linear in the text.
enum ResourceIdentifier {
  /// Returns true if `text` has a scheme and is valid.
  static func accepts(_ text: ByteView, _ repertoire: Repertoire) -> Bool {
    var cursor = TextCursor(text)
    return takeScheme(&cursor) && isRelativePart(cursor.rest, repertoire)
  }

  /// Returns true if `text` is valid, with a scheme or as a relative reference.
  static func acceptsReference(_ text: ByteView, _ repertoire: Repertoire) -> Bool {
    var cursor = TextCursor(text)
    if takeScheme(&cursor) { return isRelativePart(cursor.rest, repertoire) }
    cursor = TextCursor(text)
    cursor.takeAll(in: segmentWithoutColon, repertoire)
    return !cursor.isNext(":") && isRelativePart(text, repertoire)
  }

  /// `scheme ":"` (section 3.1).
  private static func takeScheme(_ cursor: inout TextCursor) -> Bool {
    guard cursor.take(in: .letters) else { return false }
    cursor.takeAll(in: scheme)
    return cursor.take(":")
  }

  /// Checks everything after the scheme.
  private static func isRelativePart(_ text: ByteView, _ repertoire: Repertoire) -> Bool {
    var cursor = TextCursor(text)
    if cursor.take("/"), cursor.take("/") {
      guard takeAuthority(&cursor, repertoire) else { return false }
    }
    cursor.takeAll(in: path, repertoire)
    if cursor.take("?") { cursor.takeAll(in: query, repertoire, IRICharacters.isInQuery) }
    if cursor.take("#") { cursor.takeAll(in: query, repertoire) }
    return cursor.isAtEnd
  }

  /// `[userinfo "@"] host [":" port]` (section 3.2), up to the path.
  private static func takeAuthority(_ cursor: inout TextCursor, _ repertoire: Repertoire) -> Bool {
    var user = cursor
    user.takeAll(in: userInformation, repertoire)
    if user.take("@") { cursor = user }
    if cursor.take("[") {
      guard takeLiteral(&cursor), cursor.take("]") else { return false }
    } else {
      cursor.takeAll(in: registeredName, repertoire)
    }
    if cursor.take(":") { cursor.takeAll(in: .digits) }
    return cursor.isAtEnd || cursor.isNext(in: authorityEnd)
  }

  /// Takes the text between brackets (section 3.2.2): an IPv6 address, or an address of a future version.
  private static func takeLiteral(_ cursor: inout TextCursor) -> Bool {
    if cursor.take(in: version) {
      return cursor.takeAll(in: .hexadecimalDigits).count > 0 && cursor.take(".") && cursor.takeAll(in: futureAddress).count > 0
    }
    return IPAddressText.isIPv6(cursor.takeAll(in: addressCharacters))
  }

  private static let unreserved = ASCIISet.alphanumerics.union("-._~")
  private static let scheme = ASCIISet.alphanumerics.union("+-.")
  private static let registeredName = unreserved.union("!$&'()*+,;=")
  private static let segmentWithoutColon = registeredName.union("@")
  private static let userInformation = registeredName.union(":")
  private static let futureAddress = userInformation
  private static let addressCharacters = ASCIISet.hexadecimalDigits.union(":.")
  private static let version = ASCIISet("vV")
  private static let authorityEnd = ASCIISet("/?#")
  private static let path = registeredName.union(":@/")
  /// The characters of a query or fragment.
  private static let query = path.union("?")
}

extension TextCursor {
  /// Takes characters of the set, percent-encoded octets, and non-ASCII characters that `accepts` allows.
  fileprivate mutating func takeAll(
    in set: ASCIISet, _ repertoire: Repertoire, _ accepts: (Unicode.Scalar) -> Bool = IRICharacters.isUnreserved
  ) {
    while take(in: set) || takePercentEncoded() || repertoire == .unicode && takeNonASCII(where: accepts) {}
  }
}

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

/// Internet Protocol addresses as text.
enum IPAddressText {
  /// Returns true for four decimal numbers of 0 to 255 (RFC 2673, section 3.2), without leading zeros, which some readers take as
  /// octal.
  static func isIPv4(_ text: ByteView) -> Bool {
    guard text.count >= 7, text.count <= 15 else { return false }
    var cursor = TextCursor(text)
    for place in 0..<4 {
      if place > 0, !cursor.take(".") { return false }
      guard takeOctet(&cursor) else { return false }
    }
    return cursor.isAtEnd
  }

  private static func takeOctet(_ cursor: inout TextCursor) -> Bool {
    let digits = cursor.takeAll(in: .digits)
    guard digits.count >= 1, digits.count <= 3, digits.count == 1 || digits[0] != 48 else { return false }
    return digits.number < 256
  }

  /// Returns true for eight groups of up to four hexadecimal digits (RFC 4291, section 2.2), without a zone.
  ///
  ///     2001:db8:0:0:8:800:200c:417a
  ///     2001:db8::8:800:200c:417a       `::` once, for groups of zeros
  ///     ::ffff:192.0.2.33               the last two groups as an IPv4 address
  ///
  /// - Parameter elided: the minimum number of groups that `::` must replace.
  static func isIPv6(_ text: ByteView, eliding elided: Int = 1) -> Bool {
    guard text.count >= 2, text.count <= 45 else { return false }
    var cursor = TextCursor(text)
    var groups = 0
    var isElided = false
    if cursor.take(":") {
      guard cursor.take(":") else { return false }
      isElided = true
    }
    while !cursor.isAtEnd {
      let rest = cursor.rest
      let length = cursor.takeAll(in: .hexadecimalDigits).count
      if cursor.isNext(".") {
        guard isIPv4(rest) else { return false }
        groups += 2
        break
      }
      guard length >= 1, length <= 4 else { return false }
      groups += 1
      if cursor.isAtEnd { break }
      guard cursor.take(":") else { return false }
      if cursor.take(":") {
        guard !isElided else { return false }
        isElided = true
      } else if cursor.isAtEnd {
        return false
      }
    }
    return isElided ? groups + elided <= 8 : groups == 8
  }
}

extension ByteView {
  /// The value of a few decimal digits.
  fileprivate var number: Int {
    var result = 0
    for index in 0..<count { result = result * 10 + Int(self[index] &- 48) }
    return result
  }
}

/// URI templates (RFC 6570, section 2), of any level.
///
///     /users/{id}{?page,size*,name:20}
///            └──┘└───────────────────┘    expressions; the rest is literal
///
/// The operators that section 2.2 reserves are accepted, as its grammar has them. Cost: linear in the text.
enum URITemplate {
  static func accepts(_ text: ByteView) -> Bool {
    var cursor = TextCursor(text)
    while !cursor.isAtEnd {
      guard cursor.take("{") ? takeExpression(&cursor) : takeLiteral(&cursor) else { return false }
    }
    return true
  }

  private static func takeLiteral(_ cursor: inout TextCursor) -> Bool {
    cursor.take(in: literals) || cursor.takePercentEncoded()
      || cursor.takeNonASCII { IRICharacters.isUniversal($0) || IRICharacters.isPrivate($0) }
  }

  /// `[operator] variable-list "}"`.
  private static func takeExpression(_ cursor: inout TextCursor) -> Bool {
    _ = cursor.take(in: operators)
    repeat {
      guard takeName(&cursor) else { return false }
      if cursor.take(":") {
        // A length has at most four digits and no leading zero.
        guard !cursor.isNext("0") else { return false }
        let length = cursor.takeAll(in: .digits).count
        guard length >= 1, length <= 4 else { return false }
      } else {
        _ = cursor.take("*")
      }
    } while cursor.take(",")
    return cursor.take("}")
  }

  /// `varname`: single dots may separate its characters.
  private static func takeName(_ cursor: inout TextCursor) -> Bool {
    repeat {
      guard cursor.take(in: nameCharacters) || cursor.takePercentEncoded() else { return false }
      while cursor.take(in: nameCharacters) || cursor.takePercentEncoded() {}
    } while cursor.take(".")
    return true
  }

  private static let operators = ASCIISet("+#./;?&=,!@|")
  private static let nameCharacters = ASCIISet.alphanumerics.union("_")
  /// The literal characters, including the apostrophe, which the grammar omits by mistake (erratum 6937).
  private static let literals = ASCIISet.alphanumerics.union("!#$&'()*+,-./:;=?@[]_~")
}

/// Pointers into JSON documents, as text.
enum PointerText {
  /// Returns true for a JSON Pointer (RFC 6901, section 3): empty, or tokens with a `/` before each; `~` occurs only in `~0` and
  /// `~1`.
  static func isPointer(_ text: ByteView) -> Bool {
    guard text.count > 0 else { return true }
    guard text[0] == UInt8(ascii: "/") else { return false }
    var index = 1
    while index < text.count {
      if text[index] == UInt8(ascii: "~") {
        index += 1
        guard index < text.count, text[index] == UInt8(ascii: "0") || text[index] == UInt8(ascii: "1") else { return false }
      }
      index += 1
    }
    return true
  }

  /// Returns true for a relative JSON Pointer (draft-bhutton-relative-json-pointer-00, section 3).
  ///
  ///     2-1/name    two levels up, to the item before that, then down by a pointer
  ///     0#          the key or index of the place itself
  static func isRelativePointer(_ text: ByteView) -> Bool {
    var cursor = TextCursor(text)
    guard takeNumber(&cursor) else { return false }
    // The draft's examples also move the index before a `#`, which its grammar omits.
    if cursor.take(in: signs), !takeNumber(&cursor) { return false }
    if cursor.take("#") { return cursor.isAtEnd }
    return isPointer(cursor.rest)
  }

  /// Takes digits without a leading zero.
  private static func takeNumber(_ cursor: inout TextCursor) -> Bool {
    if cursor.take("0") { return !cursor.isNext(in: .digits) }
    return cursor.takeAll(in: .digits).count > 0
  }

  private static let signs = ASCIISet("+-")
}
