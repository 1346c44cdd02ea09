/// A URI reference in its parts, and its resolution against another: RFC 3986, sections 3 and 5.2.
struct PlainURI {
  var scheme: Substring?
  var authority: Substring?
  var path: Substring
  var query: Substring?
  var fragment: Substring?

  init(_ text: String) {
    var rest = text[...]
    if let mark = rest.firstIndex(of: "#") {
      fragment = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(of: ":"), colon > rest.startIndex, !rest[..<colon].contains("/") {
      scheme = rest[..<colon]
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      authority = rest[..<end]
      rest = rest[end...]
    }
    path = rest
  }

  /// Section 5.2.2.
  func resolved(against base: PlainURI) -> PlainURI {
    var target = self
    if scheme == nil {
      target.scheme = base.scheme
      if authority == nil {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          target.query = query ?? base.query
        } else if !path.hasPrefix("/") {
          target.path = base.merged(with: path)
        }
      }
    }
    if !(scheme == nil && authority == nil && path.isEmpty) { target.path = Self.withoutDots(target.path) }
    return target
  }

  /// Section 5.2.3.
  private func merged(with relative: Substring) -> Substring {
    if authority != nil, path.isEmpty { return "/" + relative }
    guard let slash = path.lastIndex(of: "/") else { return relative }
    return path[...slash] + relative
  }

  /// Section 5.2.4, for whole segments.
  private static func withoutDots(_ path: Substring) -> Substring {
    guard path.contains(".") else { return path }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if kept.count > 1 || kept.first.map({ !$0.isEmpty }) == true { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")[...]
  }

  var withoutFragment: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    return text
  }

  /// The fragment without its percent-encoding, empty if there is none.
  var decodedFragment: String {
    var bytes: [UInt8] = []
    var rest = Array((fragment ?? "").utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
