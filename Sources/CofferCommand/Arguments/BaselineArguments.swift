import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Reports
import SystemPackage

/// A baseline: findings that are known and accepted.
struct BaselineArguments: ParsableArguments {
  @Option(.file(ending: ["json"]), "Accept the findings in this file, and report others as new.")
  var baseline: String?

  @Flag(help: "Write the findings of this run to the file of --baseline, with the reasons that it has.")
  var updateBaseline = false

  func validate() throws {
    if baseline == "-" { throw ValidationError("--baseline needs a file") }
  }

  static let options: Set = ["--baseline", "--update-baseline"]

  /// The baseline, if it is only read.
  var unchanged: [String] { updateBaseline ? [] : [baseline].compactMap(\.self) }

  /// The baseline, if it is replaced.
  var updated: String? { updateBaseline ? baseline : nil }

  /// Reads the baseline.
  ///
  /// - Returns: `nil` if there is none, or none yet.
  /// - Throws: the exit status, after the error was printed.
  func read(_ execution: Execution) throws -> Baseline? {
    // Not checked earlier, because the project file may name it.
    if updateBaseline, baseline == nil { throw ValidationError("--update-baseline needs --baseline with the file to write") }
    guard let path = baseline else { return nil }
    do {
      return try Baseline(FileSource(argument: path, cancellation: execution.cancellation), execution: execution.unmetered)
    } catch CofferError.Code.notFound where updateBaseline {
      return nil
    } catch {
      throw ExitStatus.ending(with: error, inputs: [path])
    }
  }

  /// The baseline to compare the findings with. For an update all of them are new, and known only to their keys.
  func compared(_ known: Baseline?) -> Baseline? { updateBaseline ? Baseline([]) : known }

  /// Throws if the baseline would be updated without all findings and their keys.
  func checkUpdate(by verb: some EvaluatingVerb) throws {
    if updateBaseline, verb.findingArguments.redact || verb.onlyArgument.selection != nil || verb.evaluation.syntaxOnly {
      throw ValidationError("--update-baseline needs all findings with their keys, without --redact, --only and --syntax-only")
    }
  }

  /// What a plan has of a baseline, or `nil` if there is none.
  func use(_ known: Baseline?) -> SplitPlan.BaselineUse? {
    baseline == nil ? nil : SplitPlan.BaselineUse(count: compared(known)?.count ?? 0, isUpdated: updateBaseline)
  }

  /// Writes a baseline that accepts all findings of these reports, and compares them with it. Prints errors.
  ///
  /// - Parameters:
  ///   - known: the earlier baseline.
  ///   - limit: the number of findings to keep in each report.
  /// - Returns: the exit status if the baseline can't be written, or would not be complete.
  func update(_ known: Baseline?, by reports: inout [ValidationReport], keeping limit: Int) -> ExitStatus? {
    guard updateBaseline, let path = baseline else { return nil }
    defer {
      for index in reports.indices where reports[index].findings.count > limit {
        reports[index].compare(with: Baseline([]), keeping: limit)
      }
    }
    for report in reports {
      let reason: String
      if report.error != nil {
        reason = "was not read completely"
      } else if report.formatProblem != nil {
        reason = "was not checked, because its format is not known"
      } else if report.notShown > 0 {
        reason = "has more than \(Baseline.limit.grouped) findings"
      } else {
        continue
      }
      Output.printError("the baseline is not updated: \(report.file) \(reason)")
      return report.error == nil ? .refused : nil
    }
    let updated = Baseline(accepting: reports, reasonsOf: known)
    if updated.entries.count > Baseline.limit {
      Output.printError("the baseline is not updated: the files have more than \(Baseline.limit.grouped) findings")
      return .refused
    }
    do {
      try Output.writeReport(to: path) { sink throws(CofferError) in try updated.write(to: &sink) }
    } catch {
      return error
    }
    for index in reports.indices { reports[index].compare(with: updated, keeping: limit) }
    return nil
  }
}
