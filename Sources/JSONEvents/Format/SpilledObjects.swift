import ByteStreams
import SystemPackage

/// Objects whose members are in a temporary file, because they are too large to sort in memory.
struct SpilledObjects: ~Copyable {
  /// The largest size of an object in memory.
  let size: Int
  private var file: SpillFile?
  /// A complete object that is not inside another spilled one: the next to be written.
  private var finished: (chain: SpillFile.Chain, ranges: [Range<Int>])?
  /// The number of bytes copied at a time.
  private static let pieceSize = 64 << 10

  private let folder: FilePath

  init(size: Int, in folder: FilePath) {
    self.size = size
    self.folder = folder
  }

  /// Appends to an object's members. If there is no chain, begins a new object.
  mutating func append(_ bytes: UnsafeRawBufferPointer, to chain: SpillFile.Chain?) throws(CofferError) -> SpillFile.Chain {
    // Don't use `??`, which would lose the error's type.
    if file == nil { file = try SpillFile(in: folder) }
    guard let file else { preconditionFailure("just made") }
    let chain = chain ?? file.makeChain()
    try file.append(bytes, to: chain)
    return chain
  }

  /// Appends a complete object's members in order, without the last comma, to those of the outer object. Returns their number of
  /// bytes.
  mutating func move(
    _ chain: SpillFile.Chain, in ranges: some Collection<Range<Int>>, to outer: SpillFile.Chain
  ) throws(CofferError) -> Int {
    guard let file else { return 0 }
    var count = 0
    try Self.read(chain, of: file, in: ranges) { piece throws(CofferError) in
      try file.append(piece, to: outer)
      count += piece.count
    }
    return count
  }

  /// Marks an object as complete; it must not be inside another spilled one.
  mutating func finish(_ chain: SpillFile.Chain, in ranges: [Range<Int>]) {
    precondition(finished == nil, "two objects spilled between two drains")
    finished = (chain, ranges)
  }

  mutating func flush(to sink: inout some ByteSink) throws(CofferError) {
    guard let file, let (chain, ranges) = finished else { return }
    finished = nil
    try Self.read(chain, of: file, in: ranges) { piece throws(CofferError) in try sink.write(piece) }
  }

  private static func read(
    _ chain: SpillFile.Chain, of file: SpillFile, in ranges: some Collection<Range<Int>>,
    _ body: (UnsafeRawBufferPointer) throws(CofferError) -> Void
  ) throws(CofferError) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
    defer {
      piece.deallocate()
      file.free(chain)
    }
    var rest = ranges.reduce(0) { $0 + $1.count } - 1
    for range in ranges {
      var offset = range.lowerBound
      let end = offset + min(range.count, rest)
      rest -= end - offset
      while offset < end {
        let wanted = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(end - offset))
        let count = try file.read(chain, at: offset, into: wanted)
        if count == 0 { throw file.damaged }
        try body(UnsafeRawBufferPointer(rebasing: wanted.prefix(count)))
        offset += count
      }
    }
  }
}
