import ArgumentParser
import ByteStreams
import Coffer
import JSONEvents
import SystemPackage

struct ScanRangeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Scan one range of a file, to share the scan among processes or machines.",
    usage: "coffer split scan [<options>] --range <start-end> <file>",
    discussion: """
      Writes one line of JSON, of less than a kilobyte. coffer split plan --scans joins the lines of all ranges. A range may begin \
      anywhere, also in a string, but not at byte 1 or 2. Arrays are cut once in each range: choose ranges that are smaller \
      than the tasks will be.

      Examples:
        coffer split scan --range 0-134217728 a.json >> scans.ndjson
        coffer split scan --range 134217728- a.json >> scans.ndjson
        coffer split plan a.json --scans scans.ndjson --tasks 8 --output plan.json

      Exit status: 0 the scan was written; 2 wrong usage; 3 the file can't be read, or the scan can't be written; 4 the file or \
      standard input doesn't have the range, the scan would replace the file, or the disk is full.
      """)

  @Argument(
    help: ArgumentHelp("The backup: a regular file; - is standard input with the bytes of the range.", valueName: "file"),
    completion: .backup)
  var file: String

  @Option(
    help: ArgumentHelp(
      "The bytes from this offset up to another, which is not included, or up to the end (start-).", valueName: "start-end"))
  var range: RangeArgument

  @Option(
    help: ArgumentHelp(
      "The file's name in the plan (default: the file; for standard input none, if the plan has one file).", valueName: "file"))
  var name: String?

  @Option(
    help: ArgumentHelp("Write the scan to this file, which is replaced (default: standard output).", valueName: "file"),
    completion: .file(extensions: ["ndjson"]))
  var output: String?

  @OptionGroup var inputFormatArgument: InputFormatArgument

  @OptionGroup var progressArgument: ProgressArgument

  func run() throws {
    try Output.checkReports([output].compactMap(\.self), as: "the scan", reading: [file])
    do {
      let scan = try progressArgument.show("scanning") { progress in
        let name = name ?? (file == "-" ? nil : file)
        let syntax = inputFormatArgument.syntax ?? name.map { JSONSyntax(ofFileNamed: $0) } ?? .json
        let cancellation = Interruption.start()
        func scan(_ source: some ByteSource, to end: Int?) throws(CofferError) -> RangeScan {
          try RangeScan(of: source, from: range.start, to: end, in: name, syntax: syntax, cancellation: cancellation)
        }
        if file == "-" {
          return try scan(FileSource.standardInput(cancellation: cancellation).metered(by: progress), to: range.end)
        }
        var execution = Execution()
        execution.cancellation = cancellation
        execution.progress = progress
        let bytes = try StoredBytes.regularFile(file, execution)
        let scan = try scan(
          StoredSource(bytes, min(range.start, bytes.byteCount)..<min(range.end ?? .max, bytes.byteCount)), to: range.end)
        try bytes.checkUnchanged()
        return scan
      }
      try Interruption.stop()
      try Output.writeReport(to: output ?? "-") { file throws(CofferError) in
        try file.write(scan.sortedJSON + [UInt8(ascii: "\n")])
      }
    } catch {
      throw ExitStatus.ending(with: error, inputs: [FileSource.name(ofArgument: file)])
    }
  }
}

/// A range of bytes, such as `100-200` or `100-`.
struct RangeArgument: ExpressibleByArgument {
  let start: Int
  let end: Int?

  init?(argument: String) {
    let bounds = argument.split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let start = Self.offset(bounds[0]), RangeScan.canBegin(at: start) else { return nil }
    self.start = start
    if bounds[1].isEmpty {
      end = nil
    } else {
      guard let end = Self.offset(bounds[1]), end > start else { return nil }
      self.end = end
    }
  }

  private static func offset(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return Int(text)
  }
}
