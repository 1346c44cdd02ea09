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
