import ArgumentParser
import ByteStreams
import Coffer
import JSONEvents
import SystemPackage

struct ScanRangeCommand: Verb {
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

  @Argument(.backup, "The backup: a regular file; - is standard input with the bytes of the range.")
  var file: String

  @Option(.value("start-end"), "The bytes from this offset up to another, which is not included, or up to the end (start-).")
  var range: RangeArgument

  @Option(.value("file"), "The file's name in the plan (default: the file; for standard input none, if the plan has one file).")
  var name: String?

  @Option(.file(ending: ["ndjson"]), "Write the scan to this file, which is replaced (default: standard output).")
  var output: String?

  @OptionGroup(title: HelpSection.input) var inputFormatArgument: InputFormatArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  var use: FileUse { FileUse(inputs: [file], reports: [output].compactMap(\.self), subject: "the scan") }

  func run() throws {
    let scan = try progressArgument.work("scanning") { progress in
      let execution = Execution(progress)
      let name = name ?? (file == "-" ? nil : file)
      let syntax = inputFormatArgument.inputFormat ?? name.map { JSONSyntax(ofFileNamed: $0) } ?? .json
      func scan(_ source: some ByteSource, to end: Int?) throws(CofferError) -> RangeScan {
        try RangeScan(of: source, from: range.start, to: end, in: name, syntax: syntax, cancellation: execution.cancellation)
      }
      if file == "-" {
        return try scan(FileSource.standardInput(cancellation: execution.cancellation).metered(by: progress), to: range.end)
      }
      let bytes = try StoredBytes.regularFile(file, execution)
      let part = min(range.start, bytes.byteCount)..<min(range.end ?? .max, bytes.byteCount)
      let scanned = try scan(StoredSource(bytes, part), to: range.end)
      try bytes.checkUnchanged()
      return scanned
    }
    try Output.writeReport(to: output ?? "-") { sink throws(CofferError) in
      try sink.write(scan.sortedJSON + [UInt8(ascii: "\n")])
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
