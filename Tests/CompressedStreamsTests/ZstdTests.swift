import ByteStreams
import StreamDecoding
import TestSupport
import Testing
import ZstdStreams

@Suite struct ZstdTests {
  /// Three small frames.
  private static let parts = (0..<3).map { Array(Sample.small.dropFirst(50 * $0)) }
  private static let content = parts.flatMap(\.self)
  private static let data = (try? Sample.zstd(parts)) ?? []

  @Test func `the output begins with an empty frame and a mark`() {
    let start: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x04, 1, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51, 0x5C, 0x2A, 0x4D, 0x18, 8, 0, 0, 0]
    #expect(Self.data.starts(with: start + Array("coffer<1".utf8)))
    #expect(Self.data.suffix(40).starts(with: [0x5C, 0x2A, 0x4D, 0x18, 32, 0, 0, 0] + Array("coffer>1".utf8)))
  }

  @Test(arguments: [1, 64]) func `an empty frame whose header declares content is corrupt`(size: Int) {
    // The header declares 516 bytes, and the only block has none.
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x64, 4, 1, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51]
    #expect(Decoding(.zstd, frame, chunkSize: size, bufferSize: size).code == "zstd-corrupt")
  }

  /// The frames between the start and the trailer.
  private static var frames: [ArraySlice<UInt8>] {
    let end = data.count - 40
    let starts = (29..<end).filter { data[$0..<$0 + 4].elementsEqual([0x28, 0xB5, 0x2F, 0xFD]) }
    return zip(starts, starts.dropFirst() + [end]).map { data[$0..<$1] }
  }

  @Test func `missing, doubled or swapped frames are errors`() {
    let frames = Self.frames
    #expect(frames.count == 3)
    for order in [[], [0], [0, 1], [0, 2], [1, 2], [0, 0, 1, 2], [1, 0, 2], [0, 2, 1]] {
      let bytes = Array(Self.data.prefix(29)) + order.flatMap { Array(frames[$0]) } + Array(Self.data.suffix(40))
      #expect(Decoding(.zstd, bytes).message?.contains("missing, duplicated or out of order") == true, "\(order)")
    }
  }

  @Test func `skippable frames may be anywhere`() {
    let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
    let bytes: [UInt8] = skippable + Self.data.prefix(29) + skippable + Self.data.dropFirst(29) + skippable
    #expect(Decoding(.zstd, bytes) == .content(Self.content))
    #expect(Decoding(.zstd, bytes, chunkSize: 1, bufferSize: 1) == .content(Self.content))
  }

  @Test func `bytes after the last frame are an error`() {
    let decoding = Decoding(.zstd, Self.data + Array("abcd".utf8))
    #expect(decoding.code == "zstd-corrupt")
    #expect(decoding.offset == Self.data.count)
  }

  @Test func `frames that need a dictionary or too much memory are refused`() {
    let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    let dictionary = Decoding(.zstd, magic + [0x01, 0x58, 7, 1, 0, 0])
    #expect(dictionary.code == "zstd-unsupported")
    #expect(dictionary.message?.contains("dictionary 7") == true)
    // The exponent 18 is 256 MiB, the exponent 17 is 128 MiB, and its mantissa adds eighths.
    for (descriptor, size) in [(18 << 3, 256), (17 << 3 | 1, 144), (31 << 3 | 7, 3_932_160)] as [(UInt8, Int)] {
      let decoding = Decoding(.zstd, magic + [0x00, descriptor, 1, 0, 0])
      #expect(decoding.code == "zstd-unsupported")
      #expect(decoding.message?.contains("the frame needs \(size) MiB of memory, more than 128 MiB") == true, "\(decoding)")
    }
    #expect(Decoding(.zstd, magic + [0x00, 17 << 3, 1, 0, 0]) == .content([]))
    // A single segment needs as much as its content.
    #expect(Decoding(.zstd, magic + [0xE0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]).code == "zstd-unsupported")
    #expect(Decoding(.zstd, magic + [0x08, 0x58, 1, 0, 0]).code == "zstd-corrupt")
  }
}

/// Both directions with the `zstd` program.
@Suite(.enabled(if: ReferenceProgram.zstd.isInstalled)) struct ZstdProgramTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: Sample.contents.keys.sorted())
  func `Coffer reads what zstd writes`(name: String) async throws {
    let content = try #require(Sample.contents[name])
    try folder.write(content, to: "content")
    var limits = ExpansionLimits()
    limits.ratio = 100_000
    var all: [UInt8] = []
    let variants = [
      ["-1"], ["-3", "--no-check"], ["-9"], ["-3", "-T2"], ["--fast=5"], ["-3", "--long=27"], ["-3", "--no-content-size"],
    ]
    for options in content.count > 1 << 20 ? [["-3"], ["-3", "--long=27"]] : variants {
      let data = try await ReferenceProgram.zstd.run(["-c", "-q"] + options + ["content"], in: folder)
      #expect(Decoding(.zstd, data, limits: limits) == .content(content), "\(options)")
      if content.count > 1 << 20 { continue }
      all += data + [0x5F, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 1, 2]
    }
    if all.isEmpty { return }
    let together = repeatElement(content, count: variants.count).reduce(into: [], +=)
    #expect(Decoding(.zstd, all, chunkSize: 10_007, limits: limits) == .content(together))
  }

  @Test func `every truncation and change of a file with a checksum is detected`() async throws {
    try folder.write(Sample.small, to: "content")
    let data = try await ReferenceProgram.zstd.run(["-c", "-q", "content"], in: folder)
    for count in 4..<data.count { #expect(Decoding(.zstd, Array(data.prefix(count))).code == "zstd-truncated", "\(count) bytes") }
    for index in data.indices {
      var damaged = data
      damaged[index] ^= 1
      let decoding = Decoding(.zstd, damaged)
      if case .content(let content) = decoding { #expect(content == Sample.small, "byte \(index)") }
    }
  }
}
