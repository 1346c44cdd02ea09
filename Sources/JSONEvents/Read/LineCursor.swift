package import ByteStreams
import CByteScan

/// Converts byte offsets in the reader's buffer to lines and columns.
///
/// Positions are computed only on request. Requests in ascending order cost one pass over the buffer in total. For a smaller
/// offset, the cursor starts from the closest earlier position that it remembers: the start of its previous walk, one of two
/// anchors at least 4 KiB apart, or the start of the buffer.
package struct LineCursor {
  private var bytes: UnsafePointer<UInt8>
  private var count: Int
  /// The position of `bytes`.
  private var base: TextPosition
  private var current: TextPosition
  /// The start of the last walk.
  private var former: TextPosition
  /// Two requested positions at least `stride` apart: the older one serves requests before the newer one.
  private var anchors: (older: TextPosition, newer: TextPosition)
  private static let stride = 4096

  init(bytes: UnsafePointer<UInt8>) {
    self.bytes = bytes
    count = 0
    base = TextPosition(offset: 0, line: 1, column: 1)
    current = base
    former = base
    anchors = (base, base)
  }

  /// Creates a cursor for bytes that don't move.
  init(bytes: UnsafePointer<UInt8>, count: Int, at start: TextPosition) {
    self.bytes = bytes
    self.count = count
    base = start
    current = start
    former = start
    anchors = (start, start)
  }

  /// Returns the position of the byte at `offset`, relative to the document. It must be in the buffer or at its end.
  package mutating func position(at offset: Int) -> TextPosition {
    precondition(offset >= base.offset && offset <= base.offset + count, "the offset is not in the buffer")
    if offset < anchors.older.offset { anchors = (base, base) }
    if offset < current.offset {
      let anchor = offset < anchors.newer.offset ? anchors.older : anchors.newer
      current = former.offset <= offset && former.offset > anchor.offset ? former : anchor
    }
    former = current
    advance(to: offset)
    if offset - anchors.newer.offset > Self.stride { anchors = (anchors.newer, current) }
    return current
  }

  /// Updates the buffer after it has moved or grown.
  mutating func rebase(bytes: UnsafePointer<UInt8>, count: Int) {
    self.bytes = bytes
    self.count = count
  }

  /// Prepares for dropping the buffer's first `length` bytes.
  mutating func drop(_ length: Int) {
    base = position(at: base.offset + length)
    former = base
    anchors = (base, base)
    bytes += length
    count -= length
  }

  /// Skips the first `length` bytes, which take no column (a byte-order mark).
  mutating func skipWithoutColumns(_ length: Int) {
    base.offset += length
    bytes += length
    count -= length
    current = base
    former = base
    anchors = (base, base)
  }

  /// Continues with an empty buffer at another place of the document.
  mutating func jump(to position: TextPosition) {
    count = 0
    base = position
    current = position
    former = position
    anchors = (position, position)
  }

  private mutating func advance(to offset: Int) {
    var line = UInt64(current.line)
    var column = UInt64(current.column)
    coffer_advance_position(bytes + (current.offset - base.offset), offset - current.offset, &line, &column)
    current = TextPosition(offset: offset, line: Int(line), column: Int(column))
  }
}

extension TextPosition {
  /// Finds the line and column of a place by reading the document again.
  ///
  /// - Parameters:
  ///   - offset: in bytes; if the source ends before, the position is its end.
  ///   - source: the document from its start.
  package init(of offset: Int, in source: any ByteSource) throws(CofferError) {
    self.init(offset: 0, line: 1, column: 1)
    var source = source
    var line: UInt64 = 1
    var column: UInt64 = 1
    let mark = try source.readPrefix(min(3, offset))
    self.offset = mark.count
    // A byte-order mark takes no column.
    if mark != [0xEF, 0xBB, 0xBF] { mark.withUnsafeBufferPointer { Self.advance($0, $0.count, &line, &column) } }
    let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)
    defer { piece.deallocate() }
    while self.offset < offset {
      let wanted = UnsafeMutableBufferPointer(rebasing: piece.prefix(offset - self.offset))
      let count = try source.read(into: UnsafeMutableRawBufferPointer(wanted))
      if count == 0 { break }
      Self.advance(UnsafeBufferPointer(wanted), count, &line, &column)
      self.offset += count
    }
    self.line = Int(line)
    self.column = Int(column)
  }

  private static func advance(_ bytes: UnsafeBufferPointer<UInt8>, _ count: Int, _ line: inout UInt64, _ column: inout UInt64) {
    if let start = bytes.baseAddress, count > 0 { coffer_advance_position(start, count, &line, &column) }
  }
}
