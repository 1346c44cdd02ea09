import BackupFormats
import Coffer
import CofferFolders
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct VerdictCacheTests {
  private let trips: TripFolder
  private let cacheFolder: TemporaryFolder
  private static let name = "a.json"

  init() throws {
    trips = try TripFolder()
    cacheFolder = try TemporaryFolder()
    try trips.write(Self.name, daysAgo: 3)
  }

  /// - Parameter delay: the seconds that pass before the listing.
  private func folder(
    _ version: String = "1", after delay: Int64 = 10, at now: Instant = TripFolder.now, formats: FormatCatalog? = nil
  ) throws -> BackupFolder {
    var options = BackupFolder.Options(now: now)
    options.clock = .utc
    options.cache = VerdictCache(
      in: cacheFolder.path.appending("coffer"), version: version, startedAt: Instant(seconds: Instant.now.seconds + delay))
    return BackupFolder(trips.folder.path, formats: try formats ?? TripFolder.formats.get(), options: options)
  }

  /// Returns each backup's state, and whether it was remembered.
  private func states(_ listing: FolderListing) -> [String] {
    listing.backups.map { $0.validity.code + ($0.checkedAt == nil ? "" : " remembered") }
  }

  private func listed(_ folder: BackupFolder) throws -> [String] { states(try folder.listing()) }

  private var cacheFile: FilePath {
    get throws {
      let folder = cacheFolder.path.appending("coffer")
      return folder.appending(try #require(try FileManager.default.contentsOfDirectory(atPath: folder.string).first))
    }
  }

  private func editCache(_ edit: (inout [String: Any]) throws -> Void) throws {
    let file = URL(filePath: try cacheFile.string)
    var content = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    try edit(&content)
    try JSONSerialization.data(withJSONObject: content).write(to: file)
  }

  @Test func `a cache that is a link is neither read nor written`() throws {
    _ = try folder().listing()
    let file = try cacheFile.string
    let target = cacheFolder.path.appending("target.json").string
    try FileManager.default.removeItem(atPath: file)
    try cacheFolder.write("precious", to: "target.json")
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
    #expect(try listed(folder()) == ["valid"])
    #expect(try listed(folder()) == ["valid"])
    #expect(try cacheFolder.text(of: "target.json") == "precious")
  }

  @Test func `a listing remembers valid backups with all properties`() throws {
    try trips.folder.write(#"{"version": 2, "trips": []}"#, to: "trips_20260202_093000.json")
    let first = try folder().listing()
    #expect(states(first) == ["valid", "valid"])
    let second = try folder().listing()
    #expect(states(second) == ["valid remembered", "valid remembered"])
    func properties(_ listing: FolderListing) -> [String] {
      listing.backups.map {
        "\($0.name) \($0.format) \($0.size) \($0.version ?? 0) \($0.created) \($0.app ?? "") \($0.device ?? "") \($0.counts)"
      }
    }
    #expect(properties(second) == properties(first))
    #expect(second.backups.first?.checkedAt == TripFolder.now)
  }

  @Test func `backups that are not valid are read each time`() throws {
    try trips.folder.write(#"{"trips": [{}]}"#, to: "b.json")
    try trips.folder.write(#"{"trips": ["#, to: "c.json")
    _ = try folder().listing()
    #expect(try listed(folder()).sorted() == ["damaged", "invalid", "valid remembered"])
  }

  @Test func `a changed file is read again, also with the same size and modification time`() throws {
    _ = try folder().listing()
    let text = try trips.folder.text(of: Self.name)
    let path = trips.folder.path.appending(Self.name).string
    let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.write(contentsOf: Data(String(repeating: "x", count: text.utf8.count).utf8))
    try handle.close()
    try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: path)
    #expect(try listed(folder()) == [])
    try trips.folder.write(text, to: Self.name)
    #expect(try listed(folder()) == ["valid"])
  }

  @Test func `rules in several files remember nothing, because another file may change`() throws {
    try cacheFolder.write(
      #"{"backup": {"name": "trips", "detect": "/trips"}, "properties": {"trips": {"items": {"$ref": "trip.json"}}}}"#,
      to: "rules.json")
    try cacheFolder.write("{}", to: "trip.json")
    func listed() throws -> [String] {
      let rules = try RuleDocument(contentsOf: cacheFolder.path.appending("rules.json"))
      return try self.listed(folder(formats: FormatCatalog([try BackupFormat(rules)])))
    }
    #expect(try listed() == ["valid"])
    #expect(try listed() == ["valid"])
    try cacheFolder.write("false", to: "trip.json")
    #expect(try listed() == ["invalid"])
  }

  @Test func `a file with other times and the same content is still known`() throws {
    _ = try folder().listing()
    try trips.touch(Self.name, Instant(seconds: 1_770_000_000))
    #expect(try listed(folder()) == ["valid remembered"])
  }

  /// A change in the same tick of the file system's clock would be overlooked.
  @Test func `a file that has just been changed is not remembered`() throws {
    _ = try folder(after: 0).listing()
    #expect(try listed(folder()) == ["valid"])
  }

  @Test func `other versions, rules and earlier times are not trusted`() throws {
    _ = try folder().listing()
    #expect(try listed(folder("2")) == ["valid"])
    #expect(try listed(folder("1")) == ["valid"])
    #expect(try listed(folder(at: Instant(seconds: TripFolder.now.seconds - 1))) == ["valid"])
    #expect(try listed(folder()) == ["valid remembered"])
    let formats = try TripFolder.formats.get().formats
    let stricter = try BackupFormat(
      descriptor: formats[0].descriptor.replacing(#""trips": {"items""#, with: #""trips": {"minItems": 9, "items""#))
    #expect(try listed(folder(formats: FormatCatalog([stricter] + formats.dropFirst()))) == ["invalid"])
  }

  @Test func `rules that depend on the time are not remembered`() throws {
    let format = try BackupFormat(
      descriptor: #"""
        {"backup": {"name": "trips", "detect": "/trips"},
         "properties": {"at": {"format": "date-time", "formatMinimum": "now-P4D"},
           "trips": {"items": {"required": ["id"], "properties": {"id": {"type": "integer"}}}}}}
        """#)
    let formats = FormatCatalog([format])
    for _ in 1...2 { #expect(try listed(folder(formats: formats)) == ["valid"]) }
    let later = Instant(seconds: TripFolder.now.seconds + 2 * 86400)
    #expect(try listed(folder(at: later, formats: formats)) == ["invalid"])
  }

  @Test(arguments: ["", "noise", "[]", "{}", #"{"formatVersion": 1, "header": {}, "backups": []}"#])
  func `a damaged cache is ignored and replaced`(content: String) throws {
    _ = try folder().listing()
    try Data(content.utf8).write(to: URL(filePath: try cacheFile.string))
    #expect(try listed(folder()) == ["valid"])
    #expect(try listed(folder()) == ["valid remembered"])
  }

  @Test func `a huge cache is ignored and replaced`() throws {
    _ = try folder().listing()
    let handle = try FileHandle(forWritingTo: URL(filePath: try cacheFile.string))
    try handle.truncate(atOffset: 17 << 20)
    try handle.close()
    #expect(try listed(folder()) == ["valid"])
    #expect(try listed(folder()) == ["valid remembered"])
  }

  @Test func `impossible values in a cache are ignored`() throws {
    for (key, value) in [
      ("counts", [["pointer": "/trips", "title": "trips", "count": Int.max]]),
      ("counts", [["pointer": "", "title": "", "count": -1]]),
      ("createdAt", "yesterday"), ("checkedAt", "9999-99-99"), ("format", "none"),
    ] as [(String, Any)] {
      _ = try folder().listing()
      try editCache { content in
        var entries = try #require(content["backups"] as? [[String: Any]])
        entries[0][key] = value
        content["backups"] = entries
      }
      #expect(try listed(folder()) == ["valid"], "\(key)")
    }
  }

  @Test func `without a folder for the cache a listing works`() throws {
    try cacheFolder.write("", to: "coffer")
    for _ in 1...2 { #expect(try listed(folder()) == ["valid"]) }
  }

  /// The file's state in the cache is that of the damaged file, as if the disk returned other bytes.
  @Test func `restore, prune and delete never trust a wrong cache`() throws {
    _ = try folder().listing()
    let text = try trips.folder.text(of: Self.name)
    try trips.folder.write(String(text.dropLast()) + " ", to: Self.name)
    try trips.write("b.json", daysAgo: 9)
    try editCache { content in
      var entries = try #require(content["backups"] as? [[String: Any]])
      let path = trips.folder.path.appending(Self.name).string
      var information = stat()
      #expect(stat(path, &information) == 0)
      func time(_ time: timespec) -> [String: Int] { ["seconds": time.tv_sec, "nanoseconds": time.tv_nsec] }
      #if canImport(Darwin)
        let times = (information.st_mtimespec, information.st_ctimespec)
      #else
        let times = (information.st_mtim, information.st_ctim)
      #endif
      entries[0]["state"] = ["size": Int(information.st_size), "modified": time(times.0), "changed": time(times.1)]
      content["backups"] = entries
    }
    #expect(try listed(folder()) == ["valid remembered", "valid"])
    let policy = try #require(RetentionPolicy(keepLast: 1))
    let (listing, plan) = try folder().preview(of: policy)
    #expect(states(listing) == ["damaged", "valid"])
    #expect(plan.remove.isEmpty)
    // The preview has also corrected the cache.
    #expect(try listed(folder()) == ["damaged", "valid remembered"])
    #expect(try states(folder().pruning(by: policy).listing) == ["damaged", "valid"])
    #expect(try states(folder().verify().listing) == ["damaged", "valid"])
  }
}
