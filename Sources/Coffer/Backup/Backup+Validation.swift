import ByteStreams
public import Findings
import Rules

extension Backup {
  /// Validates the whole backup and returns a report. It runs on its own thread, so you can await it anywhere.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "export.json").validate(options: ValidationOptions(now: now))
  ///     print(report.isValid, report.findings.first?.message ?? "")
  ///
  /// Cost: see ``Validator``. If the backup can't be read completely, the report's `error` is the reason.
  ///
  /// - Parameters:
  ///   - rules: the rules (default: those of the detected format).
  ///   - options: how to validate it. Their syntax overrides the backup's.
  /// - Throws: `CofferError` if the rules can't be compiled, `CancellationError` if the task is cancelled or the options'
  ///   cancellation is requested.
  public func validate(
    rules: RuleSource? = nil, options: ValidationOptions
  ) async throws -> ValidationReport {
    do {
      return try await read(options.execution) { [name, syntax] reading, cancellation in
        var options = options
        options.execution.cancellation = cancellation
        options.syntax = options.syntax ?? syntax
        return try Validator(rules ?? .detected(.builtIn), options: options)
          .validate(reading.source(progress: options.execution.progress), named: name)
      }
    } catch let error as CofferError where !error.concernsRequest {
      var report = ValidationReport(file: name)
      report.error = error
      return report
    }
  }
}
