import BackupFormats
import Coffer
import Failpoints
package import GRDB

/// Imports a stage's rows into an existing database, in one transaction.
///
///     ATTACH stage ─▶ BEGIN IMMEDIATE ─▶ plan ─▶ (safety copy) ─▶ tables, one after another ─▶ checks ─▶ COMMIT
///
/// Until the commit, readers see the old rows; afterwards, all of the new ones. Tables are kept, with the columns, indexes and
/// triggers that an app has added.
///
/// Cost: that of `TableDifference`, and of writing the rows that differ. Memory: SQLite's own.
package struct StageApplication {
  /// The name under which the stage is attached.
  static let schema = "coffer_stage"

  private let stage: Stage
  private let options: StoreImportOptions
  private let database: Database
  /// The database's previous contents, or `nil` if it held no backup.
  package let before: StoreContents?
  private let changes: [TableChange]

  /// The database's `PRAGMA data_version` when this value was created. It changes if another connection changes the database.
  private let dataVersion: Int

  /// - Parameter database: a connection with the stage attached; see ``attach(_:to:)``.
  /// - Throws: `CofferError` if stage and database are incompatible.
  package init(_ stage: Stage, to database: Database, options: StoreImportOptions) throws {
    self.stage = stage
    self.options = options
    self.database = database
    dataVersion = try Self.dataVersion(of: database)
    before = try StoreContents(of: database)
    try Self.check(before, stage, options)
    let names = ForeignObjects(in: database)
    try names.check(stage.layout, holdsBackup: before != nil)
    let choice = try options.validation.only?.choice(from: stage.layout.format)
    let tables = stage.layout.tables.filter { choice?.kept.contains($0.pointer) ?? true }
    let newer = stage.contents.isNewer(than: before)
    var changes: [TableChange] = []
    for table in tables {
      let present = try PresentTable(table.name, in: database)
      try present?.check(table)
      changes.append(TableChange(table, present, options, isStageNewer: newer))
    }
    self.changes = changes
  }

  private static func dataVersion(of database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA main.data_version") ?? 0
  }

  /// Returns true if no other connection has changed the database since this value was created.
  func isCurrent() throws -> Bool { try Self.dataVersion(of: database) == dataVersion }

  /// Prepares a connection that is not in a transaction. ``detach(_:from:)`` reverts it.
  static func attach(_ stage: Stage, to database: Database) throws {
    TableChange.addFunctions(to: database)
    JSONEquality.addFunction(to: database)
    SettingsMerge.addFunction(to: database)
    try database.execute(sql: "ATTACH DATABASE ? AS \(schema)", arguments: [stage.path.string])
    // The stage is only read, but SQLite doesn't know that. When two databases with journals change together, SQLite creates a
    // third file (`backup.db-mj…`), which remains if the process is killed or the disk is full.
    try database.execute(sql: "PRAGMA \(schema).journal_mode = OFF")
  }

  static func detach(_ stage: Stage, from database: Database) throws {
    for table in stage.layout.tables { try TableDifference.drop(of: table, in: database) }
    try database.execute(sql: "DETACH DATABASE \(schema)")
  }

  private static func check(_ before: StoreContents?, _ stage: Stage, _ options: StoreImportOptions) throws(CofferError) {
    guard let before else { return }
    let format = stage.contents.format
    if before.format != format {
      throw CofferError(
        .incompatible, "the database holds a backup of '\(before.format)', but this one is of '\(format)'")
    }
    guard let held = before.version, let new = stage.contents.version, held != new,
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

  // MARK: Planning

  /// The changes that ``apply(_:files:)`` will make. Valid for the current state of the database, until the stage is detached.
  struct Plan {
    fileprivate(set) var changes = StoreChanges()
    fileprivate var tables: [TableChange.Plan] = []
  }

  /// Plans the changes, in a transaction. Writes only to temporary tables.
  func plan() throws -> Plan {
    var plan = Plan()
    for change in changes {
      try options.validation.execution.cancellation.check()
      let table = try change.plan(in: database)
      plan.tables.append(table)
      plan.changes.collections.append(table.changes)
    }
    (plan.changes.changedMembers, plan.changes.removedMembers) = try memberChanges()
    plan.changes.danglingReferences = try danglingReferences()
    if checksReferences(plan) {
      // A preview rejects the same foreign keys as an import.
      for table in stage.layout.tables { _ = try ForeignKey.all(of: table.name, in: database) }
    }
    return plan
  }

  private func danglingReferences() throws -> [DanglingReference] {
    guard let choice = try options.validation.only?.choice(from: stage.layout.format) else { return [] }
    let empty = try options.leftOut(of: stage.layout).filter { table in
      guard try PresentTable(table.name, in: database) != nil else { return true }
      return try count("SELECT NOT EXISTS (SELECT 1 FROM main.\(table.name.quotedIdentifier))") == 1
    }
    return choice.danglingReferences(rules: stage.layout.format.rules, to: empty.map(\.pointer))
  }

  private func changesRows(_ plan: Plan) -> Bool {
    plan.tables.contains { $0.changes.inserted + $0.changes.replaced + $0.changes.removed > 0 }
  }

  private func checksReferences(_ plan: Plan) -> Bool { changesRows(plan) && !options.allowsFindings }

  private var takesMembers: Bool {
    options.mode == .replace || before == nil || options.conflicts == .replace
      || options.conflicts == .keepNewest && stage.contents.isNewer(than: before) == true
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
    let members = StoreLayout.memberTable
    guard before != nil else {
      return (try count("SELECT count(*) FROM \(Self.schema).\(members) WHERE value IS NOT NULL"), 0)
    }
    if options.validation.only != nil { return (0, 0) }
    let isOther = "m.position IS NULL OR \(changesMember)"
    let changed = try count(
      """
      SELECT count(*) FROM \(Self.schema).\(members) s LEFT JOIN main.\(members) m ON m.name IS s.name
      WHERE s.value IS NOT NULL AND (\(isOther))
      """)
    guard options.mode == .replace else { return (changed, 0) }
    let removed = try count(
      "SELECT count(*) FROM main.\(members) m WHERE NOT EXISTS (SELECT 1 FROM \(Self.schema).\(members) s WHERE s.name IS m.name)"
    )
    return (changed, removed)
  }

  private func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }

  // MARK: Changing

  /// Makes the planned changes, and checks the result.
  ///
  /// - Parameter files: the set of files that belongs to the rows from now on. If `nil`, it is unchanged.
  /// - Throws: `CofferError`, `DatabaseError`. The caller must then roll back the transaction.
  func apply(_ plan: Plan, files: String?) throws {
    try Failpoint.reach(.beforeApply)
    // A reference that was already dangling doesn't make the import fail.
    let checksReferences = checksReferences(plan)
    let dangling = checksReferences ? try StoreCheck.danglingCounts(of: stage.layout.tables, in: database) : [:]
    if before == nil { for sql in StoreLayout.envelopeCreation(in: "main") { try database.execute(sql: sql) } }
    for (index, change) in changes.enumerated() {
      try options.validation.execution.cancellation.check()
      try change.apply(plan.tables[index], in: database)
      try Failpoint.reach(.middleOfApply)
    }
    // Checked after the last table, because a trigger on one table may change another.
    for (index, change) in changes.enumerated() {
      let count = try count("SELECT count(*) FROM main.\(change.table.name.quotedIdentifier)")
      let expected = plan.tables[index].changes.count
      if count != expected {
        throw CofferError(
          .verification,
          "\(change.table.title): \(count) rows, expected \(expected)")
      }
    }
    try applyMembers()
    try set("form", String(StoreLayout.formVersion))
    if let files { try set("files", files) }
    try options.validation.execution.cancellation.check()
    if checksReferences {
      try StoreCheck.references(
        of: stage.layout.tables, in: database, before: dangling, leftOut: options.leftOut(of: stage.layout))
    }
    if changesRows(plan) { try StoreCheck.integrity(of: database) }
    try Failpoint.reach(.beforeCommit)
  }

  private func set(_ name: String, _ value: String?) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO main.\(StoreLayout.backupTable) (name, value) VALUES (?, ?)", arguments: [name, value])
  }

  private func applyMembers() throws {
    let (members, backup, schema) = (StoreLayout.memberTable, StoreLayout.backupTable, Self.schema)
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
    let kept = changes.map(\.table.memberName.quotedText).joined(separator: ", ")
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
  /// The name of the root member that holds the records; empty if the root itself holds them.
  var memberName: String { pointer.isEmpty ? "" : name }
}

extension BackupFormat {
  /// The name of the root member that holds the app's settings, or `nil` if there is none, or only part of a member holds them.
  var settingsMember: String? {
    guard let tokens = settings?.pointerTokens, tokens.count == 1 else { return nil }
    return tokens[0]
  }
}
