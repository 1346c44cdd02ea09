import Coffer
import CofferSQLite
import Foundation
import GRDB
import JSONEvents
import Synchronization
import SyntheticBackups
import TestSupport

/// Short ways to import and export.
enum Storing {
  static let now = Instant(seconds: 1_782_900_000)  // 2026-07-01
  static let catalog = FormatCatalog.builtIn

  /// A small format, so that one-line documents can be imported.
  static let trips: BackupFormat = {
    do {
      return try BackupFormat(
        descriptor: """
          {"title": "Trips", "backup": {"name": "trips", "detect": "/trips", "createdAt": "/made", "app": "/by",
            "version": {"pointer": "/version", "current": 2, "oldest": 1, "ifAbsent": 2},
            "migrations": [{"to": 2, "title": "units", "steps": [{"default": "/unit", "value": "km"}]}],
            "collections": {"/trips": {"key": "id", "modified": "changed"}}},
           "type": "object",
           "properties": {
             "version": {"type": "integer"}, "made": {"format": "date-time", "type": "string"}, "unit": {"type": "string"},
             "count": {"type": "integer", "countOf": "/trips"},
             "cars": {"type": "array", "primaryKey": "id",
               "items": {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}},
             "trips": {"type": "array", "primaryKey": "id",
               "foreignKeys": [{"fields": ["car"], "reference": {"resource": "/cars", "fields": ["id"]}}],
               "items": {"type": "object", "properties": {
                 "id": {"type": "integer"}, "car": {"type": "integer"}, "km": {"type": "number"}, "note": {"type": ["string", "null"]},
                 "isPaid": {"type": "boolean"}, "stops": {"type": "array"}, "changed": {"type": "string", "format": "date-time"}}}},
             "log": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}, "at": {"type": "integer"}}}}}}
          """)
    } catch { preconditionFailure("\(error)") }
  }()

  static func options(
    _ mode: DatabaseImportOptions.Mode = .merge, _ conflicts: ConflictRule = .keepExisting, allowsFindings: Bool = false,
    sliceSize: Int? = nil, jobs: Int = 2
  ) -> DatabaseImportOptions {
    var validation = ValidationOptions(now: now)
    validation.execution.jobs = jobs
    if let sliceSize {
      var slices = Slicer.Options()
      slices.sliceSize = sliceSize
      validation.slices = slices
    }
    var options = DatabaseImportOptions(validation: validation)
    options.mode = mode
    options.conflicts = conflicts
    options.allowsFindings = allowsFindings
    return options
  }

  @discardableResult
  static func put(
    _ text: String, into database: DatabaseQueue, of format: BackupFormat = trips, _ options: DatabaseImportOptions = options()
  ) throws -> DatabaseImportReport {
    try BackupStore(database, catalog: FormatCatalog([format]))
      .importBackup({ MemorySource(Array(text.utf8)) }, named: "test", rules: .format(format), options: options)
  }

  static func text(
    of database: DatabaseQueue, _ format: BackupFormat = trips, _ options: DatabaseExportOptions = DatabaseExportOptions()
  ) throws -> String {
    var sink = MemorySink()
    try BackupStore(database, catalog: FormatCatalog([format])).export(to: &sink, options: options)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  /// Returns the document with sorted keys, no blanks, and no needless escapes: documents are the same if these are equal.
  static func canonical(_ bytes: [UInt8]) throws -> String {
    var writer = JSONEventWriter()
    var reader = JSONEventReader(MemorySource(bytes))
    while try reader.next() {
      for index in 0..<reader.batch.count { writer.write(reader.batch[index], in: reader.batch) }
    }
    var plain = MemorySink()
    try writer.finish(to: &plain)
    var options = ConversionOptions()
    options.sortsKeys = true
    var sink = MemorySink()
    try Converter(options: options).convert(MemorySource(plain.bytes), to: &sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  /// A generated backup.
  static func backup(of format: BackupFormat, seed: UInt64, size: Int) throws -> [UInt8] {
    var sink = MemorySink()
    _ = try SyntheticBackup(of: try synthetic(format), options: .init(size: size, seed: seed))
      .write(to: &sink) { _ throws(CofferError) in }
    return sink.bytes
  }

  private static func synthetic(_ format: BackupFormat) throws -> SyntheticFormat {
    if let known = known.withLock({ $0[format.name] }) { return known }
    let made = try SyntheticFormat(format)
    known.withLock { $0[format.name] = made }
    return made
  }

  private static let known = Mutex<[String: SyntheticFormat]>([:])
}
