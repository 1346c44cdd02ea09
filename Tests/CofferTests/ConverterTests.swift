import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

@testable import Coffer

@Suite struct ConverterTests {
  private static func convert(
    _ bytes: [UInt8], chunkSize: Int = .max, _ change: (inout ConversionOptions) -> Void = { _ in }
  ) throws -> [UInt8] {
    var options = ConversionOptions()
    options.execution.jobs = 1
    change(&options)
    var sink = MemorySink()
    try Converter(options: options).convert(MemorySource(bytes, chunkSize: chunkSize), to: &sink)
    return sink.bytes
  }

  private static func convert(_ text: String, _ change: (inout ConversionOptions) -> Void = { _ in }) throws -> String {
    String(decoding: try convert(Array(text.utf8), change), as: UTF8.self)
  }

  private static let document = #"{"cars": [{"id": 1}, {"id": 2}], "x": {"y": [[3], [4, 5]]}, "n": 6}"#

  @Test(arguments: [
    ("/cars", #"[{"id":1},{"id":2}]"#), ("/x/y", "[[3],[4,5]]"), ("/x/y/1", "[4,5]"), ("/x/y/0", "[3]"),
  ])
  func `the output has only the selected collection`(pointer: String, text: String) throws {
    #expect(try Self.convert(Self.document) { $0.collection = pointer } == text)
  }

  @Test(arguments: [
    ("/cars", "{\"id\":1}\n{\"id\":2}\n"), ("/x/y", "[3]\n[4,5]\n"), ("/x/y/1", "4\n5\n"),
  ])
  func `JSON Lines output has one line per item of the collection`(pointer: String, text: String) throws {
    let lines = try Self.convert(Self.document) {
      $0.collection = pointer
      $0.layout = .lines
    }
    #expect(lines == text)
  }

  @Test func `an array at the root becomes JSON Lines`() throws {
    #expect(try Self.convert("[1, [2,\n3], {\"a\" : 4}]") { $0.layout = .lines } == "1\n[2,3]\n{\"a\":4}\n")
    #expect(try Self.convert("[]") { $0.layout = .lines } == "")
  }

  @Test func `JSON Lines become an array`() throws {
    let array = try Self.convert("1\r\n\n [2, 3]\n{\"a\" : 4}") { $0.syntax = .jsonLines }
    #expect(array == #"[1,[2,3],{"a":4}]"#)
    #expect(try Self.convert("") { $0.syntax = .jsonLines } == "[]")
  }

  @Test(arguments: [
    ("/nothing", CofferError.Code.noSuchValue), ("/cars/7", .noSuchValue), ("/n", .notAnArray),
    ("/n/deeper", .noSuchValue), ("cars", .invalidPointer), ("/x~", .invalidPointer),
  ])
  func `a pointer that leads to no collection is an error`(pointer: String, code: CofferError.Code) {
    let error = #expect(throws: CofferError.self) { try Self.convert(Self.document) { $0.collection = pointer } }
    #expect(error?.code == code)
  }

  @Test func `a collection that occurs twice is an error`() {
    let error = #expect(throws: CofferError.self) {
      try Self.convert(#"{"a": [1], "a": [2]}"#) { $0.collection = "/a" }
    }
    #expect(error?.code == .ambiguousValue)
  }

  @Test func `converting an object to JSON Lines is an error`() {
    let error = #expect(throws: CofferError.self) { try Self.convert(Self.document) { $0.layout = .lines } }
    #expect(error?.message == "the document is an object, not an array")
  }

  @Test func `a malformed document is an error with its line`() {
    let error = #expect(throws: CofferError.self) { try Self.convert("{\"cars\": [\n{\"id\": 1},\n{\"id\": }]}") }
    #expect(error?.position.line == 3)
    let line = #expect(throws: CofferError.self) { try Self.convert("1\n2 3\n") { $0.syntax = .jsonLines } }
    #expect(line?.position.line == 2)
  }

  @Test func `cancellation ends the conversion`() {
    let cancellation = Cancellation()
    cancellation.request()
    #expect(throws: CancellationError.self) { try Self.convert("[1]") { $0.execution.cancellation = cancellation } }
  }

  /// Sets random slices, threads and chunks.
  private static func cut(_ options: inout ConversionOptions, _ random: inout SeededRandom) {
    var slices = Slicer.Options()
    slices.sliceSize = [1, 80, 300][Int(random.next() % 3)]
    slices.largestSlice = [300, 1 << 20][Int(random.next() % 2)]
    options.slices = slices
    options.execution.jobs = 1 + Int(random.next() % 3)
    options.limits.chunkSize = [7, 64, 1 << 16][Int(random.next() % 3)]
  }

  private static func outcome(_ body: () throws -> [UInt8]) -> Result<[UInt8], CofferError> {
    do { return .success(try body()) } catch let error as CofferError {
      return .failure(error)
    } catch {
      Issue.record(error)
      return .success([])
    }
  }

  @Test(arguments: 0..<8) func `slices, threads and chunks do not change the output`(part: Int) throws {
    var random = SeededRandom(seed: UInt64(part))
    for seed in TestDepth.cases(everyday: 30, deep: 150) {
      var document = RandomDocument(seed: UInt64(part * 1000 + seed), size: 1500)
      if seed % 4 == 0 { document.damage() }
      let layout = [FormatLayout.compact, .pretty(indent: 2), .pretty(indent: 0)][seed % 3]
      func choose(_ options: inout ConversionOptions) {
        options.layout = layout
        options.sortsKeys = seed % 5 == 0
      }
      let whole = Self.outcome {
        try Self.convert(document.bytes) {
          choose(&$0)
          $0.slices = nil
        }
      }
      for _ in 0..<3 {
        let chunkSize = [1, 33, .max][Int(random.next() % 3)]
        let sliced = Self.outcome {
          try Self.convert(document.bytes, chunkSize: chunkSize) {
            choose(&$0)
            Self.cut(&$0, &random)
          }
        }
        #expect(sliced == whole, "\(part), \(seed)")
      }
    }
  }

  @Test(arguments: 0..<4) func `compact, pretty and JSON Lines output convert back to each other`(part: Int) throws {
    var random = SeededRandom(seed: UInt64(part))
    for seed in TestDepth.cases(everyday: 25, deep: 100) {
      let document = RandomDocument(seed: UInt64(part * 1000 + seed), size: 1500)
      let compact = try Self.convert(document.bytes) { Self.cut(&$0, &random) }
      let pretty = try Self.convert(document.bytes) {
        Self.cut(&$0, &random)
        $0.layout = .pretty(indent: 1 + seed % 4)
      }
      #expect(try Self.convert(pretty) { Self.cut(&$0, &random) } == compact)
      guard compact.first == UInt8(ascii: "[") else { continue }
      let lines = try Self.convert(document.bytes) {
        Self.cut(&$0, &random)
        $0.layout = .lines
      }
      let array = try Self.convert(lines) {
        Self.cut(&$0, &random)
        $0.syntax = .jsonLines
      }
      #expect(array == compact)
    }
  }

  /// Each number has 1600 spaces before it, so the output is far larger than the slices, which become part of the envelope.
  @Test func `deeply nested items are indented completely`() throws {
    let items = Array(repeating: "1", count: 12_000).joined(separator: ",")
    let document = "[" + String(repeating: "[", count: 99) + items + String(repeating: "]", count: 99) + ",2]"
    for slices in [nil, Slicer.Options()] {
      for sortsKeys in [false, true] {
        var options = ConversionOptions()
        options.layout = .pretty(indent: 16)
        options.slices = slices
        options.sortsKeys = sortsKeys
        if slices != nil { options.slices?.sliceSize = 1000 }
        var sink = CountingSink()
        try Converter(options: options).convert(MemorySource(document.utf8), to: &sink)
        #expect(sink.count == 12_000 * 1603 - 1 + 2 * (0..<100).reduce(0) { $0 + $1 * 16 + 2 } + 19)
      }
    }
  }

  @Test(arguments: [false, true]) func `compressed output decompresses to the plain output`(sortsKeys: Bool) throws {
    let backup = try Validating.backup(SyntheticBackup.Options(size: 3_000_000, seed: 3)).bytes
    let plain = try Self.convert(backup) { $0.sortsKeys = sortsKeys }
    var compressed: [[UInt8]] = []
    for jobs in 1...3 {
      compressed.append(
        try Self.convert(backup) {
          $0.sortsKeys = sortsKeys
          $0.execution.jobs = jobs
          $0.compression = .lz4
        })
    }
    #expect(Set(compressed).count == 1)
    #expect(compressed[0].count < plain.count / 2)
    // Compression is detected by content.
    #expect(try Self.convert(compressed[0]) == plain)
  }

  @Test func `slicing does not change the output of a single collection`() throws {
    let backup = try Validating.backup(SyntheticBackup.Options(size: 300_000, seed: 5)).bytes
    var random = SeededRandom(seed: 1)
    for pointer in ["/cars", "/expenses", "/plannedMaintenance"] {
      let whole = try Self.convert(backup) {
        $0.collection = pointer
        $0.slices = nil
      }
      #expect(whole.count > 100)
      for _ in 0..<5 {
        let sliced = try Self.convert(backup) {
          $0.collection = pointer
          Self.cut(&$0, &random)
        }
        #expect(sliced == whole)
      }
    }
  }

  @Test func `a conversion writes a whole file or none, and can keep existing ones`() async throws {
    let folder = try TemporaryFolder()
    let backup = Backup(bytes: Array(Self.document.utf8))
    var options = ConversionOptions()
    options.collection = "/cars"
    try await backup.convert(to: folder.path.appending("cars.json").string, options: options)
    #expect(try folder.text(of: "cars.json") == #"[{"id":1},{"id":2}]"#)
    try await backup.convert(to: folder.path.appending("cars.ndjson.lz4").string, options: options)
    try await Backup(path: folder.path.appending("cars.ndjson.lz4").string)
      .convert(to: folder.path.appending("again.json").string)
    #expect(try folder.text(of: "again.json") == #"[{"id":1},{"id":2}]"#)
    let error = await #expect(throws: CofferError.self) {
      try await backup.convert(to: folder.path.appending("cars.json").string, existing: .keep, options: options)
    }
    #expect(error?.code == .alreadyExists)
    await #expect(throws: CofferError.self) {
      try await Backup(bytes: Array("[1".utf8)).convert(to: folder.path.appending("broken").string)
    }
    #expect(try folder.names == ["again.json", "cars.json", "cars.ndjson.lz4"])
  }
}
