import ByteStreams
import CJSONEvents

/// Document bytes in separate memory, which the slicer fills and a slice then owns.
///
/// Passed on: the slicer fills it before it makes a slice of it, one worker reads the slice, and the merging thread reads it
/// after the worker has finished.
final class SliceBuffer: @unchecked Sendable {
  // @unchecked: the pipeline's queue separates each of these steps from the next.
  private(set) var start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int
  /// The memory exceeds `capacity` by this much, because some readers load whole words past the last byte.
  private static let padding = Int(COFFER_LANE_PADDING)

  init(capacity: Int) {
    self.capacity = max(64, capacity)
    start = .allocate(capacity: self.capacity + Self.padding)
  }

  deinit { start.deallocate() }

  subscript(index: Int) -> UInt8 {
    get {
      precondition(index >= 0 && index < count, "index outside the buffer")
      return start[index]
    }
    set {
      precondition(index >= 0 && index < count, "index outside the buffer")
      start[index] = newValue
    }
  }

  /// Reads up to `length` more bytes and returns their number; 0 at the source's end.
  func fill(from source: inout any ByteSource, upTo length: Int) throws(CofferError) -> Int {
    reserve(length)
    let read = try source.read(into: UnsafeMutableRawBufferPointer(start: start + count, count: length))
    count += read
    return read
  }

  /// Appends a byte that is not from the source.
  func append(_ byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

  /// Returns a new buffer with the bytes from `index`, and room for `length` more.
  func copy(from index: Int, reserving length: Int) -> SliceBuffer {
    precondition(index >= 0 && index <= count, "index outside the buffer")
    let rest = SliceBuffer(capacity: count - index + length)
    rest.start.update(from: start + index, count: count - index)
    rest.count = count - index
    return rest
  }

  /// Drops the first `length` bytes.
  func dropFirst(_ length: Int) {
    precondition(length >= 0 && length <= count, "exceeds the count")
    start.update(from: start + length, count: count - length)
    count -= length
  }

  private func reserve(_ length: Int) {
    guard capacity - count < length else { return }
    let larger = max(count + length, capacity * 2)
    let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + Self.padding)
    new.update(from: start, count: count)
    start.deallocate()
    start = new
    capacity = larger
  }
}
