package import BackupFormats
package import ByteStreams
package import Coffer
package import SystemPackage

/// Writes a database's backup as an archive of its format: the document, other documents, and files.
///
/// For example:
///
///     var file = try AtomicFile("backup.zip")
///     let export = ArchiveExport(of: format, files: try set.map { try sets.folder(of: $0) }, now: now)
///     let contents = try export.write(to: &file) { document in try rows.write(to: &document) }
///     try file.commit()
///
/// The other documents are those that were imported; values that must agree with the document (counts, dates) are updated. One
/// that was never imported can't be generated, because it has information that the document lacks. If the format requires it,
/// a finding reports that it is missing.
///
/// The document is first written to memory, or from 1 MiB on to an unnamed temporary file, because it must be read to find the
/// files that it names.
///
/// Cost: a pass over the document for validation and one for compression, in addition to that of `Packer`. Memory: that of
/// `Packer`, plus 1 MiB.
package struct ArchiveExport {
  /// Options for checking the files, the entries' modification time, threads and cancellation.
  package var options: Packer.Options
  private let format: BackupFormat
  private let files: FilePath?

  /// - Parameters:
  ///   - files: the folder of the database's files, or `nil` if it has none.
  ///   - now: the value of `now` in the rules.
  package init(of format: BackupFormat, files: FilePath?, now: Instant) {
    self.format = format
    self.files = files
    options = Packer.Options(.format(format), now: now)
  }

  /// Writes the archive.
  ///
  /// - Parameters:
  ///   - sink: receives the archive. After an error, its content is unusable.
  ///   - writeDocument: writes the document, uncompressed.
  /// - Throws: the errors of `writeDocument`; `CofferError`: `not-a-backup` if the format's backups aren't archives, `invalid` if
  ///   document and files don't match (depending on the options' check), `entry-type` for an entry of the files that isn't a
  ///   file; `CofferError`, `CancellationError`.
  @discardableResult
  package func write(
    to sink: inout some ByteSink, _ writeDocument: (inout StoringSink) throws -> Void
  ) throws -> Packer.Contents {
    try options.execution.cancellation.watch {
      var document = StoringSink()
      try writeDocument(&document)
      let stored = StoredBytes(document, named: "the document", cancellation: options.execution.cancellation)
      return try Packer(options: options).pack(stored, files: files, to: &sink)
    }
  }
}
