import ByteStreams
import LZ4Streams
import StreamDecoding
import TestSupport
import Testing

/// Lost, doubled or moved parts of a stream that Coffer wrote are always detected.
@Suite struct StreamSealTests {
  private static let stream = Sample.small.stream

  @Test func `the start and trailer have the documented layout`() throws {
    let stream = try Sample.stream([Array("abc".utf8)])
    let start: [UInt8] = [
      0x04, 0x22, 0x4D, 0x18, 0x68, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 0, 0, 0, 0, 0x5C, 0x2A, 0x4D, 0x18, 8, 0, 0, 0,
    ]
    #expect(stream.starts(with: start + Array("coffer<1".utf8)))
    let trailer = Array(stream.suffix(40))
    #expect(trailer.starts(with: [0x5C, 0x2A, 0x4D, 0x18, 32, 0, 0, 0] + Array("coffer>1".utf8)))
    #expect(trailer[16..<32].elementsEqual([1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]))
    // XXH32 of abc is 32D153FF.
    let frame = stream.dropFirst(35).dropLast(40)
    #expect(frame.suffix(4).elementsEqual([0xFF, 0x53, 0xD1, 0x32]))
    let fold = [0xFF, 0x53, 0xD1, 0x32].reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ $1) &* 0x100_0000_01B3 }
    #expect(trailer.suffix(8).elementsEqual(withUnsafeBytes(of: fold.littleEndian) { Array($0) }))
  }

  @Test func `a sealed stream truncated anywhere is an error`() {
    for count in 0..<Self.stream.count {
      let cut = Array(Self.stream.prefix(count))
      let decoding = Decoding(cut)
      #expect(decoding.code == (count < 4 ? "not-lz4" : "lz4-truncated"), "\(count) bytes: \(decoding)")
      #expect(Decoding(piecesOf: cut) == decoding)
      #expect(Decoding(cut, chunkSize: 1, bufferSize: 1) == decoding)
    }
  }

  @Test func `missing, doubled or swapped frames are errors`() throws {
    let frames = Self.frames
    #expect(frames.count == 7)
    let (head, tail) = (Self.stream.prefix(35), Self.stream.suffix(40))
    func check(_ frames: [ArraySlice<UInt8>], _ comment: Comment) {
      let decoding = Decoding(head + frames.flatMap(\.self) + tail)
      #expect(decoding.message?.contains("missing, duplicated or out of order") == true, comment)
      #expect(Decoding(piecesOf: head + frames.flatMap(\.self) + tail) == decoding)
    }
    #expect(Decoding(head + frames.flatMap(\.self) + tail) == .content(Sample.small.content))
    for index in frames.indices {
      var fewer = frames
      fewer.remove(at: index)
      check(fewer, "without \(index)")
      var more = frames
      more.insert(frames[index], at: (index + 3) % 7)
      check(more, "\(index) twice")
      for other in frames.indices where other > index {
        var swapped = frames
        swapped.swapAt(index, other)
        check(swapped, "\(index) and \(other)")
      }
    }
    check([], "none")
  }

  /// The frames between the start and the trailer, found by their magic numbers, which the content doesn't contain.
  private static var frames: [ArraySlice<UInt8>] {
    let end = stream.count - 40
    let starts = (35..<end).filter { stream[$0..<$0 + 4].elementsEqual([0x04, 0x22, 0x4D, 0x18]) }
    return zip(starts, starts.dropFirst() + [end]).map { stream[$0..<$1] }
  }

  @Test func `streams may follow each other`() {
    let twice = Decoding.content(Sample.small.content + Sample.small.content)
    #expect(Decoding(Self.stream + Self.stream) == twice)
    #expect(Decoding(piecesOf: Self.stream + Self.stream) == twice)
    #expect(Decoding(Self.stream + Self.stream.dropLast(40)).code == "lz4-truncated")
    #expect(Decoding(Self.stream.dropLast(40) + Self.stream).code == "lz4-corrupt")
    #expect(Decoding(Self.stream + Self.stream.prefix(19)).code == "lz4-truncated")
  }

  @Test func `skippable frames may be between the start and the content`() {
    let head = Array(Self.stream.prefix(35))
    let rest = Array(Self.stream.dropFirst(35))
    for payload in [[], Array("coffee<1".utf8), [UInt8](repeating: 1, count: 1000)] {
      for kind in [0, 12, 15] as [UInt32] {
        let stream = head + Handmade.skippable(payload, kind: kind) + rest
        #expect(Decoding(stream) == .content(Sample.small.content))
        #expect(Decoding(piecesOf: stream) == .content(Sample.small.content))
      }
    }
  }

  @Test func `a seal of a newer version is an error that names it`() {
    var stream = Self.stream
    stream[34] = UInt8(ascii: "2")
    #expect(Decoding(stream).code == "lz4-unsupported")
    #expect(Decoding(stream).message?.contains("newer version of Coffer") == true)
  }

  /// Any change is detected or harmless, and workers detect the same as a single reader.
  @Test(arguments: 0..<10)
  func `random damage is detected or harmless`(batch: UInt64) {
    var random = SeededRandom(seed: 1000 + batch)
    for round in TestDepth.cases(everyday: 150, deep: 1000) {
      let (damaged, change) = Self.damage(&random)
      let decoding = Decoding(damaged)
      if case .content(let content) = decoding { #expect(content == Sample.small.content, "round \(round): \(change)") }
      #expect(Decoding(piecesOf: damaged) == decoding, "round \(round): \(change)")
      if round % 10 == 0 { #expect(Decoding(damaged, chunkSize: 3, bufferSize: 5) == decoding, "round \(round): \(change)") }
    }
  }

  private static func damage(_ random: inout SeededRandom) -> ([UInt8], String) {
    var bytes = stream
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let start = below(bytes.count)
    let end = start + 1 + below(min(below(2) == 0 ? 8 : bytes.count, bytes.count - start))
    switch below(6) {
    case 0:
      bytes[start] ^= 1 << UInt8(below(8))
      return (bytes, "a bit of byte \(start)")
    case 1:
      bytes[start] = UInt8(below(256))
      return (bytes, "byte \(start) replaced")
    case 2:
      bytes.removeSubrange(start..<end)
      return (bytes, "\(start)..<\(end) removed")
    case 3 where end - start < stream.count:
      // The whole stream twice would be two valid streams.
      bytes.insert(contentsOf: bytes[start..<end], at: end)
      return (bytes, "\(start)..<\(end) doubled")
    case 4:
      let third = end + below(bytes.count - end + 1)
      bytes = Array(stream[..<start] + stream[end..<third] + stream[start..<end] + stream[third...])
      return (bytes, "\(start)..<\(end) swapped with \(end)..<\(third)")
    default:
      return (Array(bytes.prefix(start)), "cut off at \(start)")
    }
  }
}
