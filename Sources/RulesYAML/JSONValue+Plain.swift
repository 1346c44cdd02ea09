import Rules

extension JSONValue {
  /// Resolves a plain scalar by YAML 1.2's core schema (10.3.2). Returns `nil` for a number that JSON can't write.
  init?(plain text: String) {
    switch text {
    case "", "~", "null", "Null", "NULL": self = .null
    case "true", "True", "TRUE": self = .boolean(true)
    case "false", "False", "FALSE": self = .boolean(false)
    default:
      switch NumberForm(text) {
      case .json: self = .number(text)
      case .foreign: return nil
      case nil: self = .string(text)
      }
    }
  }
}

/// The form of a number in a plain scalar.
private enum NumberForm {
  case json
  /// A number with a sign, digits or a word that JSON doesn't allow: `+1`, `007`, `.5`, `1.`, `0x1F`, `0o17`, `.inf`, `.nan`.
  case foreign

  /// Returns `nil` if `text` isn't a number.
  init?(_ text: String) {
    if Self.isPrefixed(text) || Self.words.contains(text) {
      self = .foreign
      return
    }
    var rest = text.utf8[...]
    let sign = rest.first.flatMap { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") ? $0 : nil }
    if sign != nil { rest.removeFirst() }
    let whole = Self.takeDigits(&rest)
    var fraction: Substring.UTF8View?
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = Self.takeDigits(&rest)
    }
    if whole.isEmpty, fraction?.isEmpty ?? true { return nil }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      if Self.takeDigits(&rest).isEmpty { return nil }
    }
    guard rest.isEmpty else { return nil }
    let isPadded = whole.count > 1 && whole.first == UInt8(ascii: "0")
    let isJSON = sign != UInt8(ascii: "+") && !whole.isEmpty && !isPadded && fraction?.isEmpty != true
    self = isJSON ? .json : .foreign
  }

  private static let words: Set<String> = [
    ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN",
  ]

  private static func isPrefixed(_ text: String) -> Bool {
    let digits = text.utf8.dropFirst(2)
    guard !digits.isEmpty else { return false }
    if text.hasPrefix("0o") { return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) } }
    return text.hasPrefix("0x") && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  private static func takeDigits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest[digits.endIndex...]
    return digits
  }
}
