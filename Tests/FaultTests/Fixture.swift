import Foundation
import GRDB
import SystemPackage
import TestSupport

/// The folders that commands run in, made by the command itself: a few hundred records, so that a run takes a moment and has
/// enough pages, slices and files to be interrupted between.
struct Fixture: Sendable {
  private let folder: TemporaryFolder
  private(set) var scenarios: [Scenario] = []

  static let command = BuildFolder.path(of: "coffer")

  /// The present time for every command: the newest record is a few days older.
  private static let now = ["--now", "2026-07-10T12:00:00Z"]

  init() async throws {
    folder = try TemporaryFolder()
    try await addFiles()
    try await addImports()
    try await addPhotos()
    try await addExports()
    try await addPruning()
    try await addBackups()
  }

  // MARK: Scenarios

  private mutating func addFiles() async throws {
    let convert = try await template("convert", [Self.backup("new.json", size: "180KB")])
    try Data("old".utf8).write(to: URL(filePath: convert.appending("out.json.lz4").string))
    add("convert over a file", ["convert", "--force", "--sort-keys", "new.json", "out.json.lz4"], in: convert)

    let merge = try await template("merge", Self.twoBackups)
    add("merge into a new file", ["merge", "old.json", "new.json", "out.json", "--on-conflict", "replace", "--force"], in: merge)

    let pack = try await template("pack", [Self.archive("photos.zip", size: "8KB"), ["unpack", "photos.zip", "photos"]])
    add("pack over an archive", ["pack", "--force", "photos", "photos.zip"] + Self.now, in: pack)
  }

  private mutating func addImports() async throws {
    let empty = try await template("empty", [Self.backup("new.json", size: "180KB")])
    add("import into a new database", ["import", "new.json", "--into", "store.db"] + Self.now, in: empty)

    // Three safety copies of different states.
    let store = try await template(
      "store",
      Self.twoBackups + ["60KB", "80KB", "100KB"].map { Self.backup("\($0).json", size: $0) }
        + ["60KB", "80KB", "100KB", "old"].enumerated().map { index, name in
          ["import", "\(name).json", "--into", "store.db"] + Self.merging + ["--now", "2026-07-0\(index + 1)T12:00:00Z"]
        })
    for name in ["60KB", "80KB", "100KB"] { try FileManager.default.removeItem(atPath: store.appending("\(name).json").string) }
    add("import, merging", ["import", "new.json", "--into", "store.db"] + Self.merging + Self.now, in: store)
    add("import, replacing", ["import", "new.json", "--into", "store.db"] + Self.replacing + Self.now, in: store)

    let wal = try log(behind: store, as: "wal")
    add("import, merging with a log", ["import", "new.json", "--into", "store.db"] + Self.merging + Self.now, in: wal)
    add("import, replacing with a log", ["import", "new.json", "--into", "store.db"] + Self.replacing + Self.now, in: wal)
  }

  private mutating func addPhotos() async throws {
    let album = try await template(
      "album",
      [
        Self.archive("old.zip", size: "6KB"), Self.archive("new.zip", size: "9KB"),
        ["import", "old.zip", "--into", "album.db"] + Self.now,
      ])
    add("import of an archive", ["import", "new.zip", "--into", "new.db"] + Self.now, in: album)
    add("import of an archive, merging", ["import", "new.zip", "--into", "album.db"] + Self.merging + Self.now, in: album)
    add("import of an archive, replacing", ["import", "new.zip", "--into", "album.db"] + Self.replacing + Self.now, in: album)
    add("export of an archive", ["export", "album.db", "old.zip", "--force"] + Self.createdNow, in: album)
  }

  private mutating func addExports() async throws {
    let export = try await template("export", Self.twoBackups + [["import", "old.json", "--into", "store.db"] + Self.now])
    add("export over a file", ["export", "store.db", "new.json", "--force"] + Self.createdNow, in: export)
  }

  private mutating func addPruning() async throws {
    let catalog = try await catalog()
    add("prune", ["prune", ".", "--keep-last", "2", "--keep-within", "30d"] + Self.now, in: catalog, mayStopBetween: true)
    let named = ["1", "2", "3"].map { "ev_charging_tracker_backup_2026-07-0\($0)_12-00-00.json" }
    add("delete", ["delete"] + named + ["--force"] + Self.now, in: catalog, mayStopBetween: true)
  }

  private mutating func addBackups() async throws {
    let catalog = try await catalog()
    add("backup", ["backup", "store.db", "--into", "."] + Self.now, in: catalog)
    add("backup to a new folder", ["backup", "store.db", "--into", "new/backups"] + Self.now, in: catalog)
    add("restore", ["restore", ".", "--latest", "--into", "store.db"] + Self.replacing + Self.now, in: catalog)
  }

  private static let merging = ["--mode", "merge", "--on-conflict", "replace"]
  private static let replacing = ["--mode", "replace", "--force"]
  private static let createdNow = ["--created-at", "2026-07-10T12:00:00Z"]

  /// Two backups of one app: the second has some of the first's records, changed, and others.
  private static let twoBackups = [backup("old.json", size: "120KB"), backup("new.json", size: "180KB")]

  private static func backup(_ name: String, size: String) -> [String] {
    ["generate", "ev-charging-tracker", name, "--size", size, "--seed", "1"]
  }

  private static func archive(_ name: String, size: String) -> [String] {
    ["generate", "smilepile", name, "--size", size, "--seed", "3"]
  }

  private mutating func add(_ name: String, _ arguments: [String], in template: FilePath, mayStopBetween: Bool = false) {
    scenarios.append(Scenario(name, executable: Self.command, arguments, in: template, mayStopBetween: mayStopBetween))
  }

  // MARK: Folders

  /// Makes a folder in which the given commands have run.
  private func template(_ name: String, _ commands: [[String]]) async throws -> FilePath {
    let template = folder.path.appending(name)
    try FileManager.default.createDirectory(atPath: template.string, withIntermediateDirectories: false)
    for arguments in commands {
      let run = try await FaultedRun(Self.command, arguments, in: template)
      if run.ending != .exited(0) { throw Baseline.Failure(description: "\(arguments) fails: \(run.errors)") }
    }
    return template
  }

  /// Makes a folder with a database and six backups, whose names are in the order of their dates.
  private func catalog() async throws -> FilePath {
    let sizes = ["60KB", "70KB", "80KB", "90KB", "100KB", "110KB"]
    let name = "catalog-\(scenarios.count)"
    let catalog = try await template(
      name,
      [Self.backup("old.json", size: "50KB"), ["import", "old.json", "--into", "store.db"] + Self.now]
        + sizes.enumerated().map { Self.backup("ev_charging_tracker_backup_2026-07-0\($0 + 1)_12-00-00.json", size: $1) })
    try FileManager.default.removeItem(atPath: catalog.appending("old.json").string)
    return catalog
  }

  /// Copies the folder after an app changed a record and was killed: part of the database is in its write-ahead log.
  private func log(behind template: FilePath, as name: String) throws -> FilePath {
    let copy = folder.path.appending(name)
    try Self.leaveLog(behind: template, to: copy, isWrittenBack: false)
    return copy
  }

  /// Copies a folder whose database an app changed with a write-ahead log. The app then closed, which writes the log back, or was
  /// killed.
  static func leaveLog(behind template: FilePath, to copy: FilePath, isWrittenBack: Bool) throws {
    let source = try TemporaryFolder()
    let open = source.path.appending("open")
    try FileManager.default.copyItem(atPath: template.string, toPath: open.string)
    let queue = try DatabaseQueue(path: open.appending("store.db").string)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE cars SET name = 'renamed'")
    }
    // The last connection to close writes the log back.
    if isWrittenBack { try queue.close() }
    try FileManager.default.copyItem(atPath: open.string, toPath: copy.string)
    if isWrittenBack { return }
    try queue.close()
    try FileManager.default.removeItem(atPath: copy.appending("store.db-shm").string)
  }
}
