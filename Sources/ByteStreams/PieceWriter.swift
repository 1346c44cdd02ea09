/// How a format joins pieces that were compressed independently into one stream.
public protocol PieceCodec {
  /// A compressed piece.
  associatedtype Piece: Sendable

  /// The bytes before the first piece.
  var start: [UInt8] { get }

  /// The bytes after the pieces that were joined.
  var end: [UInt8] { get }

  /// Compresses bytes.
  func encode(_ bytes: UnsafeRawBufferPointer) -> Piece

  /// Returns the bytes of the next piece.
  mutating func join(_ piece: Piece) -> [UInt8]
}

extension PieceCodec {
  /// The largest content of a piece in bytes, which a reader can still decode as a whole.
  public static var largestContent: Int { 4 << 20 }
}

/// Writes compressed data.
///
/// Compresses its input in pieces of 4 MiB. Pieces compressed by workers are inserted in the order of the calls. ``finish()``
/// writes pending bytes and the end; without it, the stream counts as truncated.
///
/// Memory: two pieces, about 8 MiB, once bytes are written; none for pieces compressed by workers.
public struct PieceWriter<Codec: PieceCodec, Sink: ByteSink>: ByteSink {
  public private(set) var sink: Sink
  /// The number of bytes written to `sink`.
  public private(set) var bytesWritten = 0

  private var codec: Codec
  private var gathered: [UInt8] = []
  private var hasStarted = false

  package init(to sink: Sink, _ codec: Codec) {
    self.sink = sink
    self.codec = codec
  }

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Codec.largestContent - gathered.count)
      gathered.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
      if gathered.count == Codec.largestContent { try flush() }
    }
  }

  /// Writes a piece compressed elsewhere after everything written before.
  public mutating func write(_ piece: Codec.Piece) throws(CofferError) {
    try flush()
    try append(piece)
  }

  /// Ends the stream. Don't write to it afterwards.
  public mutating func finish() throws(CofferError) {
    try flush()
    try start()
    try put(codec.end)
  }

  /// Compresses the pending bytes.
  private mutating func flush() throws(CofferError) {
    if gathered.isEmpty { return }
    let piece = gathered.withUnsafeBytes { codec.encode($0) }
    gathered.removeAll(keepingCapacity: true)
    try append(piece)
  }

  private mutating func append(_ piece: Codec.Piece) throws(CofferError) {
    try start()
    try put(codec.join(piece))
  }

  private mutating func start() throws(CofferError) {
    if hasStarted { return }
    hasStarted = true
    try put(codec.start)
  }

  private mutating func put(_ bytes: [UInt8]) throws(CofferError) {
    try sink.write(bytes)
    bytesWritten += bytes.count
  }
}
