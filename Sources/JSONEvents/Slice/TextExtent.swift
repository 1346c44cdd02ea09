package import ByteStreams

/// How far some bytes reach, in bytes, lines and columns: a monoid, whose neutral element is the empty extent.
///
///     "a\né" + "b"      bytes 4 + 1 · newlines 1 · scalars since the last newline 1 + 1
///
/// A scalar is counted at its first byte, so an extent may begin and end anywhere in it. The extent of all bytes before a place is
/// the place.
package struct TextExtent: Sendable, Hashable {
  package var byteCount: Int
  package var newlineCount: Int
  /// The number of scalars after the last newline, or of all if there is none.
  package var scalarCount: Int

  package init(byteCount: Int = 0, newlineCount: Int = 0, scalarCount: Int = 0) {
    self.byteCount = byteCount
    self.newlineCount = newlineCount
    self.scalarCount = scalarCount
  }

  /// The place after the first bytes of a document that have this extent.
  package var position: TextPosition {
    TextPosition(offset: byteCount, line: newlineCount &+ 1, column: scalarCount &+ 1)
  }

  // A summary from a damaged file may have any numbers: `&+` wraps instead of trapping.
  package static func + (first: TextExtent, next: TextExtent) -> TextExtent {
    TextExtent(
      byteCount: first.byteCount &+ next.byteCount, newlineCount: first.newlineCount &+ next.newlineCount,
      scalarCount: next.newlineCount > 0 ? next.scalarCount : first.scalarCount &+ next.scalarCount)
  }
}
