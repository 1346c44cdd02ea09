/// A reference to a resource, in the five parts of RFC 3986 (section 3). Every text can be split into them, if only into a path.
struct URIReference: Hashable, Sendable {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  /// Follows the expression of RFC 3986, appendix B.
  init(_ text: String) {
    var rest = Substring(text)
    if let hash = rest.firstIndex(of: "#") {
      fragment = String(rest[rest.index(after: hash)...])
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
      scheme = String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
    }
    path = String(rest)
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first | 0x20 >= 97, first | 0x20 <= 122 else { return false }
    return text.utf8.allSatisfy { byte in
      byte | 0x20 >= 97 && byte | 0x20 <= 122 || byte &- 48 < 10 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
  }

  /// Resolves this reference in a resource whose own URI is `base` (RFC 3986, section 5.2.2).
  func resolved(against base: URIReference) -> URIReference {
    var target = self
    if scheme != nil {
      target.path = Self.withoutDotSegments(path)
      return target
    }
    target.scheme = base.scheme
    if authority != nil {
      target.path = Self.withoutDotSegments(path)
      return target
    }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else if path.hasPrefix("/") {
      target.path = Self.withoutDotSegments(path)
    } else {
      // Only a file beside the rule document has neither scheme nor authority. It may be in a folder around that of the rules.
      target.path = Self.withoutDotSegments(base.folder + path, keepsParents: base.scheme == nil && base.authority == nil)
    }
    return target
  }

  /// The prefix that a relative path is appended to (section 5.2.3).
  var folder: String {
    if authority != nil, path.isEmpty { return "/" }
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[...slash])
  }

  /// Section 5.2.4.
  ///
  /// - Parameter keepsParents: true to keep the `..` that lead out of the folder of a relative path.
  private static func withoutDotSegments(_ path: String, keepsParents: Bool = false) -> String {
    guard path.contains(".") else { return path }
    let isAbsolute = path.hasPrefix("/")
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if keepsParents, !isAbsolute, kept.last ?? ".." == ".." {
          kept.append("..")
        } else if kept.count > (isAbsolute ? 1 : 0) {
          kept.removeLast()
        }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")
  }

  var withoutFragment: URIReference {
    var copy = self
    copy.fragment = nil
    return copy
  }
}

extension URIReference: CustomStringConvertible {
  /// Section 5.3.
  var description: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }
}

extension String {
  /// The text with each `%41` replaced by its byte, or `nil` if the result is not UTF-8.
  var percentDecoded: String? {
    guard utf8.contains(UInt8(ascii: "%")) else { return self }
    var bytes: [UInt8] = []
    var rest = Array(utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
      rest = rest.dropFirst(2)
      bytes.append(value)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
