/// A source that reports its progress.
package struct MeteredSource: ByteSource {
  private var source: any ByteSource
  private let progress: WorkProgress

  package init(_ source: any ByteSource, _ progress: WorkProgress) {
    self.source = source
    self.progress = progress
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try source.read(into: buffer)
    progress.add(bytes: count)
    return count
  }
}

extension ByteSource {
  /// The source, whose bytes `progress` counts.
  package func metered(by progress: WorkProgress?) -> any ByteSource { progress.map { MeteredSource(self, $0) } ?? self }
}

/// A sink that reports its progress.
package struct MeteredSink<Sink: ByteSink>: ByteSink {
  package private(set) var sink: Sink
  private let progress: WorkProgress

  package init(_ sink: Sink, _ progress: WorkProgress) {
    self.sink = sink
    self.progress = progress
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    try sink.write(bytes)
    progress.add(bytes: bytes.count)
  }
}
