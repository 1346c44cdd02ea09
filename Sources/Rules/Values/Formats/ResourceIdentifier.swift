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
