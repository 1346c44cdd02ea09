public import ByteStreams

/// Writes LZ4 data that every LZ4 program can read and whose truncation is always detected; `StreamSeal` shows the layout.
///
/// Compresses its input in pieces of 4 MiB. Frames compressed by workers are inserted in the order of the calls. ``finish()``
/// writes pending bytes and the trailer; without it, the stream counts as truncated.
///
/// For example:
///
///     var writer = LZ4StreamWriter(to: try AtomicFile("export.json.lz4"))
///     try writer.write("[1, 2, 3]")
///     try writer.finish()
///     try writer.sink.commit()
///
/// Memory: two pieces, about 8 MiB, once bytes are written; none for frames compressed by workers.
public struct LZ4StreamWriter<Sink: ByteSink>: ByteSink {
  public private(set) var sink: Sink
  /// The number of bytes written to `sink`.
  public private(set) var bytesWritten = 0

  private let encoder: LZ4FrameEncoder
  private var gathered: [UInt8] = []
  private var seal = StreamSeal()
  private var hasStarted = false

  public init(to sink: Sink, level: LZ4Level = .fastest) {
    self.sink = sink
    encoder = LZ4FrameEncoder(level: level)
  }

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + LZ4FrameEncoder.largestContent - gathered.count)
      gathered.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
      if gathered.count == LZ4FrameEncoder.largestContent { try flush() }
    }
  }

  /// Writes frames compressed elsewhere after everything written before.
  public mutating func write(_ frames: LZ4Frames) throws(CofferError) {
    try flush()
    try append(frames)
  }

  /// Ends the stream. Don't write to it afterwards.
  public mutating func finish() throws(CofferError) {
    try flush()
    try start()
    try put(seal.trailer)
  }

  /// Compresses the pending bytes into a frame.
  private mutating func flush() throws(CofferError) {
    if gathered.isEmpty { return }
    let frames = gathered.withUnsafeBytes { encoder.encode($0) }
    gathered.removeAll(keepingCapacity: true)
    try append(frames)
  }

  private mutating func append(_ frames: LZ4Frames) throws(CofferError) {
    try start()
    for content in frames.contents { seal.add(content) }
    try put(frames.bytes)
  }

  private mutating func start() throws(CofferError) {
    if hasStarted { return }
    hasStarted = true
    try put(StreamSeal.start)
  }

  private mutating func put(_ bytes: [UInt8]) throws(CofferError) {
    try sink.write(bytes)
    bytesWritten += bytes.count
  }
}
