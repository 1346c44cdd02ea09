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

  /// Reads the baseline. Returns `nil` if there is none, or none yet. Prints errors, and throws the exit status.
  func read(_ execution: Execution) throws -> Baseline? {
    guard let baseline else { return nil }
    do {
      return try Baseline(FileSource(argument: baseline, cancellation: execution.cancellation), execution: execution)
    } catch let error as CofferError where updateBaseline && error.code == .notFound {
      return nil
    } catch {
      throw ExitStatus.ending(with: error, inputs: [baseline])
    }
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
