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

  /// - Parameter start: the position of `bytes`.
  init(bytes: UnsafePointer<UInt8>, count: Int = 0, at start: TextPosition = TextPosition(offset: 0, line: 1, column: 1)) {
    self.bytes = bytes
    self.count = count
    base = start
    current = start
    former = start
    anchors = (start, start)
  }

  /// - Parameter start: the position of the bytes, which must outlive the cursor.
  package init(bytes: ByteView, at start: TextPosition) { self.init(bytes: bytes.base, count: bytes.count, at: start) }

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
    self = LineCursor(bytes: bytes + length, count: count - length, at: position(at: base.offset + length))
  }

  /// Skips the first `length` bytes, which take no column (a byte-order mark).
  mutating func skipWithoutColumns(_ length: Int) {
    base.offset += length
    self = LineCursor(bytes: bytes + length, count: count - length, at: base)
  }

  /// Continues with an empty buffer at another place of the document.
  mutating func jump(to position: TextPosition) {
    self = LineCursor(bytes: bytes, at: position)
  }

  private mutating func advance(to offset: Int) {
    var line = UInt64(current.line)
    var column = UInt64(current.column)
    coffer_advance_position(bytes + (current.offset - base.offset), offset - current.offset, &line, &column)
    current = TextPosition(offset: offset, line: Int(line), column: Int(column))
  }
}
