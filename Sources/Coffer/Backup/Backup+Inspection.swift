public import BackupFormats
import ByteStreams
import Findings
import Rules

extension Backup {
  /// Reads the whole backup and describes it, for a preview before an import. It runs on its own thread, so you can await it
  /// anywhere.
  ///
  /// For example:
  ///
  ///     let inspection = try await Backup(path: "export.json").inspect(options: InspectionOptions(now: now))
  ///     if inspection.importability.isPossible { show(inspection.createdAt, inspection.collections) }
  ///
  /// Cost: see ``Inspector``. If the backup can't be read completely, the inspection's `error` is the reason.
  ///
  /// - Parameters:
  ///   - rules: where its collections, version and origin are (default: by the detected format).
  ///   - options: how to inspect it. Their syntax overrides the backup's.
  /// - Throws: `CancellationError` if the task is cancelled or the options' cancellation is requested; `CofferError` like
  ///   ``Inspector``.
  public func inspect(
    rules: RuleSource? = nil, options: InspectionOptions
  ) async throws -> Inspection {
    do {
      return try await read(options.execution) { [name, syntax] reading, cancellation in
        var options = options
        options.execution.cancellation = cancellation
        options.syntax = options.syntax ?? syntax
        return try Inspector(rules ?? .detected(.builtIn), options: options)
          .inspect(reading.source(progress: options.execution.progress), named: name)
      }
    } catch let error as CofferError where !error.concernsRequest {
      var inspection = Inspection(file: name)
      inspection.error = error
      return inspection
    }
  }
}
