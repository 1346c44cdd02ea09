public import BackupFormats
public import ByteStreams
public import Coffer
import CompressedStreams
import Findings
package import GRDB
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

/// Reads a database's backup as a document.
package struct StoreExporter {
  private let catalog: FormatCatalog
  private let options: StoreExportOptions

  package init(_ catalog: FormatCatalog, options: StoreExportOptions) {
    self.catalog = catalog
    self.options = options
  }

  /// The result of an export.
  package struct Result<R> {
    package let value: R
    package let format: BackupFormat
    package let contents: StoreContents
    /// The number of records written, by collection title, in the format's order.
    package let counts: [(title: String, count: Int)]
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
  package func read<R>(
    _ reader: any DatabaseReader, named name: String, beside readers: SnapshotReaders? = nil,
    _ body: (inout StoreSource, BackupFormat, StoreContents) throws -> R
  ) throws -> Result<R> {
    if let readers {
      for _ in 0..<Self.attempts {
        guard let version = try? readers.version() else { continue }
        let result: Result<R>? = try reader.read { database in
          try database.reporting(as: name) {
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
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
    _ database: Database, named name: String, _ readers: SnapshotReaders?,
    _ body: (inout StoreSource, BackupFormat, StoreContents) throws -> R
  ) throws -> Result<R> {
    let watch = options.execution.cancellation.map { CancellationWatch($0, of: database) }
    defer { watch?.end() }
    guard let contents = try StoreContents(of: database) else {
      throw CofferError(.noBackup, "\(name) holds no backup: import one with coffer import")
    }
    guard let format = catalog[contents.format] else {
      throw CofferError(.unknownFormat, "\(name) holds a backup of the unknown format '\(contents.format)'")
    }
    if let version = contents.tablesVersion ?? contents.version, let policy = format.version, version > policy.current {
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
      var counted = contents
      try counted.count(layout, in: database)
      for table in layout.tables {
        counts[table.pointer] = leftOut.contains(table.pointer) ? 0 : counted.counts[table.name] ?? 0
      }
    }
    let edit = OriginEdit(format, options, counts: counts)
    var source = try StoreSource(layout, in: database, beside: readers, leftOut: leftOut, edit: edit)
    source.progress = progress
    progress?.expect(records: counts.values.reduce(0, +))
    do {
      let value = try body(&source, format, contents)
      let titles = layout.tables.map { (title: $0.title, count: source.counts[$0.name] ?? 0) }
      return Result(value: value, format: format, contents: contents, counts: titles)
    } catch {
      if let cause = source.failure { throw cause }
      try options.execution.cancellation.check()
      throw error
    }
  }
}
