public import BackupFormats
public import ByteStreams
public import Coffer
import CompressedStreams
public import Findings
import GRDB
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
  private let options: StoreExportOptions
  private let layout: Layout
  private let now: Instant

  /// - Parameters:
  ///   - catalog: the known formats.
  ///   - options: the contents of the document.
  ///   - layout: the form of the document.
  ///   - now: the value of `now` in the rules that check an archive's files.
  public init(_ catalog: FormatCatalog, options: StoreExportOptions, layout: Layout = Layout(), now: Instant) {
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
    options.execution.progress?.begin(byteCount: nil)
    return try options.execution.cancellation.watch {
      let queue = try Self.open(database, options.execution.cancellation)
      let readers =
        options.execution.jobs > 1 ? SnapshotReaders(AtomicFile.resolved(database).string, count: options.execution.jobs) : nil
      let result = try StoreExporter(catalog, options: options).read(queue, named: database.string, beside: readers) {
        source, format, contents -> (findings: [Finding], leftOut: Int) in
        guard layout.isArchive else {
          try write(&source, of: format, to: &sink)
          return ([], 0)
        }
        let files = try contents.files.map { try FileSets(ofDatabase: database).folder(of: $0) }
        var archive = ArchiveExport(of: format, files: files, now: now)
        archive.options.execution = options.execution
        // Mismatches are only reported: an error would prevent the export.
        archive.options.check = .noted
        let packed = try archive.write(to: &sink) { document in
          try source.copy(to: &document, cancellation: options.execution.cancellation)
        }
        return (packed.findings, packed.leftOut)
      }
      return DatabaseExportReport(
        database: database.string, format: result.format.name, version: result.contents.version,
        collections: result.counts.map { DatabaseExportReport.Collection(title: $0.title, count: $0.count) },
        leavesFilesOut: result.contents.files != nil && !layout.isArchive,
        unnamedFiles: result.value.leftOut, findings: result.value.findings)
    }
  }

  /// Returns the format and the properties of the backup that a database holds.
  ///
  /// - Throws: `CofferError`, with the code `no-backup` if the database holds none.
  package func contents(of database: FilePath) throws -> (format: BackupFormat, contents: StoreContents) {
    let result = try StoreExporter(catalog, options: options).read(
      try Self.open(database, options.execution.cancellation), named: database.string
    ) { _, _, _ in }
    return (result.format, result.contents)
  }

  private func write(_ source: inout StoreSource, of format: BackupFormat, to sink: inout some ByteSink) throws {
    if !layout.isPretty, !layout.sortsKeys, layout.compression == nil {
      return try source.copy(to: &sink, cancellation: options.execution.cancellation)
    }
    var conversion = ConversionOptions()
    if layout.isPretty { conversion.layout = format.encoder.map { .prettyAs($0) } ?? .pretty(indent: 2) }
    conversion.sortsKeys = layout.sortsKeys
    conversion.compression = layout.compression
    conversion.execution = options.execution.unmetered
    try Converter(options: conversion).convert(source, to: &sink)
  }

  private static func open(_ path: FilePath, _ cancellation: Cancellation?) throws -> DatabaseQueue {
    var information = stat()
    guard stat(path.string, &information) == 0 else {
      throw CofferError(Errno(rawValue: errno), verb: "open", name: path.string)
    }
    guard information.st_mode & S_IFMT == S_IFREG else {
      throw CofferError(.damagedDatabase, "\(path) is not a regular file, so it can't be a database")
    }
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .waiting(for: .seconds(10), cancellation)
      return try DatabaseQueue(path: AtomicFile.resolved(path).string, configuration: configuration)
    } catch let error as DatabaseError {
      throw CofferError(error, database: path.string)
    }
  }
}

/// The result of an export.
public struct DatabaseExportReport: Sendable, Equatable {
  public let database: String
  public let format: String
  public let version: Int?
  /// The collections, in the format's order.
  public let collections: [Collection]
  /// True if the rows' files weren't exported, because only an archive can hold them.
  public let leavesFilesOut: Bool
  /// The number of files that were left out because no exported record names them.
  public let unnamedFiles: Int
  /// Mismatches between an archive's document and its files.
  public let findings: [Finding]

  public struct Collection: Sendable, Equatable, Encodable {
    public let title: String
    public let count: Int
  }

  public var records: Int { collections.reduce(0) { $0 + $1.count } }
}
