import JSONEvents
import Rules

/// A column that holds one field of the records.
///
/// A value that its column can't hold exactly (a fraction in a column of integers, a string in one of numbers, null) is stored in
/// the column `coffer_extra` under its name. So a null in the column always means that the field is absent or in `coffer_extra`.
package struct ColumnLayout: Sendable, Hashable {
  package enum Kind: String, Sendable {
    /// 64-bit integers in their shortest spelling.
    case integer
    /// Numbers as text, digit for digit.
    case number
    /// Strings, including dates.
    case text
    /// 0 and 1.
    case boolean
    /// All other values, as JSON without whitespace.
    case json
  }

  package let name: String
  package let kind: Kind
  /// True if comparing the column's text ignores the case of ASCII letters, as in SQLite.
  package internal(set) var ignoresCase = false

  /// - Parameter values: the types of the values that the rules list; used if `types` don't determine the kind.
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

  /// The column's declaration in a table.
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
  /// The string as an SQL identifier.
  package var quotedIdentifier: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// The string as an SQL literal. It must not contain NUL.
  var quotedText: String { "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'" }
}
