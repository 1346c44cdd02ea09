import JSONEvents

/// Reads the records that one `KeyRecordCoder` wrote, from bytes that may arrive in pieces.
struct KeyRecordReader {
  private var bytes: [UInt8]
  private var position = 0
  private var coder = KeyRecordCoder()

  init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  /// True if all bytes have been read as records.
  var isAtEnd: Bool { position == bytes.count }

  /// Reads the next record. Returns `nil` if the bytes end before it does.
  mutating func next() -> KeyRecord? {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      var cursor = RecordCursor(ByteView(base, count: buffer.count), at: position)
      guard let record = coder.decode(&cursor) else { return nil }
      position = cursor.position
      return record
    }
  }

  /// Drops the bytes that have been read and adds up to `count` bytes, which `fill` writes and counts.
  mutating func refill<Failure>(
    count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    var added: Result<Int, Failure> = .success(0)
    let rest = bytes[position...]
    // With a capacity of 0, `Array` would write the count into the storage that all empty arrays share.
    bytes = Array(unsafeUninitializedCapacity: max(1, rest.count + count)) { buffer, initialized in
      _ = buffer.initialize(from: rest)
      do throws(Failure) {
        added = .success(try fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[rest.count...])))
      } catch {
        added = .failure(error)
      }
      initialized = rest.count + ((try? added.get()) ?? 0)
    }
    position = 0
    return try added.get()
  }
}
