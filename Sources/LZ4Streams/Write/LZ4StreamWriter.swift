public import ByteStreams

/// Writes LZ4 data that every LZ4 program can read and whose truncation is always detected; `StreamSeal` shows the layout.
///
/// For example:
///
///     var writer = LZ4StreamWriter(to: try AtomicFile("export.json.lz4"))
///     try writer.write("[1, 2, 3]")
///     try writer.finish()
///     try writer.sink.commit()
public typealias LZ4StreamWriter<Sink: ByteSink> = PieceWriter<LZ4Codec, Sink>

extension PieceWriter where Codec == LZ4Codec {
  public init(to sink: Sink, level: LZ4Level = .fastest) { self.init(to: sink, LZ4Codec(level: level)) }
}

/// Independent LZ4 frames between the marks of a `StreamSeal`.
public struct LZ4Codec: PieceCodec {
  private let encoder: LZ4FrameEncoder
  private var seal = StreamSeal()

  init(level: LZ4Level) { encoder = LZ4FrameEncoder(level: level) }

  /// The specification (LZ4 Frame Format 1.6.4, "Skippable frames") recommends the empty frame. It has a content size, which
  /// `lz4` omits for an empty file.
  static let emptyFrame: [UInt8] = [
    0x04, 0x22, 0x4D, 0x18, 0x68, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 0, 0, 0, 0,
  ]

  public var start: [UInt8] { Self.emptyFrame + StreamSeal.start }

  public var end: [UInt8] { seal.trailer }

  public func encode(_ bytes: UnsafeRawBufferPointer) -> LZ4Frames { encoder.encode(bytes) }

  public mutating func join(_ frames: LZ4Frames) -> [UInt8] {
    for content in frames.contents { seal.add(content) }
    return frames.bytes
  }
}
