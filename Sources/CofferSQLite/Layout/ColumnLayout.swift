import JSONEvents
import Rules

/// A column: a field of the records, and what SQLite keeps of it.
///
/// A value that its column can't hold digit for digit (a number that is no whole one where integers are expected, a string among numbers, null) goes to the
/// column `more` under its name, so that a null in the column always means that the field is absent, or stands there.
package struct ColumnLayout: Sendable, Hashable {
  package enum Kind: String, Sendable {
    /// Whole numbers of 64 bits in their shortest text.
    case integer
    /// Numbers as their own text, digit for digit.
    case number
    /// Strings, dates among them.
    case text
    /// 0 and 1.
    case boolean
    /// All else, as JSON without blanks.
    case json
  }

  package let name: String
  package let kind: Kind
  /// Its texts are compared as keys that differ in the case of letters alone are equal: those of ASCII, as SQLite knows them.
  package internal(set) var ignoresCase = false

  /// - Parameter values: the types of the values that the rules list; they decide where `types` leave it open.
  init(name: String, types: TypeSet?, values: TypeSet?) {
    self.name = name
    let kind = Kind(types)
    guard kind == .json, let values else {
      self.kind = kind
      return
    }
    self.kind = Kind(types?.meet(values) ?? values)
  }

  /// The column's type in a strict table.
  var sqlType: String { kind == .integer || kind == .boolean ? "INTEGER" : "TEXT" }

  /// The column as tables declare it.
  var declaration: String { "\(name.quotedIdentifier) \(sqlType)" + (ignoresCase && sqlType == "TEXT" ? " COLLATE NOCASE" : "") }
}

extension ColumnLayout.Kind {
  fileprivate init(_ types: TypeSet?) {
    self =
      switch types?.subtracting(.null) {
      case [.integer]?: .integer
      case [.number]?, [.number, .integer]?: .number
      case [.string]?: .text
      case [.boolean]?: .boolean
      default: .json
      }
  }
}

extension String {
  /// As SQL writes a name.
  package var quotedIdentifier: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// As SQL writes a text. NUL can't be written so.
  var quotedText: String { "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'" }
}
