import ByteStreams
import SystemPackage

/// Where the bytes of a document that was written come from: an entry for each place at which something was left out or added.
///
///     read       {"cars": [{"id": 1}, ▒▒▒▒▒▒▒▒▒▒, {"id": 3}]}
///     written    {"cars": [{"id": 1}, {"id": 3}]}               offset 21 comes from offset 33, index 1 from index 2
///
/// Entries are added, and later looked up, in the order of the document. Memory: a part of the memory limit; the rest spills to disk.
struct MoveLog {
  private struct Move: BitwiseCopyable, Comparable {
    /// The offset in what was written.
    var offset = 0
    /// The place in what was read.
    var origin = TextPosition(offset: 0, line: 1, column: 1)
    /// How much larger the indices of items were.
    var indexShift = 0

    static func < (a: Move, b: Move) -> Bool { a.offset < b.offset }
    static func == (a: Move, b: Move) -> Bool { a.offset == b.offset }
  }

  private var moves: SpillSorter<Move>
  /// While moves are added: the last one. While places are looked up: the moves before and after the place.
  private var last = Move()
  private var next: Move?
  /// The position of `last` in what was written.
  private var start = TextPosition(offset: 0, line: 1, column: 1)

  init(_ options: Execution) {
    moves = SpillSorter(memory: options.memoryLimit / 8, folder: options.temporaryFolder)
  }

  /// Adds a place from which on bytes are copied, unless the last one leads there.
  mutating func append(
    _ offset: Int, from origin: Int, indexShift: Int, at position: (Int) throws(CofferError) -> TextPosition
  ) throws(CofferError) {
    if offset - origin == last.offset - last.origin.offset, indexShift == last.indexShift { return }
    last = Move(offset: offset, origin: try position(origin), indexShift: indexShift)
    try moves.append(last)
  }

  /// Ends adding: places can be looked up from now on.
  mutating func finish() throws(CofferError) {
    try moves.finish()
    last = Move()
    next = try moves.next()
  }

  /// Returns the offset from which a byte comes.
  mutating func origin(of offset: Int) throws(CofferError) -> Int {
    while let move = next, move.offset <= offset { (last, next) = (move, try moves.next()) }
    return last.origin.offset + offset - last.offset
  }

  /// The next place at which something was left out or added.
  var nextOffset: Int? { next?.offset }

  /// Passes that place.
  ///
  /// - Parameter position: its position in what was written.
  mutating func pass(at position: TextPosition) throws(CofferError) {
    _ = try origin(of: position.offset)
    start = position
  }

  /// Returns the position from which the byte at a position comes.
  func origin(of position: TextPosition) -> TextPosition {
    TextPosition(
      offset: last.origin.offset + position.offset - last.offset, line: last.origin.line + position.line - start.line,
      column: position.line == start.line ? last.origin.column + position.column - start.column : position.column)
  }

  /// How much larger the indices of items were there.
  var indexShift: Int { last.indexShift }
}
