import ArgumentParser
import Coffer

/// A baseline: findings that are known and accepted.
struct BaselineArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("Accept the findings in this file, and report others as new.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var baseline: String?

  @Flag(help: "Write the findings of this run to the file of --baseline, with the reasons that it has.")
  var updateBaseline = false

  func validate() throws {
    if updateBaseline, baseline == nil { throw ValidationError("--update-baseline needs --baseline with the file to write") }
    if baseline == "-" { throw ValidationError("--baseline needs a file") }
  }

  /// Reads the baseline, and sets the options for a run that is compared with it, or updates it.
  ///
  /// - Returns: `nil` if there is none, or none yet.
  /// - Throws: the exit status, after the error was printed.
  func baseline(for options: inout ValidationOptions) throws -> Baseline? {
    guard let path = baseline else { return nil }
    var known: Baseline?
    do {
      var execution = options.execution
      execution.progress = nil
      known = try Baseline(FileSource(argument: path, cancellation: execution.cancellation), execution: execution)
    } catch {
      guard updateBaseline, (error as? CofferError)?.code == .notFound else {
        throw ExitStatus.ending(with: error, inputs: [path])
      }
    }
    if updateBaseline {
      options.addsPlaces = true
      options.maximumFindings = Baseline.limit
      options.findingMemory = Baseline.limit << 10
    } else {
      options.baseline = known
    }
    return known
  }

  /// Writes a baseline that accepts all findings of these reports, and compares them with it.
  ///
  /// - Parameters:
  ///   - known: the earlier baseline.
  ///   - limit: the number of findings to keep in each report.
  func update(_ known: Baseline?, by reports: inout [ValidationReport], keeping limit: Int) throws {
    guard updateBaseline, let path = baseline else { return }
    if let report = reports.first(where: { $0.error != nil || $0.notShown > 0 }) {
      let reason = report.error == nil ? "has too many findings" : "was not read completely"
      Output.printError("the baseline is not updated: \(report.file) \(reason)")
      if report.error == nil { throw ExitStatus.refused }
      return
    }
    let updated = Baseline(accepting: reports, reasonsOf: known)
    try Output.writeReport(to: path) { file throws(CofferError) in try updated.write(to: &file) }
    for index in reports.indices { reports[index].compare(with: updated, keeping: limit) }
  }
}
