import ArgumentParser
import Coffer
import Findings
import Reports

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
      // All findings are new, and known only to their keys.
      options.baseline = Baseline([])
      options.maximumFindings = Baseline.limit
      options.findingMemory = Baseline.limit << 10
    } else {
      options.baseline = known
    }
    return known
  }

  /// Throws if the baseline would be updated without all findings and their keys.
  func checkUpdate(by evaluation: EvaluationArguments) throws {
    if updateBaseline, evaluation.findingArguments.redact || evaluation.onlyArgument.selection != nil || evaluation.syntaxOnly {
      throw ValidationError("--update-baseline needs all findings with their keys, without --redact, --only and --syntax-only")
    }
  }

  /// Reads the baseline for a plan.
  ///
  /// - Returns: what the plan has of it, or `nil` if there is none.
  /// - Throws: the exit status, after the error was printed.
  func use(_ options: ValidationOptions) throws -> SplitPlan.BaselineUse? {
    if baseline == nil { return nil }
    var options = options
    _ = try baseline(for: &options)
    return SplitPlan.BaselineUse(count: options.baseline?.count ?? 0, isUpdated: updateBaseline)
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
      try Output.writeReport(to: path) { file throws(CofferError) in try updated.write(to: &file) }
    } catch {
      return error
    }
    for index in reports.indices { reports[index].compare(with: updated, keeping: limit) }
    return nil
  }
}
