// The code in the overview of CofferSQLite.

// snippet: rows
import Coffer
import CofferSQLite
import GRDB

/// Adds a backup's records to an app's database, and returns the number of new rows.
func importBackup(_ path: FilePath, into database: DatabaseQueue, now: Instant) throws -> Int {
  var options = DatabaseImportOptions(validation: ValidationOptions(now: now))
  options.conflicts = .keepNewest
  let report = try BackupStore(database, catalog: .builtIn).importBackup(
    { try FileSource(path: path) }, named: "the backup", options: options)
  return report.changes.collections.reduce(0) { $0 + $1.inserted }
}

/// Writes the database's backup to a new file, which is complete or missing.
func exportBackup(of database: DatabaseQueue, to path: FilePath) throws {
  var file = try AtomicFile(path)
  try BackupStore(database, catalog: .builtIn).export(to: &file)
  try file.commit()
}
// end

// snippet: files
/// Replaces a database file's rows with those of a backup, and returns the path of the safety copy.
func restore(_ backup: FilePath, into database: FilePath, now: Instant) throws -> String? {
  var options = DatabaseImportOptions(validation: ValidationOptions(now: now))
  options.mode = .replace
  var importer = DatabaseImporter(.detected(.builtIn), catalog: .builtIn, options: options)
  importer.confirm = { preview in
    for collection in preview.changes.collections { print(collection.title, collection.removed) }
  }
  return try importer.run(backup, into: database).safetyCopy
}
// end
