import ByteStreams
import GzipStreams

/// The data of one entry after another, expanded as it is read.
///
///     header │ stored bytes │ descriptor? │ header │ Deflate data │ descriptor? │ …
///            └─ input, one entry at a time ┘
///
/// Deflate data marks its end itself. Stored bytes end where the entry's size says; in a stream whose sizes follow the data, at the
/// first descriptor that matches the bytes before it.
///
/// Memory: 256 KiB, and zlib's 40 KiB.
final class EntryData {
  private let input: LookaheadInput
  private let inflater = Inflater()
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private var form = Form.ended
  private var name = ""
  /// The offset of the end of the data, if it is known before.
  private var end: Int?
  private var storedChecksum = CRC32()
  private var storedSize = 0

  private enum Form {
    case stored, deflated
    /// The last piece has been returned.
    case drained
    case ended
  }

  /// Input is passed to zlib in pieces of at most this size, so that the same archive is judged alike however it arrives.
  private static let pieceSize = 1 << 16

  init(_ input: LookaheadInput) { self.input = input }

  deinit { buffer.deallocate() }

  /// Begins the data that is next in the input.
  func begin(_ local: LocalHeader, compressedSize: Int?) {
    // A stream's header may declare any size.
    end = compressedSize.map { input.offset + min($0, Int.max - input.offset) }
    name = local.name.decoded
    inflater.reset()
    (storedChecksum, storedSize) = (CRC32(), 0)
    form = local.method == ZIPLayout.deflated ? .deflated : .stored
  }

  /// The checksum and the size of the content so far.
  var checksum: CRC32 { inflater.size > 0 ? inflater.checksum : storedChecksum }
  var size: Int { inflater.size + storedSize }
  /// True unless the data has ended.
  var isOpen: Bool { form != .ended }

  /// Returns the next content, valid until the next call, or `nil` at its end.
  func next() throws(CofferError) -> UnsafeRawBufferPointer? {
    switch form {
    case .drained, .ended:
      form = .ended
      return nil
    case .deflated: return try inflated()
    case .stored:
      guard let count = try storedCount() else {
        form = .ended
        return nil
      }
      let piece = UnsafeRawBufferPointer(rebasing: input.available[..<count])
      storedChecksum.add(piece)
      storedSize += count
      input.consume(count)
      return piece
    }
  }

  private func inflated() throws(CofferError) -> UnsafeRawBufferPointer? {
    while true {
      let rest = end.map { $0 - input.offset } ?? .max
      // The inflater may hold back content for which it needs no more input.
      if try !input.have(min(rest, Self.pieceSize)), input.available.isEmpty, !inflater.mayHoldBack { throw truncated }
      let step = inflater.step(UnsafeRawBufferPointer(rebasing: input.available.prefix(min(rest, Self.pieceSize))), into: buffer)
      input.consume(step.consumed)
      if step.hasFailed { throw corrupt("the data is damaged: a block can't be decoded") }
      if step.isAtEnd {
        form = .drained
      } else if step.produced == 0, rest == step.consumed {
        throw corrupt("the data is damaged: it doesn't end where the archive says")
      }
      if step.produced > 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<step.produced]) }
      if step.isAtEnd { return try next() }
    }
  }

  /// Returns how many of the available bytes are stored ones, or `nil` if the data ends here.
  private func storedCount() throws(CofferError) -> Int? {
    if end == input.offset { return nil }
    guard try input.have(1) else { throw truncated }
    if let end { return min(end - input.offset, input.available.count) }
    let bytes = input.available
    let start = bytes.indices.first { bytes[$0] == 0x50 && ($0 + 1 == bytes.count || bytes[$0 + 1] == 0x4B) }
    if start != 0 { return start ?? bytes.count }
    return try isAtDescriptor() ? nil : 1
  }

  /// True if the next bytes are a descriptor with a signature, and the checksum and sizes of the content so far.
  private func isAtDescriptor() throws(CofferError) -> Bool {
    for isLarge in [false, true] where try input.have(isLarge ? 24 : 16) {
      let bytes = Array(input.available.prefix(24))
      guard bytes.number32(at: 0) == ZIPLayout.descriptorSignature, bytes.number32(at: 4) == Int(storedChecksum.value) else {
        return false
      }
      let sizes = isLarge ? [bytes.number64(at: 8), bytes.number64(at: 16)] : [bytes.number32(at: 8), bytes.number32(at: 12)]
      if sizes == [storedSize, storedSize] { return true }
    }
    return false
  }

  private var truncated: CofferError { CofferError(.zipTruncated, "the archive ends too early", entry: name) }

  private func corrupt(_ what: String) -> CofferError { CofferError(.zipCorrupt, what, entry: name) }

  // MARK: After the data

  /// Leaves the rest of the data out.
  func skip() throws(CofferError) {
    if end == nil { while try next() != nil {} }
    form = .ended
  }

  /// Passes the bytes between the end of the content and that of the data.
  func passRest() throws(CofferError) {
    if let end, try !input.skip(end - input.offset) { throw truncated }
  }

  /// Passes the checksum and sizes that follow the data.
  ///
  /// - Parameters:
  ///   - length: their length, if it is known; otherwise, they end before the signature of the next header.
  ///   - isLarge: true if the header announces sizes of eight bytes.
  func passDescriptor(length: Int?, isLarge: Bool) throws(CofferError) -> Descriptor? {
    let isMarked = try input.have(4) && input.number() == UInt32(ZIPLayout.descriptorSignature)
    let usual = isLarge ? [20, 12] : [12, 20]
    let lengths = length.map { [$0] } ?? (isMarked ? usual.map { $0 + 4 } : []) + usual
    for length in lengths where try input.have(length + 4) {
      let bytes = Array(input.available.prefix(length + 4))
      guard ZIPLayout.isHeader(bytes.number32(at: length)) else { continue }
      input.consume(length)
      return Descriptor(bytes.prefix(length))
    }
    if try !input.have(Descriptor.largest + 4) { throw truncated }
    throw corrupt("the bytes after its data are no checksum and sizes before another header")
  }
}

/// An entry whose data has been read completely or in part.
struct EntryRecord {
  let local: LocalHeader
  /// True if all of its data has been checked.
  var isRead = true
  private var size = 0
  private var checksum = CRC32()
  /// The offset of the end of its content.
  private var dataEnd = 0
  /// What follows the data, if it was valid.
  var descriptor: Descriptor?

  init(_ local: LocalHeader) { self.local = local }

  /// Ends the content.
  mutating func end(_ data: EntryData, at offset: Int) { (size, checksum, dataEnd) = (data.size, data.checksum, offset) }

  /// Returns the fault of what follows the data: sizes and checksum that aren't those of the directory, or bytes that belong to no entry.
  func faultAfterData(_ central: CentralHeader) -> CofferError? {
    let rest = local.offset + local.length + central.compressedSize - dataEnd
    if rest > 0 { return error(.zipCorrupt, "\(rest) bytes follow the end of its compressed data") }
    if !local.hasDescriptor || rest == 0 && descriptor?.agrees(with: central) == true { return nil }
    return error(.zipInconsistent, "the sizes and the checksum after its data are not those of the archive's directory")
  }

  /// Returns the fault of the complete data compared with the archive's declarations.
  func fault(size: Int, checksum: Int) -> CofferError? {
    if self.size != size { return error(.zipSize, "it has \(self.size) bytes, but the archive declares \(size)") }
    if self.checksum.value == UInt32(truncatingIfNeeded: checksum) { return nil }
    return error(.zipChecksum, "its data does not match its checksum (CRC-32)")
  }

  private func error(_ code: CofferError.Code, _ message: String) -> CofferError {
    CofferError(code, message, entry: local.name.decoded)
  }
}
