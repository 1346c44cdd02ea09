import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// A folder with the folder `backups` and their format, `trips`.
struct BackupFolder {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: path(of: "").string, withIntermediateDirectories: false)
    try folder.write(
      #"""
      {"title": "Trips", "type": "object", "required": ["trips"],
       "backup": {"name": "trips", "version": {"pointer": "/version", "current": 2, "oldest": 1}, "createdAt": "/at", "app": "/app",
         "detect": "/trips", "fileName": {"pattern": "^trips_[0-9]{8}\\.json$", "template": "trips_{year}{month}{day}.json"}},
       "properties": {
         "version": {"type": "integer", "maximum": 2}, "at": {"format": "date-time"},
         "trips": {"items": {"required": ["id"], "properties": {"id": {"type": "integer"}}}}}}
      """#, to: "trips.json")
  }

  /// The names in `backups`, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path(of: "").string).sorted() }
  }

  private func path(of name: String) -> FilePath { folder.path.appending("backups").appending(name) }

  func write(_ text: String, to name: String) throws { try folder.write(text, to: "backups/\(name)") }

  /// Writes a valid backup of the given day.
  func write(_ name: String, on day: String, trips: String = #"{"id": 1}, {"id": 2}"#) throws {
    try write(#"{"version": 2, "at": "\#(day)T12:00:00Z", "app": "1.0", "trips": [\#(trips)]}"#, to: name)
  }

  /// Returns a folder with backups to remove and backups to keep.
  static func mixed() throws -> BackupFolder {
    let folder = try BackupFolder()
    for day in 1...6 { try folder.write("trips_2026060\(day).json", on: "2026-06-0\(day)") }
    try folder.write("trips_20260606-2.json", on: "2026-06-06", trips: #"{"id": "x"}, {}"#)
    try folder.write(#"{"version": 2, "at": "2026-06-05T13:00:00Z", "trips": [{"id": 1}"#, to: "trips_20260605-2.json")
    try folder.write("precious", to: "notes.txt")
    try folder.write("{}", to: "settings.json")
    return folder
  }

  /// Runs the command on `backups`.
  func run(_ command: String, _ arguments: String...) async throws -> Command {
    try await Command(
      [command, "backups", "--rules", "trips.json", "--now", "2026-06-10T12:00:00Z"] + arguments, in: folder)
  }

  /// Runs a shell line in which `coffer` is the command, and returns its output and errors.
  ///
  /// - Parameter failpoint: the failpoint and its action (default: none).
  func shell(_ line: String, failpoint: String = "") async throws -> (output: String, errors: String) {
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", "coffer() { \"$0\" \"$@\"; }; \(line)", Command.path],
      environment: .inherit.updating([
        "NO_COLOR": "1", "COFFER_FAILPOINT": failpoint, "XDG_CACHE_HOME": "\(folder.path)/.cache",
      ]), workingDirectory: folder.path,
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    return (result.standardOutput, result.standardError)
  }
}
