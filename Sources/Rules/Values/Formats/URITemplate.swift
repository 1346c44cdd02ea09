import JSONEvents

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
