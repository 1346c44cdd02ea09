public import BackupFormats
import ByteStreams
public import Coffer
import Findings
import GRDB
import JSONEvents
import Rules
import SystemPackage

/// Runs the checks in SQL of a format (`SQLCheck`): each row of their statements is a finding.
///
///     backup ─▶ tables (BackupQuery) ─▶ SELECT of each check ─▶ rowid ─▶ record ─▶ its place in the document
///
/// A statement can only read. It ends after a minute, and its values have at most 1 MiB, because a rule document may be anyone's. All rows
/// are counted; as many become findings as a report has.
///
/// Cost: that of `BackupQuery`, then the statements, and another reading of the document to the last record that is found. `Validator`
/// doesn't run these checks; an import does.
public struct SQLChecks: Sendable {
  let format: BackupFormat
  let options: ValidationOptions

  /// The time after which a statement is abandoned.
  package var timeLimit = Duration.seconds(60)
  private static let largestValue = 1 << 20

  /// - Parameter options: those of the validation.
  public init(_ format: BackupFormat, options: ValidationOptions) {
    self.format = format
    self.options = options
  }

  /// Returns the first error of each check whose statement can't be used with the format's tables.
  public func errors() throws -> [CofferError] {
    let folder = try ScratchFolder(within: options.execution.temporaryFolder)
    let database = try emptyTables(at: folder.path.appending("empty.db"))
    return format.checks.compactMap { check in
      do throws(CofferError) {
        let statement = try database.prepared(check.select)
        _ = try rowNumber(in: statement.columns, check)
        return nil
      } catch {
        return self.error(error, check)
      }
    }
  }

  /// Adds the findings in tables.
  ///
  /// - Parameter open: opens the document that the tables were made from, or returns `nil` if that is not the given one. Then findings have
  ///   no positions.
  func add(to report: ValidationReport, in tables: FilePath, _ open: () throws -> OpenedDocument?) throws -> ValidationReport {
    let database = try GuardedDatabase(
      tables, largestValue: Self.largestValue, timeLimit: timeLimit, cancellation: options.execution.cancellation)
    var answers: [(check: SQLCheck, pointer: String, excerpt: String)] = []
    var counts = FindingCounts()
    for check in format.checks {
      options.execution.progress?.say("checking \(check.name)")
      let rule = FindingRule(severity: check.severity, code: check.name, schemaLocation: check.location)
      do {
        var (columns, rowid): ([String], Int?) = ([], nil)
        try database.rows(
          of: check.select,
          begin: {
            columns = $0
            rowid = try rowNumber(in: columns, check)
          },
          { row in
            counts.add(1, rule)
            if counts.byRule[rule] ?? 0 > options.maximumFindings { return }
            answers.append((check, try pointer(of: row, rowid, check), excerpt(of: row, columns, besides: rowid)))
          })
      } catch let error as CofferError {
        throw self.error(error, check)
      }
    }
    if counts.total == 0 { return report }
    let layout = try DatabaseLayout(format)
    var lastRows: [String: Int] = [:]
    let named = try answers.map { ($0.check, try name(of: $0.pointer, $0.check, layout, in: database, &lastRows), $0.excerpt) }
    let places = try open().map { try self.places(of: named.map(\.1), in: $0) } ?? [:]
    var collector = FindingCollector(limit: options.maximumFindings)
    collector.add(report.findings, of: report.counts)
    var kept: [FindingRule: Int] = [:]
    for (check, pointer, excerpt) in named {
      let place = places[pointer] ?? Place(pointer: pointer, at: TextPosition(offset: 0, line: 1, column: 1))
      let finding = Finding(
        code: check.name, keyword: "checks", severity: check.severity, message: check.message, place: place,
        schemaLocation: check.location, excerpt: options.redacts || excerpt.isEmpty ? nil : excerpt)
      collector.add(finding)
      kept[finding.rule, default: 0] += 1
    }
    for (rule, count) in counts.byRule where count > kept[rule] ?? 0 { collector.count(count - (kept[rule] ?? 0), rule) }
    var report = report
    report.counts = collector.counts
    report.findings = collector.findings()
    return report
  }

  // MARK: Rows

  /// Returns the column that names the record, or `nil` if rows are about the document.
  private func rowNumber(in columns: [String], _ check: SQLCheck) throws(CofferError) -> Int? {
    guard let collection = check.collection else { return nil }
    if let index = columns.firstIndex(where: { $0.lowercased() == "rowid" }) { return index }
    throw CofferError(.sql, "the statement must return the rowid of a record of \(collection)")
  }

  /// Returns the pointer of the record that a row names. For an object of records, its last token is the index in place of the name.
  private func pointer(of row: QueryRow, _ rowid: Int?, _ check: SQLCheck) throws(CofferError) -> String {
    guard let rowid, let collection = check.collection else { return "" }
    guard case .integer(let number) = row[rowid], number > 0 else {
      throw CofferError(.sql, "a row has no rowid of a record of \(collection)")
    }
    return "\(collection)/\(number - 1)"
  }

  /// Returns the pointer of a record by its number, with its name if the collection is an object.
  ///
  /// - Parameter lastRows: the numbers of the last records, by collection.
  /// - Throws: `invalidRules` if there is no such record.
  private func name(
    of pointer: String, _ check: SQLCheck, _ layout: DatabaseLayout, in database: GuardedDatabase, _ lastRows: inout [String: Int]
  ) throws -> String {
    guard let collection = check.collection, let table = layout.table(at: collection),
      let number = pointer.split(separator: "/").last.flatMap({ Int($0) })
    else { return pointer }
    if lastRows[collection] == nil {
      try database.rows(of: "SELECT max(rowid) FROM \(table.sqlName)") { row in
        lastRows[collection] = if case .integer(let last) = row[0] { Int(last) } else { 0 }
      }
    }
    guard number < lastRows[collection] ?? 0 else {
      throw error(CofferError(.sql, "\(collection) has no record with the rowid \(number + 1)"), check)
    }
    guard table.kind == .object else { return pointer }
    var result = pointer
    try database.rows(of: "SELECT \(TableLayout.recordName.name) FROM \(table.sqlName) WHERE rowid = \(number + 1)") { row in
      if case .text(let name) = row[0] { result = collection + "/" + name.pointerToken }
    }
    return result
  }

  /// Returns the other columns of a row: `balance -3, limit 0`.
  private func excerpt(of row: QueryRow, _ columns: [String], besides rowid: Int?) -> String {
    columns.indices.filter { $0 != rowid }.prefix(20).map { index in
      let value =
        switch row[index] {
        case .null: "null"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let text): text
        case .blob(let bytes): bytes.count.counted("byte")
        }
      return "\(columns[index]) \(value.shortened(to: 100))"
    }.joined(separator: ", ")
  }

  // MARK: Places

  /// Returns the places of values in a document.
  private func places(of pointers: [String], in document: OpenedDocument) throws -> [String: Place] {
    var places: [String: Place] = [:]
    // Lines and sequences have no values around their records to follow.
    guard document.syntax(options.syntax) == .json else { return places }
    let wanted = Array(Set(pointers))
    var tree = PointerTree(wanted.map { $0.pointerTokens ?? [] })
    var reader = JSONEventReader(document.source, limits: options.limits)
    while places.count < wanted.count, try reader.next() {
      try options.execution.cancellation.check()
      for index in 0..<reader.batch.count {
        for number in tree.follow(reader.batch[index], of: reader.batch) {
          let position = reader.lines.position(at: reader.batch.offset(of: reader.batch[index]))
          places[wanted[number]] = Place(pointer: wanted[number], at: position)
        }
      }
    }
    return places
  }

  // MARK: Errors

  private func error(_ error: CofferError, _ check: SQLCheck) -> CofferError {
    guard [.sql, .ruleLimit].contains(error.code) else { return error }
    let place = error.place.position.map { " (line \($0.line), column \($0.column) of the statement)" } ?? ""
    return CofferError(
      error.code == .sql ? .invalidRules : error.code, "the check '\(check.name)': \(error.message)\(place)",
      at: .init(pointer: check.location + "/select", position: check.position))
  }

  private func emptyTables(at path: FilePath) throws -> GuardedDatabase {
    let layout = try DatabaseLayout(format)
    let queue = try DatabaseQueue(path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: DatabaseLayout.envelopeCreation)
      for table in layout.tables { try database.execute(sql: table.creation) }
      try NestedViews(of: layout, areWanted: true, in: database).create(in: database)
    }
    try queue.close()
    return try GuardedDatabase(path, largestValue: Self.largestValue, timeLimit: timeLimit)
  }
}

extension ValidationReport {
  /// Adds a finding, if there is one.
  mutating func add(_ finding: Finding?) {
    guard let finding else { return }
    counts.add(1, finding.rule)
    findings.insert(finding, at: 0)
  }
}
