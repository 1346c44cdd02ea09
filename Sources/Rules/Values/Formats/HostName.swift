import JSONEvents

/// Names of hosts.
///
/// ASCII: labels of letters, digits and hyphens (RFC 1123, section 2.1; RFC 952), those that begin with `xn--` sound ones of IDNA2008.
/// Unicode: each label is such a one, or a U-label (RFC 5890, section 2.3.2.3).
///
///     www.example.org     xn--bcher-kva.example     bücher.example
struct HostName {
  var repertoire: Repertoire
  /// The full stops that part labels besides `.`.
  var separators = Separators.ascii
  /// Takes labels that are not in NFC for what they are in it, as programs do that look up what a person typed (RFC 5891, section 5.2).
  var normalizes = false

  enum Separators {
    case ascii
    /// U+3002, U+FF0E and U+FF61 as well, which are typed where `.` is meant (RFC 3490, section 3.1).
    case ideographic
  }

  static let ascii = HostName(repertoire: .ascii)
  static let unicode = HostName(repertoire: .unicode, separators: .ideographic)

  /// Whether `text` is one. Cost: linear in the text, and no more than 1024 bytes of it are looked at.
  func accepts(_ text: ByteView) -> Bool {
    // No name of 253 octets (RFC 1035, section 3.1, less its root) has more bytes than that: four for each of its code points.
    guard text.count <= 1024 else { return false }
    var shape = Shape()
    var start = 0
    while true {
      let (end, next) = separator(text, from: start)
      guard let label = HostLabel(text.dropFirst(start).prefix(end - start), repertoire, normalizes: normalizes) else {
        return false
      }
      shape.add(label)
      guard let next else { return shape.isSound }
      start = next
    }
  }

  /// Where the label from `start` on ends, and where the next begins, if there is one.
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

  /// What is asked of all labels together.
  private struct Shape {
    var labels = 0
    var numbers = 0
    /// With a dot behind each label.
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

    var isSound: Bool {
      // RFC 5893, section 2: one label written from right to left binds all others.
      if hasRightToLeft, hasUnfitBesideRightToLeft { return false }
      // RFC 1123, section 2.1: a name never has the form of an address, #.#.#.#.
      return length - 1 <= 253 && !(labels == 4 && numbers == 4)
    }
  }
}
