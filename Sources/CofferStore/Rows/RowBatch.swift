/// Rows of one table, ready to be bound.
///
///     cells    row 0: integer 7 · text 0+5 · null … | row 1: …        16 bytes a cell, as many a row as the table has columns
///     text     helloworld…                                            what the texts lie in, one behind the other
struct RowBatch: Sendable {
  struct Cell: BitwiseCopyable, Sendable {
    enum Kind: UInt8, BitwiseCopyable, Sendable { case null, integer, text }

    var kind = Kind.null
    var length: Int32 = 0
    /// The integer, or where the text begins.
    var value: Int64 = 0
  }

  var cells: [Cell] = []
  var text: [UInt8] = []
  var rowCount = 0
  /// The first record that can't be a row; those before it are here, those behind it are not.
  var failure: Failure?

  struct Failure: Sendable {
    let offset: Int
    let message: String
  }

  mutating func removeAll() {
    cells.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    rowCount = 0
  }
}
