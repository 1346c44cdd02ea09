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
    _ = try isPrinted { sink throws(CofferError) in try JSONReport().write(report, to: &sink) }
  }

  /// Prints what `write` writes.
  static func print(_ write: (inout FileSink) throws(CofferError) -> Void) throws(ExitStatus) { _ = try isPrinted(write) }

  /// Prints a result, and returns false if the pipe was closed.
  static func isPrinted(_ text: String) throws(ExitStatus) -> Bool {
    try isPrinted { sink throws(CofferError) in try sink.write(text) }
  }

  private static func isPrinted(_ write: (inout FileSink) throws(CofferError) -> Void) throws(ExitStatus) -> Bool {
    do throws(CofferError) {
      try ProgressDisplay.hidden { () throws(CofferError) in
        var sink = FileSink.standardOutput
        try write(&sink)
      }
    } catch {
      if error.code == .brokenPipe { return false }
      printError(error.message)
      throw ExitStatus(error)
    }
    return true
  }

  /// Prints the report on completed work. `deed` is that work, for the error if the report can't be written.
  static func report(_ text: String, on deed: String) throws(ExitStatus) {
    do throws(CofferError) {
      try ProgressDisplay.hidden { () throws(CofferError) in
        var sink = FileSink.standardOutput
        try sink.write(text)
      }
    } catch {
      if error.code == .brokenPipe { return }
      printError("\(deed), but the report can't be written: \(error.message)")
      throw .unreadable
    }
  }

  /// Throws if a file to write would replace an input.
  ///
  /// - Parameter subject: what the files are, for the error.
  static func checkReports(
    _ paths: [String], as subject: String = "the report", reading inputs: [String]
  ) throws(ExitStatus) {
    for path in paths {
      guard let input = inputs.first(where: { $0 != "-" && isSameFile($0, path) }) else { continue }
      printError("\(subject) would replace \(input), which is an input")
      throw .refused
    }
  }

  /// Writes a report to a file, which is replaced if it exists. Prints the error if it can't be written, and throws.
  static func writeReport(to path: String, _ write: (inout OutputFile) throws(CofferError) -> Void) throws(ExitStatus) {
    do throws(CofferError) {
      try ProgressDisplay.hidden { () throws(CofferError) in
        var file = try OutputFile(path, existing: .replace)
        try write(&file)
        try file.commit()
      }
    } catch {
      printError(error.message)
      throw ExitStatus(error)
    }
  }

  /// Prints an error in one line, with control characters in names and values escaped.
  static func printError(_ message: String) {
    OperationLog.note(error: message)
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
    renderer.namesOptions = false
    renderer.usesColor = false
    printNotice(renderer.text(of: report), terminator: "")
  }

  /// Returns true if the path names a regular file, which can be read repeatedly, unlike a pipe or device.
  static func isRegularFile(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  /// Returns true if a file is or would be in a folder or below it. Follows links and relative paths.
  static func isPath(_ path: String, within folder: String) -> Bool {
    let path = FilePath(path)
    let parent = path.removingLastComponent()
    guard let realFolder = realPath(folder), let realParent = realPath(parent.isEmpty ? "." : parent.string) else {
      return path.lexicallyNormalized().starts(with: FilePath(folder).lexicallyNormalized())
    }
    // The file itself may be a link.
    return realParent.starts(with: realFolder) || destination(of: path.string).starts(with: realFolder)
  }

  /// Returns `nil` if there is no such file.
  private static func realPath(_ path: String) -> FilePath? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return FilePath(String(cString: real))
  }

  /// Returns the path of a file that may not exist yet, without links.
  private static func destination(of path: String) -> FilePath {
    var path = FilePath(path)
    // The system follows at most 40 links.
    for _ in 0..<40 {
      let parent = path.removingLastComponent()
      guard let folder = realPath(parent.isEmpty ? "." : parent.string), let name = path.lastComponent else { break }
      path = folder.appending(name)
      var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
      let length = readlink(path.string, &target, Int(PATH_MAX))
      if length <= 0 { return path }
      path = folder.pushing(FilePath(String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)))
    }
    return path.lexicallyNormalized()
  }

  /// Returns true if two paths name the same file, which must not be read and replaced in one run. Devices and pipes are never
  /// replaced.
  static func isSameFile(_ a: String, _ b: String) -> Bool {
    // A file may not exist yet: compare where it would be.
    if access(a, F_OK) != 0 || access(b, F_OK) != 0 { return destination(of: a) == destination(of: b) }
    return isSameExistingFile(a, b)
  }

  /// Returns true if two paths name the same file or folder, which exists.
  static func isSameExistingFile(_ a: String, _ b: String) -> Bool {
    var first = stat()
    var second = stat()
    guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
    let type = first.st_mode & S_IFMT
    return (type == S_IFREG || type == S_IFDIR) && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// Returns true if an input, such as `-`, is the same file or pipe as a path. Writing to a pipe that the run reads would never
  /// end.
  static func isSameStream(_ input: String, _ path: String) -> Bool {
    var first = stat()
    var second = stat()
    let isRead = input == "-" ? fstat(StandardStreams.current.input.rawValue, &first) == 0 : stat(input, &first) == 0
    guard isRead, stat(path, &second) == 0 else { return false }
    // A terminal or /dev/null can be read and written.
    return first.st_mode & S_IFMT != S_IFCHR && first.st_dev == second.st_dev && first.st_ino == second.st_ino
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
