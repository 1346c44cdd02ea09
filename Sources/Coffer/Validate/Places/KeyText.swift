import Digests
import Rules

/// The text of a record's key. Different keys have different texts.
enum KeyText {
  /// Keys of more bytes are shown by their start and their digest.
  private static let limit = 200

  /// Returns a string as the value of a key's field: in quotes if it looks like another value.
  static func string(_ text: String) -> String {
    let looksLikeAnother =
      ExactDecimal(text) != nil || ["true", "false"].contains(text) || text.hasPrefix("\"") || text.hasPrefix("[")
    return looksLikeAnother ? text.quoted : text
  }

  /// Returns the only field, or several as an array.
  static func text(of fields: [String]) -> String {
    let text = fields.count == 1 ? fields[0] : "[\(fields.map(\.quoted).joined(separator: ","))]"
    guard text.utf8.count > limit else { return text }
    let digest = MessageDigest.text(of: Array(text.utf8), by: .sha256)
    return "\(text.unicodeScalars.prefix(limit / 4).map(String.init).joined())…sha256:\(digest.prefix(32))"
  }
}
