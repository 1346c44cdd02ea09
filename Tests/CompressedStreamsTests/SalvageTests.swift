import ByteStreams
import CompressedStreams
import Foundation
import GzipStreams
import LZ4Streams
import StreamDecoding
import TestSupport
import Testing
import ZstdStreams

/// Damaged data whose other frames, blocks and members are read.
@Suite struct SalvageTests {
  /// Returns what is read, and the codes of the errors.
  private static func salvaged(_ data: [UInt8], chunkSize: Int = .max) throws -> (content: [UInt8], errors: [String]) {
    var source = try Decompression(MemorySource(data, chunkSize: chunkSize)).source
    var errors: [String] = []
    (source as? any CompressedSource)?.onDamage = { errors.append($0.code.rawValue) }
    var content: [UInt8] = []
    while true {
      let piece = try source.readPrefix(1 << 16)
      if piece.isEmpty { return (content, errors) }
      content += piece
    }
  }

  /// Compares without showing the difference, which would take minutes to find.
  private static func equal(_ a: some Sequence<UInt8>, _ b: [UInt8]) -> Bool { Data(a) == Data(b) }

  /// Returns how often a text occurs.
  private static func count(of text: String, in content: [UInt8]) -> Int {
    let (content, text) = (Data(content), Data(text.utf8))
    var (count, rest) = (0, content.startIndex..<content.endIndex)
    while let found = content.range(of: text, in: rest) { (count, rest) = (count + 1, found.upperBound..<content.endIndex) }
    return count
  }

  /// Three parts of records.
  private static let parts: [[UInt8]] = (0..<3).map(part)

  private static func part(_ seed: Int) -> [UInt8] {
    var random = SeededRandom(seed: UInt64(seed))
    var bytes: [UInt8] = []
    for id in 0..<8000 {
      bytes += #"{"id": \#(id), "odometer": \#(random.next() % 1_000_000), "note": "\#(random.next())"},"#.utf8
    }
    return bytes
  }

  /// Returns data with a frame, a member or a piece for each part.
  private static func data(_ format: CompressionFormat) throws -> [UInt8] {
    switch format {
    case .zstd: return try Sample.zstd(parts)
    case .lz4:
      var writer = LZ4StreamWriter(to: MemorySink())
      let encoder = LZ4FrameEncoder(level: 1)
      for part in parts { try writer.write(part.withUnsafeBytes { encoder.encode($0) }) }
      try writer.finish()
      return writer.sink.bytes
    case .gzip:
      var writer = GzipStreamWriter(to: MemorySink())
      let encoder = GzipPieceEncoder()
      for part in parts { try writer.write(part.withUnsafeBytes { encoder.encode($0) }) }
      try writer.finish()
      return writer.sink.bytes
    }
  }

  @Test(arguments: CompressionFormat.allCases) func `what is not damaged is read as it is`(_ format: CompressionFormat) throws {
    let (content, errors) = try Self.salvaged(Self.data(format))
    #expect(Self.equal(content, Self.parts.flatMap(\.self)) && errors.isEmpty)
  }

  /// Any change in the second part leaves the first and the last one. Of gzip data, it may not show before the third part.
  @Test(arguments: CompressionFormat.allCases)
  func `frames before and after damage are read, with a zero byte between them`(_ format: CompressionFormat) throws {
    let whole = try Self.data(format)
    var random = SeededRandom(seed: 5)
    var lostCount = 0
    let trials = TestDepth.cases(everyday: 24, deep: 3000).count
    for trial in 0..<trials {
      var data = whole
      let place = whole.count * 2 / 5 + Int(random.next() % UInt64(whole.count / 8))
      let length = 1 + Int(random.next() % 2000)
      switch trial % 4 {
      case 0: data.replaceSubrange(place..<place + length, with: Array(repeating: 0, count: length))
      case 1: data.removeSubrange(place..<place + length)
      case 2: data.insert(contentsOf: random.bytes(length), at: place)
      default: for index in place..<place + length { data[index] ^= 0x5A }
      }
      let (content, errors) = try Self.salvaged(data, chunkSize: [.max, 777][trial / 4 % 2])
      #expect(!errors.isEmpty, "\(format), trial \(trial)")
      #expect(Self.equal(content.prefix(Self.parts[0].count), Self.parts[0]), "\(format), trial \(trial)")
      let isRead = Self.equal(content.suffix(Self.parts[2].count), Self.parts[2]) && (content.contains(0) || format == .gzip)
      if !isRead { lostCount += 1 }
      #expect(isRead || format == .gzip, "\(format), trial \(trial)")
    }
    #expect(lostCount * 10 <= trials)
  }

  /// Coffer's marks before the first frame are no place to begin again.
  @Test(arguments: [CompressionFormat.lz4, .zstd], [0.1, 0.3, 0.5, 0.7, 0.9]) func `nothing is read twice`(
    _ format: CompressionFormat, _ part: Double
  ) throws {
    var data = try Self.data(format)
    let place = Int(Double(data.count) * part)
    data.replaceSubrange(place..<place + 500, with: Array(repeating: 0, count: 500))
    for data in [data, Array(data.prefix(place))] {
      let (content, errors) = try Self.salvaged(data)
      #expect(
        !errors.isEmpty && Self.count(of: #"{"id": 7,"#, in: content) <= 3 && content.count <= Self.parts.joined().count + 10)
    }
  }

  /// A frame in many blocks, damaged in the last: the others are read, whatever the buffer.
  @Test func `blocks of zstd before damage are read`() throws {
    let content = Self.parts.flatMap(\.self)
    var data = try Sample.zstd([content])
    let place = data.count - 2000
    data.replaceSubrange(place..<place + 300, with: Array(repeating: 0xFF, count: 300))
    let (read, errors) = try Self.salvaged(data)
    #expect(!errors.isEmpty && read.count > content.count - (256 << 10))
    #expect(Self.equal(read.prefix(content.count - (256 << 10)), Array(content.dropLast(256 << 10))))
  }

  @Test(arguments: CompressionFormat.allCases)
  func `truncated data and noise end, and lose nothing before`(_ format: CompressionFormat) throws {
    let whole = try Self.data(format)
    var random = SeededRandom(seed: 6)
    for count in [5, 20, whole.count / 5, whole.count / 2, whole.count - 1] {
      let (content, errors) = try Self.salvaged(Array(whole.prefix(count)) + random.bytes(200_000))
      #expect(!errors.isEmpty)
      if count >= whole.count / 2 { #expect(Self.equal(content.prefix(Self.parts[0].count), Self.parts[0])) }
    }
    // A member or frame that only begins, again and again.
    let starts = (0..<20_000).flatMap { _ in whole.prefix(9) }
    let (content, errors) = try Self.salvaged(starts)
    #expect(content.count <= starts.count && errors.count <= 20_000 && !errors.isEmpty)
  }

  /// One frame of independent blocks, as the program `lz4` writes it, or of linked ones.
  @Test(arguments: [(0x60, 0x82, true), (0x40, 0xC0, false)] as [(UInt8, UInt8, Bool)])
  func `blocks of an LZ4 frame are read if they need no others`(_ flags: UInt8, _ checksum: UInt8, _ areIndependent: Bool) throws
  {
    func block(_ bytes: [UInt8], isStored: Bool) -> [UInt8] {
      var block: [UInt8] = []
      block.append(littleEndian: UInt32(bytes.count) | (isStored ? 1 << 31 : 0))
      return block + bytes
    }
    let (start, rest) = (Array(Self.parts[0].prefix(60_000)), Array(Self.parts[2].prefix(60_000)))
    let garbage = [UInt8](repeating: 0xFF, count: 1000)
    let blocks = [block(start, isStored: true), block(garbage, isStored: false), block(rest, isStored: true)]
    let data = [0x04, 0x22, 0x4D, 0x18, flags, 0x40, checksum] + blocks.flatMap(\.self) + [0, 0, 0, 0]
    let (content, errors) = try Self.salvaged(data)
    #expect(errors == ["lz4-corrupt"])
    #expect(Self.equal(content, start + (areIndependent ? [0] + rest : [])))
  }
}
