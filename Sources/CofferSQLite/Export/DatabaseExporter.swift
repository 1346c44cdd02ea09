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
    let execution = options.execution
    execution.progress?.begin(byteCount: nil)
    return try execution.cancellation.watch {
      let queue = try Self.open(database, execution.cancellation)
      let readers =
        execution.jobs > 1 ? SnapshotReaders(AtomicFile.resolved(database).string, count: execution.jobs) : nil
      return try StoreReader(catalog, options).read(queue, named: database.string, beside: readers) { source in
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
    try StoreReader(catalog, options).read(try Self.open(database, options.execution.cancellation), named: database.string) {
      ($0.format, $0.properties)
    }
  }

  private func write(_ source: StoreSource, to sink: inout some ByteSink) throws {
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

  private func archive(_ source: StoreSource, of database: FilePath, to sink: inout some ByteSink) throws -> Packer.Contents {
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

/// Reads a database's backup as a document.
struct StoreReader {
  private let catalog: FormatCatalog
  private let options: StoreExportOptions

  init(_ catalog: FormatCatalog, _ options: StoreExportOptions) {
    self.catalog = catalog
    self.options = options
  }

  /// The number of attempts to read the same state with other connections.
  private static let attempts = 5

  /// Calls `body` with the document, in one read transaction. Others may write at the same time.
  ///
  /// - Parameters:
  ///   - name: the database's name in messages.
  ///   - readers: additional connections to the database, for writing rows on several threads. If others commit so often that
  ///     not all connections can read the same state, only `reader` is used.
  /// - Throws: `CofferError`, and the errors of `body`.
  func read<R>(
    _ reader: any DatabaseReader, named name: String, beside readers: SnapshotReaders? = nil, _ body: (StoreSource) throws -> R
  ) throws -> R {
    if let readers {
      for _ in 0..<Self.attempts {
        guard let version = try? readers.version() else { continue }
        let result: R? = try reader.read { database in
          try database.reporting(as: name) {
            _ = try database.count("sqlite_schema")
            defer { readers.end() }
            return readers.join(since: version) ? try read(database, named: name, readers, body) : nil
          }
        }
        if let result { return result }
      }
    }
    return try reader.read { database in
      try database.reporting(as: name) { try read(database, named: name, nil, body) }
    }
  }

  private func read<R>(
    _ database: Database, named name: String, _ readers: SnapshotReaders?, _ body: (StoreSource) throws -> R
  ) throws -> R {
    try database.interrupted(by: options.execution.cancellation) {
      let source = try source(database, named: name, readers)
      do {
        return try body(source)
      } catch {
        if let cause = source.failure { throw cause }
        try options.execution.cancellation.check()
        throw error
      }
    }
  }

  private func source(_ database: Database, named name: String, _ readers: SnapshotReaders?) throws -> StoreSource {
    guard let properties = try BackupProperties(of: database) else {
      throw CofferError(.noBackup, "\(name) holds no backup")
    }
    guard let format = catalog[properties.format] else {
      throw CofferError(
        .unknownFormat,
        "\(name) holds a backup of '\(properties.format)', and not of a known format (\(catalog.names.joined(separator: ", ")))")
    }
    if let version = properties.tablesVersion ?? properties.version, let policy = format.version, version > policy.current {
      throw CofferError(
        .newerVersion,
        "\(name) holds version \(version) of '\(format.name)'; the newest known version is \(policy.current)")
    }
    let layout = try StoreLayout(format)
    let leftOut = Set(try options.only?.choice(from: format).leftOut ?? [])
    var counts: [String: Int] = [:]
    // The document may state the sizes of its collections before the collections themselves.
    let progress = options.execution.progress
    if !format.rules.declaredCounts.isEmpty || progress != nil {
      for table in layout.tables {
        let isWritten = try !leftOut.contains(table.pointer) && database.hasRecords(table)
        counts[table.pointer] = isWritten ? try database.count(table.target) : 0
      }
    }
    let edit = OriginEdit(format, options, counts: counts)
    let source = try StoreSource(layout, properties, in: database, beside: readers, leftOut: leftOut, edit: edit)
    source.progress = progress
    progress?.expect(records: counts.values.reduce(0, +))
    return source
  }
}
