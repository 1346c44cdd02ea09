import BackupFormats
import ByteStreams
import Coffer
import Findings
import GRDB
import Rules

/// Reads a database's backup as a document.
struct DatabaseReading {
  private let catalog: FormatCatalog
  private let options: DatabaseExportOptions

  init(_ catalog: FormatCatalog, _ options: DatabaseExportOptions) {
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
    _ reader: any DatabaseReader, named name: String, beside readers: SnapshotReaders? = nil, _ body: (DatabaseSource) throws -> R
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
    _ database: Database, named name: String, _ readers: SnapshotReaders?, _ body: (DatabaseSource) throws -> R
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

  private func source(_ database: Database, named name: String, _ readers: SnapshotReaders?) throws -> DatabaseSource {
    guard let properties = try BackupProperties(of: database) else {
      throw CofferError(.noBackup, "\(name) holds no backup")
    }
    if let given = options.format, given.name != properties.format {
      throw CofferError(.unknownFormat, "\(name) holds a backup of '\(properties.format)', not of '\(given.name)'")
    }
    let format = try options.format ?? properties.format(from: catalog, database: name)
    if let version = properties.tablesVersion ?? properties.version, let policy = format.version, version > policy.current {
      throw CofferError(
        .newerVersion,
        "\(name) holds version \(version) of '\(format.name)'; the newest known version is \(policy.current)")
    }
    let layout = try DatabaseLayout(format, only: options.only)
    var counts: [String: Int] = [:]
    // The document may state the sizes of its collections before the collections themselves.
    let progress = options.execution.progress
    if !format.rules.declaredCounts.isEmpty || progress != nil {
      for table in layout.tables {
        let isWritten = try layout.keeps(table.pointer) && database.hasRecords(table)
        counts[table.pointer] = isWritten ? try database.count(table.target) : 0
      }
    }
    let edit = OriginEdit(format, options, counts: counts)
    let source = try DatabaseSource(layout, properties, in: database, beside: readers, edit: edit)
    source.progress = progress
    progress?.expect(records: counts.values.reduce(0, +))
    return source
  }
}
