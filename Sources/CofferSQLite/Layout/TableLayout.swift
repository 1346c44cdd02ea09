import BackupFormats
import Findings
import JSONEvents
package import Rules

/// A table that holds the records of one collection, one per row.
///
///     expenses ( id INTEGER, carId INTEGER, date TEXT, cost TEXT, …, coffer_extra TEXT,  FOREIGN KEY (carId) REFERENCES cars (id) )
///     rowid         the order of the records in the document
///     coffer_name   the record's name, if the collection is an object: `{"d0": {…}, "d1": {…}}`
///     coffer_extra  a JSON object: fields unknown to the rules, and values that their columns can't hold; null if there are none
///
/// Keys are unique indexes, not `PRIMARY KEY`, so rows keep the document's order. Building an index once, at the end, takes a
/// third of the time.
package struct TableLayout: Sendable {
  package static let extra = "coffer_extra"
  /// The column with the names of an object's records. It is their key.
  static let recordName = ColumnLayout(name: "coffer_name", types: .string, values: nil)

  /// A JSON Pointer.
  package let pointer: String
  /// The names that lead to the records.
  let path: [String]
  let kind: RuleDocument.Collection.Kind
  /// The collection's name in messages.
  package let title: String
  package internal(set) var name: String
  package let columns: [ColumnLayout]
  /// The columns of the key; empty if there is none.
  package let key: [String]
  /// True if a document may have several equal records with the same key. Only the first becomes a row.
  let dropsEqualRecords: Bool
  /// Other unique keys.
  package let uniqueKeys: [[String]]
  package internal(set) var references: [Reference] = []
  /// True for a table that is only read: what a row can't hold exactly is no error, but goes to `coffer_extra`. Of a record that is no
  /// object, that has all.
  var isLenient = false
  /// The column that holds the time of a record's last change.
  package let modified: (column: String, format: StringFormat)?

  /// Columns that refer to a row of another table.
  package struct Reference: Sendable, Hashable {
    package let columns: [String]
    package let table: String
    package let targets: [String]
  }

  /// Fields beyond this limit are stored in `coffer_extra`. SQLite allows 2000 columns, and statements name each several times.
  private static let columnLimit = 500

  init(_ collection: BackupFormat.Collection, of rules: RuleDocument) {
    pointer = collection.pointer
    path = collection.pointer.pointerTokens ?? []
    kind = collection.rules.kind
    title = collection.title
    // The whole path: a table's name must not depend on other collections.
    name = collection.pointer.isEmpty ? collection.title : path.joined(separator: "_")
    let fields = rules.recordFields(of: collection.rules).fields
    // SQLite's names are case-insensitive. These three would hide the row's number.
    var taken: Set<String> = ["rowid", "oid", "_rowid_"]
    var columns: [ColumnLayout] = []
    for name in collection.rules.fields where columns.count < Self.columnLimit && !name.isEmpty && !name.utf8.contains(0) {
      // Statements that compare rows use names with this prefix.
      guard !name.lowercased().hasPrefix("coffer_"), taken.insert(name.lowercased()).inserted else { continue }
      let path = name.pointerToken
      let field = fields.first { $0.path == path }
      columns.append(ColumnLayout(name: name, types: field?.types, values: field?.valueTypes))
    }
    let names = Set(columns.map(\.name))
    let isObject = kind == .object
    func columnNames(_ paths: [Schema.FieldPath]) -> [String]? {
      let found = paths.compactMap { path in
        if isObject, path == [Schema.recordName] { return Self.recordName.name }
        return path.count == 1 && names.contains(path[0]) ? path[0] : nil
      }
      return found.count == paths.count && !found.isEmpty ? found : nil
    }
    // A key whose rule is not an error may have duplicates.
    let enforced = collection.rules.keys.filter { $0.severity == .error }
    // The names of an object's records identify them.
    let stated = enforced.contains { $0.fields == collection.key } ? columnNames(collection.key) ?? [] : []
    let key = isObject ? [Self.recordName.name] : stated
    self.key = key
    dropsEqualRecords = !isObject && enforced.contains { $0.fields == collection.key && $0.allowsEqual }
    // Rules may disagree on whether keys that differ only in case are equal. The primary key determines how columns compare.
    uniqueKeys = enforced.filter { (isObject || $0.fields != collection.key) && $0.isExact }.compactMap { columnNames($0.fields) }
      .filter { $0 != key }
    if collection.keyIgnoresCase {
      for index in columns.indices where key.contains(columns[index].name) { columns[index].ignoresCase = true }
    }
    self.columns = columns
    modified = collection.modified.flatMap { field in
      names.contains(field) ? collection.modifiedFormat.map { (field, $0) } : nil
    }
  }

  /// The names that lead from the root's member to the records; empty if it holds them itself.
  var pathInMember: [String] { Array(path.dropFirst()) }

  package func column(named name: String) -> ColumnLayout? { columns.first { $0.name == name } }

  /// Returns the column of a field, which may be the record's name.
  func column(of field: Schema.FieldPath) -> ColumnLayout? {
    if kind == .object, field == [Schema.recordName] { return Self.recordName }
    return field.count == 1 ? column(named: field[0]) : nil
  }
}

extension RuleDocument.Collection.Kind {
  /// The events around the records.
  var start: Event.Kind { self == .array ? .arrayStart : .objectStart }
  var end: Event.Kind { self == .array ? .arrayEnd : .objectEnd }
  var brackets: (start: UInt8, end: UInt8) {
    self == .array ? (UInt8(ascii: "["), UInt8(ascii: "]")) : (UInt8(ascii: "{"), UInt8(ascii: "}"))
  }
}

/// A column that holds one field of the records.
///
/// A value that its column can't hold (a fraction in a column of integers, a string in one of numbers, null) is stored in the column
/// `coffer_extra` under its name. So a null in the column always means that the field is absent or in `coffer_extra`. A number that
/// the column holds but can't spell (`14.0`, `9.50`) is in both: ``RealText``.
package struct ColumnLayout: Sendable, Hashable {
  package enum Kind: String, Sendable {
    /// 64-bit integers in their shortest spelling.
    case integer
    /// Numbers as doubles.
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
  var sqlType: String {
    switch kind {
    case .integer, .boolean: "INTEGER"
    case .number: "REAL"
    case .text, .json: "TEXT"
    }
  }

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

/// SQL that creates the tables.
extension TableLayout {
  /// The table's name in SQL.
  var sqlName: String { name.quotedIdentifier }

  /// The names of all columns: that of the record's name, if there is one, the fields', and `coffer_extra`.
  var columnNames: [String] { (kind == .object ? [Self.recordName.name] : []) + columns.map(\.name) + [Self.extra] }

  var creation: String {
    var parts = (kind == .object ? [Self.recordName.declaration + " NOT NULL"] : []) + columns.map(\.declaration)
    parts.append("\(Self.extra.quotedIdentifier) TEXT")
    parts += references.map {
      "FOREIGN KEY (\($0.columns.identifierList)) REFERENCES \($0.table.quotedIdentifier) (\($0.targets.identifierList))"
    }
    return "CREATE TABLE main.\(sqlName) (\(parts.joined(separator: ", "))) STRICT"
  }

  /// A named index.
  struct Index {
    let name: String
    let columns: [String]
    let isUnique: Bool
    let table: String

    /// The same index for rows that may have the same values.
    var nonUnique: Index { Index(name: name, columns: columns, isUnique: false, table: table) }

    var creation: String {
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX main.\(name.quotedIdentifier) ON \(table.quotedIdentifier) (\(columns.identifierList))"
    }
  }

  /// The indexes, created after all rows: first those of the keys, then those of the references.
  var indexes: [Index] {
    var indexes: [Index] = []
    func add(_ columns: [String], isUnique: Bool) {
      if columns.isEmpty || indexes.contains(where: { $0.columns == columns }) { return }
      indexes.append(
        Index(name: "\(name)_by_\(columns.joined(separator: "_"))", columns: columns, isUnique: isUnique, table: name))
    }
    add(key, isUnique: true)
    for columns in uniqueKeys { add(columns, isUnique: true) }
    for reference in references { add(reference.columns, isUnique: false) }
    return indexes
  }
}

extension [String] {
  /// `"a", "b"`
  var identifierList: String { map(\.quotedIdentifier).joined(separator: ", ") }

  /// `s."a", s."b"`
  func identifierList(of alias: String) -> String { map { "\(alias).\($0.quotedIdentifier)" }.joined(separator: ", ") }

  /// `m."a" = s."a" AND m."b" = s."b"`
  func equality(_ a: String, _ b: String) -> String {
    isEmpty ? "TRUE" : map { "\(a).\($0.quotedIdentifier) = \(b).\($0.quotedIdentifier)" }.joined(separator: " AND ")
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
