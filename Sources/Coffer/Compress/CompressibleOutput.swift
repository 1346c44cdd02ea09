package import ByteStreams
package import LZ4Streams

/// An output for text: the sink itself, or LZ4 frames written to it.
package struct CompressibleOutput<Sink: ByteSink>: ByteSink {
  // Not an enum: its case would be copied out, with all that it has gathered, for each write.
  private var plain: Sink?
  private var compressing: LZ4StreamWriter<Sink>?

  package init(_ sink: Sink, compression: LZ4Level?) {
    if let compression { compressing = LZ4StreamWriter(to: sink, level: compression) } else { plain = sink }
  }

  package var sink: Sink {
    if let plain { return plain }
    guard let compressing else { preconditionFailure("one of both is there") }
    return compressing.sink
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    try plain?.write(bytes)
    try compressing?.write(bytes)
  }

  /// Takes what a worker compressed.
  package mutating func write(_ frames: LZ4Frames) throws(ByteStreamError) { try compressing?.write(frames) }

  package mutating func finish() throws(ByteStreamError) { try compressing?.finish() }
}
