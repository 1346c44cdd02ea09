import BackupFormats
import ByteStreams
import Coffer
import Foundation
import SystemPackage
import TestSupport
import ZIPArchives

/// An archive made for one test: some files, and a document that names the photos among them.
struct ArchiveSample {
  /// In the archive's order; the document comes first.
  var files: [(name: String, text: String)]
  /// The prefix of all names.
  var top = ""

  static let now = Instant(seconds: 1_782_681_300)
  static let catalog = FormatCatalog.builtIn

  init(_ files: KeyValuePairs<String, String>, below top: String = "") {
    self.files = files.map { ($0.key, $0.value) }
    self.top = top
  }

  /// Has a record and a manifest entry with the size for each photo.
  var document: String {
    let photos = files.filter { $0.name.hasPrefix("photos/") }
    let records = photos.indices.map { number in
      """
      {"id": \(number + 1), "path": "/p/\(number)", "categoryId": 1, "name": "", "isFromAssets": false, "createdAt": 1759320060000,
       "fileSize": 0, "width": 1, "height": 1}
      """
    }
    let manifest = photos.enumerated().map { number, photo in
      """
      {"photoId": \(number + 1), "originalPath": "/p/\(number)", "zipEntryName": "\(photo.name)",
       "fileName": "\(photo.name.dropFirst(7))", "fileSize": \(photo.text.utf8.count)}
      """
    }
    return """
      {"version": 2, "exportDate": 1759415422000, "appVersion": "25.10.02.002", "format": "ZIP",
       "categories": [{"id": 1, "name": "family", "displayName": "Family", "position": 0, "isDefault": true, "createdAt": 1759312800000}],
       "photos": [\(records.joined(separator: ","))],
       "settings": {"isDarkMode": false, "securitySettings":
         {"hasPIN": true, "hasPattern": false, "kidSafeModeEnabled": true, "deleteProtectionEnabled": false}},
       "photoManifest": [\(manifest.joined(separator: ","))]}
      """
  }

  var bytes: [UInt8] {
    get throws {
      var options = ZIPWriter<MemorySink>.Options()
      options.allowsUnsafeNames = true
      var writer = ZIPWriter(to: MemorySink(), options: options)
      for (name, text) in [("metadata.json", document)] + files {
        let bytes = Array(text.utf8)
        let name = name.hasPrefix("__MACOSX/") ? name : top + name
        try writer.addStored(name, size: bytes.count, checksum: CRC32(of: bytes), from: MemorySource(bytes))
      }
      try writer.finish()
      return writer.sink.bytes
    }
  }

  func archive(limits: ZIPLimits = ZIPLimits()) throws -> BackupArchive {
    try BackupArchive(StoredBytes(bytes, named: "backup.zip"), .detected(Self.catalog), limits: limits)
  }
}

extension ByteSource {
  /// Returns the remaining bytes.
  mutating func all() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while case let piece = try readPrefix(1 << 14), !piece.isEmpty { bytes += piece }
    return bytes
  }
}

extension TemporaryFolder {
  /// Returns the files below a folder by name, including hidden ones.
  func files(below path: FilePath) throws -> [String: String] {
    var files: [String: String] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: path.string) ?? .init() {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder)
      if !isFolder.boolValue { files[name] = try String(contentsOf: URL(filePath: "\(path)/\(name)"), encoding: .utf8) }
    }
    return files
  }
}
