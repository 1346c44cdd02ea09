package import BackupFormats
package import ByteStreams
package import Coffer
package import SystemPackage

/// Writes a database's backup as an archive of its format: the document, documents beside it, and files.
///
/// For example:
///
///     var file = try AtomicFile("backup.zip")
///     let export = ArchiveExport(of: format, files: try set.map { try sets.folder(of: $0) }, now: now)
///     let contents = try export.write(to: &file) { document in try rows.write(to: &document) }
///     try file.commit()
///
/// Documents beside the archive's own are those that were imported, with what both must agree in (counts, dates) as the document has it now. One that
/// was never imported can't be made up, for it says things that the document doesn't: if the format demands it, that is a finding.
///
/// The document is written to memory, or from 1 MiB on to a temporary file without a name, before the archive is begun: it must be read to know what it
/// says of the files.
///
/// Cost: of the document a pass by the format's rules and one that compresses it; else as `Packer`. Memory: as `Packer`, and the 1 MiB.
package struct ArchiveExport {
  /// What is held against the files, when entries were changed last, how many threads work, and what ends it early.
  package var options: Packer.Options
  private let format: BackupFormat
  private let files: FilePath?

  /// - Parameters:
  ///   - files: the set of files that the database names; `nil`: it has none.
  ///   - now: what `now` means in the rules.
  package init(of format: BackupFormat, files: FilePath?, now: Instant) {
    self.format = format
    self.files = files
    options = Packer.Options(.format(format), now: now)
  }

  /// Writes the archive.
  ///
  /// - Parameters:
  ///   - sink: where it goes. What it has got when an error is thrown is good for nothing.
  ///   - writeDocument: writes the document, plain.
  /// - Throws: what `writeDocument` throws; `PackError`: `not-a-backup` if the format's backups are no archives, `unsound` if document and files don't fit
  ///   (unless the options' check says otherwise), `entry-type` for what is no file among the files; `ByteStreamError`, `ZIPError`, `CancellationError`.
  @discardableResult
  package func write(
    to sink: inout some ByteSink, _ writeDocument: (inout StoringSink) throws -> Void
  ) throws -> Packer.Contents {
    try options.execution.cancellation.watch {
      var document = StoringSink()
      try writeDocument(&document)
      let stored = StoredBytes(document, named: "the document", cancellation: options.execution.cancellation)
      return try Packer(options: options).pack(stored, named: "the document", files: files, to: &sink)
    }
  }
}
