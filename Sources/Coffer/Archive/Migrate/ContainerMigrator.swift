public import BackupFormats
public import ByteStreams
import Findings
public import ZIPArchives

/// Brings backups up to date whether they are documents or ZIP archives that hold one: `Migrator`, which needs no libarchive, knows the former alone.
///
/// For example:
///
///     var file = try AtomicFile(replacing: "migrated.zip")
///     let report = try ContainerMigrator(.builtIn(), options: MigrationOptions(now: now))
///       .migrate(FileSource(path: "backup.zip"), to: &file)
///     try file.commit()
///     print(report.text(named: "backup.zip"))
///
/// An archive is told by its first bytes. Its document is migrated; all other entries are copied as they stand there, compressed or not, in their order,
/// with the times that they had. What an archive says of its entries beside that (comments, extra fields, permissions) doesn't go along.
/// A document beside the migrated one is copied, too, whatever it says of that.
/// Unsafe and damaged archives are refused before anything is written, as `Unpacker` refuses them. Whoever migrates an archive again gets the same one.
///
///     pass 1   all entries, expanded: are they safe, are they what was put in, which is the document?
///     pass 2   the document ─▶ Migrator ─▶ compressed ─▶ ┐
///              the others, not expanded ────────────────▶┴─▶ output
///
/// Cost: of a document as `Migrator`; of an archive two passes, and two more over the document. Memory: as `Migrator`, and what `ZIPReader` and
/// `ZIPWriter` keep of each entry; a stream of 1 MiB or more goes to a temporary file without a name.
public struct ContainerMigrator: Sendable {
  private let catalog: FormatCatalog
  private let format: BackupFormat?
  private let options: MigrationOptions
  private let limits: ZIPLimits

  /// - Parameters:
  ///   - catalog: the formats that documents may be of, or become. An archive's becomes one whose document has the same name.
  ///   - format: what all documents are of; `nil`: what they show themselves to be.
  ///   - options: how they are migrated; whether in a container is told by the file.
  ///   - limits: what an archive may come to.
  public init(
    _ catalog: FormatCatalog, format: BackupFormat? = nil, options: MigrationOptions, limits: ZIPLimits = ZIPLimits()
  ) {
    self.catalog = catalog
    self.format = format
    self.options = options
    self.limits = limits
  }

  /// Reads a file twice, and writes to `sink` on the second time.
  ///
  /// - Parameters:
  ///   - file: the backup; one that can only be read as it comes is read as a stream.
  ///   - sink: where the migrated backup goes. It gets nothing before it is known that the archive is sound.
  /// - Throws: as `Migrator.migrate(reopening:named:to:)`; `MigrationError` of the code `archive` for an archive that is no backup; `ZIPError` for one that is
  ///   damaged or not safe. What the sink has got by then is good for nothing.
  @discardableResult
  public func migrate<Sink: ByteSink>(_ file: FileSource, to sink: inout Sink) throws -> MigrationReport {
    guard let stored = StoredBytes(file) else { return try migrateStream(file, to: &sink) }
    return try options.cancellation.watch {
      var start = StoredSource(stored)
      if ZIPReader.isArchive(try start.readPrefix(4)) { return try migrateArchive(stored, to: &sink) }
      return try Migrator(catalog, format: format, options: options)
        .migrate(reopening: { StoredSource(stored) }, named: stored.name, to: &sink)
    }
  }

  /// Reads a backup that can be read once. It is kept until it is migrated, in a temporary file without a name if it has 1 MiB or more.
  ///
  /// - Throws: as ``migrate(_:to:)``.
  @discardableResult
  public func migrateStream<Sink: ByteSink>(_ source: some ByteSource, to sink: inout Sink) throws -> MigrationReport {
    try options.cancellation.watch {
      var source = source
      let prefix = try source.readPrefix(4)
      let whole = PrefixedSource(prefix: prefix, rest: source)
      guard ZIPReader.isArchive(prefix) else {
        return try Migrator(catalog, format: format, options: options).migrate(whole, to: &sink)
      }
      let stored = try StoredBytes(copying: whole, named: "the archive", cancellation: options.cancellation)
      return try migrateArchive(stored, to: &sink)
    }
  }

  // MARK: Archives

  /// What is known of an archive once it has been read.
  private struct Survey {
    let archive: BackupArchive
    /// What the document is of, or may become.
    let formats: [BackupFormat]
  }

  private func migrateArchive<Sink: ByteSink>(_ stored: StoredBytes, to sink: inout Sink) throws -> MigrationReport {
    if options.compression != nil {
      throw MigrationError(code: .archive, message: "a ZIP archive is compressed already: its name is not to end in .lz4")
    }
    let survey = try survey(stored)
    var options = options
    options.container = .zip
    let migrator = Migrator(FormatCatalog(survey.formats), format: format, options: options)
    var report: MigrationReport?
    var writerOptions = ZIPWriter<Sink>.Options()
    writerOptions.nameLength = limits.nameLength
    var writer = ZIPWriter(to: sink, options: writerOptions)
    defer { sink = writer.sink }
    for entry in survey.archive.entries {
      try options.cancellation.check()
      guard entry.offset == survey.archive.document.offset else {
        try writer.addCopy(of: entry, from: StoredSource(stored, entry.range))
        continue
      }
      // Whatever is filled in and however it is laid out, it doesn't grow eightfold.
      let size = entry.size < 1 << 29 ? entry.size : .max
      var document = try writer.beginCompressed(entry.name, size: size, time: entry.time)
      report = try migrator.migrate(reopening: { try survey.archive.openDocument() }, to: &document)
      try writer.end(document)
    }
    try writer.finish()
    // What was copied is what was checked.
    try stored.checkUnchanged()
    guard let report else { throw MigrationError(code: .changed, message: "it has changed while it was read") }
    return report
  }

  /// Reads all of an archive, and finds its document.
  private func survey(_ stored: StoredBytes) throws -> Survey {
    do {
      let archive = try BackupArchive(stored, format.map { .format($0) } ?? .detected(catalog), limits: limits)
      let reader = try archive.reader()
      while let entry = try reader.next() {
        if entry.offset == archive.document.offset { _ = try reader.document(entry) }
        while try reader.nextPiece() != nil { try options.cancellation.check() }
      }
      let others = catalog.formats.filter { $0.archive?.topFolder(ofMetadata: archive.document.name) != nil }
      return Survey(archive: archive, formats: others)
    } catch let error as DocumentError {
      throw MigrationError(code: error.code == "ambiguous-format" ? .ambiguousFormat : .archive, message: error.message)
    }
  }
}
