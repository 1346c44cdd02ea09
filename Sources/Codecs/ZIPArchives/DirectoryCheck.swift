import ByteStreams

/// Finds the directory of a seekable archive and compares it with the headers before the data, before any data is read.
struct DirectoryCheck {
  let directory: CentralDirectory
  /// The local headers, in the order of their offsets.
  private(set) var locals: [LocalHeader] = []

  /// The maximum length of an end: 22 bytes and its comment.
  private static let reach = ZIPLayout.endLength + ZIPLayout.max16

  init(_ file: StoredBytes, limits: ZIPLimits) throws(CofferError) {
    let offset = try Self.directoryOffset(file, limits: limits)
    let input = LookaheadInput(StoredSource(file, offset..<max(offset, file.byteCount)), at: offset)
    directory = try CentralDirectory(input, limits: limits)
    locals.reserveCapacity(directory.headers.count)
    for header in directory.headers {
      locals.append(try Self.local(file, header))
    }
    try directory.check(locals)
  }

  private static func directoryOffset(_ file: StoredBytes, limits: ZIPLimits) throws(CofferError) -> Int {
    let size = file.byteCount
    let padding = try self.padding(of: file)
    let start = max(0, padding - reach - ZIPLayout.locatorLength)
    // The last bytes of the end itself may be NUL.
    let tail = try bytes(of: file, at: start, count: min(size, padding + reach) - start)
    var index = tail.count - ZIPLayout.endLength
    /// The end of the last end record that is followed by other bytes.
    var earlierEnd: Int?
    while index >= 0 {
      defer { index -= 1 }
      guard tail[index] == 0x50, tail.dropFirst(index).number32(at: 0) == ZIPLayout.endSignature else { continue }
      var end = ArchiveEnd(tail[index...].prefix(ZIPLayout.endLength))
      // The last one whose comment extends to the end of the file, or to the padding.
      let length = start + index + ZIPLayout.endLength + end.commentLength
      let isEnd = end.isEnd(ofDirectoryEndingAt: start + index)
      guard length == size || length < size && length >= padding && isEnd else {
        if length < size, isEnd { earlierEnd = earlierEnd ?? length }
        continue
      }
      if end.needsZIP64, let end64 = try end64(file, locator: start + index - ZIPLayout.locatorLength), !end.take(zip64: end64) {
        throw CofferError(.zipInconsistent, "the two records at the archive's end disagree")
      }
      // Check this before reading any entry.
      guard end.entryCount <= limits.entries else { throw .tooManyEntries(limits) }
      guard end.directoryOffset <= start + index else {
        throw CofferError(.zipCorrupt, "the archive's directory would begin after the archive's end")
      }
      return end.directoryOffset
    }
    guard ZIPLayout.isArchive(try bytes(of: file, at: 0, count: 4, mayEnd: true)) else { throw .notZIP }
    if earlierEnd == nil { earlierEnd = try farEnd(file, before: start) }
    if let earlierEnd { throw .trailingBytes(String(size - earlierEnd)) }
    throw CofferError(.zipTruncated, "the archive's end is missing: it was truncated or never finished")
  }

  /// Returns the offset of the NUL bytes at the end of the file, or the file's size if they are more than any padding has.
  private static func padding(of file: StoredBytes) throws(CofferError) -> Int {
    let pieceSize = 1 << 16
    var upper = file.byteCount
    while upper > 0, file.byteCount - upper <= ZIPLayout.paddingLimit {
      let lower = max(0, upper - pieceSize)
      let piece = try bytes(of: file, at: lower, count: upper - lower)
      if let last = piece.lastIndex(where: { $0 != 0 }) { return lower + last + 1 }
      upper = lower
    }
    return file.byteCount
  }

  /// Returns the end of an archive if too many bytes follow its end record, or `nil` if there is no end record.
  ///
  /// This costs a backward pass over the file, and distinguishes a truncated archive from a complete one.
  private static func farEnd(_ file: StoredBytes, before place: Int) throws(CofferError) -> Int? {
    let pieceSize = 1 << 20
    var upper = place
    while upper > 0 {
      let lower = max(0, upper - pieceSize)
      // An end may begin in this piece and continue in the next one.
      let piece = try bytes(of: file, at: lower, count: min(upper + ZIPLayout.endLength - 1, file.byteCount) - lower)
      for index in ZIPLayout.places(ofEndIn: piece).reversed() {
        let end = ArchiveEnd(piece[index...].prefix(ZIPLayout.endLength))
        let length = lower + index + ZIPLayout.endLength + end.commentLength
        if length <= file.byteCount, end.isEnd(ofDirectoryEndingAt: lower + index) { return length }
      }
      upper = lower
    }
    return nil
  }

  private static func end64(_ file: StoredBytes, locator offset: Int) throws(CofferError) -> [UInt8]? {
    guard offset >= 0 else { return nil }
    let locator = try bytes(of: file, at: offset, count: ZIPLayout.locatorLength)
    guard locator.number32(at: 0) == ZIPLayout.locatorSignature, let place = locator.number64(at: 8),
      place <= offset - ZIPLayout.end64Length
    else { return nil }
    let end = try bytes(of: file, at: place, count: ZIPLayout.end64Length)
    return end.number32(at: 0) == ZIPLayout.end64Signature ? end : nil
  }

  private static func local(_ file: StoredBytes, _ header: CentralHeader) throws(CofferError) -> LocalHeader {
    let missing = CofferError(
      .zipInconsistent, "the archive's directory lists it at byte \(header.offset), but no entry begins there",
      entry: header.name.decoded)
    // Most headers are shorter than this.
    var start = try bytes(of: file, at: header.offset, count: 256, mayEnd: true)
    guard let length = LocalHeader.length(start) else { throw missing }
    if length > start.count { start = try bytes(of: file, at: header.offset, count: length) }
    guard let local = LocalHeader(start, at: header.offset) else { throw missing }
    return local
  }

  private static func bytes(
    of file: StoredBytes, at offset: Int, count: Int, mayEnd: Bool = false
  ) throws(CofferError) -> [UInt8] {
    var input = StoredSource(file, offset..<max(offset, file.byteCount))
    let bytes = try input.readPrefix(count)
    guard mayEnd || bytes.count == count else { throw CofferError(.zipTruncated, "the archive is shorter than expected") }
    return bytes
  }
}
