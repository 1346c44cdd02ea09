import ArgumentParser
import ByteStreams
import Coffer
import Platform
import Reports
import SystemPackage

/// The formats and destinations of the report on validated documents.
struct ValidationReportArguments: ParsableArguments {
  @OptionGroup var reportArguments: ReportOutputArguments<ReportFormat>

  func validate() throws {
    if let summaryPath, reportArguments.outputs.contains(where: { Output.isSameFile($0, summaryPath) }) {
      throw ValidationError("two reports would be written to \(summaryPath)")
    }
  }

  /// The files to write.
  var outputs: [String] { reportArguments.outputs + [summaryPath].compactMap(\.self) }

  /// The job summary that GitHub shows, to which the report for GitHub is added.
  private var summaryPath: String? {
    guard reportArguments.format == .github, let path = getenv("GITHUB_STEP_SUMMARY").map({ String(cString: $0) }) else {
      return nil
    }
    return path.isEmpty ? nil : path
  }

  /// Throws if a report would replace an input. Call it before anything is read.
  func checkOutputs(reading inputs: [String]) throws {
    for path in outputs { try Output.checkReport(path, reading: inputs) }
  }

  /// Writes all requested reports, also if one can't be written. Prints errors, and throws the highest exit status.
  func write(_ results: ValidationResults) throws {
    var failure: ExitStatus?
    do { try reportArguments.write(results) } catch { failure = error }
    if let summaryPath {
      do { try appendSummary(of: results, to: summaryPath) } catch { failure = max(failure ?? error, error) }
    }
    if let failure { throw failure }
  }

  /// Adds the summary to those of the job's other steps.
  private func appendSummary(of results: ValidationResults, to path: String) throws(ExitStatus) {
    do {
      var summary = MemorySink()
      try results.write(as: .markdown, to: &summary)
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.append, .create], permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try file.closeAfter { _ = try file.writeAll(summary.bytes) }
    } catch {
      let error = error as? CofferError ?? CofferError(error as? Errno ?? .ioError, verb: "write the job summary to", name: path)
      Output.printError(error.message)
      throw ExitStatus(error)
    }
  }
}

extension ValidationResults: ReportedResults {}

extension ValidationResults {
  /// Results of this version of the command.
  init(_ reports: [ValidationReport], isStrict: Bool) {
    self.init(reports, toolVersion: Version.text)
    self.isStrict = isStrict
    keywordSummaries = KeywordReference().summaries
  }
}
