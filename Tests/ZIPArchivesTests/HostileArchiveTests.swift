import ByteStreams
import Foundation
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

/// Handmade archives (Tests/HostileArchives/hostile.py): each is refused for its fault, as a file and as a stream.
@Suite(.enabled(if: Program.python != nil, "needs python3")) struct HostileArchiveTests {
  let folder: TemporaryFolder
  let archives: [String: [UInt8]]

  init() async throws {
    folder = try TemporaryFolder()
    archives = try await Self.made.value
  }

  /// The archives of hostile.py by name, made once for all tests.
  private static let made = Task {
    let folder = try TemporaryFolder()
    let script = Checkout.folder.appending(path: "Tests/HostileArchives/hostile.py").path()
    try await Program.python?.run(script, folder.path.string, in: folder)
    var archives: [String: [UInt8]] = [:]
    for name in try folder.names { archives[String(name.dropLast(".zip".count))] = try folder.bytes(of: name) }
    return archives
  }

  private func bytes(of name: String) throws -> [UInt8] { try #require(archives[name], "\(name)") }

  private func reading(fileOf bytes: [UInt8], options: ZIPReader.Options = .init()) throws -> Reading {
    try folder.write(bytes, to: "a.zip")
    return try Reading(file: "a.zip", in: folder, options: options)
  }

  private func reader(ofFileOf bytes: [UInt8], options: ZIPReader.Options = .init()) throws -> ZIPReader {
    try folder.write(bytes, to: "a.zip")
    return try ZIPReader(FileSource(path: folder.path.appending("a.zip")), options: options)
  }

  /// The codes by the archive's name: as a file and, if different, as a stream.
  static let codes: [String: (file: String, stream: String?)] = [
    "traversal": ("path-unsafe", nil), "traversal-inside": ("path-unsafe", nil), "traversal-last": ("path-unsafe", nil),
    "absolute": ("path-unsafe", nil), "backslash": ("path-unsafe", nil), "drive": ("path-unsafe", nil),
    "empty-name": ("path-unsafe", nil), "empty-folder": ("path-unsafe", nil), "dot": ("path-unsafe", nil),
    "control": ("path-unsafe", nil), "control-c1": ("path-unsafe", nil), "nul": ("path-unsafe", nil),
    "no-utf8": ("path-unsafe", nil),
    "long-name": ("path-unsafe", nil), "long-part": ("path-unsafe", nil), "link": ("entry-type", nil),
    "device": ("entry-type", nil), "folder-that-is-a-file": ("entry-type", nil), "file-that-is-a-folder": ("entry-type", nil),
    "duplicate": ("duplicate-entry", nil), "case-clash": ("duplicate-entry", nil), "fold-clash": ("duplicate-entry", nil),
    "sharp-s-clash": ("duplicate-entry", nil), "small-bombs": ("limit", nil),
    "wrong-descriptor": ("zip-inconsistent", nil), "bytes-after-deflate": ("zip-corrupt", nil),
    "bytes-after-streamed-deflate": ("zip-corrupt", nil),
    "normalisation-clash": ("duplicate-entry", nil), "file-and-folder": ("duplicate-entry", nil),
    "file-around-files": ("duplicate-entry", nil), "file-around-files-last": ("duplicate-entry", nil),
    "folder-case-clash": ("duplicate-entry", nil),
    "encrypted": ("zip-encrypted", nil), "strongly-encrypted": ("zip-encrypted", nil),
    "wrong-checksum": ("zip-checksum", nil),
    // The directory is known before the data of a file, and after that of a stream.
    "wrong-checksum-in-descriptor": ("zip-checksum", nil),
    "size-too-large": ("zip-size", nil), "size-too-small": ("zip-size", nil), "size-in-descriptor": ("zip-size", nil),
    "sizes-disagree": ("zip-inconsistent", "zip-size"), "checksums-disagree": ("zip-inconsistent", "zip-checksum"),
    "methods-disagree": ("zip-inconsistent", "zip-corrupt"), "flags-disagree": ("zip-inconsistent", nil),
    "names-disagree": ("zip-inconsistent", nil), "hidden-before": ("zip-inconsistent", nil),
    "hidden-last": ("zip-inconsistent", nil), "gap": ("zip-inconsistent", "zip-corrupt"),
    "prefix": ("zip-inconsistent", "zip-truncated"),
    "shared-data": ("zip-inconsistent", nil), "overlap": ("zip-inconsistent", "zip-corrupt"),
    "tail": ("zip-inconsistent", nil),
    "two-ends": ("zip-corrupt", "zip-inconsistent"), "count": ("zip-inconsistent", nil),
    "directory-size": ("zip-inconsistent", nil), "directory-offset": ("zip-corrupt", "zip-inconsistent"),
    "zip64-disagrees": ("zip-inconsistent", "zip-corrupt"), "no-method": ("zip-unsupported", nil), "bomb": ("limit", nil),
    "bomb-in-descriptor": ("limit", nil), "cut-directory": ("zip-truncated", nil), "cut-end": ("zip-truncated", nil),
    "cut-data": ("zip-truncated", nil), "cut-header": ("zip-truncated", nil), "only-magic": ("zip-truncated", nil),
    "broken-data": ("zip-corrupt", nil),
  ]

  @Test(arguments: codes.keys.sorted())
  func `a hostile archive is refused as a file and as a stream`(name: String) throws {
    let (file, stream) = try #require(Self.codes[name])
    let bytes = try bytes(of: name)
    #expect(try reading(fileOf: bytes) == .refused(file))
    #expect(Reading(bytes) == .refused(stream ?? file))
    #expect(Reading(bytes, chunkSize: 7) == .refused(stream ?? file))
  }

  @Test func `every archive of hostile.py is tested`() {
    let names = archives.keys.sorted()
    #expect(names.filter { !$0.hasPrefix("sound-") } == Self.codes.keys.sorted())
    #expect(names.filter { $0.hasPrefix("sound-") } == Self.sound.sorted())
  }

  @Test func `the bytes after the end are counted`() throws {
    for name in ["tail", "sound-plain"] {
      let more = name == "tail" ? [] : Array("junk!".utf8)
      let bytes = try bytes(of: name) + more
      let words = more.isEmpty ? "4 bytes follow the archive's end" : "5 bytes follow the archive's end"
      let ofFile = #expect(throws: CofferError.self) { try reader(ofFileOf: bytes) }
      #expect(ofFile?.message == words)
      let ofStream = #expect(throws: CofferError.self) { try Reading.files(of: ZIPReader(MemorySource(bytes))) }
      #expect(ofStream?.message == words)
    }
  }

  @Test(arguments: [65_536, 200_000, 3 << 20])
  func `many bytes after the end are not mistaken for truncation`(count: Int) throws {
    let bytes = try bytes(of: "sound-plain") + [UInt8](repeating: 0x50, count: count)
    let error = #expect(throws: CofferError.self) { try reader(ofFileOf: bytes) }
    #expect(error?.message == "\(count) bytes follow the archive's end")
  }

  @Test func `a long truncated archive is reported as truncated`() throws {
    // Only an archive inside the archive has an end.
    let inner = try bytes(of: "sound-plain")
    let whole = Array("PK\u{3}\u{4}".utf8) + inner + [UInt8](repeating: 0, count: 3 << 20)
    let error = #expect(throws: CofferError.self) { try reader(ofFileOf: whole) }
    #expect(error?.message == "the archive's end is missing: it was truncated or never finished")
  }

  @Test(arguments: ["", "{}", String(repeating: "no archive ", count: 100)])
  func `data that isn't an archive is reported as such`(text: String) throws {
    #expect(try reading(fileOf: Array(text.utf8)) == .refused("not-zip"))
    #expect(Reading(Array(text.utf8)) == .refused("not-zip"))
  }

  @Test func `names that differ by more than letter case are different`() {
    var names = EntryNames()
    for name in ["i.jpg", "\u{131}.jpg", "e.jpg", "\u{E9}.jpg"] { #expect(names.fault(adding: name) == nil) }
    #expect(names.fault(adding: "\u{C9}.jpg") != nil)
  }

  @Test func `names in messages have no control characters`() throws {
    let error = #expect(throws: CofferError.self) { try Reading.files(of: ZIPReader(MemorySource(bytes(of: "control")))) }
    #expect(error?.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } == true)
    #expect(error?.place.entry?.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } == true)
  }

  static let sound = [
    "sound-plain", "sound-comment", "sound-zip64", "sound-descriptors", "sound-stored-descriptor", "sound-descriptor-zip64",
    "sound-stored-without-signature", "sound-folder", "sound-dos",
  ]

  @Test(arguments: sound)
  func `a valid archive is read as a file and as a stream`(name: String) throws {
    let photo = Array(
      repeatElement([0xFF, 0xD8] + Array(" not a picture, but who looks? ".utf8) + [0xFF, 0xD9], count: 40).joined())
    let files = Reading.files(["metadata.json": Array("{\"photos\": [\"1.jpg\"]}\n".utf8), "photos/1.jpg": photo])
    let bytes = try bytes(of: name)
    #expect(try reading(fileOf: bytes) == files)
    // Only the directory says where the data of this one ends.
    if name == "sound-stored-without-signature" { return }
    for chunkSize in [1, 100, 5000, .max] { #expect(Reading(bytes, chunkSize: chunkSize) == files, "\(chunkSize)") }
  }

  @Test(arguments: ["traversal", "link", "duplicate", "encrypted", "wrong-checksum", "size-too-large", "no-method"])
  func `reading continues after a noted fault`(name: String) throws {
    var options = ZIPReader.Options()
    options.faults = .noted
    for isStream in [false, true] {
      let bytes = try bytes(of: name)
      let reader = isStream ? ZIPReader(MemorySource(bytes), options: options) : try reader(ofFileOf: bytes, options: options)
      let files = try Reading.files(of: reader)
      #expect(files["metadata.json"]?.isEmpty == false)
      #expect(reader.faults.map(\.code.rawValue) == [try #require(Self.codes[name]).file])
      #expect(reader.faults.allSatisfy { $0.place.entry != nil && !$0.message.isEmpty })
    }
  }

  @Test func `the limits are those of the caller`() throws {
    let limits: [(ZIPLimits) -> ZIPLimits] = [
      { _ in
        var limits = ZIPLimits(); limits.entries = 1; return limits
      },
      { _ in
        var limits = ZIPLimits(); limits.size = 1000; return limits
      },
      { _ in
        var limits = ZIPLimits(); limits.nameLength = 12; return limits
      },
    ]
    for (limit, code) in zip(limits, ["limit", "limit", "path-unsafe"]) {
      var options = ZIPReader.Options()
      options.limits = limit(ZIPLimits())
      let bytes = try bytes(of: "sound-plain")
      #expect(try reading(fileOf: bytes, options: options) == .refused(code))
      #expect(Reading(bytes, options: options) == .refused(code))
    }
    var generous = ZIPReader.Options()
    generous.limits.ratio = 2000
    guard case .files = try reading(fileOf: bytes(of: "bomb"), options: generous) else {
      Issue.record("8 MiB of zeros aren't a bomb with a higher limit")
      return
    }
  }
}
