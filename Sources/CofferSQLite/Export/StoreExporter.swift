package import BackupFormats
import ByteStreams
import Coffer
package import GRDB
import JSONEvents
import Rules

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
      throw CofferError(
        .unknownFormat,
        "\(name) holds a backup of the unknown format '\(contents.format)': describe it with --rules")
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
