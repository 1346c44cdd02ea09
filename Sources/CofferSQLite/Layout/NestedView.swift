import Coffer
import GRDB
import JSONEvents
import Rules

/// A view with a row for each object in a list inside a table's records.
///
///     invoices        {"id": 7, "lines": [{"sku": "a", "count": 2}, {"sku": "b", "count": 1}]}
///     invoices_lines  (invoices_id 7, lines_index 0, sku a, count 2), (invoices_id 7, lines_index 1, sku b, count 1)
///
/// The list stays in its record, as JSON, so an export writes what was imported. The view always agrees with the record, and takes no space.
///
/// Cost: SQLite parses the JSON of each record that a query visits.
struct NestedView: Sendable {
  let name: String
  let creation: String

  /// It tells Coffer's views, which may be replaced, from others.
  private static let mark = "/* made by Coffer */"
  private static let columnLimit = 500

  /// - Parameters:
  ///   - list: the names that lead to the list in a record; `*` for the items of a list.
  ///   - fields: the names of the objects' members.
  ///   - taken: the names of the database's other objects, in lower case.
  /// - Returns: `nil` if the record's member has no column.
  init?(of list: [String], _ fields: [String], in table: TableLayout, _ taken: inout Set<String>) {
    guard let first = list.first, table.column(named: first)?.kind == .json, Self.arePlain(list) else { return nil }
    var columns = ViewColumns()
    for key in table.key {
      let name = key == TableLayout.recordName.name ? "name" : key
      columns.add("t.\(key.quotedIdentifier)", as: "\(table.name)_\(name)")
    }
    if table.key.isEmpty { columns.add("t.rowid", as: "\(table.name)_rowid") }
    var (sources, conditions): ([String], [String]) = (["\(table.sqlName) AS t"], [])
    var (value, path, last) = ("t.\(first.quotedIdentifier)", "$", first)
    for token in list.dropFirst() + ["*"] {
      guard token == "*" else {
        path += Self.step(to: token)
        last = token
        continue
      }
      let items = "i\(sources.count)"
      sources.append("json_each(\(value), \(path.quotedText)) AS \(items)")
      conditions += ["json_type(\(value), \(path.quotedText)) = 'array'", "\(items).type = 'object'"]
      columns.add("\(items).key", as: "\(last)_index")
      (value, path) = ("\(items).value", "$")
    }
    for field in fields.prefix(Self.columnLimit) where !field.isEmpty && Self.arePlain([field]) {
      columns.add("json_extract(\(value), \(("$" + Self.step(to: field)).quotedText))", as: field)
    }
    let plain = ([table.name] + list.filter { $0 != "*" }).joined(separator: "_")
    var (name, number) = (plain, 2)
    while !taken.insert(name.lowercased()).inserted {
      name = "\(plain)_\(number)"
      number += 1
    }
    self.name = name
    creation = """
      CREATE VIEW main.\(name.quotedIdentifier) AS \(Self.mark)
      SELECT \(columns.list.joined(separator: ", "))
      FROM \(sources.joined(separator: ", "))
      WHERE \(conditions.joined(separator: " AND "))
      """
  }

  /// A path of SQLite can't name members with these characters.
  private static func arePlain(_ names: [String]) -> Bool {
    !names.contains { $0.unicodeScalars.contains { $0 == "\"" || $0 == "\\" || $0.value < 0x20 } }
  }

  private static func step(to member: String) -> String { ".\"\(member)\"" }

  /// - Throws: `CofferError` with the code `incompatible` if the database has another object of this name; `DatabaseError`.
  func check(in database: Database) throws { _ = try existing(in: database) }

  /// Creates the view, or replaces that of an earlier import.
  func create(in database: Database) throws {
    if let existing = try existing(in: database) { try database.execute(sql: "DROP VIEW main.\(existing.quotedIdentifier)") }
    try database.execute(sql: creation)
  }

  /// Returns the name of an earlier import's view.
  private func existing(in database: Database) throws -> String? {
    let row = try Row.fetchOne(
      database, sql: "SELECT type, name, sql FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE AND type <> 'trigger'",
      arguments: [name])
    guard let row else { return nil }
    let (type, name, sql): (String, String, String?) = (row[0], row[1], row[2])
    if type == "view", sql?.contains(Self.mark) == true { return name }
    throw CofferError(
      .incompatible,
      "the database has \(type == "index" ? "an" : "a") \(type) '\(name)' that Coffer didn't create, but a view needs that name: rename it, or leave out the views"
    )
  }
}

/// The columns of a view, with names that SQLite tells apart.
private struct ViewColumns {
  private(set) var list: [String] = []
  private var names: Set<String> = []

  mutating func add(_ value: String, as plain: String) {
    var (name, number) = (plain, 2)
    while !names.insert(name.lowercased()).inserted {
      name = "\(plain)_\(number)"
      number += 1
    }
    list.append("\(value) AS \(name.quotedIdentifier)")
  }
}

extension DatabaseLayout {
  /// The views of the lists of objects inside the tables' records, as far as the rules describe them.
  var nestedViews: [NestedView] {
    var taken = Set(tables.map { $0.name.lowercased() } + tables.flatMap(\.indexes).map { $0.name.lowercased() })
    return tables.flatMap { table -> [NestedView] in
      guard let collection = format.allCollections.first(where: { $0.pointer == table.pointer }) else { return [] }
      let fields = format.rules.recordFields(of: collection.rules).fields.compactMap { field in
        field.path.tokensOfField.map { (path: $0, types: field.types) }
      }
      let members = Dictionary(grouping: fields) { Array($0.path.dropLast()) }
      return fields.compactMap { field in
        guard field.path.last == "*", field.types?.contains(.object) != false, let found = members[field.path] else { return nil }
        return NestedView(of: field.path.dropLast(), found.compactMap(\.path.last), in: table, &taken)
      }
    }
  }
}

extension String {
  /// The names in the path of a field.
  fileprivate var tokensOfField: [String]? { ("/" + self).pointerTokens }
}
