import JSONEvents

/// Mail addresses: `Mailbox` of RFC 5321, section 4.1.2, and its extension by RFC 6531, section 3.3.
///
///     joe.bloggs@example.com
///     "joe bloggs"@example.com
///     joe.bloggs@[IPv6:2001:db8::1]
///
/// Cost: linear in the text.
enum Mailbox {
  static func accepts(_ text: ByteView, _ repertoire: Repertoire) -> Bool {
    var cursor = TextCursor(text)
    guard cursor.isNext("\"") ? takeQuoted(&cursor, repertoire) : takeDotted(&cursor, repertoire),
      // Section 4.5.3.1.1.
      cursor.index <= 64, cursor.take("@")
    else { return false }
    if cursor.isNext("[") { return isAddressLiteral(cursor.rest) }
    // RFC 6531 allows any UTF-8; the name is looked up in NFC.
    return HostName(repertoire: repertoire, normalizes: true).accepts(cursor.rest)
  }

  /// `Dot-string`: atoms separated by dots.
  private static func takeDotted(_ cursor: inout TextCursor, _ repertoire: Repertoire) -> Bool {
    repeat {
      guard takeOne(&cursor, in: atom, repertoire) else { return false }
      while takeOne(&cursor, in: atom, repertoire) {}
    } while cursor.take(".")
    return true
  }

  /// `Quoted-string`: printable characters, with a backslash before quotation marks and backslashes.
  private static func takeQuoted(_ cursor: inout TextCursor, _ repertoire: Repertoire) -> Bool {
    guard cursor.take("\"") else { return false }
    while !cursor.take("\"") {
      guard cursor.take("\\") ? cursor.take(in: printable) : takeOne(&cursor, in: quotable, repertoire) else { return false }
    }
    return true
  }

  private static func takeOne(_ cursor: inout TextCursor, in set: ASCIISet, _ repertoire: Repertoire) -> Bool {
    cursor.take(in: set) || repertoire == .unicode && cursor.takeNonASCII { _ in true }
  }

  /// `address-literal` (section 4.1.3): an IPv4 address, or an IPv6 one after `IPv6:`, the only tag ever registered.
  private static func isAddressLiteral(_ text: ByteView) -> Bool {
    var cursor = TextCursor(text)
    guard cursor.take("[") else { return false }
    let address = cursor.takeAll(in: addressCharacters)
    guard cursor.take("]"), cursor.isAtEnd else { return false }
    guard address.prefix(5).string.lowercased() == "ipv6:" else { return IPAddressText.isIPv4(address) }
    // `::` replaces at least two groups.
    return IPAddressText.isIPv6(address.dropFirst(5), eliding: 2)
  }

  private static let atom = ASCIISet.alphanumerics.union("!#$%&'*+-/=?^_`{|}~")
  private static let printable = ASCIISet.alphanumerics.union(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
  private static let quotable = ASCIISet.alphanumerics.union(" !#$%&'()*+,-./:;<=>?@[]^_`{|}~")
  private static let addressCharacters = ASCIISet.alphanumerics.union(":.")
}
