import ByteStreams

/// Independently compressed bytes: produced by a worker for an ``LZ4StreamWriter`` to write in order.
public struct LZ4Frames: Sendable {
  /// The concatenated frames.
  var bytes: [UInt8] = []
  /// The content of each frame.
  var contents: [FrameContent] = []
}
