import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Coffer

@Suite struct BackupWriterTests {
  private struct Car: Codable, Equatable, Sendable {
    var name: String
    var price: Decimal
    var wheels: [String: Int]
  }

  private static let cars = [
    Car(name: "é\"/\\\n", price: Decimal(string: "123456789012345678901234.5") ?? 0, wheels: ["a": 1]),
    Car(name: "", price: 0, wheels: [:]),
  ]

  private static func text(
    _ options: BackupWriterOptions = BackupWriterOptions(), _ write: (inout BackupWriter<MemorySink>) throws -> Void
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    var writer = BackupWriter(to: MemorySink(), encoder: encoder, options: options)
    try write(&writer)
    return String(decoding: try writer.finish().bytes, as: UTF8.self)
  }

  private static func options(_ shape: BackupWriterOptions.Shape, pretty: Bool = false) -> BackupWriterOptions {
    var options = BackupWriterOptions()
    options.shape = shape
    if pretty { options.layout = .pretty(indent: 2) }
    return options
  }

  @Test func `members and collections are written in the order of the calls`() throws {
    let text = try Self.text { writer in
      try writer.write(9, as: "version")
      try writer.beginCollection("cars")
      for car in Self.cars { try writer.append(car) }
      try writer.beginCollection("empty")
      try writer.write(["a": [true, nil]], as: "settings")
    }
    #expect(
      text == #"""
        {"version":9,"cars":[{"name":"é\"/\\\n","price":123456789012345678901234.5,"wheels":{"a":1}},{"name":"","price":0,"wheels":{}}],"empty":[],"settings":{"a":[true,null]}}
        """#)
  }

  @Test func `the writer's options decide the layout, not the encoder's`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted]
    var writer = BackupWriter(to: MemorySink(), encoder: encoder, options: Self.options(.object, pretty: true))
    try writer.beginCollection("v")
    try writer.append(["a": 1])
    #expect(String(decoding: try writer.finish().bytes, as: UTF8.self) == "{\n  \"v\": [\n    {\n      \"a\": 1\n    }\n  ]\n}\n")
  }

  @Test(arguments: [
    (BackupWriterOptions.Shape.array, 0, "[]"), (.array, 2, "[0,1]"), (.lines, 0, ""), (.lines, 2, "0\n1\n"), (.object, 0, "{}"),
  ])
  func `each shape puts its delimiters around the records`(shape: BackupWriterOptions.Shape, count: Int, text: String) throws {
    #expect(try Self.text(Self.options(shape)) { writer in for index in 0..<count { try writer.append(index) } } == text)
  }

  @Test(arguments: [BackupWriterOptions.Shape.object, .array, .lines]) func `records survive a round trip in every shape`(
    shape: BackupWriterOptions.Shape
  ) async throws {
    let trips = Trip.made(2000)
    let text = try Self.text(Self.options(shape)) { writer in
      if shape == .object { try writer.beginCollection("trips") }
      for trip in trips { try writer.append(trip) }
    }
    let backup = Backup(bytes: Array(text.utf8), syntax: shape == .lines ? .jsonLines : .json)
    var read: [Trip] = []
    for try await trip in backup.records(Trip.self, at: shape == .object ? "/trips" : "") { read.append(trip) }
    #expect(read == trips)
  }

  // MARK: Failures

  @Test func `a value that cannot be encoded adds nothing to the output`() throws {
    let text = try Self.text { writer in
      try writer.beginCollection("v")
      try writer.append(1.5)
      #expect(throws: EncodingError.self) { try writer.append(["a": Double.nan]) }
      #expect(throws: EncodingError.self) { try writer.write(Double.infinity, as: "x") }
      try writer.append(2)
    }
    #expect(text == #"{"v":[1.5,2]}"#)
  }

  private struct Nested: Encodable {
    let depth: Int

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if depth > 1 { try container.encode(Nested(depth: depth - 1)) }
    }
  }

  @Test func `a value that is nested too deeply is refused`() throws {
    let text = try Self.text(Self.options(.array)) { writer in
      let error = #expect(throws: CofferError.self) { try writer.append(Nested(depth: 121)) }
      #expect(error?.code == .depthLimit)
      try writer.append(Nested(depth: 120))
    }
    #expect(text == String(repeating: "[", count: 121) + String(repeating: "]", count: 121))
  }

  /// A sink that accepts `room` bytes and then throws.
  private struct FullSink: ByteSink {
    var room: Int

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
      room -= bytes.count
      if room < 0 { throw CofferError(.noSpace, "no space") }
    }
  }

  @Test func `after an error of the sink every call throws the same error`() throws {
    var errors: [CofferError.Code?] = []
    func note(_ error: any Error) { errors.append((error as? CofferError)?.code) }
    var writer = BackupWriter(to: FullSink(room: 100_000), options: Self.options(.array))
    do {
      for _ in 0..<100_000 { try writer.append("record") }
    } catch { note(error) }
    do { try writer.append(1) } catch { note(error) }
    do { try writer.finish() } catch { note(error) }
    #expect(errors == [.noSpace, .noSpace, .noSpace])
  }

  // MARK: Files

  @Test func `a file appears only when finished, in the shape that its name implies`() throws {
    let folder = try TemporaryFolder()
    for (name, text) in [("a.json", #"{"v":[1]}"#), ("a.jsonl", "1\n")] {
      var writer = try BackupWriter(path: folder.path.appending(name).string)
      if name == "a.json" { try writer.beginCollection("v") }
      try writer.append(1)
      #expect(try !folder.names.contains(name))
      try writer.finish()
      #expect(try folder.text(of: name) == text)
    }
    #expect(try folder.names == ["a.json", "a.jsonl"])
  }

  @Test func `an abandoned writer keeps the existing file`() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "a.json")
    do {
      var writer = try BackupWriter(path: folder.path.appending("a.json").string, existing: .replace)
      try writer.write(String(repeating: "x", count: 200_000), as: "v")
    }
    #expect(try folder.names == ["a.json"])
    #expect(try folder.text(of: "a.json") == "old")
    #expect(throws: CofferError.self) { _ = try BackupWriter(path: folder.path.appending("a.json").string, existing: .keep) }
  }

  @Test func `a file name that ends in .lz4 compresses the output`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("cars.ndjson.lz4").string
    var writer = try BackupWriter(path: path)
    for car in Self.cars { try writer.append(car) }
    try writer.finish()
    var read: [Car] = []
    for try await car in Backup(path: path).records(Car.self, at: "") { read.append(car) }
    #expect(read == Self.cars)
    #expect(Array(try Data(contentsOf: URL(filePath: path)).prefix(4)) == [0x04, 0x22, 0x4D, 0x18])
  }
}
