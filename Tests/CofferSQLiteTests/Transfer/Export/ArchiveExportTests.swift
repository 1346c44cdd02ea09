import BackupFormats
import ByteStreams
import Coffer
import Foundation
import JSONEvents
import Rules
import SyntheticBackups
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

@testable import CofferSQLite

/// Exports have the imported document, its files, and the other documents.
@Suite struct ArchiveExportTests {
  let folder: TemporaryFolder
  let sets: FileSets
  /// Two days after the time of the generated backups.
  private static let now = Instant(seconds: 1_782_677_700 + 2 * 86_400)
  private static let catalog = ArchiveSample.catalog

  init() throws {
    folder = try TemporaryFolder()
    sets = FileSets(ofDatabase: folder.path.appending("backup.db"))
  }

  private static func archive(_ name: String, seed: UInt64) throws -> (bytes: [UInt8], format: BackupFormat) {
    let format = try #require(catalog[name])
    let synthetic = try SyntheticFormat.archived(format)
    var sink = MemorySink()
    _ = try SyntheticArchive(of: synthetic, options: .init(size: 20_000, seed: seed)).write(to: &sink)
    return (sink.bytes, format)
  }

  private func source(_ bytes: [UInt8]) throws -> OpenedBackup {
    try OpenedBackup(StoredBytes(bytes, named: "backup.zip"), named: "backup.zip", .detected(Self.catalog), Execution())
  }

  /// Returns all entries by name.
  private func entries(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
    let reader = ZIPReader(MemorySource(bytes))
    var entries: [String: [UInt8]] = [:]
    while let entry = try reader.next() {
      var contents = reader.contents
      entries[entry.name] = try contents.all()
    }
    return entries
  }

  private func stage(_ bytes: [UInt8]) throws -> FilePath? {
    let staged = try sets.stage(#require(try source(bytes).archive), .replacing, current: nil)
    staged.commit()
    return try staged.name.map { try sets.folder(of: $0) }
  }

  private func export(
    _ document: [UInt8], _ format: BackupFormat, _ files: FilePath?, check: Packer.Check = .files
  ) throws -> (bytes: [UInt8], contents: Packer.Contents) {
    var options = Packer.Options(.format(format), now: Self.now)
    options.check = check
    var sink = MemorySink()
    let contents = try DatabaseExporter.writeArchive(options, files: files, to: &sink) { try $0.write(document) }
    return (sink.bytes, contents)
  }

  private func findings(_ bytes: [UInt8], _ format: BackupFormat) throws -> [String] {
    let validator = Validator(.format(format), options: ValidationOptions(now: Self.now))
    let report = try validator.validate(MemorySource(bytes), named: "a.zip")
    return report.error.map { [$0.message] } ?? report.findings.map { "\($0.code) \($0.place.entry ?? $0.place.pointer)" }
  }

  @Test(arguments: ["smilepile", "smilepile-specification"], 1...TestDepth.count(everyday: 2, deep: 10) as ClosedRange<UInt64>)
  func `an export equals the imported archive`(name: String, seed: UInt64) throws {
    let (bytes, format) = try Self.archive(name, seed: seed)
    var document = try source(bytes).document().source
    let text = try document.all()
    let exported = try export(text, format, stage(bytes))
    #expect(try entries(exported.bytes) == entries(bytes))
    #expect(try findings(exported.bytes, format) == [])
    #expect(exported.contents.findings.isEmpty)
    // Importing the export and exporting again gives the same bytes.
    #expect(try export(text, format, stage(exported.bytes)).bytes == exported.bytes)
  }

  /// The document got a category after its manifest was written: the manifest counts it, and is otherwise unchanged.
  @Test func `the manifest is updated to the current document`() throws {
    let (bytes, format) = try Self.archive("smilepile-specification", seed: 3)
    let before = try entries(bytes)
    let text = String(decoding: try #require(before["backup_metadata.json"]), as: UTF8.self)
    let category = """
      {"id": 4711, "displayName": "One more", "colorHex": "#FF8800", "orderIndex": 0, "isDefault": false}
      """
    let start = try #require(text.range(of: "\"categories\": [") ?? text.range(of: "\"categories\":["))
    let changed = text.replacingCharacters(in: start, with: text[start] + category + ",")
    let exported = try export(Array(changed.utf8), format, stage(bytes))
    #expect(try findings(exported.bytes, format) == [])
    let (old, new) = try (manifest(before), manifest(entries(exported.bytes)))
    #expect(old != new)
    #expect(new["categoryCount"] == old["categoryCount"].flatMap { Int($0) }.map { String($0 + 1) })
    for (key, value) in old where key != "categoryCount" { #expect(new[key] == value) }
  }

  private func manifest(_ entries: [String: [UInt8]]) throws -> [String: String] {
    let root = try JSONValue.read(MemorySource(#require(entries["manifest.json"])))
    return Dictionary(uniqueKeysWithValues: (root.object ?? []).map { ($0.key, $0.value.text) })
  }

  /// The app that wrote the manifest is unknown.
  @Test func `a missing manifest is an error and not invented`() throws {
    let (bytes, format) = try Self.archive("smilepile-specification", seed: 4)
    let files = try #require(try stage(bytes))
    let document = try #require(try entries(bytes)["backup_metadata.json"])
    try FileManager.default.removeItem(atPath: files.appending("manifest.json").string)
    let error = #expect(throws: CofferError.self) { try export(document, format, files) }
    #expect((error?.underlying as? FindingsError)?.report.findings.map(\.code) == ["file-missing"])
    let noted = try export(document, format, files, check: .noted)
    #expect(noted.contents.findings.map { $0.place.entry } == ["manifest.json"])
    #expect(try findings(noted.bytes, format) == ["file-missing manifest.json"])
  }

  @Test func `a missing file is an error or noted`() throws {
    let sample = ArchiveSample(["photos/a.jpg": "a", "photos/b.jpg": "b"])
    let format = try #require(Self.catalog["smilepile"])
    let files = try #require(try stage(sample.bytes))
    try FileManager.default.removeItem(atPath: files.appending("photos/b.jpg").string)
    let document = Array(sample.document.utf8)
    let error = #expect(throws: CofferError.self) { try export(document, format, files) }
    #expect(error?.code == .findings)
    #expect((error?.underlying as? FindingsError)?.report.findings.map(\.place.pointer) == ["/photoManifest/1/fileName"])
    let noted = try export(document, format, files, check: .noted)
    #expect(noted.contents.findings.map(\.code) == ["file-missing"])
    #expect(try entries(noted.bytes).keys.sorted() == ["metadata.json", "photos/a.jpg"])
  }

  /// The record of one of two photos was deleted, or neither was selected.
  @Test(arguments: [(["photos/a.jpg": "a"], 1), ([:], 2)] as [(KeyValuePairs<String, String>, Int)])
  func `photos without a record are not exported`(_ kept: KeyValuePairs<String, String>, _ leftOut: Int) throws {
    let format = try #require(Self.catalog["smilepile"])
    let files = try #require(try stage(ArchiveSample(["photos/a.jpg": "a", "photos/b.jpg": "b"]).bytes))
    let exported = try export(Array(ArchiveSample(kept).document.utf8), format, files)
    #expect(try entries(exported.bytes).keys.sorted() == ["metadata.json"] + kept.map(\.key))
    #expect(exported.contents.leftOut == leftOut)
    #expect(try findings(exported.bytes, format) == [])
  }

  @Test func `an archive without files has only the document`() throws {
    let sample = ArchiveSample([:])
    let format = try #require(Self.catalog["smilepile"])
    let exported = try export(Array(sample.document.utf8), format, nil)
    #expect(try entries(exported.bytes) == ["metadata.json": Array(sample.document.utf8)])
  }

  @Test func `a failed export writes nothing`() throws {
    let format = try #require(Self.catalog["smilepile"])
    var sink = MemorySink()
    #expect(throws: CancellationError.self) {
      try DatabaseExporter.writeArchive(.init(.format(format), now: Self.now), files: nil, to: &sink) { _ in
        throw CancellationError()
      }
    }
    #expect(sink.bytes.isEmpty)
    let other = try #require(Self.catalog["swiff"])
    let error = #expect(throws: CofferError.self) {
      try DatabaseExporter.writeArchive(.init(.format(other), now: Self.now), files: nil, to: &sink) { try $0.write("{}") }
    }
    #expect(error?.code == .notABackup)
  }
}
