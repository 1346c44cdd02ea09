public import BackupFormats
public import ByteStreams
public import Coffer
import CompressedStreams
import Findings
import GRDB
import JSONEvents
import Platform
import Rules
public import SystemPackage

/// Exports backups from database files.
///
/// For example:
///
///     var file = try AtomicFile("export.json")
///     let report = try DatabaseExporter(catalog, options: options).export("backup.db", to: &file)
///     try file.commit()
///
/// An export reads in one transaction, so it is a consistent snapshot even if others write to the database at the same time.
///
/// Cost: one pass over the tables, and one over the text if it is formatted or compressed. Memory: bounded, for any
/// database size.
public struct DatabaseExporter {
  /// The form of the exported document.
  public struct Layout: Sendable {
    /// Indents the document like the format's app, or by 2 spaces per level if its encoder isn't known (default: no whitespace).
    public var isPretty = false
    /// Sorts the members of every object by name.
    public var sortsKeys = false
    /// Compresses the document (default: no compression).
    public var compression: Compression?
    /// Writes a ZIP archive that includes the files that belong to the rows.
    public var isArchive = false

    public init() {}
  }

  private let catalog: FormatCatalog
  private let options: DatabaseExportOptions
  private let layout: Layout
  private let now: Instant

  /// - Parameters:
  ///   - catalog: the known formats.
  ///   - options: the contents of the document.
  ///   - layout: the form of the document.
  ///   - now: the value of `now` in the rules that check an archive's files.
  public init(_ catalog: FormatCatalog, options: DatabaseExportOptions, layout: Layout = Layout(), now: Instant) {
    self.catalog = catalog
    self.options = options
    self.layout = layout
    self.now = now
  }

  /// Writes a database's backup to `sink`, in order.
  ///
  /// - Throws: `CofferError`, `CancellationError`. After an
  ///   error, the sink's content is unusable.
  public func export(_ database: FilePath, to sink: inout some ByteSink) throws -> DatabaseExportReport {
    let execution = options.execution
    execution.progress?.begin(byteCount: nil)
    return try execution.cancellation.watch {
      let queue = try Self.open(database, execution.cancellation)
      let readers =
        execution.jobs > 1 ? SnapshotReaders(AtomicFile.resolved(database).string, count: execution.jobs) : nil
      return try DatabaseReading(catalog, options).read(queue, named: database.string, beside: readers) { source in
        var packed: Packer.Contents?
        if layout.isArchive {
          packed = try archive(source, of: database, to: &sink)
        } else {
          try write(source, to: &sink)
        }
        return DatabaseExportReport(
          database: database.string, format: source.format.name, version: source.properties.version,
          collections: source.written,
          leavesFilesOut: source.properties.files != nil && !layout.isArchive,
          unnamedFiles: packed?.leftOut ?? 0, findings: packed?.findings ?? [])
      }
    }
  }

  /// Returns the format and the properties of the backup that a database holds.
  ///
  /// - Throws: `CofferError`, with the code `no-backup` if the database holds none.
  package func properties(of database: FilePath) throws -> (format: BackupFormat, properties: BackupProperties) {
    try DatabaseReading(catalog, options).read(try Self.open(database, options.execution.cancellation), named: database.string) {
      ($0.format, $0.properties)
    }
  }

  private func write(_ source: DatabaseSource, to sink: inout some ByteSink) throws {
    var source = source
    if !layout.isPretty, !layout.sortsKeys, layout.compression == nil {
      return try source.copy(to: &sink, cancellation: options.execution.cancellation)
    }
    var conversion = ConversionOptions()
    if layout.isPretty { conversion.layout = source.format.encoder.map { .prettyAs($0) } ?? .pretty(indent: 2) }
    conversion.sortsKeys = layout.sortsKeys
    conversion.compression = layout.compression
    conversion.execution = options.execution.unmetered
    try Converter(options: conversion).convert(source, to: &sink)
  }

  private func archive(_ source: DatabaseSource, of database: FilePath, to sink: inout some ByteSink) throws -> Packer.Contents {
    let files = try source.properties.files.map { try FileSets(ofDatabase: database).folder(of: $0) }
    var packing = Packer.Options(.format(source.format), now: now)
    packing.execution = options.execution
    // Mismatches are only reported: an error would prevent the export.
    packing.check = .noted
    return try Self.writeArchive(packing, files: files, to: &sink) { document in
      var source = source
      try source.copy(to: &document, cancellation: options.execution.cancellation)
    }
  }

  /// Writes a backup as an archive of its format: the document, other documents, and files.
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
  ///
  /// - Parameters:
  ///   - options: the format, how to check the files, the entries' modification time, threads and cancellation.
  ///   - files: the folder of the database's files, or `nil` if it has none.
  ///   - sink: receives the archive. After an error, its content is unusable.
  ///   - writeDocument: writes the document, uncompressed.
  /// - Throws: the errors of `writeDocument`; `CofferError`: `not-a-backup` if the format's backups aren't archives, `invalid` if
  ///   document and files don't match (depending on the options' check), `entry-type` for an entry of the files that isn't a
  ///   file; `CancellationError`.
  package static func writeArchive(
    _ options: Packer.Options, files: FilePath?, to sink: inout some ByteSink,
    _ writeDocument: (inout StoringSink) throws -> Void
  ) throws -> Packer.Contents {
    let cancellation = options.execution.cancellation
    return try cancellation.watch {
      var document = StoringSink()
      try writeDocument(&document)
      let stored = StoredBytes(document, named: "the document", cancellation: cancellation)
      return try Packer(options: options).pack(stored, files: files, to: &sink)
    }
  }

  private static func open(_ path: FilePath, _ cancellation: Cancellation?) throws -> DatabaseQueue {
    let type = try CofferError.trying("open", path.string) { try path.stat().type }
    guard type == .regular else {
      throw CofferError(.damagedDatabase, "\(path) is not a regular file, so it can't be a database")
    }
    do {
      return try DatabaseQueue(AtomicFile.resolved(path), isReadOnly: true, named: path.string, cancellation)
    } catch let error as DatabaseError {
      throw CofferError(error, database: path.string)
    }
  }
}
