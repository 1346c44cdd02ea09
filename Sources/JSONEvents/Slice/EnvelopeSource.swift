package import ByteStreams

/// The envelope of a document as a source that stops wherever a collection was left out.
///
///     { "cars" : [ … ], "ideas" : [ … ] }
///     |- piece -->|   |- piece -->|   |->|       the last piece has no gap after it
///
/// The reader of the source continues after a gap with `JSONEventReader.skipItems`.
package final class EnvelopeSource: ByteSource {
  /// Bytes up to the next gap, or to the document's end.
  package struct Piece {
    package var source: any ByteSource
    /// The number of bytes before the gap, or `nil` if no gap follows.
    package var byteCount: Int?

    package init(_ source: any ByteSource, byteCount: Int? = nil) {
      self.source = source
      self.byteCount = byteCount
    }
  }

  /// Where a pass continues after a gap.
  package enum Continuation {
    /// With the envelope from `position` on.
    ///
    /// - Parameter skipped: the items of the gap that were left out, if any.
    case envelope(Piece, from: TextPosition, skipped: Skipped?)
    /// With lines, which are read one slice after another.
    case lines(LineSlicer)
    /// Nowhere: the caller needs no more.
    case end
  }

  /// Items of a collection.
  package enum Skipped {
    case all
    /// The first ones, up to a comma, after which another one follows.
    case first
  }

  private var piece: Piece

  package init(_ first: Piece) { piece = first }

  /// True if all bytes before a gap have been returned.
  package var isAtGap: Bool { piece.byteCount == 0 }

  /// Continues after the gap.
  package func resume(with next: Piece) { piece = next }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    guard let rest = piece.byteCount else { return try piece.source.read(into: buffer) }
    if rest == 0 { return 0 }
    let count = try piece.source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(rest)))
    // A piece that is too short ends the document: its reader says where.
    piece.byteCount = count == 0 ? nil : rest - count
    return count
  }
}
