/// A compressed stream with a buffer for lookahead of any requested length.
///
///     stream  ░░░░░░░░░░░░│▓▓▓▓▓▓▓▓▓▓▓▓▓│············
///                         offset       end of bytes read
///
/// Memory: the requested lookahead; at least 256 KiB.
package final class LookaheadInput {
  private var source: any ByteSource
  private var bytes: UnsafeMutableRawPointer
  private var capacity: Int
  /// The bytes read but not consumed.
  private var range = 0..<0
  /// The stream offset of the next byte.
  package private(set) var offset = 0
  /// The offset of the frame that began last.
  private var frameStart = 0
  private var isAtEnd = false
  /// The place of the mark in the buffer.
  private var mark: Int?
  /// The number of bytes that were read again.
  private var rewound = 0

  private static let readSize = 256 << 10
  private static let markLimit = 8 << 20

  /// - Parameter offset: the offset of the source's first byte in the stream.
  package init(_ source: any ByteSource, at offset: Int = 0) {
    self.source = source
    self.offset = offset
    capacity = Self.readSize
    bytes = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Creates an input from a stream's bytes in memory, from `offset` on.
  package init(bytes content: [UInt8], offset: Int) {
    source = MemorySource([])
    capacity = max(1, content.count)
    bytes = .allocate(byteCount: capacity, alignment: 16)
    UnsafeMutableRawBufferPointer(start: bytes, count: capacity).copyBytes(from: content)
    range = 0..<content.count
    self.offset = offset
    isAtEnd = true
  }

  deinit { bytes.deallocate() }

  /// The bytes available after ``have(_:)``.
  package var available: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes + range.lowerBound, count: range.count) }

  /// The offset of the end of the stream, after ``have(_:)`` returned false.
  package var end: Int { offset + range.count }

  /// Reads until `count` bytes are available; false if the stream ends first. Never waits for more than that on a pipe.
  package func have(_ count: Int) throws(CofferError) -> Bool {
    while range.count < count {
      if isAtEnd { return false }
      makeRoom(for: count)
      let room = UnsafeMutableRawBufferPointer(start: bytes + range.upperBound, count: capacity - range.upperBound)
      let read = try source.read(into: room)
      if read == 0 { isAtEnd = true } else { range = range.lowerBound..<range.upperBound + read }
    }
    return true
  }

  /// Returns the little-endian number `distance` bytes ahead, which must be available.
  package func number(at distance: Int = 0) -> UInt32 {
    precondition(distance >= 0 && distance + 4 <= range.count, "exceeds the available bytes")
    return UInt32(littleEndian: (bytes + range.lowerBound).loadUnaligned(fromByteOffset: distance, as: UInt32.self))
  }

  package func consume(_ count: Int) {
    precondition(count >= 0 && count <= range.count, "exceeds the available bytes")
    range = range.lowerBound + count..<range.upperBound
    offset += count
  }

  /// Skips `count` bytes; false if the stream ends first. Stored bytes aren't even read.
  package func skip(_ count: Int) throws(CofferError) -> Bool {
    var rest = count
    if rest > range.count, var stored = source as? StoredSource {
      rest -= range.count
      consume(range.count)
      mark = nil
      let part = stored.skip(rest)
      source = stored
      offset += part
      return part == rest
    }
    while rest > 0 {
      guard try have(1) else { return false }
      let part = min(rest, range.count)
      consume(part)
      rest -= part
    }
    return true
  }

  /// Consumes bytes up to a place at which `isStart` returns true. Consumes all, and returns false, if there is none.
  ///
  /// - Parameters:
  ///   - length: the number of bytes that `isStart` gets.
  ///   - isStart: gets the next bytes, and their offset.
  package func pass(toStart length: Int, _ isStart: (UnsafeRawBufferPointer, Int) -> Bool) throws(CofferError) -> Bool {
    while try have(length) {
      let bytes = available
      for place in 0...(bytes.count - length)
      where isStart(UnsafeRawBufferPointer(rebasing: bytes[place..<place + length]), offset + place) {
        consume(place)
        return true
      }
      consume(bytes.count - length + 1)
    }
    consume(available.count)
    return false
  }

  /// Notes that a frame begins at the next byte.
  ///
  /// - Parameter marks: true to read it again if it is damaged, up to 8 MiB.
  package func beginFrame(marks: Bool = false) {
    frameStart = offset
    mark = marks ? range.lowerBound : nil
  }

  /// Passes a damaged frame, up to the next place at which one may begin. A damaged size may have hidden it: so a marked frame is searched,
  /// too.
  ///
  /// - Returns: false if there is none.
  package func passFrame(toStart length: Int, _ isStart: (UnsafeRawBufferPointer) -> Bool) throws(CofferError) -> Bool {
    if !rewindToMark(), offset == frameStart, try have(1) { consume(1) }
    return try pass(toStart: length) { bytes, _ in isStart(bytes) }
  }

  /// Returns to the byte after the mark. Returns false if it is too far away, or if much was read several times.
  private func rewindToMark() -> Bool {
    guard let mark, mark < range.lowerBound, rewound <= 2 * offset + Self.markLimit else { return false }
    let count = range.lowerBound - mark - 1
    rewound += count
    offset -= count
    range = mark + 1..<range.upperBound
    self.mark = nil
    return true
  }

  private func makeRoom(for count: Int) {
    let wanted = max(count, Self.readSize)
    if range.lowerBound + wanted <= capacity { return }
    if let mark, range.lowerBound - mark > Self.markLimit { self.mark = nil }
    let start = mark ?? range.lowerBound
    let kept = range.lowerBound - start
    if kept + wanted <= capacity {
      bytes.copyMemory(from: bytes + start, byteCount: range.upperBound - start)
    } else {
      let size = kept + max(wanted, min(2 * capacity, 4 << 20))
      let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      larger.copyMemory(from: bytes + start, byteCount: range.upperBound - start)
      bytes.deallocate()
      bytes = larger
      capacity = size
    }
    range = kept..<kept + range.count
    mark = mark.map { _ in 0 }
  }
}
