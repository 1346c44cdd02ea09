import ByteStreams
import CJSONEvents

/// Bytes of a document in memory of their own: what the slicer fills, and a slice then takes with it.
///
/// Handed on: the slicer fills it before it makes a slice of it, one worker reads that, and who merges reads it when that worker has finished.
final class SliceBuffer: @unchecked Sendable {
  // @unchecked: the pipeline's queue stands between each of those and the next.
  private(set) var start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int
  /// Readers of words may look past the last byte: there is so much more memory than `capacity`.
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

  /// Reads up to `length` more bytes, and says how many came; 0 at the source's end.
  func fill(from source: inout any ByteSource, upTo length: Int) throws(ByteStreamError) -> Int {
    reserve(length)
    let read = try source.read(into: UnsafeMutableRawBufferPointer(start: start + count, count: length))
    count += read
    return read
  }

  /// Adds a byte that the source did not have.
  func append(_ byte: UInt8) {
    reserve(1)
    start[count] = byte
    count += 1
  }

  /// A buffer of its own for the bytes from `index` on, with room for `length` more.
  func copy(from index: Int, reserving length: Int) -> SliceBuffer {
    precondition(index >= 0 && index <= count, "index outside the buffer")
    let rest = SliceBuffer(capacity: count - index + length)
    rest.start.update(from: start + index, count: count - index)
    rest.count = count - index
    return rest
  }

  /// Drops the first `length` bytes.
  func dropFirst(_ length: Int) {
    precondition(length >= 0 && length <= count, "more than there is")
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
