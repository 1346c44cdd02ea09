import ByteStreams

/// The directory at an archive's end, read from its first header to the archive's last byte.
///
/// It is held against what stands before the entries: an archive whose two directories disagree shows one content to one program and another to
/// the next, and is refused.
struct CentralDirectory {
  /// In the order of their offsets.
  private(set) var headers: [CentralHeader] = []
  /// Where its first header stands.
  let offset: Int

  /// - Parameters:
  ///   - input: stands at the first header.
  ///   - offset: where that is.
  ///   - limits: how many entries there may be.
  init(_ input: inout ForwardReader, at offset: Int, limits: ZIPLimits) throws(ZIPError) {
    self.offset = offset
    var signature = try input.bytes(4).number32(at: 0)
    while signature == ZIPLayout.centralSignature {
      guard headers.count < limits.entries else { throw ZIPError.tooManyEntries(limits) }
      let start = [0, 0, 0, 0] + (try input.bytes(ZIPLayout.centralLength - 4))
      let (disk, length) = CentralHeader.lengths(start)
      guard disk == 0, let header = CentralHeader(start, try input.bytes(length)) else {
        throw ZIPError(.corrupt, "the archive's directory is damaged at its entry \(headers.count + 1)")
      }
      headers.append(header)
      signature = try input.bytes(4).number32(at: 0)
    }
    try readEnd(&input, signature)
    // As they stand in the archive.
    headers.sort { $0.offset < $1.offset }
  }

  private func readEnd(_ input: inout ForwardReader, _ first: Int) throws(ZIPError) {
    let size = input.offset - 4 - offset
    var signature = first
    var end64: [UInt8]?
    if signature == ZIPLayout.end64Signature {
      let end64Offset = input.offset - 4
      let bytes = [0, 0, 0, 0] + (try input.bytes(ZIPLayout.end64Length - 4))
      guard let length = bytes.number64(at: 4), length >= ZIPLayout.end64Length - 12, length < 1 << 20 else { throw damaged }
      _ = try input.bytes(length - (ZIPLayout.end64Length - 12))
      end64 = bytes
      let locator = try input.bytes(ZIPLayout.locatorLength)
      guard locator.number32(at: 0) == ZIPLayout.locatorSignature, locator.number64(at: 8) == end64Offset else { throw damaged }
      signature = try input.bytes(4).number32(at: 0)
    }
    guard signature == ZIPLayout.endSignature else {
      throw ZIPError(.corrupt, "behind the archive's directory stands something else than the archive's end")
    }
    var end = ArchiveEnd([0, 0, 0, 0] + (try input.bytes(ZIPLayout.endLength - 4)))
    if let end64, !end.take(zip64: end64) { throw damaged }
    guard !end.isSplit else { throw ZIPError(.unsupported, "the archive is one of several parts") }
    _ = try input.bytes(end.commentLength)
    let (rest, isNUL) = try input.countRest(upTo: ZIPLayout.paddingLimit)
    // What never ends is not counted to its end.
    guard rest <= ZIPLayout.paddingLimit else { throw .bytesBehindEnd("more than \(ZIPLayout.paddingLimit)") }
    guard isNUL else { throw .bytesBehindEnd(String(rest)) }
    guard end.entryCount == headers.count, end.directorySize == size, end.directoryOffset == offset else {
      throw ZIPError(
        .inconsistent,
        "the archive's end tells of \(end.entryCount) entries in a directory at byte \(end.directoryOffset), there are \(headers.count) at byte \(offset)"
      )
    }
  }

  private var damaged: ZIPError { ZIPError(.corrupt, "the records at the archive's end are damaged") }

  // MARK: What stands before the entries

  /// Holds it against the local headers, in the order of their offsets.
  ///
  /// Headers and data have to follow each other without a gap: what no entry claims could be an entry to another program.
  func check(_ locals: [LocalHeader]) throws(ZIPError) {
    guard headers.count == locals.count else {
      throw ZIPError(.inconsistent, "the archive's directory has \(headers.count) entries, and \(locals.count) stand before it")
    }
    var end = 0
    for (index, (central, local)) in zip(headers, locals).enumerated() {
      let name = central.name.decoded
      guard central.offset == local.offset, local.offset == end else {
        throw ZIPError(.inconsistent, "bytes \(end) and following belong to no entry, or to several", entry: name)
      }
      try check(central, local)
      let next = index + 1 < headers.count ? headers[index + 1].offset : offset
      end = local.offset + local.length
      let rest = next - end
      guard rest >= central.compressedSize else {
        throw ZIPError(.inconsistent, "its data reaches into what follows", entry: name)
      }
      // Checksum and sizes, of four or eight bytes, with a signature or without.
      let descriptor = rest - central.compressedSize
      guard local.hasDescriptor ? [12, 16, 20, 24].contains(descriptor) : descriptor == 0 else {
        throw ZIPError(.inconsistent, "\(descriptor) bytes behind its data belong to no entry", entry: name)
      }
      end = next
    }
    guard end == offset else { throw ZIPError(.inconsistent, "bytes before the archive's directory belong to no entry") }
  }

  private func check(_ central: CentralHeader, _ local: LocalHeader) throws(ZIPError) {
    func differs(_ what: String) -> ZIPError {
      ZIPError(
        .inconsistent, "the archive's directory and the header before the data have different \(what)",
        entry: central.name.decoded)
    }
    guard central.name.bytes == local.name.bytes else {
      throw ZIPError(
        .inconsistent, "the header before the data calls the entry '\(local.name.decoded.printable)'", entry: central.name.decoded
      )
    }
    // All but the flags that only say how hard it was compressed.
    guard central.flags & ~0b110 == local.flags & ~0b110, central.method == local.method else {
      throw differs("flags or methods")
    }
    if local.hasDescriptor { return }
    guard central.checksum == local.checksum else { throw differs("checksums") }
    guard central.size == local.size, central.compressedSize == local.compressedSize else { throw differs("sizes") }
  }
}

extension ZIPError {
  static func tooManyEntries(_ limits: ZIPLimits) -> ZIPError {
    ZIPError(.limit, "the archive has more than \(limits.entries) entries")
  }

  static var notZIP: ZIPError { ZIPError(.notZIP, "this is no ZIP archive") }

  static func bytesBehindEnd(_ count: String) -> ZIPError {
    ZIPError(.inconsistent, "\(count) bytes stand behind the archive's end")
  }
}
