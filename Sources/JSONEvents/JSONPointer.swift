import ByteStreams

extension Sequence<String> {
  /// The JSON Pointer of these names and indices.
  package var pointer: String { map { "/" + $0.pointerToken }.joined() }
}

/// JSON Pointers (RFC 6901) as text.
extension String {
  /// The name as a reference token of a pointer, with `~` and `/` escaped.
  package var pointerToken: String {
    var name = self
    // Searching the contiguous bytes is about ten times as fast as searching `utf8`.
    guard name.withUTF8({ $0.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") } }) else { return self }
    var token = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "~": token += "~0"
      case "/": token += "~1"
      default: token.unicodeScalars.append(scalar)
      }
    }
    return token
  }

  /// The reference tokens of this pointer, or `nil` if it is invalid.
  package var pointerTokens: [String]? {
    if isEmpty { return [] }
    // Uses Unicode scalars, because a slash and a following combining mark would be one character.
    guard unicodeScalars.first == "/" else { return nil }
    var tokens: [String] = []
    for token in unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      var name = String.UnicodeScalarView()
      var isEscape = false
      for scalar in token {
        switch (isEscape, scalar) {
        case (true, "0"): name.append("~")
        case (true, "1"): name.append("/")
        case (true, _): return nil
        case (false, "~"):
          isEscape = true
          continue
        default: name.append(scalar)
        }
        isEscape = false
      }
      if isEscape { return nil }
      tokens.append(String(name))
    }
    return tokens
  }
}

/// JSON Pointers for reports: the middle of names of more than 128 bytes and of pointers of more than about 1024 is cut out.
///
///     /settings/kkkk…(999872 bytes cut)…kkkk/x
///
/// A document determines the length of its names and the depth of its values, so the place kept for each finding must be bounded.
/// The byte offset next to it stays exact.
package enum ReportedPointer {
  /// The maximum length of a name in bytes, before `~` and `/` are escaped.
  package static let nameLimit = 128
  private static let limit = 1024

  /// A reference token.
  package enum Token {
    case index(Int)
    /// The name as ``Swift/String/reportedToken`` returns it, with the length of the uncut name.
    case name(String, length: Int)

    fileprivate var length: Int {
      switch self {
      case .index(let index): index < 10 ? 1 : index < 100 ? 2 : String(index).utf8.count
      case .name(_, let length): length
      }
    }

    fileprivate func append(to text: inout [UInt8]) {
      text.append(UInt8(ascii: "/"))
      switch self {
      case .index(let index) where index < 10: text.append(0x30 + UInt8(truncatingIfNeeded: index))
      case .index(let index):
        var digits = String(index)
        digits.withUTF8 { text.append(contentsOf: $0) }
      case .name(var name, _): name.withUTF8 { text.append(contentsOf: $0) }
      }
    }
  }

  /// - Parameter token: returns the token at an index; called for the tokens shown and for the lengths of the others.
  package static func text(_ count: Int, _ token: (Int) -> Token) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(128)
    var first = 0
    while first < count, text.count < limit / 2 {
      token(first).append(to: &text)
      first += 1
    }
    // The end of the remaining tokens is shown.
    var (end, length) = (count, 0)
    while end > first, length < limit / 2 {
      end -= 1
      length += 1 + min(token(end).length, nameLimit)
    }
    if end > first { text += "/…(\((first..<end).reduce(0) { $0 + 1 + token($1).length }) bytes cut)…".utf8 }
    for index in end..<count { token(index).append(to: &text) }
    return String(decoding: text, as: UTF8.self)
  }
}

extension String {
  /// The name as a token of a reported pointer.
  package var reportedToken: String { shortened(to: ReportedPointer.nameLimit).pointerToken }
}

extension ByteView {
  /// The name as a token of a reported pointer.
  package var reportedToken: String { shortened(to: ReportedPointer.nameLimit).pointerToken }

  /// Returns the text with its middle removed if it exceeds `limit` bytes. Cost: proportional to the rest.
  package func shortened(to limit: Int) -> String {
    if count <= limit { return string }
    var head = limit / 2
    var tail = count - limit / 2
    // Doesn't split a scalar value. The bytes may not be UTF-8, so at most three are examined.
    while head > limit / 2 - 3, head > 0, self[head] & 0xC0 == 0x80 { head -= 1 }
    while tail < count - limit / 2 + 3, tail < count, self[tail] & 0xC0 == 0x80 { tail += 1 }
    return "\(prefix(head).string)…(\(tail - head) bytes cut)…\(dropFirst(tail).string)"
  }
}
