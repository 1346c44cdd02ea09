public import BackupFormats
public import ByteStreams
import CompressedStreams
import SystemPackage

extension Backup {
  /// Migrates the backup to a newer version, into a file that is created complete or not at all. It runs on its own threads, so
  /// you can await it anywhere.
  ///
  /// For example:
  ///
  ///     let report = try await Backup(path: "export-2025.json").migrate(to: "export.json", options: MigrationOptions(now: now))
  ///     print(report.versionBefore, report.versionAfter)
  ///
  /// Cost: see ``Migrator``. A file, bytes in memory and a custom source are read twice; a stream of more than 1 MiB is copied to
  /// an unnamed temporary file.
  ///
  /// - Parameters:
  ///   - path: the output file, compressed if it ends in `.lz4`, `.gz` or `.zst`.
  ///   - existing: what to do with an existing file.
  ///   - catalog: the formats that it may have or become (default: the built-in ones).
  ///   - format: its format (default: detected).
  ///   - options: how to migrate it, and to which version.
  /// - Throws: the errors of ``Migrator/migrate(_:named:to:)``; `CofferError` with the code `alreadyExists`. Then no file is
  ///   created.
  @discardableResult
  public func migrate(
    to path: String, existing: AtomicFile.Existing = .keep, catalog: FormatCatalog? = nil, format: BackupFormat? = nil,
    options: MigrationOptions
  ) async throws -> MigrationReport {
    try await read(options.execution) { [name] reading, cancellation in
      var options = options
      options.execution.cancellation = cancellation
      options.compression = options.compression ?? Compression(ofFileNamed: path)
      let migrator = Migrator(catalog ?? .builtIn, format: format, options: options)
      var file = try AtomicFile(FilePath(path), existing: existing)
      let report = try migrator.migrate(reading.source(), named: name, to: &file)
      try file.commit()
      return report
    }
  }
}
