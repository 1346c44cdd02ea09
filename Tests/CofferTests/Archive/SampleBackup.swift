import ByteStreams
import Coffer
import Foundation
import SystemPackage
import TestSupport
import ZIPArchives

/// A backup of three entries, with changes.
struct SampleBackup {
  /// In archive order.
  var entries: [(name: String, bytes: [UInt8])]

  static let now = Instant(seconds: 1_782_681_300)

  /// Read once.
  static let catalog = FormatCatalog.builtIn

  init() {
    entries = [
      ("metadata.json", Array(Self.metadata.utf8)), ("photos/101_dune.jpg", Array("sample photo one\n".utf8)),
      ("photos/102_cake.jpg", Array("sample photo two!\n".utf8)),
    ]
  }

  /// Returns a copy with a replacement in its document.
  func replacing(_ old: String, by new: String) -> SampleBackup {
    var backup = self
    let text = String(decoding: entries[0].bytes, as: UTF8.self)
    precondition(text.contains(old), "the text to replace is missing")
    backup.entries[0].bytes = Array(text.replacing(old, with: new).utf8)
    return backup
  }

  func adding(_ name: String, _ text: String = "more") -> SampleBackup {
    var backup = self
    backup.entries.append((name, Array(text.utf8)))
    return backup
  }

  func removing(_ name: String) -> SampleBackup {
    var backup = self
    backup.entries.removeAll { $0.name == name }
    return backup
  }

  func renaming(_ change: (String) -> String) -> SampleBackup {
    var backup = self
    for index in entries.indices { backup.entries[index].name = change(entries[index].name) }
    return backup
  }

  var reversed: SampleBackup {
    var backup = self
    backup.entries.reverse()
    return backup
  }

  /// - Parameter compresses: true to compress the files, too.
  func archive(compresses: Bool = false) throws -> [UInt8] {
    var options = ZIPWriter<MemorySink>.Options()
    options.allowsBombs = compresses
    var writer = ZIPWriter(to: MemorySink(), options: options)
    for (name, bytes) in entries {
      if compresses || name.hasSuffix(".json") {
        try writer.addCompressed(name, from: MemorySource(bytes), size: bytes.count)
      } else {
        try writer.addStored(name, size: bytes.count, checksum: CRC32(of: bytes), from: MemorySource(bytes))
      }
    }
    try writer.finish()
    return writer.sink.bytes
  }

  /// Returns the findings as `code severity entry pointer` in their order, or the error's code.
  static func lines(of report: ValidationReport) -> [String] {
    if let error = report.error { return [error.code.rawValue] }
    if let problem = report.formatProblem { return [problem.rawValue] }
    return report.findings.map { finding in
      [finding.code, finding.severity.rawValue, finding.place.entry, finding.place.pointer.isEmpty ? nil : finding.place.pointer]
        .compactMap(\.self).joined(separator: " ")
    }
  }

  static func report(_ archive: [UInt8], _ rules: RuleSource? = nil, jobs: Int = 2) throws -> ValidationReport {
    var options = ValidationOptions(now: now)
    options.execution.jobs = jobs
    let validator = Validator(rules ?? .detected(catalog), options: options)
    return try validator.validate(MemorySource(archive), named: "backup.zip")
  }

  static let metadata = """
    {
      "version": 2, "exportDate": 1759415422000, "appVersion": "25.10.02.002", "format": "ZIP",
      "categories": [
        {"id": 1, "name": "family", "displayName": "Family", "position": 0, "colorHex": "#E91E63", "isDefault": true, "createdAt": 1759312800000}
      ],
      "photos": [
        {"id": 101, "path": "/p/dune.jpg", "categoryId": 1, "name": "dune.jpg", "isFromAssets": false, "createdAt": 1759320060000,
         "fileSize": 17, "width": 1200, "height": 900},
        {"id": 102, "path": "/p/cake.jpg", "categoryId": 1, "name": "cake.jpg", "isFromAssets": false, "createdAt": 1759330000000,
         "fileSize": 18, "width": 1200, "height": 900}
      ],
      "settings": {"isDarkMode": false, "securitySettings":
        {"hasPIN": true, "hasPattern": false, "kidSafeModeEnabled": true, "deleteProtectionEnabled": false}},
      "photoManifest": [
        {"photoId": 101, "originalPath": "/p/dune.jpg", "zipEntryName": "photos/101_dune.jpg", "fileName": "101_dune.jpg", "fileSize": 17,
         "checksum": "b928a5b3c6e42c86858cb2a08dcda35d"},
        {"photoId": 102, "originalPath": "/p/cake.jpg", "zipEntryName": "photos/102_cake.jpg", "fileName": "102_cake.jpg", "fileSize": 18,
         "checksum": "3b611fea71da5a67d8eb747b4e0286cd"}
      ]
    }

    """
}

extension TemporaryFolder {
  func write(_ bytes: [UInt8], to name: String) throws {
    let url = URL(filePath: path.appending(name).string)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func bytes(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path.appending(name).string))) }

  /// Returns the files below a folder by their paths.
  func files(below name: String) throws -> [String: [UInt8]] {
    let folder = path.appending(name).string
    var files: [String: [UInt8]] = [:]
    for case let file as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(folder)/\(file)", isDirectory: &isFolder)
      if !isFolder.boolValue { files[file] = try bytes(of: "\(name)/\(file)") }
    }
    return files
  }
}
