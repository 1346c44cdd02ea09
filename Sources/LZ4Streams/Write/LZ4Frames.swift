/// Bytes that were compressed on their own: what a worker makes, for an ``LZ4StreamWriter`` to put in its place.
public struct LZ4Frames: Sendable {
  /// The frames, one behind the other.
  var bytes: [UInt8] = []
  /// What each holds.
  var contents: [LZ4Content] = []
}
