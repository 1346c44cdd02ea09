import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Platform
import Reports
import Rules
import Synchronization
import SystemPackage

/// The files of a run, by what it does with them.
///
/// A verb declares them once. What follows from it: which files an output must not replace, that standard input is read only once, what
/// the log must not be written to and which files it names, and which file an error is about that names none.
///
///     coffer validate a.json --rules r.json --report html=a.html      inputs: a.json, rules: r.json, reports: a.html
struct FileUse {
  /// The files and folders that the run is about; `-` is standard input. An error that names no file is about the first one.
  var inputs: [String]
  /// Other files that are read.
  var others: [String] = []
  /// Names of formats, and paths of rule documents.
  var rules: [String?] = []
  /// The options for reading them.
  var ruleArguments: RuleArguments?
  /// True if the output may be one of the rule documents.
  var updatesRules = false
  /// The document to write; `-` is standard output.
  var output: String?
  /// Files to write that are replaced if they exist.
  var reports: [String] = []
  /// What these are, for errors.
  var subject = "the report"
  /// The baseline, if the run reads and then replaces it.
  var updated: String?
  /// Folders whose files the run may read or write.
  var folders: [String] = []

  /// Throws if standard input would be read twice, two reports would be one file, or an output would replace rules to read.
  func validate() throws {
    if (inputs + others + rules.compactMap(\.self)).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input can be read only once")
    }
    for (index, path) in reports.enumerated() where reports[..<index].contains(where: { Output.isSameFile($0, path) }) {
      throw ValidationError("two reports would be written to \(path)")
    }
    let outputs = reports + [output, updated].compactMap(\.self)
    if updatesRules {
      try ruleArguments?.checkReferences(of: rules, against: outputs)
    } else {
      try ruleArguments?.check(rules, against: outputs)
    }
  }

  /// Throws if a file to write would replace one that is read, or be in a folder of backups. Prints the error. Nothing was read yet.
  func checkOutputs() throws(ExitStatus) {
    let read = inputs + others
    if let output, output != "-", Self.input(output, among: read) != nil {
      throw Self.refusal("\(output) is an input: choose another output name")
    }
    for report in reports {
      guard let input = Self.input(report, among: read + [updated].compactMap(\.self)) else { continue }
      throw Self.refusal("\(subject) would replace \(input), which is an input")
    }
    if let updated, let input = Self.input(updated, among: read) {
      throw Self.refusal("the baseline would replace \(input), which is an input")
    }
    if let report = reports.first(where: { report in folders.contains { Output.isPath(report, within: $0) } }) {
      throw Self.refusal("the report \(report) would be in the folder of backups: choose another folder for it")
    }
  }

  private static func input(_ path: String, among inputs: [String]) -> String? {
    inputs.first { $0 != "-" && Output.isSameFile($0, path) }
  }

  private static func refusal(_ message: String) -> ExitStatus {
    Output.printError(message)
    return .refused
  }

  /// The files and folders that the log names, as given.
  var logged: [String] { inputs + [output].compactMap(\.self) }

  /// Returns what a log would damage, or `nil`.
  func damage(by log: String) -> String? {
    let mapped = ruleArguments?.folders.map(\.path.string) ?? []
    let files = logged + RuleArguments.documents(of: rules) + others + [updated].compactMap(\.self) + reports + mapped
    if let file = files.first(where: { Output.isSameStream($0, log) || $0 != "-" && Output.isSameFile($0, log) }) {
      return file == "-" ? "standard input" : file
    }
    return (folders + mapped).first { folder in
      if Output.isPath(log, within: folder) { return true }
      // A file in the folder may be a link to the log.
      let path = FilePath(folder)
      return FolderNames(path)?.names.contains { Output.isSameExistingFile(path.appending($0).string, log) } ?? false
    }
  }
}

/// A command that works on files.
protocol Verb: ParsableCommand {
  var use: FileUse { get }
  /// The file to which the run adds a line.
  var log: String? { get }

  /// Throws if the arguments contradict each other. A verb has this instead of `validate()`, which also checks its files.
  func checkArguments() throws
}

extension Verb {
  var log: String? { nil }

  func checkArguments() throws {}

  func validate() throws {
    try checkArguments()
    try use.validate()
  }
}

extension Run {
  /// Runs a command and appends a line to its log, even if the run fails. Without the log, nothing is run.
  func logged(_ command: any Verb, _ run: () -> ExitStatus) -> ExitStatus {
    guard let path = command.log else { return run() }
    if let use = command.use.damage(by: path) {
      Output.printError("the log \(path) would be written to \(use), which the run uses")
      return .refused
    }
    let time = Instant.now
    let start = ContinuousClock.now
    do {
      // Opening a named pipe without a reader would block.
      let file = try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.append, .create, .closeOnExec, .nonBlocking],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      return try file.closeAfter {
        let status = run()
        let line = line(on: command.use.logged, status, at: time, seconds: (ContinuousClock.now - start) / .seconds(1))
        // Lines of runs at the same time stay whole if each is one write.
        let count = try line.withUnsafeBytes { try file.write($0) }
        if count == line.count { return status }
        Output.printError("cannot write all of a line to the log \(path)")
        return max(status, .unreadable)
      }
    } catch {
      let error = CofferError(error as? Errno ?? .ioError, verb: "write the log", name: path)
      Output.printError(error.message)
      return ExitStatus(error)
    }
  }

  private func line(on files: [String], _ status: ExitStatus, at time: Instant, seconds: Double) -> [UInt8] {
    let log = log.withLock { $0 }
    let line: ReportMembers = [
      "time": time.description, "verb": verb?.configuration.commandName, "files": files, "result": status.code,
      "status": Int(status.rawValue), "error": log.error, "counts": ReportMembers(log.counts),
      "seconds": (seconds * 1000).rounded() / 1000,
    ]
    return Array(JSONReport.line.text(of: line).utf8)
  }
}

// MARK: Equal files

/// What the system knows about a file.
private struct FileStatus {
  private let information: stat

  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    self.information = information
  }

  init?(_ descriptor: FileDescriptor) {
    var information = stat()
    guard fstat(descriptor.rawValue, &information) == 0 else { return nil }
    self.information = information
  }

  var type: mode_t { information.st_mode & S_IFMT }
  var size: Int { Int(information.st_size) }

  func isSame(as other: FileStatus) -> Bool {
    information.st_dev == other.information.st_dev && information.st_ino == other.information.st_ino
  }
}

extension Output {
  /// Returns the size of a regular file, and 0 if there is none. `nil`: it is a stream, whose size isn't known.
  static func size(of path: String) -> Int? {
    guard path != "-" else { return nil }
    guard let status = FileStatus(path) else { return 0 }
    return status.type == S_IFREG ? status.size : nil
  }

  static func isFolder(_ path: String) -> Bool { FileStatus(path)?.type == S_IFDIR }

  /// Returns true if the path names a regular file, which can be read repeatedly, unlike a pipe or device.
  static func isRegularFile(_ path: String) -> Bool { FileStatus(path)?.type == S_IFREG }

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
    let path = AtomicFile.resolved(FilePath(path))
    let parent = path.removingLastComponent()
    guard let folder = realPath(parent.isEmpty ? "." : parent.string), let name = path.lastComponent else {
      return path.lexicallyNormalized()
    }
    return folder.appending(name)
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
    guard let first = FileStatus(a), let second = FileStatus(b) else { return false }
    return (first.type == S_IFREG || first.type == S_IFDIR) && first.isSame(as: second)
  }

  /// Returns true if an input, such as `-`, is the same file or pipe as a path. Writing to a pipe that the run reads would never
  /// end.
  static func isSameStream(_ input: String, _ path: String) -> Bool {
    guard let first = input == "-" ? FileStatus(StandardStreams.current.input) : FileStatus(input), let second = FileStatus(path)
    else { return false }
    // A terminal or /dev/null can be read and written.
    return first.type != S_IFCHR && first.isSame(as: second)
  }
}
