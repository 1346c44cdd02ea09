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
