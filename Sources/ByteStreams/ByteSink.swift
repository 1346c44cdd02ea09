/// A destination of sequential bytes: a file, standard output, memory.
public protocol ByteSink {
  /// Writes all of `bytes`, or throws.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError)
}

extension ByteSink {
  /// Writes `text` as UTF-8.
  public mutating func write(_ text: String) throws(CofferError) {
    let bytes = Array(text.utf8)
    try write(bytes)
  }

  /// Writes `bytes`.
  public mutating func write(_ bytes: [UInt8]) throws(CofferError) {
    var result: Result<Void, CofferError> = .success(())
    bytes.withUnsafeBytes { buffer in
      do throws(CofferError) { try write(buffer) } catch { result = .failure(error) }
    }
    try result.get()
  }
}

/// A sink that keeps the bytes in memory.
public struct MemorySink: ByteSink, Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    self.bytes.append(contentsOf: bytes)
  }
}

/// A sink that only counts bytes.
public struct CountingSink: ByteSink, Sendable {
  public private(set) var count = 0

  public init() {}

  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    count += bytes.count
  }
}
