import Synchronization

/// How far something has come in its input: handed in, and looked at from any thread, as often as one likes.
///
/// For example:
///
///     let progress = ByteProgress()
///     async let report = backup.validate(against: rules, options: options, progress: progress)
///     …
///     print(progress.bytesRead, "of", progress.byteCount ?? 0)
public final class ByteProgress: Sendable {
  private let read = Atomic(0)
  private let total = Atomic(-1)

  public init() {}

  /// How many bytes of the input have been read.
  public var bytesRead: Int { read.load(ordering: .relaxed) }

  /// How many there are; `nil` while nobody knows.
  public var byteCount: Int? {
    let count = total.load(ordering: .relaxed)
    return count < 0 ? nil : count
  }

  /// So many bytes are to be read.
  package func expect(_ count: Int?) { total.store(count ?? -1, ordering: .relaxed) }

  /// So many more have been read.
  package func add(_ count: Int) { read.wrappingAdd(count, ordering: .relaxed) }
}

/// A source that tells how far it has been read.
package struct MeteredSource: ByteSource {
  private var source: any ByteSource
  private let progress: ByteProgress

  package init(_ source: any ByteSource, _ progress: ByteProgress) {
    self.source = source
    self.progress = progress
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let count = try source.read(into: buffer)
    progress.add(count)
    return count
  }
}
