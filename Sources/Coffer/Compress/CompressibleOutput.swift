package import ByteStreams
package import LZ4Streams

/// Output to a sink, uncompressed or through LZ4.
package struct CompressibleOutput<Sink: ByteSink>: ByteSink {
  // This is not an enum, because each write would copy the case's payload, including all buffered data.
  private var plain: Sink?
  private var compressing: LZ4StreamWriter<Sink>?

  package init(_ sink: Sink, compression: LZ4Level?) {
    if let compression { compressing = LZ4StreamWriter(to: sink, level: compression) } else { plain = sink }
  }

  package var sink: Sink {
    if let plain { return plain }
    guard let compressing else { preconditionFailure("one of the two must be set") }
    return compressing.sink
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    try plain?.write(bytes)
    try compressing?.write(bytes)
  }

  /// Writes data that a worker compressed.
  package mutating func write(_ frames: LZ4Frames) throws(CofferError) { try compressing?.write(frames) }

  package mutating func finish() throws(CofferError) { try compressing?.finish() }
}
