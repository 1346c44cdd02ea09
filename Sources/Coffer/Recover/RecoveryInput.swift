import ByteStreams
import JSONEvents

/// A source that ends where it can't be read. Of compressed data, it also has what follows the damage, behind a zero byte.
final class DamagedSource: ByteSource {
  private var source: any ByteSource
  /// The errors: the first ``limit``, and the number of all.
  private(set) var failures: [CofferError] = []
  private(set) var failureCount = 0
  private var hasEnded = false

  static let limit = 100

  init(_ source: any ByteSource) {
    self.source = source
    (source as? any CompressedSource)?.onDamage = { [weak self] in self?.note($0) }
  }

  private func note(_ failure: CofferError) {
    failureCount += 1
    if failures.count < Self.limit { failures.append(failure) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if hasEnded { return 0 }
    do throws(CofferError) {
      return try source.read(into: buffer)
    } catch {
      if error.code == .cancelled { throw error }
      note(error)
      hasEnded = true
      return 0
    }
  }
}

/// The part of a damaged document that is being looked at.
struct RecoveryInput: ~Copyable {
  private var source: any ByteSource
  private var buffer = ByteBuffer(capacity: 1 << 20)
  /// The offset of the first byte.
  private(set) var base = 0
  private(set) var hasEnded = false
  /// The position that was computed last.
  private var place = TextPosition(offset: 0, line: 1, column: 1)
  /// Where the bytes come from, if positions are those in another document.
  private var origins: MoveLog?

  /// - Parameter origins: what the source was made from: positions are those in that document.
  init(_ source: some ByteSource, origins: MoveLog? = nil) {
    self.source = source
    self.origins = origins
  }

  /// The bytes from `base` on; valid until the next call that changes them.
  var view: ByteView { buffer.view }

  /// The offset behind the last byte.
  var available: Int { base + buffer.count }

  subscript(offset: Int) -> UInt8 { buffer[offset - base] }

  /// The bytes at these offsets; valid as long as `view`.
  func bytes(_ range: Range<Int>) -> ByteView { view[range.lowerBound - base..<range.upperBound - base] }

  /// Reads until the byte before `offset` is there. Returns false if the input ends before.
  @discardableResult
  mutating func fill(to offset: Int) -> Bool {
    while available < offset, !hasEnded {
      do throws(CofferError) {
        if try buffer.fill(from: &source, upTo: max(64 << 10, offset - available)) == 0 { hasEnded = true }
      } catch {
        hasEnded = true
      }
    }
    return available >= offset
  }

  /// Returns the place of the next byte from `offset` on that is no white space, or `nil` if the input ends before. White space is kept
  /// in memory until it is dropped.
  mutating func next(from offset: Int) -> Int? {
    var place = offset
    while fill(to: place + 1) {
      if !SyntaxDiagnosis.isSpace(self[place]) { return place }
      place += 1
    }
    return nil
  }

  /// Drops the bytes before an offset. They are moved only if that frees most of the memory.
  mutating func drop(to offset: Int) throws(CofferError) {
    guard offset - base > max(1 << 18, buffer.count / 2) else { return }
    _ = try position(at: offset)
    buffer.dropFirst(offset - base)
    base = offset
  }

  /// Returns the position of an offset, which is not before that of the last call.
  mutating func position(at offset: Int) throws(CofferError) -> TextPosition {
    while let mark = origins?.nextOffset, mark <= offset {
      advance(to: mark)
      try origins?.pass(at: place)
    }
    advance(to: offset)
    return origins?.origin(of: place) ?? place
  }

  /// How much larger the indices of items were in the document of the last position.
  var indexShift: Int { origins?.indexShift ?? 0 }

  private mutating func advance(to offset: Int) {
    guard offset > place.offset else { return }
    var lines = LineCursor(bytes: bytes(place.offset..<available), at: place)
    place = lines.position(at: offset)
  }
}
