/// Bytes that were compressed independently, for example by a worker: a ``PieceWriter`` writes such pieces in order.
public struct CompressedPiece: Sendable {
  /// The compressed bytes: whole frames, or whole blocks of Deflate.
  package var bytes: [UInt8] = []
  /// The size and the checksum of the content of each frame, or of all blocks.
  package var contents: [FrameContent] = []

  package init() {}
}

/// How a format compresses pieces independently of each other, and what surrounds them in a stream.
///
/// The same bytes give the same pieces. A codec is used by one thread at a time; make one for each thread.
public protocol PieceCodec {
  /// The stream around the pieces.
  var frame: StreamFrame { get }

  func encode(_ bytes: UnsafeRawBufferPointer) -> CompressedPiece
}

extension PieceCodec {
  /// The largest content of a piece in bytes, which a reader can still decode as a whole.
  public static var largestContent: Int { 4 << 20 }
}

/// What surrounds the pieces of a stream: the marks of a `StreamSeal`, or the header and trailer of a gzip member.
public struct StreamFrame: Sendable {
  private enum Form {
    case sealed(StreamSeal)
    case member(CRC32, size: Int)
  }

  private var form: Form
  /// The bytes before the first piece.
  let start: [UInt8]

  /// - Parameter emptyFrame: the frame before the seal's first mark, by which tools recognise the format.
  package static func sealed(after emptyFrame: [UInt8]) -> StreamFrame {
    StreamFrame(form: .sealed(StreamSeal()), start: emptyFrame + StreamSeal.start)
  }

  package static func member(header: [UInt8]) -> StreamFrame { StreamFrame(form: .member(CRC32(), size: 0), start: header) }

  /// Adds the contents of the next piece.
  mutating func add(_ contents: [FrameContent]) {
    for content in contents {
      switch form {
      case .sealed(var seal):
        seal.add(content)
        form = .sealed(seal)
      case .member(var checksum, let size):
        checksum.add(CRC32(value: content.checksum), size: Int(content.size))
        form = .member(checksum, size: size + Int(content.size))
      }
    }
  }

  /// The bytes after the last piece.
  var end: [UInt8] {
    switch form {
    case .sealed(let seal): return seal.trailer
    case .member(let checksum, let size):
      // An empty block with fixed codes, marked as the last.
      var bytes: [UInt8] = [3, 0]
      bytes.append(littleEndian: checksum.value)
      bytes.append(littleEndian: UInt32(truncatingIfNeeded: size))
      return bytes
    }
  }
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

  private let codec: Codec
  private var frame: StreamFrame
  private var gathered: [UInt8] = []
  private var hasStarted = false

  package init(to sink: Sink, _ codec: Codec) {
    self.sink = sink
    self.codec = codec
    frame = codec.frame
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
  public mutating func write(_ piece: CompressedPiece) throws(CofferError) {
    try flush()
    try append(piece)
  }

  /// Ends the stream. Don't write to it afterwards.
  public mutating func finish() throws(CofferError) {
    try flush()
    try start()
    try put(frame.end)
  }

  /// Compresses the pending bytes.
  private mutating func flush() throws(CofferError) {
    if gathered.isEmpty { return }
    let piece = gathered.withUnsafeBytes { codec.encode($0) }
    gathered.removeAll(keepingCapacity: true)
    try append(piece)
  }

  private mutating func append(_ piece: CompressedPiece) throws(CofferError) {
    try start()
    frame.add(piece.contents)
    try put(piece.bytes)
  }

  private mutating func start() throws(CofferError) {
    if hasStarted { return }
    hasStarted = true
    try put(frame.start)
  }

  private mutating func put(_ bytes: [UInt8]) throws(CofferError) {
    try sink.write(bytes)
    bytesWritten += bytes.count
  }
}
