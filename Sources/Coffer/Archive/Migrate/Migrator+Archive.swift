import BackupFormats
import ByteStreams
import Findings
import ZIPArchives

extension Migrator {
  /// Migrates the document of an archive, and copies all other entries.
  ///
  ///     pass 1   all entries, expanded: check that they are safe and undamaged, find the document
  ///     pass 2   the document ─▶ Migrator ─▶ compressed ─▶ ┐
  ///              all others, not expanded ────────────────▶┴─▶ output
  func migrate<Sink: ByteSink>(archive stored: StoredBytes, to sink: inout Sink) throws -> MigrationReport {
    if let compression = options.compression {
      throw CofferError(
        .zipArchive, "a ZIP archive is already compressed: use an output name without .\(compression.format.ending)")
    }
    let archive = try checkedArchive(stored)
    let formats = catalog.formats.filter { $0.archive?.topFolder(ofMetadata: archive.document.name) != nil }
    let migrator = Migrator(FormatCatalog(formats), format: format, options: options)
    let backup = OpenedBackup(named: "", in: .zip, options.execution.unmetered) { try archive.openDocument() }
    var report: MigrationReport?
    var writerOptions = ZIPWriter<Sink>.Options()
    writerOptions.nameLength = limits.nameLength
    var writer = ZIPWriter(to: sink, options: writerOptions)
    defer { sink = writer.sink }
    for entry in archive.entries {
      try options.execution.cancellation.check()
      guard entry.offset == archive.document.offset else {
        try writer.addCopy(of: entry, from: StoredSource(stored, entry.range))
        continue
      }
      // New members and indentation never make it eight times larger.
      let size = entry.size < 1 << 29 ? entry.size : .max
      var document = try writer.beginCompressed(entry.name, size: size, time: entry.time)
      report = try migrator.migrate(backup, to: &document)
      try writer.end(document)
    }
    try writer.finish()
    // The copied bytes must be the checked ones.
    try stored.checkUnchanged()
    guard let report else { throw CofferError(.inputChanged, "the input changed while it was being read") }
    return report
  }

  /// Reads a whole archive, and finds its document.
  private func checkedArchive(_ stored: StoredBytes) throws -> BackupArchive {
    let archive = try BackupArchive(stored, format.map { .format($0) } ?? .detected(catalog), limits: limits)
    let reader = try archive.reader()
    while let entry = try reader.next() {
      if entry.offset == archive.document.offset { _ = try reader.document(entry) }
      while try reader.nextPiece() != nil { try options.execution.cancellation.check() }
    }
    return archive
  }
}
