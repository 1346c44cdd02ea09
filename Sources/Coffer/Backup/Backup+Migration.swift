public import BackupFormats
public import ByteStreams
import LZ4Streams
import SystemPackage

extension Backup {
  /// Brings it up to date, into a file that appears whole or not at all; on threads of its own, so that it may be awaited anywhere.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "export-2025.json").migrate(to: "export.json", options: MigrationOptions(now: now))
  ///     print(report.versionBefore, report.versionAfter)
  ///
  /// Cost: as ``Migrator``. A file, bytes in memory and a source of your own are read twice; of a stream of more than 1 MiB a copy is kept in a temporary
  /// file without a name.
  ///
  /// - Parameters:
  ///   - path: compressed, if it ends in `.lz4`.
  ///   - existing: what to do about a file that is already there.
  ///   - catalog: the formats that it may have or become (default: the built-in ones).
  ///   - format: its format (default: detected).
  ///   - options: how it is migrated, and to which version.
  /// - Throws: as ``Migrator/migrate(_:named:to:)``; `ByteStreamError` of the code `alreadyExists`. Then no file appears.
  @discardableResult
  public func migrate(
    to path: String, existing: AtomicFile.Existing = .keep, catalog: FormatCatalog? = nil, format: BackupFormat? = nil,
    options: MigrationOptions
  ) async throws -> MigrationReport {
    try await read(cancellation: options.execution.cancellation) { [self] reading, cancellation in
      var options = options
      options.execution.cancellation = cancellation
      if LZ4Source.isNamed(by: path) { options.compression = options.compression ?? .fastest }
      let migrator = Migrator(try catalog ?? .builtIn(), format: format, options: options)
      var file = try AtomicFile(FilePath(path), existing: existing)
      let stored = try stored(reading, options.execution)
      let report = try migrator.migrate(stored, named: name, to: &file)
      try file.commit()
      return report
    }
  }

  /// The bytes, which can be read more than once: a stream and a source of your own are copied.
  private func stored(_ reading: BackupReading, _ execution: Execution) throws -> StoredBytes {
    if case .bytes(let bytes) = content { return StoredBytes(bytes, named: name) }
    let source = try reading.source()
    if let stored = (source as? FileSource).flatMap({ StoredBytes($0) }) { return stored }
    return try StoredBytes(
      copying: source, named: name, in: execution.temporaryFolder, cancellation: execution.cancellation)
  }
}
