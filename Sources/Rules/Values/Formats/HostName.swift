import JSONEvents

/// Host names.
///
/// ASCII: labels of letters, digits and hyphens (RFC 1123, section 2.1; RFC 952). Labels that begin with `xn--` must be valid in
/// IDNA2008. Unicode: each label is an ASCII label or a U-label (RFC 5890, section 2.3.2.3).
///
///     www.example.org     xn--bcher-kva.example     bücher.example
struct HostName {
  var repertoire: Repertoire
  /// The full stops that separate labels in addition to `.`.
  var separators = Separators.ascii
  /// True to read labels that are not in NFC as their NFC form, like programs that look up typed names (RFC 5891, section 5.2).
  var normalizes = false

  enum Separators {
    case ascii
    /// The dot, and U+3002, U+FF0E and U+FF61, which some users type instead of it (RFC 3490, section 3.1).
    case ideographic
  }

  static let ascii = HostName(repertoire: .ascii)
  static let unicode = HostName(repertoire: .unicode, separators: .ideographic)

  /// Returns true if `text` is a host name. Cost: linear in the text; at most 1024 bytes of it are read.
  func accepts(_ text: ByteView) -> Bool {
    // A name of 253 octets (RFC 1035, section 3.1, less its root) has at most this many bytes: four for each of its code points.
    guard text.count <= 1024 else { return false }
    var shape = Shape()
    var start = 0
    while true {
      let (end, next) = separator(text, from: start)
      guard let label = HostLabel(text.dropFirst(start).prefix(end - start), repertoire, normalizes: normalizes) else {
        return false
      }
      shape.add(label)
      guard let next else { return shape.isValid }
      start = next
    }
  }

  /// Returns the end of the label from `start`, and the start of the next label, if there is one.
  private func separator(_ text: ByteView, from start: Int) -> (end: Int, next: Int?) {
    var index = start
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: ".") { return (index, index + 1) }
      if byte >= 0xE0, separators == .ideographic, index + 3 <= text.count {
        switch (byte, text[index + 1], text[index + 2]) {
        case (0xE3, 0x80, 0x82), (0xEF, 0xBC, 0x8E), (0xEF, 0xBD, 0xA1): return (index, index + 3)
        default: break
        }
      }
      index += 1
    }
    return (index, nil)
  }

  /// The conditions for all labels together.
  private struct Shape {
    var labels = 0
    var numbers = 0
    /// The length, including a dot after each label.
    var length = 0
    var hasRightToLeft = false
    var hasUnfitBesideRightToLeft = false

    mutating func add(_ label: HostLabel) {
      labels += 1
      numbers += label.isNumber ? 1 : 0
      length += label.asciiLength + 1
      hasRightToLeft = hasRightToLeft || label.direction == .rightToLeft
      hasUnfitBesideRightToLeft = hasUnfitBesideRightToLeft || label.direction == .unfitBesideRightToLeft
    }

    var isValid: Bool {
      // RFC 5893, section 2: one right-to-left label makes the rule apply to all others.
      if hasRightToLeft, hasUnfitBesideRightToLeft { return false }
      // RFC 1123, section 2.1: a name never has the form of an address, #.#.#.#.
      return length - 1 <= 253 && !(labels == 4 && numbers == 4)
    }
  }
}
