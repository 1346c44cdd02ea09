import ByteStreams

/// The data of a reader's current entry as a byte source.
struct EntrySource: ByteSource {
  private let reader: ZIPReader
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ reader: ZIPReader) { self.reader = reader }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if rest.isEmpty {
      guard let piece = try reader.nextPiece() else { return 0 }
      rest = piece
    }
    let count = min(rest.count, buffer.count)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    return count
  }
}
