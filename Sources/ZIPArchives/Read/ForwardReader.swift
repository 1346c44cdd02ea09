import ByteStreams

/// Reads small records sequentially from a source.
struct ForwardReader {
  private var source: any ByteSource
  private var buffer: [UInt8]
  private var position = 0
  /// The archive offset of the next byte.
  private(set) var offset: Int

  /// - Parameters:
  ///   - prefix: the bytes already read from `source`.
  ///   - offset: the start of the prefix.
  init(_ source: any ByteSource, prefix: [UInt8] = [], at offset: Int) {
    self.source = source
    buffer = prefix
    self.offset = offset
  }

  /// Reads the next `count` bytes.
  ///
  /// - Throws: `truncated` if there are fewer.
  mutating func bytes(_ count: Int) throws(CofferError) -> [UInt8] {
    while buffer.count - position < count {
      guard try fill() else { throw CofferError(.zipTruncated, "the archive ends within its directory") }
    }
    defer {
      position += count
      offset += count
    }
    return Array(buffer[position..<position + count])
  }

  /// Counts the remaining bytes, and checks whether all are NUL. Stops reading once the count exceeds the limit.
  mutating func countRest(upTo limit: Int) throws(CofferError) -> (count: Int, isNUL: Bool) {
    var count = 0
    var isNUL = true
    while true {
      count += buffer.count - position
      isNUL = isNUL && buffer[position...].allSatisfy { $0 == 0 }
      position = buffer.count
      guard count <= limit, try fill() else { return (count, isNUL) }
    }
  }

  private mutating func fill() throws(CofferError) -> Bool {
    buffer.removeFirst(position)
    position = 0
    let more = try source.readPiece(1 << 16)
    buffer += more
    return !more.isEmpty
  }
}

extension ByteSource {
  /// Reads at most `length` bytes at once; empty at the end.
  mutating func readPiece(_ length: Int) throws(CofferError) -> [UInt8] {
    var result: Result<Void, CofferError> = .success(())
    let piece = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      do throws(CofferError) {
        count = try self.read(into: UnsafeMutableRawBufferPointer(buffer))
      } catch { result = .failure(error) }
    }
    try result.get()
    return piece
  }
}
