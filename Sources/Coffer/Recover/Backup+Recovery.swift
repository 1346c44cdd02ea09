public import ByteStreams
import CompressedStreams
import SystemPackage
import ZIPArchives

extension Backup {
  /// Recovers what is whole in the backup, into a file that is created complete or not at all: not at all if nothing is recovered
  /// (`RecoveryReport.isEmpty`). It runs on its own threads, so you can await it anywhere.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "damaged.json").recover(to: "recovered.json", options: RecoveryOptions(now: now))
  ///     print(report.lossCount, report.validation.isValid)
  ///
  /// Cost: see ``Recovery``.
  ///
  /// - Parameters:
  ///   - path: the output file, compressed if it ends in `.lz4`, `.gz` or `.zst`; an archive if it ends in `.zip`.
  ///   - existing: what to do with an existing file.
  ///   - rules: the rules (default: those of the detected format).
  ///   - options: what to recover, and how the result is validated. Their syntax overrides the backup's.
  ///   - leave: gets what is left out, with its bytes.
  /// - Throws: the errors of ``Recovery/recover(_:named:to:leaving:)``; `CofferError` with the code `alreadyExists`. Then no file is
  ///   created.
  @discardableResult
  public func recover(
    to path: String, existing: AtomicFile.Existing = .keep, rules: RuleSource? = nil, options: RecoveryOptions,
    leaving leave: @escaping @Sendable (LeftOut, UnsafeRawBufferPointer) throws -> Void = { _, _ in }
  ) async throws -> RecoveryReport {
    try await read(options.validation.execution) { [name, syntax] reading, cancellation in
      var options = options
      options.validation.execution.cancellation = cancellation
      options.validation.syntax = options.validation.syntax ?? syntax
      options.compression = options.compression ?? Compression(ofFileNamed: path)
      options.writesArchive = options.writesArchive || ZIPReader.isNamed(by: path)
      var file = try AtomicFile(FilePath(path), existing: existing)
      let report = try Recovery(rules ?? .detected(.builtIn), options: options)
        .recover(reading.source(progress: options.validation.execution.progress), named: name, to: &file, leaving: leave)
      if !report.isEmpty { try file.commit() }
      return report
    }
  }
}
