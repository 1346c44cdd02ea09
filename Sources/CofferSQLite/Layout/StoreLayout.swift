package import BackupFormats
package import ByteStreams
import Coffer
import Findings
import JSONEvents
import Rules

/// The tables that hold a format's backups.
///
///     cars, expenses, …     one table per collection: TableLayout
///     coffer_backup         name, value: the format, its version, the date of creation, which files belong to the rows
///     coffer_members        the other root members, in the document's order; null marks the place of a collection's records
package struct StoreLayout: Sendable {
  package static let backupTable = "coffer_backup"
  package static let memberTable = "coffer_members"
  /// The version of the table form, which maps field types to columns. Tables of another version are rejected.
  package static let formVersion = 3

  package let format: BackupFormat
  package private(set) var tables: [TableLayout]

  /// - Throws: `CofferError` if a collection's name can't be a table name, or if two tables or indexes would have the same name.
  package init(_ format: BackupFormat) throws(CofferError) {
    self.format = format
    tables = format.collections.map { TableLayout($0, of: format.rules) }
    var names: Set<String> = []
    for table in tables {
      let name = table.name.lowercased()
      if name.hasPrefix("sqlite_") || name.hasPrefix("coffer_") || name.isEmpty || name.utf8.contains(0)
        || !names.insert(name).inserted
      {
        throw CofferError(
          .incompatible,
          "the collection '\(table.name)' of '\(format.name)' can't be a table: its name is reserved or taken")
      }
    }
    for index in tables.indices { tables[index].references = references(of: index) }
    for index in tables.flatMap(\.indexes) where !names.insert(index.name.lowercased()).inserted {
      throw CofferError(
        .incompatible,
        "'\(index.name)' would be the name of two indexes or tables of '\(format.name)': rename a collection or a key's field")
    }
  }

  package func table(at pointer: String) -> TableLayout? { tables.first { $0.pointer == pointer } }

  /// Returns the references that SQLite can check: those that hold for every record, to a key of one table.
  private func references(of index: Int) -> [TableLayout.Reference] {
    let table = tables[index]
    guard let collection = format.collections.first(where: { $0.pointer == table.pointer }) else { return [] }
    return collection.rules.references.compactMap { reference in
      let key = reference.key
      guard reference.severity == .error, key.whenSchema == nil, key.ifEmpty == nil, key.targets.count == 1,
        case .root(let tokens) = key.targets[0].resource,
        let target = tables.first(where: { $0.pointer == tokens.map { "/" + $0.pointerToken }.joined() })
      else { return nil }
      let columns = key.fields.compactMap { $0.count == 1 ? table.column(named: $0[0]) : nil }
      let targets = key.targets[0].fields.compactMap { $0.count == 1 ? target.column(named: $0[0]) : nil }
      // The target's columns determine how keys are compared.
      guard targets.allSatisfy({ $0.ignoresCase || !key.ignoresCase }), columns.count == key.fields.count,
        targets.map(\.name) == target.key, columns.map(\.kind) == targets.map(\.kind),
        !columns.isEmpty
      else { return nil }
      return TableLayout.Reference(columns: columns.map(\.name), table: target.name, targets: targets.map(\.name))
    }
  }
}

/// SQL that creates the tables.
extension TableLayout {
  /// The names of all columns, including `coffer_extra`.
  var columnNames: [String] { columns.map(\.name) + [Self.extra] }

  func creation(in schema: String) -> String {
    var parts = columns.map(\.declaration)
    parts.append("\(Self.extra.quotedIdentifier) TEXT")
    parts += references.map {
      "FOREIGN KEY (\($0.columns.identifierList)) REFERENCES \($0.table.quotedIdentifier) (\($0.targets.identifierList))"
    }
    return "CREATE TABLE \(schema).\(name.quotedIdentifier) (\(parts.joined(separator: ", "))) STRICT"
  }

  /// A named index.
  struct Index {
    let name: String
    let columns: [String]
    let isUnique: Bool
    let table: String

    func creation(in schema: String) -> String {
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(schema).\(name.quotedIdentifier) ON \(table.quotedIdentifier) (\(columns.identifierList))"
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

extension StoreLayout {
  /// Returns SQL that creates the two tables that hold the envelope.
  static func envelopeCreation(in schema: String) -> [String] {
    [
      "CREATE TABLE \(schema).\(backupTable) (name TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID",
      "CREATE TABLE \(schema).\(memberTable) (position INTEGER PRIMARY KEY, name TEXT UNIQUE, value TEXT) STRICT",
    ]
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
