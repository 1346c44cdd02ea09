import CByteScan

/// Turns byte offsets within the reader's buffer into lines and columns.
///
/// It computes positions only on request. Requests in ascending order cost one pass over the buffer in total. For a smaller offset it starts from the
/// closest earlier position that it remembers: the start of its previous walk, one of two anchors at least 4 KiB apart, or the buffer's start.
package struct LineCursor {
  private var bytes: UnsafePointer<UInt8>
  private var count: Int
  /// Where `bytes` begins.
  private var base: TextPosition
  private var current: TextPosition
  /// Where the last walk began.
  private var former: TextPosition
  /// Two places that were asked for, at least `stride` apart: the older one is still there for who goes back past the newer.
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

  /// A cursor over bytes that stay where they are.
  init(bytes: UnsafePointer<UInt8>, count: Int, at start: TextPosition) {
    self.bytes = bytes
    self.count = count
    base = start
    current = start
    former = start
    anchors = (start, start)
  }

  /// The place of the byte at `offset`, counted from the document's start. It must lie in the buffer or just past it.
  package mutating func position(at offset: Int) -> TextPosition {
    precondition(offset >= base.offset && offset <= base.offset + count, "the place is no longer in the buffer")
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

  /// The buffer has moved or grown.
  mutating func rebase(bytes: UnsafePointer<UInt8>, count: Int) {
    self.bytes = bytes
    self.count = count
  }

  /// The buffer's first `length` bytes are about to be dropped.
  mutating func drop(_ length: Int) {
    base = position(at: base.offset + length)
    former = base
    anchors = (base, base)
    bytes += length
    count -= length
  }

  /// The first `length` bytes are no text (a byte-order mark): they take no column.
  mutating func skipWithoutColumns(_ length: Int) {
    base.offset += length
    bytes += length
    count -= length
    current = base
    former = base
    anchors = (base, base)
  }

  /// The buffer is empty, and goes on at another place of the document.
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
