import ByteStreams
import JSONEvents

/// Memory that tells how often it was read.
struct CountedSource: ByteSource {
  final class Tally {
    var reads = 0
  }

  let tally = Tally()
  private var source: MemorySource

  init(_ bytes: some Sequence<UInt8>, chunkSize: Int = .max) {
    source = MemorySource(bytes, chunkSize: chunkSize)
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    tally.reads += 1
    return try source.read(into: buffer)
  }
}

/// Memory whose end is an error.
struct FailingSource: ByteSource {
  private var source: MemorySource

  init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let count = try source.read(into: buffer)
    if count == 0 { throw ByteStreamError(code: .inputOutput, message: "cannot read the rest") }
    return count
  }
}

/// `count` times the same bytes between a start and an end, made as they are read.
struct RepeatingSource: ByteSource {
  private var start: MemorySource
  private let piece: [UInt8]
  private var left: Int
  private var end: MemorySource

  init(start: String, piece: String, count: Int, end: String) {
    self.start = MemorySource(start.utf8)
    self.piece = Array(piece.utf8)
    left = self.piece.count * count
    self.end = MemorySource(end.utf8)
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let count = try start.read(into: buffer)
    if count > 0 { return count }
    guard left > 0 else { return try end.read(into: buffer) }
    // Whole pieces where they fit, so that every read begins with one.
    let room = min(left, buffer.count) / piece.count * piece.count
    precondition(room > 0, "the buffer holds less than a piece")
    for index in stride(from: 0, to: room, by: piece.count) {
      UnsafeMutableRawBufferPointer(rebasing: buffer[index..<index + piece.count]).copyBytes(from: piece)
    }
    left -= room
    return room
  }
}

/// The length of each event's text, without copies of the texts.
struct EventLengths {
  private(set) var lengths: [Int] = []
  private(set) var batches = 0
  private(set) var error: JSONReadError?

  init(_ source: some ByteSource, limits: ReaderLimits) throws {
    var reader = JSONEventReader(source, limits: limits)
    do {
      while try reader.next() {
        batches += 1
        for index in 0..<reader.batch.count { lengths.append(reader.batch.text(of: reader.batch[index]).count) }
      }
    } catch let error as JSONReadError {
      self.error = error
    }
  }
}
