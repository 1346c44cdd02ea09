import ByteStreams
public import Findings
import Rules

extension Backup {
  /// Reads the backup to its end and says what was found, on a thread of its own, so that it may be awaited anywhere.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "export.json").validate(options: ValidationOptions(now: now))
  ///     print(report.isValid, report.findings.first?.message ?? "")
  ///
  /// Cost: as ``Validator``. What keeps the backup from being read to its end is the report's `error`.
  ///
  /// - Parameters:
  ///   - rules: the rules (default: those of the detected format).
  ///   - options: how it is checked. What the options say of the syntax comes before what the backup does.
  /// - Throws: `RuleCompileError` if the rules can't be compiled, `CancellationError` if the task is cancelled or the options' cancellation requested.
  public func validate(
    against rules: RuleSource? = nil, options: ValidationOptions
  ) async throws -> ValidationReport {
    do {
      return try await read(cancellation: options.execution.cancellation) { [name, syntax] reading, cancellation in
        var options = options
        options.execution.cancellation = cancellation
        options.syntax = options.syntax ?? syntax
        return try Validator(try rules ?? .detected(.builtIn()), options: options)
          .validate(reading.source(progress: options.execution.progress), named: name)
      }
    } catch let error as ByteStreamError {
      var report = ValidationReport(file: name)
      report.error = DocumentError(error)
      return report
    }
  }
}
