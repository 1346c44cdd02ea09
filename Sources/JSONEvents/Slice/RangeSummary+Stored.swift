package import ByteStreams

extension RangeSummary {
  /// Scans a range of a document that is stored, after moving both of its ends to where a range may begin.
  ///
  ///     … "a \" quoted \\" …
  ///           ^ -> ^             a range can't begin after a backslash
  ///
  /// So adjacent ranges stay adjacent, and a range may become empty. Reads 1 MiB at a time.
  ///
  /// - Throws: `CofferError` from reading.
  package init(of bytes: StoredBytes, in range: Range<Int>) throws(CofferError) {
    let start = try bytes.rangeBoundary(atOrAfter: range.lowerBound)
    let end = try bytes.rangeBoundary(atOrAfter: range.upperBound)
    var source = StoredSource(bytes, start..<end)
    var scanner = RangeScanner(from: start)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: min(1 << 20, max(1, end - start)), alignment: 64)
    defer { piece.deallocate() }
    while true {
      let count = try source.read(into: piece)
      if count == 0 { break }
      scanner.feed(UnsafeRawBufferPointer(rebasing: piece.prefix(count)))
    }
    self = scanner.finish()
  }
}

extension StoredBytes {
  /// Returns the first place from `offset` on at which a range may begin: not after a backslash, and not in a byte order mark.
  ///
  /// - Throws: `CofferError` from reading.
  package func rangeBoundary(atOrAfter offset: Int) throws(CofferError) -> Int {
    precondition(offset >= 0, "the offset is negative")
    if offset == 0 { return 0 }
    if offset >= byteCount { return byteCount }
    if offset < 3, try piece(at: 0, upTo: 3) == [0xEF, 0xBB, 0xBF] { return 3 }
    var boundary = offset
    var pieceSize = 64
    while boundary < byteCount {
      let before = try piece(at: boundary - 1, upTo: pieceSize)
      guard let run = before.firstIndex(where: { $0 != UInt8(ascii: "\\") }) else {
        boundary += before.count
        pieceSize = min(1 << 20, pieceSize * 16)
        continue
      }
      return boundary + run
    }
    return byteCount
  }

  private func piece(at offset: Int, upTo length: Int) throws(CofferError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
    defer { buffer.deallocate() }
    return Array(buffer.prefix(try read(at: offset, into: buffer)))
  }
}
