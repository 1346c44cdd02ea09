import Synchronization

/// The progress of reading an input. It can be polled from any thread.
///
/// For example:
///
///     let progress = ByteProgress()
///     options.execution.progress = progress
///     async let report = backup.validate(rules: rules, options: options)
///     …
///     print(progress.bytesRead, "of", progress.byteCount ?? 0)
public final class ByteProgress: Sendable {
  private let read = Atomic(0)
  private let total = Atomic(-1)

  public init() {}

  /// The number of bytes read.
  public var bytesRead: Int { read.load(ordering: .relaxed) }

  /// The total number of bytes, or `nil` while it is unknown.
  public var byteCount: Int? {
    let count = total.load(ordering: .relaxed)
    return count < 0 ? nil : count
  }

  /// Sets the total number of bytes.
  package func expect(_ count: Int?) { total.store(count ?? -1, ordering: .relaxed) }

  /// Adds to the number of bytes read.
  package func add(_ count: Int) { read.wrappingAdd(count, ordering: .relaxed) }
}

/// A source that reports its progress.
package struct MeteredSource: ByteSource {
  private var source: any ByteSource
  private let progress: ByteProgress

  package init(_ source: any ByteSource, _ progress: ByteProgress) {
    self.source = source
    self.progress = progress
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try source.read(into: buffer)
    progress.add(count)
    return count
  }
}
