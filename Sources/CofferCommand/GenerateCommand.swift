import ArgumentParser
import Coffer
import SyntheticBackups
import SystemPackage

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Make up a backup of any size, sound or with planted defects.",
    discussion: """
      The same seed gives the same bytes everywhere. The ledger lists each planted defect: the code and the pointer that its finding
      must have, a JSON object a line.

      Kinds of defects: \(DefectKind.allCases.map(\.rawValue).joined(separator: ", ")).

      Examples:
        coffer generate ev-charging-tracker test.json --size 1GB --seed 7
        coffer generate ev-charging-tracker test.json --defect reference=3 --defect future=2 --ledger test.ledger
        coffer generate ev-charging-tracker - --size 50MB | coffer validate -
      """)

  @Argument(help: "The format (see: coffer formats).")
  var format: String

  @Argument(help: "The file to write; - is standard output.")
  var file: String

  @Option(help: ArgumentHelp("How large: bytes, or a number with kB, MB, GB, KiB, MiB, GiB.", valueName: "size"))
  var size = ByteSize(bytes: 1_000_000)

  @Option(help: ArgumentHelp("Which of the possible backups.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    name: .customLong("defect"),
    help: ArgumentHelp("Plant n defects of a kind; may be given for several kinds.", valueName: "kind=n"))
  var defects: [DefectArgument] = []

  @Option(help: ArgumentHelp("Write the list of planted defects to this file.", valueName: "file"))
  var ledger: String?

  @Flag(help: "Without line breaks and indentation.")
  var compact = false

  func run() throws {
    // One generator so far: the formats' descriptors don't carry what it would need for any other.
    guard format == "ev-charging-tracker" else {
      Output.complain("nothing can generate '\(format)'; ev-charging-tracker is the format that can be generated")
      throw ExitStatus.usage
    }
    if let ledger, file != "-", Output.isSameFile(ledger, file) {
      Output.complain("the ledger would replace the backup: give it another name")
      throw ExitStatus.usage
    }
    var options = SyntheticBackup.Options(size: size.bytes, seed: seed, layout: compact ? .compact : .pretty(indent: 2))
    for defect in defects { options.defects[defect.kind, default: 0] += defect.count }
    let backup: SyntheticBackup
    do {
      backup = try SyntheticBackup(options: options)
    } catch {
      Output.complain(error.message)
      throw ExitStatus.usage
    }
    do throws(ByteStreamError) {
      try write(backup)
    } catch {
      if error.code == .brokenPipe { return }
      Output.complain(error.message)
      throw ExitStatus(writing: error)
    }
  }

  private func write(_ backup: SyntheticBackup) throws(ByteStreamError) {
    let ledgerFile = try ledger.map { path throws(ByteStreamError) in try AtomicFile(replacing: FilePath(path)) }
    var entries = LedgerWriter()
    func note(_ entry: LedgerEntry) throws(ByteStreamError) {
      guard var file = ledgerFile else { return }
      try entries.append(entry, to: &file)
    }
    let summary: SyntheticBackup.Summary
    if file == "-" {
      var sink = FileSink.standardOutput
      summary = try backup.write(to: &sink, ledger: note)
    } else {
      var sink = try AtomicFile(replacing: FilePath(file))
      summary = try backup.write(to: &sink, ledger: note)
      try sink.commit()
    }
    if var ledgerFile {
      try entries.finish(to: &ledgerFile)
      try ledgerFile.commit()
    }
    Output.inform("\(file): \(summary.bytes) bytes, \(summary.records.total) records, \(summary.defects) defects (seed \(seed))")
  }
}
