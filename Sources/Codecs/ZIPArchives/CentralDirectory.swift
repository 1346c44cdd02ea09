import ByteStreams

/// The directory at an archive's end, read from its first header to the archive's last byte.
///
/// It is compared with the headers before the entries: an archive whose two directories differ shows different content to
/// different programs, and is rejected.
struct CentralDirectory {
  /// The headers, in the order of their offsets.
  private(set) var headers: [CentralHeader] = []
  /// The offset of its first header.
  let offset: Int

  /// - Parameters:
  ///   - input: positioned at the first header.
  ///   - limits: the maximum number of entries.
  init(_ input: LookaheadInput, limits: ZIPLimits) throws(CofferError) {
    offset = input.offset
    while try input.signature() == ZIPLayout.centralSignature {
      guard headers.count < limits.entries else { throw CofferError.tooManyEntries(limits) }
      let start = try input.bytes(ZIPLayout.centralLength)
      let (disk, length) = CentralHeader.lengths(start)
      guard disk == 0, let header = CentralHeader(start, try input.bytes(length)) else {
        throw CofferError(.zipCorrupt, "the archive's directory is damaged at entry \(headers.count + 1)")
      }
      headers.append(header)
    }
    try readEnd(input)
    headers.sort { $0.offset < $1.offset }
  }

  private func readEnd(_ input: LookaheadInput) throws(CofferError) {
    let size = input.offset - offset
    var end64: [UInt8]?
    if try input.signature() == ZIPLayout.end64Signature {
      let end64Offset = input.offset
      let bytes = try input.bytes(ZIPLayout.end64Length)
      guard let length = bytes.number64(at: 4), length >= ZIPLayout.end64Length - 12, length < 1 << 20 else { throw damaged }
      _ = try input.bytes(length - (ZIPLayout.end64Length - 12))
      end64 = bytes
      let locator = try input.bytes(ZIPLayout.locatorLength)
      guard locator.number32(at: 0) == ZIPLayout.locatorSignature, locator.number64(at: 8) == end64Offset else { throw damaged }
    }
    guard try input.signature() == ZIPLayout.endSignature else {
      throw CofferError(.zipCorrupt, "the archive's directory is not followed by the archive's end")
    }
    var end = ArchiveEnd(try input.bytes(ZIPLayout.endLength))
    if let end64, !end.take(zip64: end64) { throw damaged }
    guard !end.isSplit else { throw CofferError(.zipUnsupported, "the archive is one of several parts") }
    _ = try input.bytes(end.commentLength)
    let (rest, isNUL) = try input.countRest(upTo: ZIPLayout.paddingLimit)
    // The rest may be endless, so it is counted only up to the limit.
    guard rest <= ZIPLayout.paddingLimit else { throw .trailingBytes("more than \(ZIPLayout.paddingLimit)") }
    guard isNUL else { throw .trailingBytes(String(rest)) }
    guard end.entryCount == headers.count, end.directorySize == size, end.directoryOffset == offset else {
      throw CofferError(
        .zipInconsistent,
        "the archive's end declares \(end.entryCount) entries in a directory at byte \(end.directoryOffset), but there are \(headers.count) at byte \(offset)"
      )
    }
  }

  private var damaged: CofferError { CofferError(.zipCorrupt, "the records at the archive's end are damaged") }

  // MARK: The headers before the entries

  /// Compares the directory with the local headers, in the order of their offsets.
  ///
  /// Headers and data must be contiguous: bytes that belong to no entry could be an entry to another program.
  func check(_ locals: [LocalHeader]) throws(CofferError) {
    guard headers.count == locals.count else {
      throw CofferError(
        .zipInconsistent, "the archive's directory lists \(headers.count) entries, but \(locals.count) precede it")
    }
    var end = 0
    for (index, (central, local)) in zip(headers, locals).enumerated() {
      let name = central.name.decoded
      guard central.offset == local.offset, local.offset == end else {
        throw CofferError(.zipInconsistent, "the bytes from \(end) belong to no entry, or to several", entry: name)
      }
      try check(central, local)
      let next = index + 1 < headers.count ? headers[index + 1].offset : offset
      end = local.offset + local.length
      let rest = next - end
      guard rest >= central.compressedSize else {
        throw CofferError(.zipInconsistent, "its data overlaps the next entry or the directory", entry: name)
      }
      // Checksum and sizes, of four or eight bytes, with or without a signature.
      let descriptor = rest - central.compressedSize
      guard local.hasDescriptor ? [12, 16, 20, 24].contains(descriptor) : descriptor == 0 else {
        throw CofferError(.zipInconsistent, "\(descriptor) bytes after its data belong to no entry", entry: name)
      }
      end = next
    }
    guard end == offset else { throw CofferError(.zipInconsistent, "bytes before the archive's directory belong to no entry") }
  }

  private func check(_ central: CentralHeader, _ local: LocalHeader) throws(CofferError) {
    func differs(_ what: String) -> CofferError {
      CofferError(
        .zipInconsistent, "the archive's directory and the header before the data have different \(what)",
        entry: central.name.decoded)
    }
    guard central.name.bytes == local.name.bytes else {
      throw CofferError(
        .zipInconsistent, "the header before the data names the entry '\(local.name.decoded.printable)'",
        entry: central.name.decoded
      )
    }
    // All flags except those for the compression level.
    guard central.flags & ~0b110 == local.flags & ~0b110, central.method == local.method else {
      throw differs("flags or methods")
    }
    if local.hasDescriptor { return }
    guard central.checksum == local.checksum else { throw differs("checksums") }
    guard central.size == local.size, central.compressedSize == local.compressedSize else { throw differs("sizes") }
  }
}

extension LookaheadInput {
  /// Returns the signature of the next record.
  fileprivate func signature() throws(CofferError) -> Int {
    guard try have(4) else { throw Self.truncatedDirectory }
    return Int(number())
  }

  /// Reads the next bytes.
  fileprivate func bytes(_ count: Int) throws(CofferError) -> [UInt8] {
    guard try have(count) else { throw Self.truncatedDirectory }
    defer { consume(count) }
    return Array(available.prefix(count))
  }

  private static var truncatedDirectory: CofferError { CofferError(.zipTruncated, "the archive ends within its directory") }

  /// Counts the remaining bytes, and checks whether all are NUL. Stops reading once the count exceeds the limit.
  fileprivate func countRest(upTo limit: Int) throws(CofferError) -> (count: Int, isNUL: Bool) {
    var (count, isNUL) = (0, true)
    while count <= limit, try have(1) {
      isNUL = isNUL && available.allSatisfy { $0 == 0 }
      count += available.count
      consume(available.count)
    }
    return (count, isNUL)
  }
}

extension CofferError {
  static func tooManyEntries(_ limits: ZIPLimits) -> CofferError {
    CofferError(.limit, "the archive has more than \(limits.entries) entries")
  }

  static var notZIP: CofferError { CofferError(.notZIP, "not a ZIP archive") }

  static func trailingBytes(_ count: String) -> CofferError {
    CofferError(.zipInconsistent, "\(count) bytes follow the archive's end")
  }
}

/// The records after the directory's headers: their number and the start of the directory (APPNOTE 4.3.14 to 4.3.16).
struct ArchiveEnd {
  private(set) var entryCount: Int
  private(set) var directorySize: Int
  private(set) var directoryOffset: Int
  private(set) var isSplit: Bool
  let commentLength: Int

  /// - Parameter bytes: the end's first 22 bytes, of which the first four, its signature, are ignored.
  init(_ bytes: some RandomAccessCollection<UInt8>) {
    let bytes = Array(bytes)
    isSplit = bytes.number16(at: 4) != 0 || bytes.number16(at: 6) != 0 || bytes.number16(at: 8) != bytes.number16(at: 10)
    entryCount = bytes.number16(at: 10)
    directorySize = bytes.number32(at: 12)
    directoryOffset = bytes.number32(at: 16)
    commentLength = bytes.number16(at: 20)
  }

  /// True if a number may be in the ZIP64 end.
  var needsZIP64: Bool {
    entryCount == ZIPLayout.max16 || directorySize == ZIPLayout.max32 || directoryOffset == ZIPLayout.max32
  }

  /// Returns true if this can be the end of an archive whose directory ends at `place`, but not if it is the end of an archive
  /// inside this one.
  func isEnd(ofDirectoryEndingAt place: Int) -> Bool {
    // Some writers insert unnecessary ZIP64 records.
    let distance = place - (directoryOffset + directorySize)
    return needsZIP64 || distance == 0 || distance == ZIPLayout.end64Length + ZIPLayout.locatorLength
  }

  /// Reads the ZIP64 end; false if its numbers are impossible.
  mutating func take(zip64 bytes: [UInt8]) -> Bool {
    guard let entries = bytes.number64(at: 32), let size = bytes.number64(at: 40), let offset = bytes.number64(at: 48) else {
      return false
    }
    isSplit = bytes.number32(at: 16) != 0 || bytes.number32(at: 20) != 0 || bytes.number64(at: 24) != entries
    // Numbers that fit into the end itself must agree.
    if entryCount != ZIPLayout.max16, entryCount != entries { return false }
    if directorySize != ZIPLayout.max32, directorySize != size { return false }
    if directoryOffset != ZIPLayout.max32, directoryOffset != offset { return false }
    (entryCount, directorySize, directoryOffset) = (entries, size, offset)
    return true
  }
}
