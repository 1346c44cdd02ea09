package import BackupFormats
package import ByteStreams
package import Coffer
import Findings
import JSONEvents
import Rules

/// The tables that hold a format's backups.
///
///     cars, expenses, …     one table per collection: TableLayout
///     coffer_backup         name, value: the format, its version, the date of creation, which files belong to the rows
///     coffer_members        the other root members, in the document's order; null marks the place of a collection's records, and an
///                           empty array or object that of a collection inside a member
package struct DatabaseLayout: Sendable {
  static let backupTable = "coffer_backup"
  static let memberTable = "coffer_members"
  /// The version of the table form, which maps field types to columns. Tables of another version are rejected.
  static let formVersion = 4

  let format: BackupFormat
  package private(set) var tables: [TableLayout]
  /// The collections whose records are transferred. If `nil`, all are.
  let choice: CollectionChoice?

  /// - Throws: `CofferError` if two tables or indexes would have the same name, or if the format has no such collections.
  package init(_ format: BackupFormat, only selection: CollectionSelection? = nil) throws(CofferError) {
    self.format = format
    choice = if let selection { try selection.choice(from: format) } else { nil }
    tables = format.allCollections.filter(\.rules.holdsRecords).map { TableLayout($0, of: format.rules) }
    Self.rename(&tables)
    for pointer in choice?.kept ?? [] where !tables.contains(where: { $0.pointer == pointer }) {
      throw CofferError(
        .incompatible, "the collection '\(pointer)' of '\(format.name)' has no table to select: its records are not all objects")
    }
    var names = Set(tables.map { $0.name.lowercased() })
    for index in tables.indices { tables[index].references = references(of: index) }
    for index in tables.flatMap(\.indexes) where !names.insert(index.name.lowercased()).inserted {
      throw CofferError(
        .incompatible,
        "'\(index.name)' would be the name of two indexes or tables of '\(format.name)': rename a collection or a key's field")
    }
  }

  /// Gives tables other names whose own are reserved, or taken by earlier ones: SQLite doesn't tell `Items` from `items`.
  private static func rename(_ tables: inout [TableLayout]) {
    var names: Set<String> = []
    for index in tables.indices {
      tables[index].name = names.take(tables[index].name.filter { $0 != "\0" }.unreserved)
    }
  }

  mutating func makeLenient() { for index in tables.indices { tables[index].isLenient = true } }

  /// Returns true if the records of the collection are transferred.
  func keeps(_ pointer: String) -> Bool { choice?.kept.contains(pointer) ?? true }

  func table(at pointer: String) -> TableLayout? { tables.first { ExactText($0.pointer) == ExactText(pointer) } }

  /// Returns the tables of the collections inside a member of the root.
  func tables(inside member: String?) -> [TableLayout] {
    guard let name = member.map({ ExactText($0) }) else { return [] }
    return tables.filter { !$0.pathInMember.isEmpty && ExactText($0.path[0]) == name }
  }

  /// Returns the references that SQLite can check: those that hold for every record, to a key of one table.
  private func references(of index: Int) -> [TableLayout.Reference] {
    let table = tables[index]
    guard let collection = format.allCollections.first(where: { $0.pointer == table.pointer }) else { return [] }
    return collection.rules.references.compactMap { reference in
      let key = reference.key
      guard reference.severity == .error, key.whenSchema == nil, key.ifEmpty == nil, key.targets.count == 1,
        case .root(let tokens) = key.targets[0].resource,
        let target = tables.first(where: { $0.pointer == tokens.pointer })
      else { return nil }
      let columns = key.fields.compactMap(table.column(of:))
      let targets = key.targets[0].fields.compactMap(target.column(of:))
      // The target's columns determine how keys are compared.
      guard targets.allSatisfy({ $0.ignoresCase || !key.ignoresCase }), columns.count == key.fields.count,
        targets.map(\.name) == target.key, columns.map(\.kind) == targets.map(\.kind),
        !columns.isEmpty
      else { return nil }
      return TableLayout.Reference(columns: columns.map(\.name), table: target.name, targets: targets.map(\.name))
    }
  }
}

/// SQL that creates the two tables that hold the envelope.
extension DatabaseLayout {
  static let envelopeCreation = """
    CREATE TABLE main.\(backupTable) (name TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID;
    CREATE TABLE main.\(memberTable) (position INTEGER PRIMARY KEY, name TEXT UNIQUE, value TEXT) STRICT
    """
}
