package import ByteStreams
import GzipStreams

/// The entries of a seekable archive that may be damaged.
///
/// If the directory at its end is whole, its entries count. Otherwise they are those whose headers are found before the data:
///
///     header │ data │ descriptor? │ header │ data │ 00 00 … │ header │ da
///     └ an entry ────────────────┘ └ an entry ──┘  skipped    └ an entry without an end
///
/// Data is only searched for headers if its size is unknown, or if no header follows it where its size says. Cost: one pass over what isn't data. Memory: that of `ZIPReader`.
package struct DamagedArchive {
  package struct Entry: Sendable {
    package let stored: StoredEntry
    /// True if the end of its data isn't found, or isn't where its size says.
    package let isCut: Bool
  }

  package private(set) var entries: [Entry] = []
  /// Why the directory can't be used.
  package let failure: CofferError?
  private let bytes: StoredBytes
  private let limits: ZIPLimits
  /// The bytes of data that were read to find out whether they are whole.
  private var examined = 0

  /// - Throws: `limit` for too many entries; errors of reading.
  package init(_ bytes: StoredBytes, limits: ZIPLimits) throws(CofferError) {
    self.bytes = bytes
    self.limits = limits
    do throws(CofferError) {
      let check = try DirectoryCheck(bytes, limits: limits)
      entries = zip(check.directory.headers, check.locals).map { Entry(stored: StoredEntry($0, $1), isCut: false) }
      failure = nil
    } catch {
      guard [.notZIP, .zipTruncated, .zipCorrupt, .zipInconsistent, .zipUnsupported].contains(error.code) else { throw error }
      failure = error
      try findHeaders()
    }
  }

  // MARK: Headers

  private mutating func findHeaders() throws(CofferError) {
    let input = LookaheadInput(StoredSource(bytes))
    while try input.pass(toStart: 4, { bytes, _ in bytes.number32(at: 0) == ZIPLayout.localSignature }) {
      let offset = input.offset
      guard let length = try input.have(ZIPLayout.localLength) ? LocalHeader.length(input.available) : nil,
        try input.have(length), let local = LocalHeader(Array(input.available.prefix(length)), at: offset),
        local.name.fault(lengthLimit: limits.nameLength) == nil
      else {
        input.consume(1)
        continue
      }
      guard entries.count < limits.entries else { throw .tooManyEntries(limits) }
      input.consume(length)
      entries.append(try entry(local, input))
    }
  }

  /// Passes the data of an entry.
  private mutating func entry(_ local: LocalHeader, _ input: LookaheadInput) throws(CofferError) -> Entry {
    let start = input.offset
    if let size = local.compressedSize, size <= bytes.byteCount - start {
      let entry = Entry(
        stored: StoredEntry(
          local, start..<start + size, size: local.size ?? 0, checksum: UInt32(truncatingIfNeeded: local.checksum)),
        isCut: false)
      let isFollowed = try isHeader(at: start + size)
      if try isFollowed ? true : isWhole(entry) {
        _ = try input.skip(size)
        return entry
      }
    }
    var descriptor: (checksum: Int, size: Int)?
    _ = try input.pass(toStart: 16) { bytes, offset in
      switch bytes.number32(at: 0) {
      case ZIPLayout.localSignature, ZIPLayout.centralSignature: return true
      case ZIPLayout.descriptorSignature where bytes.number32(at: 8) == offset - start:
        descriptor = (bytes.number32(at: 4), bytes.number32(at: 12))
        return true
      default: return false
      }
    }
    let range = start..<input.offset
    return Entry(
      stored: StoredEntry(
        local, range, size: descriptor?.size ?? local.size ?? 0,
        checksum: UInt32(truncatingIfNeeded: descriptor?.checksum ?? local.checksum)),
      isCut: descriptor == nil)
  }

  /// True if the data is whole, although no header follows it. False, too, if much data was examined for this.
  private mutating func isWhole(_ entry: Entry) throws(CofferError) -> Bool {
    examined += entry.stored.range.count
    if examined > 2 * bytes.byteCount { return false }
    do throws(CofferError) {
      return try fault(of: entry) == nil
    } catch {
      if error.code == .limit { return false }
      throw error
    }
  }

  /// True if a header is at an offset, or the archive ends there.
  private func isHeader(at offset: Int) throws(CofferError) -> Bool {
    var source = StoredSource(bytes, offset..<bytes.byteCount)
    let start = try source.readPrefix(4)
    return start.count < 4 || ZIPLayout.isHeader(start.number32(at: 0))
  }
}

// MARK: Data

extension DamagedArchive {
  /// Returns what is wrong with an entry's data, or `nil` if it is whole.
  ///
  /// - Throws: `limit` for data that expands too much; errors of reading.
  package func fault(of entry: Entry) throws(CofferError) -> CofferError? {
    let (name, declared) = (entry.stored.name, entry.stored)
    if let fault = EntryName(bytes: Array(name.utf8)).fault(lengthLimit: limits.nameLength) {
      return CofferError(.unsafeName, fault, entry: name)
    }
    if entry.isCut { return CofferError(.zipTruncated, "the archive ends in its data, or a part of it is missing", entry: name) }
    var (size, checksum) = (0, CRC32())
    var source = StoredSource(bytes, declared.range)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { piece.deallocate() }
    switch declared.method {
    case ZIPLayout.stored:
      while case let count = try source.read(into: piece), count > 0 {
        checksum.add(UnsafeRawBufferPointer(rebasing: piece[..<count]))
        size += count
      }
    case ZIPLayout.deflated:
      guard let content = try expanded(&source, of: declared, piece) else {
        return CofferError(.zipCorrupt, "the data is damaged: a block can't be decoded", entry: name)
      }
      (size, checksum) = content
    default:
      return CofferError(.zipUnsupported, "the data is neither stored nor deflated (method \(declared.method))", entry: name)
    }
    if size != declared.size {
      return CofferError(.zipSize, "it has \(size) bytes, but the archive declares \(declared.size)", entry: name)
    }
    if checksum == declared.checksum { return nil }
    return CofferError(.zipChecksum, "its data does not match its checksum (CRC-32)", entry: name)
  }

  /// Returns the size and the checksum of Deflate data, or `nil` if it is damaged.
  private func expanded(
    _ source: inout StoredSource, of entry: StoredEntry, _ piece: UnsafeMutableRawBufferPointer
  ) throws(CofferError) -> (Int, CRC32)? {
    let inflater = Inflater()
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { output.deallocate() }
    while case let count = try source.read(into: piece), count > 0 {
      var rest = UnsafeRawBufferPointer(rebasing: piece[..<count])
      while !rest.isEmpty || inflater.mayHoldBack {
        let step = inflater.step(rest, into: output)
        rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
        if step.hasFailed { return nil }
        if inflater.size > ExpansionLimits.ratioFloor, inflater.size / max(1, entry.range.count) >= limits.ratio {
          throw CofferError(
            .limit, "it expands to more than \(limits.ratio) times its compressed size", entry: entry.name)
        }
        if step.isAtEnd { return (inflater.size, inflater.checksum) }
        if step.produced == 0, step.consumed == 0 { break }
      }
    }
    return nil
  }

  /// Returns the data of an entry, expanded; what follows damage, too, behind a zero byte, as `GzipSource` finds it.
  package func contents(of entry: StoredEntry) -> any ByteSource {
    let data = StoredSource(bytes, entry.range)
    guard entry.method == ZIPLayout.deflated else { return data }
    // A gzip member has the same data.
    let header: [UInt8] = GzipSource.magic + [8, 0, 0, 0, 0, 0, 0, 0xFF]
    var trailer: [UInt8] = []
    trailer.append32(Int(entry.checksum.value))
    trailer.append32(entry.size & 0xFFFF_FFFF)
    var expansion = ExpansionLimits()
    (expansion.size, expansion.ratio) = (limits.size, limits.ratio)
    let source = GzipSource(
      PrefixedSource(prefix: header, rest: SuffixedSource(source: data, suffix: MemorySource(trailer))), limits: expansion)
    source.onDamage = { _ in }
    return source
  }
}

/// A source with bytes after it.
private struct SuffixedSource: ByteSource {
  var source: StoredSource
  var suffix: MemorySource

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try source.read(into: buffer)
    return count > 0 ? count : try suffix.read(into: buffer)
  }
}
