public import ArgumentParser
import ByteStreams
import Coffer
public import CofferSQLite
import Findings
import Reports
import SystemPackage

struct QueryCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Ask questions about a backup in SQL.",
    discussion: """
      Reads a backup of any format into temporary SQLite tables, as coffer import does, and prints the rows of a SELECT as they come. \
      Without one, it prints the tables, with their columns and numbers of rows.

      Each collection is a table, each record a row, each field a column; rowid is the record's place, from 1. Dates are text, nested values \
      are JSON, true is 1, and each list of objects inside records is a view (invoices_lines). A file of no known format gets drafted rules. \
      Records with errors have rows, too, and a notice says how many errors there are.

      The statement can only read the tables: ATTACH, PRAGMA and functions that load code are refused. A text in double quotes is a name.

      --into keeps the tables in a new database, whatever the statement gives. Like coffer import, it refuses a backup with errors.

      Examples:
        coffer query export.json
        coffer query export.json 'SELECT count(*) FROM expenses'
        coffer query export.json.gz 'SELECT * FROM expenses' --to csv
        coffer query anything.json 'SELECT * FROM items' --into items.db

      Exit status: 0 answered; 1 --into refuses a backup with errors; 2 wrong usage, SQL or rules; 3 something can't be read or \
      written, or is not JSON; 4 the database exists, tables can't hold the backup, or the disk is full; 5 the rules ask for more than a \
      limit allows.
      """)

  @Argument(.backup, "The backup: JSON (also in LZ4, gzip or zstd), or a ZIP; - is standard input.")
  var file: String

  @Argument(.value("select"), "The SELECT statement (default: print the tables).")
  var sql: String?

  @Option(help: "How rows are printed: a table for people, ndjson (JSON Lines), or csv.")
  var to = QueryFormat.table

  @Option(.database, "Keep the tables in a new SQLite database.")
  var into: String?

  @Option(.rules, "The rules: a format's name (see: coffer formats) or the path of a rule document with a backup descriptor.")
  var rules: String?

  @OptionGroup(title: HelpSection.input) var inputFormatArgument: InputFormatArgument

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  func checkArguments() throws {
    if sql == nil, to == .csv { throw ValidationError("--to csv is for the rows of a SELECT: use ndjson for the list of tables") }
    if into == "" || into == "-" { throw ValidationError("--into must name a database file") }
  }

  var use: FileUse {
    FileUse(
      inputs: [file], others: into.map { [$0] + ImportArguments.sideFiles(of: $0) } ?? [], rules: [rules],
      ruleArguments: ruleArguments)
  }

  func run() throws {
    if let sql { try BackupQuery.check(sql) }
    let configuration = try use.configuration()
    let format = try configuration.format(rules, for: file)
    let catalog = configuration.catalog.preceded(by: format.map { [$0] } ?? [])
    var validation = ValidationOptions(now: clock.instant)
    validation.syntax = inputFormatArgument.inputFormat
    validation.only = onlyArgument.selection
    validation.limits = readerLimits.limits
    let backup = try progressArgument.show("reading") { progress in
      validation.execution = execution(
        progress, cancellation: Interruption.start(patience: .seconds(into == nil ? 2 : 30)),
        memoryLimit: DatabaseImportOptions.memoryLimit)
      return try BackupQuery(
        FilePath(file), format.map { .format($0) } ?? .detected(catalog), catalog: catalog,
        options: DatabaseImportOptions(validation: validation), keeping: into.map { FilePath($0) })
    }
    Run.note(formats: [backup.report.format])
    printNotices(on: backup.report)
    if let sql { try answer(sql, backup) } else { try list(backup.tables) }
  }

  /// Says what the tables don't tell.
  private func printNotices(on report: DatabaseImportReport) {
    var notices = report.warnings
    if report.assumed != nil { notices.append("unknown format: the tables are those of drafted rules") }
    if let migration = report.migration {
      let versions = [migration.versionBefore, migration.versionAfter].map { $0.map(String.init) ?? "none" }
      notices.append("migrated from version \(versions[0]) to \(versions[1])")
    }
    if !report.validation.leftOut.isEmpty {
      notices.append("not read, and empty here: \(report.validation.leftOut.joined(separator: ", "))")
    }
    if report.changes.collections.isEmpty {
      notices.append("no collections were found: coffer_members has the document's values")
    }
    let errors = report.validation.counts.count(.error)
    if errors > 0 { notices.append("not valid: \(errors.counted("error")); coffer validate reports them") }
    for notice in notices { Output.printNotice("coffer: \(file.printable): \(notice.printable)") }
  }

  private func answer(_ sql: String, _ backup: BackupQuery) throws {
    try ProgressDisplay.hidden {
      var writer = QueryWriter(FileSink.standardOutput, as: to)
      try backup.rows(of: sql, begin: { try writer.begin($0) }) { try writer.write($0) }
      try writer.finish()
      if writer.cutsCells { Output.printNotice("coffer: values were cut: --to ndjson or csv prints all of them") }
    }
  }

  private func list(_ tables: [BackupQuery.Table]) throws {
    switch to {
    case .table:
      let rows = tables.map { [$0.name.printable, $0.rowCount.grouped, $0.columns.map(\.printable).joined(separator: ", ")] }
      let table = TextTable([["table", "rows", "columns"]] + rows, rightAligned: [1])
      try Output.print(table.text(fitting: Terminal.columns(of: \.output) ?? 100, by: [.wrapping(column: 2, to: 40)]))
    case .ndjson:
      for table in tables {
        let line: ReportMembers = ["table": table.name, "rows": table.rowCount, "columns": table.columns]
        try Output.print(JSONReport.line.text(of: line))
      }
    case .csv: preconditionFailure("checked with the arguments")
    }
  }
}

extension QueryFormat: ExpressibleByArgument {}
