public import ByteStreams

/// Writes LZ4 data that every LZ4 program reads, and whose end can't be lost unseen: `StreamSeal` draws it.
///
/// What is written to it is compressed in pieces of 4 MiB; what workers compressed is put in between as it comes. ``finish()`` writes what is left
/// and the trailer: without it, the stream counts as cut off.
///
/// For example:
///
///     var writer = LZ4StreamWriter(to: try AtomicFile(replacing: "export.json.lz4"))
///     try writer.write("[1, 2, 3]")
///     try writer.finish()
///     try writer.sink.commit()
///
/// Memory: two pieces, some 8 MiB, once something is written to it; none for what workers compressed.
public struct LZ4StreamWriter<Sink: ByteSink>: ByteSink {
  public private(set) var sink: Sink
  /// How many bytes have gone to `sink`.
  public private(set) var bytesWritten = 0

  private let encoder: LZ4FrameEncoder
  private var gathered: [UInt8] = []
  private var seal = StreamSeal()
  private var hasStarted = false

  public init(to sink: Sink, level: LZ4Level = .fastest) {
    self.sink = sink
    encoder = LZ4FrameEncoder(level: level)
  }

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + LZ4FrameEncoder.largestContent - gathered.count)
      gathered.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
      if gathered.count == LZ4FrameEncoder.largestContent { try flush() }
    }
  }

  /// Writes what was compressed elsewhere, behind all that was written before.
  public mutating func write(_ frames: LZ4Frames) throws(ByteStreamError) {
    try flush()
    try append(frames)
  }

  /// Ends the stream. Nothing is written to it any more.
  public mutating func finish() throws(ByteStreamError) {
    try flush()
    try start()
    try put(seal.trailer)
  }

  /// Makes a frame of what has been gathered.
  private mutating func flush() throws(ByteStreamError) {
    if gathered.isEmpty { return }
    let frames = gathered.withUnsafeBytes { encoder.encode($0) }
    gathered.removeAll(keepingCapacity: true)
    try append(frames)
  }

  private mutating func append(_ frames: LZ4Frames) throws(ByteStreamError) {
    try start()
    for content in frames.contents { seal.add(content) }
    try put(frames.bytes)
  }

  private mutating func start() throws(ByteStreamError) {
    if hasStarted { return }
    hasStarted = true
    try put(StreamSeal.start)
  }

  private mutating func put(_ bytes: [UInt8]) throws(ByteStreamError) {
    try sink.write(bytes)
    bytesWritten += bytes.count
  }
}
