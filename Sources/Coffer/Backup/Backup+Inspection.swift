public import BackupFormats
import ByteStreams
import Findings
import Rules

extension Backup {
  /// Reads the backup to its end and says what it is, on a thread of its own, so that it may be awaited anywhere: the preview before an import.
  ///
  /// For example:
  ///
  ///     let inspection = try await Backup(path: "export.json").inspect(options: InspectionOptions(now: now))
  ///     if inspection.importability.isPossible { show(inspection.createdAt, inspection.collections) }
  ///
  /// Cost: as ``Inspector``. What keeps the backup from being read to its end is the inspection's `error`.
  ///
  /// - Parameters:
  ///   - rules: where its collections, version and origin are (default: by the detected format).
  ///   - options: how it is inspected. What the options say of the syntax comes before what the backup does.
  /// - Throws: `CancellationError` if the task is cancelled or the options' cancellation requested; `CollectionError` as ``Inspector`` does.
  public func inspect(
    by rules: RuleSource? = nil, options: InspectionOptions
  ) async throws -> Inspection {
    do {
      return try await read(cancellation: options.execution.cancellation) { [name, syntax] reading, cancellation in
        var options = options
        options.execution.cancellation = cancellation
        options.syntax = options.syntax ?? syntax
        return try Inspector(try rules ?? .detected(.builtIn()), options: options)
          .inspect(reading.source(progress: options.execution.progress), named: name)
      }
    } catch let error as ByteStreamError {
      var inspection = Inspection(file: name)
      inspection.error = DocumentError(error)
      return inspection
    }
  }
}
