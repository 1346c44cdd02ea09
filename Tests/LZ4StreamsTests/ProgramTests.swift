import LZ4Streams
import StreamDecoding
import TestSupport
import Testing

/// Tests both directions with the `lz4` program, the reference for the format.
@Suite(.enabled(if: ReferenceProgram.lz4.isInstalled)) struct ProgramTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let contents = [
    "nothing": [], "a byte": [65], "records": Sample.records(size: 700_000), "many records": Sample.records(size: 9_000_000),
    "noise": Sample.noise(size: 200_000), "zeros": [UInt8](repeating: 0, count: 5_000_000),
  ]

  @Test(arguments: contents.keys.sorted())
  func `Coffer reads what lz4 writes`(name: String) async throws {
    let content = Self.contents[name] ?? []
    try folder.write(content, to: "content")
    var options: [[String]] = [["-l"]]
    for level in ["-1", "-9"] {
      for block in ["-B4", "-B5", "-B6", "-B7"] {
        for dependence in [[], ["-BD"]] {
          for checks in [[], ["-BX"], ["--no-frame-crc"], ["--content-size"], ["-BX", "--content-size", "--no-frame-crc"]] {
            // The slower level and the largest content make no difference to the format.
            if level == "-9" || content.count > 1 << 20, !checks.isEmpty { continue }
            options.append([level, block] + dependence + checks)
          }
        }
      }
    }
    var all: [UInt8] = []
    options = TestDepth.sample(options, everyday: 6)
    for options in options {
      let stream = try await ReferenceProgram.lz4.run(["-c", "-q"] + options + ["content"], in: folder)
      #expect(Decoding(stream) == .content(content), "\(options)")
      #expect(Decoding(piecesOf: stream) == .content(content), "\(options)")
      if content.count < 1000 { #expect(Decoding(stream, chunkSize: 1, bufferSize: 1) == .content(content), "\(options)") }
      if content.count < 1 << 20 { all += stream + Handmade.skippable([1, 2, 3], kind: 7) }
    }
    if !all.isEmpty {
      let together = Decoding.content(repeatElement(content, count: options.count).reduce(into: [UInt8](), +=))
      #expect(Decoding(all, bufferSize: 1 << 20) == together)
      #expect(Decoding(piecesOf: all) == together)
    }
  }

  @Test(arguments: contents.keys.sorted())
  func `lz4 reads what Coffer writes`(name: String) async throws {
    let content = Self.contents[name] ?? []
    for level in [1, 12] {
      var parts = stride(from: 0, to: content.count, by: 1_000_000).map {
        Array(content[$0..<min($0 + 1_000_000, content.count)])
      }
      if content.isEmpty { parts = [] }
      try folder.write(try Sample.stream(parts, level: level), to: "stream.lz4")
      #expect(try await ReferenceProgram.lz4.run(["-d", "-c", "-q", "stream.lz4"], in: folder) == content)
      _ = try await ReferenceProgram.lz4.run(["-t", "-q", "stream.lz4"], in: folder)
      let list = String(decoding: try await ReferenceProgram.lz4.run(["--list", "stream.lz4"], in: folder), as: UTF8.self)
      #expect(list.contains("stream.lz4"))
      if level == 12, content.count > 1 << 20 { break }
    }
  }
}
