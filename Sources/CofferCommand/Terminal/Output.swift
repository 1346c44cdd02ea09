import ByteStreams
import Coffer
import Findings
import Platform
import Reports
import SystemPackage

/// Writes results to standard output, and diagnostics to standard error.
enum Output {
  /// Prints a result. If it can't be written, prints the error and throws. A closed pipe is not an error.
  static func print(_ text: String) throws(ExitStatus) { _ = try isPrinted(text) }

  /// Prints a report as JSON.
  static func print(json report: some Encodable) throws(ExitStatus) {
    try print { sink throws(CofferError) in try JSONReport().write(ConfiguredReport(report), to: &sink) }
  }

  /// Prints what `write` writes.
  static func print(_ write: (inout any ByteSink) throws(CofferError) -> Void) throws(ExitStatus) { _ = try isPrinted(write) }

  /// Prints a result, and returns false if the pipe was closed.
  static func isPrinted(_ text: String) throws(ExitStatus) -> Bool {
    try isPrinted { sink throws(CofferError) in try sink.write(text) }
  }

  /// Prints the report on completed work. `work` is that work, for the error if the report can't be written.
  static func report(_ text: String, on work: String) throws(ExitStatus) {
    _ = try isPrinted(on: work) { sink throws(CofferError) in try sink.write(text) }
  }

  private static func isPrinted(
    on work: String? = nil, _ write: (inout any ByteSink) throws(CofferError) -> Void
  ) throws(ExitStatus) -> Bool {
    do throws(CofferError) {
      try ProgressDisplay.hidden { () throws(CofferError) in
        var sink: any ByteSink = FileSink.standardOutput
        try write(&sink)
      }
    } catch {
      if case CofferError.Code.brokenPipe = error { return false }
      printError((work.map { "\($0), but the report can't be written: " } ?? "") + error.message)
      throw work == nil ? ExitStatus(error) : .unreadable
    }
    return true
  }

  /// Writes a report to a file, which is replaced if it exists. Prints the error if it can't be written, and throws.
  static func writeReport(to path: String, _ write: (inout any ByteSink) throws(CofferError) -> Void) throws(ExitStatus) {
    do throws(CofferError) {
      try ProgressDisplay.hidden { () throws(CofferError) in
        let file = try OutputFile(path, existing: .replace)
        var sink: any ByteSink = file
        try write(&sink)
        try (sink as? OutputFile ?? file).commit()
      }
    } catch {
      printError(error.message)
      throw ExitStatus(error)
    }
  }

  /// Prints an error in one line, with control characters in names and values escaped.
  static func printError(_ message: String) {
    Run.note(error: message)
    printNotice("coffer: \(message.printable)")
  }

  /// Prints a notice. Its line breaks are printed as they are, so callers escape those in names and values.
  static func printNotice(_ message: String, terminator: String = "\n") {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { String($0).printable }.joined(separator: "\n")
    ProgressDisplay.hidden {
      var sink = FileSink.standardError
      // An error here can't be reported anywhere.
      try? sink.write(text + terminator)
    }
  }

  /// Prints how many rules are not applied, and how to list them: `r.json: 3 rules are not applied (see: coffer rules check r.json)`.
  /// Every verb does so for the rules that its user named, whatever the format of its report.
  static func printNotice(of warnings: RuleWarnings?) {
    guard let warnings, warnings.notApplied > 0 else { return }
    let count = warnings.notApplied.counted("rule is", "rules are")
    let argument = warnings.file == FileSource.name(ofArgument: "-") ? "-" : warnings.file
    printNotice(
      "coffer: \(warnings.file.printable): \(count) not applied (see: coffer rules check \(argument.shellWord.printable))")
  }

  /// Prints the findings of a report as a notice.
  static func printNotice(of report: ValidationReport) {
    var renderer = TextReport()
    renderer.showsMeasures = false
    printNotice(renderer.text(of: report), terminator: "")
  }
}

/// The output of a command: a file that appears complete or not at all, or a stream (standard output, a device, a named pipe).
enum OutputFile: ByteSink {
  case file(AtomicFile)
  case stream(FileSink)
  /// Standard output on a terminal.
  case terminal(FileSink, isAtLineStart: Bool)

  /// - Parameter path: `-` is standard output.
  init(_ path: String, existing: AtomicFile.Existing) throws(CofferError) {
    if path == "-" {
      self = Terminal.isOpen(\.output) ? .terminal(.standardOutput, isAtLineStart: true) : .stream(.standardOutput)
    } else if let stream = try FileSink(streamAt: FilePath(path)) {
      self = .stream(stream)
    } else {
      self = .file(try AtomicFile(FilePath(path), existing: existing))
    }
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    switch self {
    case .file(let file): try file.write(bytes)
    case .stream(var sink): try sink.write(bytes)
    case .terminal(var sink, _):
      guard let last = bytes.last else { return }
      try sink.write(bytes)
      self = .terminal(sink, isAtLineStart: last == UInt8(ascii: "\n"))
    }
  }

  /// Moves the file into place. On a terminal, ends the last line.
  func commit() throws(CofferError) {
    switch self {
    case .file(let file): try file.commit()
    case .stream, .terminal(_, isAtLineStart: true): break
    case .terminal(var sink, isAtLineStart: false): try sink.write("\n")
    }
  }
}
