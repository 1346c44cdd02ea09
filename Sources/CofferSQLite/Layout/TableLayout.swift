import BackupFormats
import Findings
import JSONEvents
package import Rules

/// A table: one collection's records, a row each.
///
///     expenses ( id INTEGER, carId INTEGER, date TEXT, cost TEXT, …, more TEXT,  FOREIGN KEY (carId) REFERENCES cars (id) )
///     rowid      the order in which the records stand in the document
///     more       a JSON object: fields that the rules don't know, and values that their columns can't hold; null if there are none
///
/// Keys are unique indexes, not `PRIMARY KEY`: so rows keep the document's order, and what is built once at the end takes a third of the time.
package struct TableLayout: Sendable {
  package static let more = "more"

  /// A JSON Pointer.
  package let pointer: String
  /// What messages call the collection.
  package let title: String
  package let name: String
  package let columns: [ColumnLayout]
  /// The columns that tell rows apart; empty if nothing does.
  package let key: [String]
  /// Whether a document may have a record more than once; one of each becomes a row.
  package let dropsEqualRecords: Bool
  /// Other columns that are unique together.
  package let uniqueKeys: [[String]]
  package internal(set) var references: [Reference] = []
  /// The column that says when a record was changed last.
  package let modified: (column: String, format: StringFormat)?

  /// Columns that name a row of another table.
  package struct Reference: Sendable, Hashable {
    package let columns: [String]
    package let table: String
    package let targets: [String]
  }

  /// More columns than this go to `more`: SQLite takes 2000, and statements name them several times.
  private static let columnLimit = 500

  init(_ collection: BackupFormat.Collection, of rules: RuleDocument) {
    pointer = collection.pointer
    title = collection.title
    name = collection.pointer.isEmpty ? collection.title : collection.rules.name
    let fields = rules.recordFields(of: collection.rules).fields
    // SQLite's names differ in more than the case of letters; these three would hide the row's own number.
    var taken: Set<String> = [Self.more, "rowid", "oid", "_rowid_"]
    var columns: [ColumnLayout] = []
    for name in collection.rules.fields where columns.count < Self.columnLimit && !name.isEmpty && !name.utf8.contains(0) {
      // Statements that compare rows use names that begin so.
      guard !name.lowercased().hasPrefix("coffer_"), taken.insert(name.lowercased()).inserted else { continue }
      let path = name.pointerToken
      let field = fields.first { $0.path == path }
      columns.append(ColumnLayout(name: name, types: field?.types, values: field?.valueTypes))
    }
    let names = Set(columns.map(\.name))
    func columnNames(_ paths: [Schema.FieldPath]) -> [String]? {
      let found = paths.compactMap { $0.count == 1 && names.contains($0[0]) ? $0[0] : nil }
      return found.count == paths.count && !found.isEmpty ? found : nil
    }
    // A key that the rules only advise may be there twice.
    let enforced = collection.rules.keys.filter { $0.severity == .error }
    let key = enforced.contains { $0.fields == collection.key } ? columnNames(collection.key) ?? [] : []
    self.key = key
    dropsEqualRecords = enforced.contains { $0.fields == collection.key && $0.allowsEqual }
    // What differs in letter case alone may be the same key by one of the rules, and another by the next: the primary one decides about the columns.
    uniqueKeys = enforced.filter { $0.fields != collection.key && $0.isExact }.compactMap { columnNames($0.fields) }
    if collection.keyIgnoresCase {
      for index in columns.indices where key.contains(columns[index].name) { columns[index].ignoresCase = true }
    }
    self.columns = columns
    modified = collection.modified.flatMap { field in
      names.contains(field) ? collection.modifiedFormat.map { (field, $0) } : nil
    }
  }

  package func column(named name: String) -> ColumnLayout? { columns.first { $0.name == name } }

  /// The numbers of the columns whose values must be held as they are: keys, and what refers to one.
  var exactColumns: Set<Int> {
    let names = Set(key + uniqueKeys.joined() + references.flatMap(\.columns))
    return Set(columns.indices.filter { names.contains(columns[$0].name) })
  }
}
