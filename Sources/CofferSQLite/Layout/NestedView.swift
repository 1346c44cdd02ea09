import Coffer
import GRDB
import JSONEvents
import Rules

/// A view with a row for each object in a list inside a table's records.
///
///     invoices        {"id": 7, "lines": [{"sku": "a", "count": 2}, {"sku": "b", "count": 1}]}
///     invoices_lines  (invoices_id 7, lines_index 0, sku a, count 2), (invoices_id 7, lines_index 1, sku b, count 1)
///
/// The list stays in its record, as JSON, so an export writes what was imported. The view always agrees with the record, and takes no
/// space. Text that isn't JSON, which an app may have written, has no rows.
///
/// Cost: SQLite parses the JSON of each record that a query visits.
struct NestedView: Sendable {
  let name: String
  /// The pointer of the table's collection.
  let collection: String
  /// The quoted name and what follows it in SQL.
  fileprivate let definition: String

  /// It tells Coffer's views, which may be replaced, from others.
  static let mark = "/* made by Coffer */"
  private static let columnLimit = 500

  /// - Parameters:
  ///   - list: the names that lead to the list in a record; `*` for the items of a list.
  ///   - fields: the names of the objects' members.
  ///   - taken: the names of the database's other objects, in lower case.
  /// - Returns: `nil` if the record's member has no column.
  init?(of list: [String], _ fields: [String], in table: TableLayout, _ taken: inout Set<String>) {
    guard let first = list.first, table.column(named: first)?.kind == .json else { return nil }
    var (columns, names): ([String], Set<String>) = ([], [])
    func add(_ value: String, as name: String) { columns.append("\(value) AS \(names.take(name).quotedIdentifier)") }
    for key in table.key {
      add("t.\(key.quotedIdentifier)", as: "\(table.name)_\(key == TableLayout.recordName.name ? "name" : key)")
    }
    if table.key.isEmpty { add("t.rowid", as: "\(table.name)_rowid") }
    let stored = "t.\(first.quotedIdentifier)"
    var source = "\(table.sqlName) AS t"
    var conditions: [String] = []
    var value = "CASE WHEN json_valid(\(stored)) THEN \(stored) END"
    var (type, last) = ("json_type(\(value))", first)
    for (step, token) in (list.dropFirst() + ["*"]).enumerated() {
      let isItem = token == "*"
      source += ", json_each(CASE \(type) WHEN '\(isItem ? "array" : "object")' THEN \(value) END) AS j\(step)"
      if isItem {
        add("j\(step).key", as: "\(last)_index")
      } else {
        conditions.append("j\(step).key = \(token.quotedText)")
        last = token
      }
      (value, type) = ("j\(step).value", "j\(step).type")
    }
    conditions.append("\(type) = 'object'")
    for field in fields.prefix(Self.columnLimit) where !field.isEmpty && !field.utf8.contains(0) {
      add(Self.member(field, of: value), as: field)
    }
    collection = table.pointer
    name = taken.take(([table.name] + list.filter { $0 != "*" && !$0.utf8.contains(0) }).joined(separator: "_").unreserved)
    definition = """
      \(name.quotedIdentifier) AS \(Self.mark)
      SELECT \(columns.joined(separator: ", "))
      FROM \(source)
      WHERE \(conditions.joined(separator: " AND "))
      """
  }

  /// SQL: the value of an object's member.
  ///
  /// A path is compared with the name as it is written, escapes included. Other names than plain ones may have some.
  private static func member(_ name: String, of object: String) -> String {
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0))
    }
    return isPlain
      ? "json_extract(\(object), '$.\"\(name)\"')" : "(SELECT value FROM json_each(\(object)) WHERE key = \(name.quotedText))"
  }
}

/// The views of a layout in a database.
struct NestedViews {
  let views: [NestedView]
  /// The views of earlier imports that are not among them, if views are wanted.
  private let obsolete: [String]

  /// - Throws: `CofferError` with the code `incompatible` if the database has another object of a view's name, or an app has added
  ///   triggers to a view that must be removed; `DatabaseError`.
  init(of layout: DatabaseLayout, areWanted: Bool, in database: Database) throws {
    let all = areWanted ? layout.nestedViews : []
    let views = all.filter { layout.keeps($0.collection) }
    let earlier = try Row.fetchAll(
      database, sql: "SELECT name, sql FROM main.sqlite_schema WHERE type = 'view' AND instr(sql, ?) > 0",
      arguments: [NestedView.mark]
    ).map { row in (name: row[0] as String? ?? "", sql: row[1] as String? ?? "") }
    let current = Set(all.map { "CREATE VIEW \($0.definition)" })
    let obsolete = areWanted ? earlier.filter { !current.contains($0.sql) }.map(\.name) : []
    let names = Set(earlier.map { $0.name.lowercased() })
    for view in views where !names.contains(view.name.lowercased()) {
      let type = try String.fetchOne(
        database, sql: "SELECT type FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE AND type <> 'trigger'",
        arguments: [view.name])
      guard let type else { continue }
      throw CofferError(
        .incompatible,
        "the database has \(type == "index" ? "an" : "a") \(type) '\(view.name)' that Coffer didn't create, but a view needs that name: rename it, or leave out the views"
      )
    }
    for name in obsolete
    where try database.hasRows(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = \(name.quotedText) COLLATE NOCASE")
    {
      throw CofferError(.incompatible, "the view '\(name)' must be replaced, but it has triggers: remove them first")
    }
    (self.views, self.obsolete) = (views, obsolete)
  }

  func removeObsolete(in database: Database) throws {
    for name in obsolete { try database.execute(sql: "DROP VIEW main.\(name.quotedIdentifier)") }
  }

  func remove(in database: Database) throws {
    for view in views { try database.execute(sql: "DROP VIEW main.\(view.name.quotedIdentifier)") }
  }

  func create(in database: Database) throws {
    for view in views
    where try !database.hasRows("SELECT 1 FROM main.sqlite_schema WHERE type = 'view' AND name = \(view.name.quotedText)") {
      try database.execute(sql: "CREATE VIEW main.\(view.definition)")
    }
  }
}

extension DatabaseLayout {
  /// The names of tables and indexes, in lower case.
  fileprivate var objectNames: Set<String> {
    Set(
      [Self.backupTable, Self.memberTable] + tables.map { $0.name.lowercased() }
        + tables.flatMap(\.indexes).map { $0.name.lowercased() })
  }

  /// The views of the lists of objects inside the tables' records, as far as the rules describe them.
  var nestedViews: [NestedView] {
    var taken = objectNames
    return tables.flatMap { table -> [NestedView] in
      guard let collection = format.allCollections.first(where: { $0.pointer == table.pointer }) else { return [] }
      let fields = format.rules.recordFields(of: collection.rules).fields.compactMap { field in
        ("/" + field.path).pointerTokens.map { (path: $0, types: field.types) }
      }
      let types = Dictionary(fields.map { ($0.path, $0.types) }) { first, _ in first }
      // `*` is also a member's name.
      func isItem(_ path: [String]) -> Bool {
        path.last == "*" && types[Array(path.dropLast())].map { $0?.contains(.array) != false } == true
      }
      let members = Dictionary(grouping: fields.filter { $0.path.last != "*" }) { Array($0.path.dropLast()) }
      return fields.compactMap { field in
        guard isItem(field.path), field.types?.contains(.object) != false, let found = members[field.path],
          field.path.indices.allSatisfy({ field.path[$0] != "*" || isItem(Array(field.path[...$0])) })
        else { return nil }
        return NestedView(of: field.path.dropLast(), found.compactMap(\.path.last), in: table, &taken)
      }
    }
  }
}

extension Set<String> {
  /// Returns the name, or the first of `name_2`, `name_3`, … that SQLite tells from the names here, and inserts it in lower case.
  mutating func take(_ plain: String) -> String {
    var (name, number) = (plain, 2)
    while !insert(name.lowercased()).inserted {
      name = "\(plain)_\(number)"
      number += 1
    }
    return name
  }
}

extension String {
  /// The name of a table or view without a reserved prefix.
  var unreserved: String {
    let name = lowercased()
    return isEmpty || name == "sqlite" || name.hasPrefix("sqlite_") || name.hasPrefix("coffer_") ? "_" + self : self
  }
}
