import ArgumentParser
import Coffer
import Reports
import SyntheticBackups
import SystemPackage

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate a backup of any format and size, valid or with planted defects.",
    usage: """
      coffer generate [<options>] <format> <file>
      coffer generate [<options>] --rules <name-or-file> <file>
      coffer generate --list-defects <format>
      """,
    discussion: """
      The content follows the format's rules and the hints in its descriptor. With --rules, a rule document or descriptor of \
      your own replaces the format's name. The same seed gives the same bytes on every machine. The ledger lists each \
      planted defect as a JSON object per line, with the code and the pointer of its finding.

      Kinds of defects: \(DefectKind.allCases.map(\.rawValue).joined(separator: ", ")). --list-defects shows which of them a \
      format can have, and where.

      A file whose name ends in .lz4, .gz or .zst is compressed; --size is the size before compression. A name that ends in .zip, or \
      --container zip, gives a ZIP backup: a document of --size, and a tiny JPEG for each file that it names.

      Examples:
        coffer generate ev-charging-tracker test.json --size 1GB --seed 7
        coffer generate swiff test.json --defect reference=3 --ledger test.ledger
        coffer generate --rules my-app.json test.json
        coffer generate smilepile test.zip --defect file-missing=2
        coffer generate --list-defects aquavate
        coffer generate aquavate - --size 50MB | coffer validate -

      Exit status: 0 done; 2 wrong usage, or rules that can't be generated for; 3 something can't be read or written; \
      4 the output exists, or the disk is full.
      """)

  private static let usualSize = 1_000_000

  @Argument(
    help: ArgumentHelp(
      "The format (see: coffer formats), unless --rules is given, and the file to write; - is standard output.",
      valueName: "format-and-file"), completion: .formatOrFile)
  var names: [String] = []

  @Option(
    help: ArgumentHelp(
      "A rule document or descriptor instead of a format's name; - is standard input.", valueName: "name-or-file"),
    completion: .rules)
  var rules: String?

  @Option(help: ArgumentHelp("Size, such as 100MB: in bytes, or with kB, MB, GB, KiB, MiB or GiB.", valueName: "size"))
  var size = ByteSize(bytes: GenerateCommand.usualSize)

  @Option(help: ArgumentHelp("Seed: the same seed gives the same backup.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    name: .customLong("defect"),
    help: ArgumentHelp("Plant n defects of a kind, such as reference=3. May be repeated.", valueName: "kind=n"),
    completion: .defect, transform: DefectArgument.init)
  var defects: [DefectArgument] = []

  @Option(
    help: ArgumentHelp("Write the list of planted defects to this file; - is standard output.", valueName: "file"),
    completion: .file())
  var ledger: String?

  @Flag(help: "Write no line breaks and no indentation.")
  var compact = false

  @Flag(help: "List the defects that can be planted, with their places, and write nothing.")
  var listDefects = false

  @Option(help: ArgumentHelp("json or zip (default: by the file's name).", valueName: "container"))
  var container: ContainerArgument?

  @Flag(help: "Replace existing files.")
  var force = false

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summaryArguments: SummaryArguments

  enum ContainerArgument: String, ExpressibleByArgument, CaseIterable { case json, zip }

  /// Lists of defects include those of archives if the format has archives.
  private func isArchived(_ format: BackupFormat) -> Bool {
    if let container { return container == .zip }
    if listDefects { return format.archive != nil }
    return wantsArchive
  }

  private var wantsArchive: Bool {
    container.map { $0 == .zip } ?? (!listDefects && names.last.map(ZIPReader.isNamed) ?? false)
  }

  private var compression: Compression? { listDefects ? nil : names.last.flatMap(Compression.init(ofFileNamed:)) }

  func validate() throws {
    let expected = (rules == nil ? 1 : 0) + (listDefects ? 0 : 1)
    guard names.count == expected else {
      let wanted = (rules == nil ? ["a format"] : []) + (listDefects ? [] : ["the file to write"])
      throw ValidationError(
        wanted.isEmpty ? "--list-defects with --rules takes no names" : "expected \(wanted.joined(separator: " and "))")
    }
    try ruleArguments.check([rules], against: [listDefects ? nil : names.last, ledger])
    if listDefects {
      let ignored = [
        ("--size", size.bytes != GenerateCommand.usualSize), ("--seed", seed != 1), ("--defect", !defects.isEmpty),
        ("--ledger", ledger != nil),
        ("--compact", compact), ("--force", force), ("--quiet", summaryArguments.quiet),
      ]
      if let name = ignored.first(where: \.1)?.0 { throw ValidationError("--list-defects and \(name) can't be combined") }
      return
    }
    try summaryArguments.check(names.last)
    if ledger == "-", names.last == "-" || summaryArguments.isJSON {
      let other = names.last == "-" ? "the backup" : "the report as JSON"
      throw ValidationError("the ledger and \(other) can't both go to standard output")
    }
    if let compression, container == .zip {
      throw ValidationError("a ZIP is already compressed: use a name without .\(compression.format.ending)")
    }
  }

  func run() throws {
    let format = try syntheticFormat()
    Run.note(formats: [format.name])
    if listDefects {
      let defects = format.defects
      guard summaryArguments.isJSON else { return try Output.print(list(of: defects)) }
      return try Output.print(
        json: DefectList(
          format: format.name, defects: defects.map { .init(kind: $0.kind.rawValue, place: $0.pointer, code: $0.code) }))
    }
    guard let file = names.last else { return }
    if let ledger, file != "-", FileComparison.isSameFile(ledger, file) {
      Output.printError("the ledger would replace the backup: choose another name")
      throw ExitStatus.refused
    }
    var options = SyntheticBackup.Options(size: size.bytes, seed: seed, layout: compact ? .compact : .pretty(indent: 2))
    for defect in defects { options.defects[defect.kind, default: 0] += defect.count }
    let backup: Backup
    do {
      backup =
        wantsArchive
        ? .archive(try SyntheticArchive(of: format, options: options))
        : .document(try SyntheticBackup(of: format, options: options))
    } catch {
      Output.printError(error.message)
      throw ExitStatus.usage
    }
    let summary: SyntheticBackup.Summary
    do throws(CofferError) {
      summary = try write(backup, to: file)
    } catch {
      if error.code == .brokenPipe { return }
      guard error.code == .alreadyExists else {
        Output.printError(error.message)
        throw ExitStatus(error)
      }
      let obstacle = [file, ledger].compactMap(\.self).first(where: FileComparison.isRegularFile) ?? file
      Output.printError("\(obstacle) already exists; --force replaces it")
      throw ExitStatus.refused
    }
    try report(summary, on: file)
  }

  private func list(of defects: [(kind: DefectKind, pointer: String, code: String)]) -> String {
    let report = TextReport.plain
    let rows = defects.map { [$0.kind.rawValue, $0.pointer.printable, $0.code.printable] }
    return report.text(
      of: TextTable([["defect", "place", "finding"]] + rows),
      by: [.cuttingInside(column: 1, to: 20), .cutting(column: 2, to: 12)])
  }

  /// Returns the named format, or the one that `--rules` names.
  private func syntheticFormat() throws -> SyntheticFormat {
    let name = rules ?? names.first ?? ""
    let use = FileUse(
      inputs: [], ruleArguments: ruleArguments, output: listDefects ? nil : names.last, reports: [ledger].compactMap(\.self))
    let configuration = try use.configuration()
    do {
      guard let rules else {
        if let format = configuration.catalog[name] { return try synthetic(format) }
        Output.printError("there is no format '\(name)'\(configuration.catalog.hint(for: name))")
        throw ExitStatus.usage
      }
      switch try configuration.rules(named: rules) {
      case .format(let format): return try synthetic(format)
      case .document(let document, let name) where !wantsArchive: return try SyntheticFormat(document, name: name)
      case .document(_, let name): throw CofferError.noArchive(name)
      case .detected: preconditionFailure("rules that are named are not detected")
      }
    } catch let error as CofferError {
      Output.printError(error.code == .invalidRules ? error.text(inputs: [name], rules: name) : error.message)
      throw ExitStatus.usage
    }
  }

  private func synthetic(_ format: BackupFormat) throws -> SyntheticFormat {
    isArchived(format) ? try .archived(format) : try SyntheticFormat(format)
  }

  private enum Backup {
    case document(SyntheticBackup)
    case archive(SyntheticArchive)

    func write(
      to sink: inout some ByteSink, ledger: (LedgerEntry) throws(CofferError) -> Void
    ) throws(CofferError) -> SyntheticBackup.Summary {
      switch self {
      case .document(let backup): try backup.write(to: &sink, ledger: ledger)
      case .archive(let archive): try archive.write(to: &sink, ledger: ledger).document
      }
    }
  }

  private func write(_ backup: Backup, to file: String) throws(CofferError) -> SyntheticBackup.Summary {
    let existing: AtomicFile.Existing = force ? .replace : .keep
    var ledgerFile = try ledger.map { path throws(CofferError) in try OutputFile(path, existing: existing) }
    var entries = LedgerWriter()
    func note(_ entry: LedgerEntry) throws(CofferError) {
      guard var file = ledgerFile else { return }
      try entries.append(entry, to: &file)
      ledgerFile = file
    }
    let output = CompressibleOutput(try OutputFile(file, existing: existing), compression: compression)
    let summary = try progressArgument.show("generating", writing: file) { progress throws(CofferError) in
      progress.expect(size.bytes)
      var metered = MeteredSink(output, progress)
      let summary = try backup.write(to: &metered, ledger: note)
      var output = metered.sink
      try output.finish()
      try output.sink.commit()
      return summary
    }
    if var ledgerFile {
      try entries.finish(to: &ledgerFile)
      try ledgerFile.commit()
    }
    return summary
  }

  private func report(_ summary: SyntheticBackup.Summary, on file: String) throws {
    let counts = [
      summary.bytes.counted("byte"), summary.records.total.counted("record"), summary.defects.counted("defect"),
    ]
    try summaryArguments.write(
      json: GeneratedFile(
        file: file, bytes: summary.bytes, records: summary.records.total, defects: summary.defects, seed: seed),
      text: "\(file.printable): \(counts.joined(separator: ", ")) (seed \(seed))", on: file)
    // Documents that can grow are within 2 % of the requested size.
    if summary.isLargest, Double(summary.bytes) < Double(size.bytes) * 0.98 {
      Output.printNotice("\(file.printable): nothing in this format can grow to \(size.bytes.counted("byte"))")
    }
  }
}

private struct DefectList: Encodable {
  let format: String
  let defects: [Defect]

  struct Defect: Encodable { let kind, place, code: String }
}

private struct GeneratedFile: Encodable {
  let file: String
  let bytes: Int
  let records: Int
  let defects: Int
  let seed: UInt64
}
