import BackupFormats
import Coffer
import CofferFolders
import Foundation
import SystemPackage
import TestSupport

/// A temporary folder of backups of a small format.
struct TripFolder {
  let folder: TemporaryFolder

  static let now = Instant(seconds: 1_782_681_300)

  /// The names of `trips` have dates; those of `notes` and `bare` don't.
  static let formats = Result {
    FormatCatalog([
      try BackupFormat(
        descriptor: #"""
          {"backup": {"name": "trips", "version": {"pointer": "/version", "current": 2, "oldest": 1}, "createdAt": "/at", "app": "/app",
            "device": "/device", "detect": "/trips",
            "fileName": {"pattern": "^trips_[0-9]{8}_[0-9]{6}\\.json$", "template": "trips_{year}{month}{day}_{hour}{minute}{second}.json"}},
           "type": "object", "required": ["trips"],
           "properties": {
             "version": {"type": "integer", "maximum": 2}, "at": {"format": "date-time"},
             "trips": {"items": {"required": ["id"], "properties": {"id": {"type": "integer"}}}}}}
          """#),
      try BackupFormat(
        descriptor: #"""
          {"backup": {"name": "notes", "detect": "/notes", "fileName": {"pattern": "^notes\\.json$"}},
           "properties": {"notes": {"items": {"type": "string"}}}}
          """#),
      try BackupFormat(
        descriptor: #"{"backup": {"name": "bare", "detect": "/bare"}, "properties": {"bare": {"type": "integer"}}}"#),
    ])
  }

  init() throws { folder = try TemporaryFolder() }

  func backups(cancellation: Cancellation? = nil, progress: WorkProgress? = nil) throws -> BackupFolder {
    var options = BackupFolder.Options(now: Self.now)
    options.clock = .utc
    options.execution.jobs = 1
    options.execution.cancellation = cancellation
    options.execution.progress = progress
    return BackupFolder(folder.path, formats: try Self.formats.get(), options: options)
  }

  /// Writes a valid backup that was created some days ago.
  func write(_ name: String, daysAgo days: Int64) throws {
    try folder.write(Self.document(at: Instant(seconds: Self.now.seconds - days * 86400)), to: name)
  }

  static func document(at instant: Instant) -> String {
    #"{"version": 2, "at": "\#(instant)", "app": "1.0", "device": "phone", "trips": [{"id": 1}, {"id": 2}]}"#
  }

  /// Sets a file's modification date.
  func touch(_ name: String, _ instant: Instant) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(instant.seconds))], ofItemAtPath: folder.path.appending(name).string)
  }

  func link(_ name: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path.appending(name).string, withDestinationPath: folder.path.appending(destination).string)
  }
}
