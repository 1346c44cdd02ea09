package import ByteStreams
import Platform
package import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Measures how fast this machine processes a document: runs the command and the sqlite3 shell once per figure and round.
///
/// The processes inherit this one's environment, except `TMPDIR`, so that they write only into a scratch folder, which is removed
/// at the end.
package struct Bench: Sendable {
  package let document: Document
  package let machine: Machine
  /// The coffer executable.
  package var executable = Bench.thisProgram
  /// The sqlite3 shell, if it is installed.
  package var shell = Bench.installedShell
  /// The parent of the scratch folder.
  package var scratchParent = SpillFile.defaultFolder
  package var cancellation: Cancellation?

  /// - Parameter machine: This machine, as described in the report.
  package init(of document: Document, on machine: Machine) {
    self.document = document
    self.machine = machine
  }

  /// The running program.
  static var thisProgram: FilePath {
    #if os(Linux)
      // This path keeps naming the same program if its file is replaced in the meantime.
      "/proc/self/exe"
    #else
      FilePath(Bundle.main.executablePath ?? CommandLine.arguments[0])
    #endif
  }

  /// The first `sqlite3` in `PATH`.
  package static var installedShell: FilePath? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { FilePath(String($0)).appending("sqlite3") }.first { access($0.string, X_OK) == 0 }
  }

  /// Surveys the document, checks for free space, and measures.
  ///
  /// - Parameters:
  ///   - name: The document's name in the report.
  ///   - progress: Called before each process with its purpose, such as `merge, 2 workers (7 of 16)`.
  /// - Throws: `CofferError`, including for the document and the scratch folder; `CancellationError`.
  package func report(
    named name: String, options: ThroughputPlan.Options, progress: (String) -> Void = { _ in }
  ) throws -> ThroughputReport {
    let folder = try ScratchFolder(within: scratchParent)
    let scratch = Scratch(folder: folder.path)
    progress("reading")
    let survey = try survey(in: folder)
    let plan = ThroughputPlan(for: document.kind, options: options, hasShell: shell != nil)
    try checkSpace(for: plan, survey, in: folder)
    try scratch.prepare()
    let run = ThroughputRun(plan, of: document, in: scratch) { try self.run($0, in: folder) }
    let measurements = try run.measurements { progress("\($0) (\($1) of \($2))") }
    return ThroughputReport(
      file: name, survey: survey, machine: machine, rounds: plan.rounds, measurements: measurements, leftOut: plan.leftOut)
  }

  private func survey(in folder: borrowing ScratchFolder) throws -> DocumentSurvey {
    let outcome = try run(.survey(document), in: folder)
    let stored = try FileSource(path: document.file).byteCount ?? 0
    return try DocumentSurvey(kind: document.kind, storedBytes: stored, report: outcome.output)
  }

  private func checkSpace(for plan: ThroughputPlan, _ survey: DocumentSurvey, in folder: borrowing ScratchFolder) throws {
    let (needed, available) = (plan.space(for: survey), try folder.availableBytes())
    guard available < needed else { return }
    let megabytes = { (bytes: Int) in "\((bytes + 999_999) / 1_000_000) MB" }
    throw CofferError(
      .noSpace,
      "not enough space in \(scratchParent): up to \(megabytes(needed)) needed, \(megabytes(available)) available"
    )
  }

  private func run(_ invocation: Invocation, in folder: borrowing ScratchFolder) throws -> Child.Outcome {
    if let empty = invocation.emptyFolder { try folder.empty(empty) }
    var environment = ProcessInfo.processInfo.environment
    environment["TMPDIR"] = folder.path.string
    let program = invocation.program == .shell ? shell ?? "sqlite3" : executable
    let child = try Child(
      program, invocation.arguments, environment: environment, keepsOutput: invocation.keepsOutput, keptIn: folder.path)
    return try child.wait(cancellation: cancellation)
  }
}

/// A measured kind of work, in the order of execution. Each is a separate process.
package enum Step: String, CaseIterable, Sendable, Encodable {
  /// Reads the document and checks that it is well formed, with rules without constraints.
  case parse
  /// Validates the document against the rules of its format.
  case validate
  /// Writes the document as compact JSON and discards it.
  case convert
  /// Compresses to LZ4 and discards the output.
  case compress
  /// Decompresses the document, or its LZ4, and discards the output.
  case decompress
  /// Imports into a new database.
  case `import`
  /// Imports again into that database: each record replaces itself.
  case merge
  /// Imports the same rows as CSV with the sqlite3 shell, into tables without keys.
  case shellImport = "sqlite3-import"
  /// Exports from that database and discards the output.
  case export
  /// Writes the rows of that database as JSON with the sqlite3 shell, and discards the output.
  case shellExport = "sqlite3-export"

  /// True if the sqlite3 shell runs it, which has one thread.
  var isOfShell: Bool { self == .shellImport || self == .shellExport }

  /// True if it works on a database, whose tables follow the format.
  var isOfDatabase: Bool {
    switch self {
    case .import, .merge, .shellImport, .export, .shellExport: true
    case .parse, .validate, .convert, .compress, .decompress: false
    }
  }

  /// The sqlite3 shell's equivalent, or `nil` if there is none.
  var peer: Step? {
    switch self {
    case .import, .merge: .shellImport
    case .export: .shellExport
    case .parse, .validate, .convert, .compress, .decompress, .shellImport, .shellExport: nil
    }
  }
}

extension CofferError.Code {
  /// A process could not be started.
  package static let notStarted = Self(rawValue: "not-started")
  /// The document could not be surveyed: the command returned no report.
  package static let noReport = Self(rawValue: "no-report")
}
