import BackupFormats
import Coffer
import Failpoints
import GRDB

/// The changes that an import of a stage's rows makes to a database: planned for its current state, and then made.
///
/// Tables are kept, with the columns, indexes and triggers that an app has added.
///
/// Cost: that of `TableDifference`, and of writing the rows that differ. Memory: SQLite's own.
struct ImportPlan {
  /// The name under which the stage is attached.
  static let schema = "coffer_stage"

  /// The planned changes.
  private(set) var changes = ImportChanges()
  /// The properties of the database's backup before, or `nil` if it held none.
  let before: BackupProperties?
  private let stage: Stage
  private let options: DatabaseImportOptions
  private let database: Database
  private var tables: [TableChange] = []
  private let views: NestedViews

  /// The database's `PRAGMA data_version` when this value was created. It changes if another connection changes the database.
  private let dataVersion: Int

  /// Plans the changes, in a transaction. Writes only to temporary tables, which exist until the stage is detached.
  ///
  /// - Parameter database: a connection with the stage attached.
  /// - Throws: `CofferError` if stage and database are incompatible.
  init(_ stage: Stage, to database: Database, options: DatabaseImportOptions) throws {
    self.stage = stage
    self.options = options
    self.database = database
    dataVersion = try Self.dataVersion(of: database)
    before = try BackupProperties(of: database)
    try Self.check(before, stage, options)
    try database.checkNames(of: stage.layout, holdsBackup: before != nil)
    views = try NestedViews(of: stage.layout, areWanted: options.addsNestedViews, in: database)
    if options.addsNestedViews { changes.views = views.views.map(\.name) }
    let layouts = stage.layout.tables.filter { stage.layout.keeps($0.pointer) }
    let stored = try layouts.map { layout in
      let stored = try ExistingTable(layout, in: database)
      try stored?.check()
      return stored
    }
    for (layout, stored) in zip(layouts, stored) {
      try options.validation.execution.cancellation.check()
      let newer = stage.properties.isNewer(than: before)
      let table = try TableChange(layout, stored, options, isStageNewer: newer, in: database)
      tables.append(table)
      changes.collections.append(table.counts)
    }
    (changes.changedMembers, changes.removedMembers) = try memberChanges()
    changes.keptMembers = try keptMembers()
    try checkPlaces()
    changes.danglingReferences = try danglingReferences()
    // A preview rejects the same foreign keys as an import.
    if checksReferences { _ = try ForeignKey.all(of: stage.layout.tables, in: database) }
  }

  private static func dataVersion(of database: Database) throws -> Int { try database.number("PRAGMA main.data_version") }

  /// Returns true if no other connection has changed the database since this value was created.
  func isCurrent() throws -> Bool { try Self.dataVersion(of: database) == dataVersion }

  private static func check(_ before: BackupProperties?, _ stage: Stage, _ options: DatabaseImportOptions) throws(CofferError) {
    guard let before else { return }
    let format = stage.properties.format
    if before.format != format {
      throw CofferError(
        .incompatible, "the database holds a backup of '\(before.format)', but this one is of '\(format)'")
    }
    // Drafted rules follow the documents, whatever versions these declare.
    guard !stage.properties.isDrafted, let held = before.version, let new = stage.properties.version, held != new,
      stage.layout.format.version?.hasSameForm != true
    else { return }
    if held > new {
      throw CofferError(
        .newerVersion,
        "the database holds version \(held) of '\(format)', which is newer than version \(new) of the backup")
    }
    if options.mode == .merge || options.validation.only != nil {
      throw CofferError(
        .incompatible,
        "the database has version \(held) of '\(format)', but the backup has version \(new): to keep the database's data, export it, migrate the export, and import that with the mode 'replace'"
      )
    }
  }

  private func danglingReferences() throws -> [DanglingReference] {
    guard let choice = stage.layout.choice else { return [] }
    let empty = try stage.layout.tables.filter { try !stage.layout.keeps($0.pointer) && !database.hasRecords($0) }
    return choice.danglingReferences(rules: stage.layout.format.rules, to: empty.map(\.pointer))
  }

  private var changesRows: Bool { tables.contains { $0.counts.changesRows } }

  private var checksReferences: Bool { changesRows && !options.allowsFindings }

  private var takesMembers: Bool {
    options.mode == .replace || before == nil || options.conflicts == .replace
      || options.conflicts == .keepNewest && stage.properties.isNewer(than: before) == true
  }

  /// The name of the root member that holds the app's settings, as an SQL string. `nil` unless the import merges.
  private var settingsMember: String? {
    options.mode == .merge ? stage.layout.format.settingsMember?.quotedText : nil
  }

  /// SQL: the new value of the database's member `m` if the stage's member `s` replaces it.
  private var newMember: String {
    settingsMember.map { "CASE WHEN s.name IS \($0) THEN coffer_merged(m.value, s.value) ELSE s.value END" } ?? "s.value"
  }

  /// SQL: the stage's member `s` replaces the database's member `m`, and differs from it.
  private var changesMember: String {
    var replaces = takesMembers ? "1" : "0"
    if let settingsMember, let policy = options.settings ?? (stage.layout.format.restoresSettings ? .replace : nil) {
      replaces = "iif(s.name IS \(settingsMember), \(policy == .replace ? 1 : 0), \(replaces))"
    }
    return "(\(replaces) AND NOT coffer_equal(m.value, \(newMember)))"
  }

  /// Counts the changed and removed members. Members are compared as whole values, except those that mark the place of a
  /// collection.
  private func memberChanges() throws -> (changed: Int, removed: Int) {
    let members = DatabaseLayout.memberTable
    guard before != nil else {
      return (try database.number("SELECT count(*) FROM \(Self.schema).\(members) WHERE value IS NOT NULL"), 0)
    }
    if options.validation.only != nil { return (0, 0) }
    let isOther = "m.position IS NULL OR \(changesMember)"
    let changed = try database.number(
      """
      SELECT count(*) FROM \(Self.schema).\(members) s LEFT JOIN main.\(members) m ON m.name IS s.name
      WHERE s.value IS NOT NULL AND (\(isOther))
      """)
    guard options.mode == .replace else { return (changed, 0) }
    let removed = try database.number(
      "SELECT count(*) FROM main.\(members) m WHERE NOT EXISTS (SELECT 1 FROM \(Self.schema).\(members) s WHERE s.name IS m.name)"
    )
    return (changed, removed)
  }

  /// Counts the members that differ from the backup's, and stay.
  private func keptMembers() throws -> Int {
    guard before != nil, options.mode == .merge, options.validation.only == nil else { return 0 }
    let members = DatabaseLayout.memberTable
    return try database.number(
      """
      SELECT count(*) FROM \(Self.schema).\(members) s JOIN main.\(members) m ON m.name IS s.name
      WHERE s.value IS NOT NULL AND NOT coffer_equal(m.value, s.value) AND NOT \(changesMember)
      """)
  }

  /// - Throws: `incompatible` if rows would lose their place in the document.
  private func checkPlaces() throws {
    guard before != nil else { return }
    let members = DatabaseLayout.memberTable
    func hasRoot(_ schema: String) throws -> Bool {
      try database.hasRows("SELECT 1 FROM \(schema).\(members) WHERE name IS NULL")
    }
    let isObject = try !hasRoot("main")
    if try isObject == hasRoot(Self.schema), try database.hasRows("SELECT 1 FROM main.\(members)") {
      let words = isObject ? "an object, but this one is not" : "not an object, but this one is"
      throw CofferError(.incompatible, "the document in the database is \(words)")
    }
    for case let name? in try String?.fetchAll(database, sql: "SELECT name FROM main.\(members) WHERE value IS NULL")
    where stage.layout.table(at: "/" + name.pointerToken) == nil {
      throw CofferError(
        .incompatible, "the database has a table for /\(name.pointerToken), which the rules of the backup don't describe")
    }
    guard options.mode == .merge, takesMembers, options.validation.only == nil else { return }
    for table in stage.layout.tables where try !table.path.isEmpty && database.hasRecords(table) {
      let sql = "SELECT value FROM \(Self.schema).\(members) WHERE name = ? AND value IS NOT NULL"
      guard let value = try String.fetchOne(database, sql: sql, arguments: [table.path[0]]) else { continue }
      if !table.pathInMember.isEmpty, EditableJSON(Array(value.utf8)).has(table.pathInMember) { continue }
      throw CofferError(
        .incompatible,
        "the database has records of \(table.pointer), but the backup has another value in their place: keep the existing members, or replace everything"
      )
    }
  }

  // MARK: Changing

  /// Makes the planned changes, and checks the result.
  ///
  /// - Parameter files: the set of files that belongs to the rows from now on. If `nil`, it is unchanged.
  /// - Throws: `CofferError`, `DatabaseError`. The caller must then roll back the transaction.
  func apply(files: String?) throws {
    let cancellation = options.validation.execution.cancellation
    try Failpoint.reach(.beforeApply)
    // A reference that was already dangling doesn't make the import fail.
    let dangling = checksReferences ? try ForeignKey.danglingCounts(of: stage.layout.tables, in: database) : [:]
    try views.removeObsolete(in: database)
    if before == nil { try database.execute(sql: DatabaseLayout.envelopeCreation) }
    for table in tables {
      try cancellation.check()
      try table.apply(in: database)
      try Failpoint.reach(.middleOfApply)
    }
    // Checked after the last table, because a trigger on one table may change another.
    for table in tables {
      let count = try database.count(table.table.target)
      if count != table.counts.count {
        throw CofferError(.verification, "\(table.table.title): \(count) rows, expected \(table.counts.count)")
      }
    }
    try applyMembers()
    try BackupProperties.set("form", String(DatabaseLayout.formVersion), in: database)
    try applyRules()
    try views.create(in: database)
    if let files { try BackupProperties.set("files", files, in: database) }
    try cancellation.check()
    if checksReferences {
      try ForeignKey.check(stage.layout, in: database, before: dangling)
    }
    if changesRows { try database.checkIntegrity() }
    try Failpoint.reach(.beforeCommit)
  }

  /// Stores the rules that the backup was imported with. The tables follow them.
  private func applyRules() throws {
    let (backup, schema) = (DatabaseLayout.backupTable, Self.schema)
    let names = "('\(BackupProperties.rules)', '\(BackupProperties.drafted)')"
    try database.execute(
      sql: """
        DELETE FROM main.\(backup) AS m
        WHERE name IN \(names) AND NOT EXISTS (SELECT 1 FROM \(schema).\(backup) s WHERE s.name = m.name AND s.value IS m.value);
        INSERT OR IGNORE INTO main.\(backup) SELECT name, value FROM \(schema).\(backup) WHERE name IN \(names)
        """)
  }

  private func applyMembers() throws {
    let (members, backup, schema) = (DatabaseLayout.memberTable, DatabaseLayout.backupTable, Self.schema)
    let isPart = options.validation.only != nil && before != nil
    if options.mode == .replace || before == nil, !isPart {
      try database.execute(
        sql: """
          DROP TABLE IF EXISTS temp.coffer_member;
          CREATE TEMP TABLE coffer_member AS
          SELECT s.position, s.name, iif(coffer_equal(m.value, s.value), m.value, s.value) AS value
          FROM \(schema).\(members) s LEFT JOIN main.\(members) m ON m.name IS s.name;
          DELETE FROM main.\(members); INSERT INTO main.\(members) SELECT * FROM temp.coffer_member;
          DROP TABLE temp.coffer_member;
          DELETE FROM main.\(backup) WHERE name <> 'files'; INSERT OR REPLACE INTO main.\(backup) SELECT * FROM \(schema).\(backup);
          """)
      return
    }
    if !isPart {
      try database.execute(
        sql: """
          UPDATE main.\(members) AS m SET value = \(newMember) FROM \(schema).\(members) s
          WHERE s.name IS m.name AND s.value IS NOT NULL AND \(changesMember)
          """)
    }
    if takesMembers, !isPart {
      try database.execute(
        sql: """
          UPDATE main.\(backup) SET value = (SELECT value FROM \(schema).\(backup) WHERE name = 'createdAt') WHERE name = 'createdAt'
          """)
    }
    // A collection's member that is missing or has a value becomes the place of its records.
    let kept = tables.map(\.table.memberName.quotedText).joined(separator: ", ")
    try database.execute(
      sql: """
        UPDATE main.\(members) AS m SET value = NULL FROM \(schema).\(members) s
        WHERE s.name IS m.name AND s.value IS NULL AND m.value IS NOT NULL AND m.name IN (\(kept));
        INSERT INTO main.\(members) (position, name, value)
        SELECT (SELECT coalesce(max(position), -1) FROM main.\(members)) + row_number() OVER (ORDER BY s.position), s.name, s.value
        FROM \(schema).\(members) s
        WHERE NOT EXISTS (SELECT 1 FROM main.\(members) m WHERE m.name IS s.name)\(isPart ? " AND s.name IN (\(kept))" : "")
        ORDER BY s.position
        """)
  }
}

extension TableLayout {
  /// The name of the root member that is the array of records; empty if there is none.
  var memberName: String { path.count == 1 ? path[0] : "" }
}

extension BackupFormat {
  /// The name of the root member that holds the app's settings, or `nil` if there is none, or only part of a member holds them.
  var settingsMember: String? {
    guard let tokens = settings?.pointerTokens, tokens.count == 1 else { return nil }
    return tokens[0]
  }
}

extension Database {
  /// Returns true if a collection has a table with rows.
  func hasRecords(_ table: TableLayout) throws -> Bool {
    try !columnNames(of: table.name).isEmpty && hasRows("SELECT 1 FROM \(table.target)")
  }
}

extension ImportPlan {
  /// `coffer_merged(old, new)`: merges an app's settings. The backup's settings replace those with the same name; the others stay.
  static let settingsMerge = DatabaseFunction("coffer_merged", argumentCount: 2, pure: true) { values in
    guard let old = String.fromDatabaseValue(values[0]), let new = String.fromDatabaseValue(values[1]) else { return values[1] }
    // To apps, `null` and a missing member are the same.
    if new == "null" { return old }
    return (try? merged(JSONMembers(old.utf8), JSONMembers(new.utf8))) ?? new
  }

  /// - Returns: `nil` if one of them isn't an object.
  private static func merged(_ old: JSONMembers, _ new: JSONMembers) -> String? {
    guard old.isObject, new.isObject else { return nil }
    let added = new.all.filter { $0.kind != .null }
    let names = Set(added.map(\.name))
    let members = old.all.filter { !names.contains($0.name) } + added
    return "{" + members.map { String(decoding: $0.text, as: UTF8.self) }.joined(separator: ",") + "}"
  }
}
