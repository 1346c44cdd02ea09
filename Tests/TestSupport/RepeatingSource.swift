package import ByteStreams

/// A source with `count` repetitions of the same bytes between a start and an end, made as they are read.
package struct RepeatingSource: ByteSource {
  private var start: MemorySource
  private let piece: [UInt8]
  private var left: Int
  private var end: MemorySource

  package init(start: String, piece: String, count: Int, end: String) {
    self.start = MemorySource(start.utf8)
    self.piece = Array(piece.utf8)
    left = self.piece.count * count
    self.end = MemorySource(end.utf8)
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try start.read(into: buffer)
    if count > 0 { return count }
    guard left > 0 else { return try end.read(into: buffer) }
    let begun = left % piece.count
    if begun > 0 || buffer.count < piece.count {
      let part = piece.suffix(begun > 0 ? begun : piece.count).prefix(buffer.count)
      buffer.copyBytes(from: part)
      left -= part.count
      return part.count
    }
    // Whole pieces if they fit, so that reads begin with one.
    let room = min(left, buffer.count) / piece.count * piece.count
    for index in stride(from: 0, to: room, by: piece.count) {
      UnsafeMutableRawBufferPointer(rebasing: buffer[index..<index + piece.count]).copyBytes(from: piece)
    }
    left -= room
    return room
  }
}
