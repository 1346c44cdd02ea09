package import ByteStreams
import GzipStreams

/// The entries of a seekable archive that may be damaged.
///
/// An archive describes each entry up to three times. The first description that fits the data counts, so that damage of one loses nothing:
///
///     header │ data │ descriptor? │ header │ data │ 00 00 … │ header │ da        │ directory │ end
///     └ 2 ─┘          └ 3 ──────┘                   skipped    └ cut               └ 1 ─────┘
///
/// If the directory isn't whole, headers are searched in the whole archive, but not in data whose end is known. Cost: one pass over
/// the data to judge it, and another one to search if no header follows where a size says. Memory: that of `ZIPReader`, twice.
package struct DamagedArchive {
  package struct Entry: Sendable {
    /// At least one.
    fileprivate let descriptions: [StoredEntry]
    fileprivate let isEncrypted: Bool
    /// Its name before the data, if the directory has another one.
    fileprivate var otherName: String?
    /// True if the directory has it, and no header is before its data.
    package fileprivate(set) var isDoubtful = false

    package var stored: StoredEntry { descriptions[0] }

    /// The entry with its other name, if it has one.
    package var renamed: Entry {
      guard let otherName else { return self }
      return Entry(descriptions: descriptions.map { $0.named(otherName) }, isEncrypted: isEncrypted, isDoubtful: isDoubtful)
    }
  }

  /// In the order of their offsets.
  package private(set) var entries: [Entry] = []
  /// Why the directory can't be used alone.
  package private(set) var failure: CofferError?
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
      for (central, local) in zip(check.directory.headers, check.locals) {
        entries.append(try entry(central, [], at: local.offset + local.length, hasDescriptor: local.hasDescriptor))
      }
    } catch {
      guard [.notZIP, .zipTruncated, .zipCorrupt, .zipInconsistent, .zipUnsupported].contains(error.code) else { throw error }
      failure = error
      try search()
    }
  }

  // MARK: Descriptions

  /// - Parameters:
  ///   - others: descriptions that are less reliable.
  ///   - start: the start of its data.
  private func entry(
    _ central: CentralHeader, _ others: [StoredEntry], at start: Int, hasDescriptor: Bool
  ) throws(CofferError) -> Entry {
    let first = StoredEntry(central, dataAt: start)
    let after = hasDescriptor ? try descriptions(of: first, endingAt: first.range.upperBound) : []
    let isEncrypted = central.flags & (ZIPLayout.Flag.encrypted | ZIPLayout.Flag.strongEncryption) != 0
    let otherName = others.map(\.name).first { $0 != first.name }
    return Entry(
      descriptions: [first] + after + others.map { $0.named(first.name) }, isEncrypted: isEncrypted, otherName: otherName)
  }

  /// Returns what the bytes after the data say about it, if they say that it ends there: a checksum and sizes of four or eight bytes, with
  /// or without a signature.
  private func descriptions(of entry: StoredEntry, endingAt end: Int) throws(CofferError) -> [StoredEntry] {
    guard end >= entry.range.lowerBound, end < bytes.byteCount else { return [] }
    var source = StoredSource(bytes, end..<bytes.byteCount)
    let found = try source.readPrefix(Descriptor.largest)
    let isMarked = found.count >= 4 && found.number32(at: 0) == ZIPLayout.descriptorSignature
    var result: [StoredEntry] = []
    for start in isMarked ? [4, 0] : [0] {
      for width in [4, 8] where found.count >= start + 4 + 2 * width {
        let compressed = width == 4 ? found.number32(at: start + 4) : found.number64(at: start + 4)
        let size = width == 4 ? found.number32(at: start + 8) : found.number64(at: start + 12)
        guard compressed == end - entry.range.lowerBound, let size else { continue }
        result.append(entry.with(entry.range.lowerBound..<end, size: size, checksum: found.number32(at: start)))
      }
    }
    return result
  }

  // MARK: Searching

  private struct Found {
    let local: LocalHeader
    let descriptions: [StoredEntry]
  }

  private mutating func search() throws(CofferError) {
    let input = LookaheadInput(StoredSource(bytes))
    var (locals, centrals): ([Found], [CentralHeader]) = ([], [])
    /// The directory's place, and what the end says last.
    var directory = 0
    var end: ArchiveEnd?
    let signatures = [ZIPLayout.localSignature, ZIPLayout.centralSignature, ZIPLayout.endSignature]
    while try input.pass(toStart: 4, { bytes, _ in bytes[0] == 0x50 && signatures.contains(bytes.number32(at: 0)) }) {
      guard max(locals.count, centrals.count) < limits.entries else { throw .tooManyEntries(limits) }
      switch Int(input.number()) {
      case ZIPLayout.localSignature:
        if let local = try localHeader(input) { locals.append(try found(local, input)) } else { input.consume(1) }
      case ZIPLayout.centralSignature:
        let offset = input.offset
        if let central = try centralHeader(input) {
          if centrals.isEmpty { directory = offset }
          centrals.append(central)
        } else {
          input.consume(1)
        }
      default:
        if try input.have(ZIPLayout.endLength) { end = ArchiveEnd(input.available.prefix(ZIPLayout.endLength)) }
        input.consume(4)
      }
    }
    // If bytes are missing or there are more, what follows them is elsewhere.
    let shift = end.map { directory - $0.directoryOffset } ?? 0
    try join(locals, centrals, shift: shift, isComplete: end?.entryCount == centrals.count && !centrals.isEmpty)
  }

  /// Joins what was found before the data with what was found in the directory.
  ///
  /// - Parameters:
  ///   - shift: how far the directory is from where the archive's end says.
  ///   - isComplete: true if nothing of the directory is missing: then other names belong to archives in this one.
  private mutating func join(
    _ locals: [Found], _ centrals: [CentralHeader], shift: Int, isComplete: Bool
  ) throws(CofferError) {
    var rest = Dictionary(locals.map { ($0.local.offset, $0) }) { first, _ in first }
    let offsets = Dictionary(locals.map { ($0.local.name.bytes, $0.local.offset) }) { _, last in last }
    var isMatched = true
    for central in centrals {
      let places = [central.offset, central.offset &+ shift, offsets[central.name.bytes] ?? -1]
      let place = places.first { rest[$0] != nil && (rest[$0]?.local.name.bytes == central.name.bytes || $0 == central.offset) }
      if let found = place.flatMap({ rest.removeValue(forKey: $0) }) {
        let start = found.local.offset + found.local.length
        entries.append(try entry(central, found.descriptions, at: start, hasDescriptor: true))
        continue
      }
      isMatched = false
      if central.offset < bytes.byteCount, central.name.fault(lengthLimit: limits.nameLength) == nil {
        // The header is damaged, but may have its length.
        var source = StoredSource(bytes, central.offset..<bytes.byteCount)
        let header = try source.readPrefix(ZIPLayout.localLength)
        let name = central.name.bytes.count
        let extra = header.count == ZIPLayout.localLength ? header.number16(at: 28) : 0
        let others = StoredEntry(central, dataAt: central.offset + ZIPLayout.localLength + name)
        let start = central.offset + ZIPLayout.localLength + name + extra
        var entry = try entry(central, [others], at: start, hasDescriptor: true)
        entry.isDoubtful = true
        entries.append(entry)
      }
    }
    // A header of the directory without one before data may be damaged: then it isn't complete.
    if !isComplete || !isMatched {
      for found in rest.values {
        let isEncrypted = found.local.flags & (ZIPLayout.Flag.encrypted | ZIPLayout.Flag.strongEncryption) != 0
        entries.append(Entry(descriptions: found.descriptions, isEncrypted: isEncrypted))
      }
    }
    guard entries.count <= limits.entries else { throw .tooManyEntries(limits) }
    // A name that is unsafe, or that another entry has, too, may be the one that is damaged.
    let counts = Dictionary(entries.map { ($0.stored.name, 1) }, uniquingKeysWith: +)
    entries = entries.map { counts[$0.stored.name] == 1 && fault(ofName: $0.stored.name) == nil ? $0 : $0.renamed }
    entries.sort { $0.stored.offset < $1.stored.offset }
  }

  /// Passes a header before data, or returns `nil` if it is none.
  private func localHeader(_ input: LookaheadInput) throws(CofferError) -> LocalHeader? {
    guard try input.have(ZIPLayout.localLength), let length = LocalHeader.length(input.available), try input.have(length),
      input.available.number16(at: 26) <= limits.nameLength,
      let local = LocalHeader(Array(input.available.prefix(length)), at: input.offset),
      local.name.fault(lengthLimit: limits.nameLength) == nil
    else { return nil }
    input.consume(length)
    return local
  }

  /// Passes a header of the directory, or returns `nil` if it is none.
  private func centralHeader(_ input: LookaheadInput) throws(CofferError) -> CentralHeader? {
    guard try input.have(ZIPLayout.centralLength) else { return nil }
    let start = Array(input.available.prefix(ZIPLayout.centralLength))
    let (disk, length) = CentralHeader.lengths(start)
    guard disk == 0, try input.have(ZIPLayout.centralLength + length),
      let header = CentralHeader(start, Array(input.available.prefix(ZIPLayout.centralLength + length).dropFirst(start.count)))
    else { return nil }
    input.consume(ZIPLayout.centralLength + length)
    return header
  }

  /// Passes the data after a header.
  private mutating func found(_ local: LocalHeader, _ input: LookaheadInput) throws(CofferError) -> Found {
    let start = input.offset
    let reach = bytes.byteCount - start
    let declared = StoredEntry(
      local, start..<start + min(local.compressedSize ?? reach, reach), size: local.size ?? 0, checksum: local.checksum)
    let hasSignature = try input.have(4) ? Int(input.number()) == ZIPLayout.localSignature : false
    let isStoredArchive = hasSignature && local.method == ZIPLayout.stored
    if let size = local.compressedSize, size <= reach {
      let isFollowed = try isHeader(at: start + size)
      if try isFollowed ? true : isWhole(declared) {
        _ = try input.skip(size)
        return Found(local: local, descriptions: [declared])
      }
    }
    // The headers in an archive in this one don't count.
    let signatures = isStoredArchive ? [] : [ZIPLayout.localSignature, ZIPLayout.centralSignature, ZIPLayout.endSignature]
    _ = try input.pass(toStart: 16) { bytes, offset in
      guard bytes[0] == 0x50 else { return false }
      let signature = bytes.number32(at: 0)
      return signature == ZIPLayout.descriptorSignature && bytes.number32(at: 8) == (offset - start) & ZIPLayout.max32
        || signatures.contains(signature)
    }
    let end = input.offset
    var descriptions: [StoredEntry] = []
    for length in [0, 12, 20] { descriptions += try self.descriptions(of: declared, endingAt: end - length) }
    let cut = declared.with(start..<end, size: declared.size, checksum: local.checksum)
    return Found(local: local, descriptions: descriptions + (local.compressedSize == nil ? [cut] : [declared, cut]))
  }

  /// True if the data is whole, although no header follows it. False, too, if much data was examined for this.
  private mutating func isWhole(_ entry: StoredEntry) throws(CofferError) -> Bool {
    examined += entry.range.count
    // Of no data, nothing can be told.
    if entry.range.isEmpty || examined > 2 * bytes.byteCount { return false }
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
  /// Returns the description that fits an entry's data, or the first one, and what is wrong.
  ///
  /// - Throws: `limit` for data that expands too much; errors of reading.
  package func judge(_ entry: Entry) throws(CofferError) -> (stored: StoredEntry, fault: CofferError?) {
    let name = entry.stored.name
    if let fault = fault(ofName: name) { return (entry.stored, CofferError(.unsafeName, fault, entry: name)) }
    if entry.isEncrypted { return (entry.stored, CofferError(.zipEncrypted, "the entry is encrypted", entry: name)) }
    var first: CofferError?
    for description in entry.descriptions {
      guard let fault = try fault(of: description) else { return (description, nil) }
      first = first ?? fault
    }
    return (entry.stored, first)
  }

  private func fault(ofName name: String) -> String? {
    EntryName(bytes: Array(name.utf8)).fault(lengthLimit: limits.nameLength)
  }

  /// Returns what is wrong with the data as it is described.
  private func fault(of entry: StoredEntry) throws(CofferError) -> CofferError? {
    let name = entry.name
    if entry.range.upperBound > bytes.byteCount { return CofferError(.zipTruncated, "the archive ends in its data", entry: name) }
    let content: (size: Int, checksum: CRC32)?
    switch entry.method {
    case ZIPLayout.stored: content = try stored(entry)
    case ZIPLayout.deflated: content = try expanded(entry)
    default:
      return CofferError(.zipUnsupported, "the data is neither stored nor deflated (method \(entry.method))", entry: name)
    }
    guard let content else { return CofferError(.zipCorrupt, "the data is damaged: a block can't be decoded", entry: name) }
    if content.size != entry.size {
      return CofferError(.zipSize, "its size is \(content.size), but the archive declares \(entry.size)", entry: name)
    }
    if content.checksum == entry.checksum { return nil }
    return CofferError(.zipChecksum, "its data does not match its checksum (CRC-32)", entry: name)
  }

  private func stored(_ entry: StoredEntry) throws(CofferError) -> (Int, CRC32) {
    var source = StoredSource(bytes, entry.range)
    var (size, checksum) = (0, CRC32())
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { piece.deallocate() }
    while case let count = try source.read(into: piece), count > 0 {
      checksum.add(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      size += count
    }
    return (size, checksum)
  }

  /// Returns the size and the checksum of Deflate data, or `nil` if it is damaged, or doesn't end with its last byte.
  private func expanded(_ entry: StoredEntry) throws(CofferError) -> (Int, CRC32)? {
    let inflater = Inflater()
    let input = LookaheadInput(StoredSource(bytes, entry.range))
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { output.deallocate() }
    while try input.have(1) || inflater.mayHoldBack {
      let step = inflater.step(input.available, into: output)
      input.consume(step.consumed)
      if step.hasFailed { return nil }
      if inflater.size > ExpansionLimits.ratioFloor, inflater.size / max(1, entry.range.count) >= limits.ratio {
        throw CofferError(.limit, "it expands to more than \(limits.ratio) times its compressed size", entry: entry.name)
      }
      if step.isAtEnd { return try input.have(1) ? nil : (inflater.size, inflater.checksum) }
    }
    return nil
  }

  /// Returns the data of an entry, expanded; what follows damage, too, behind a zero byte, as `GzipSource` finds it.
  package func contents(of entry: StoredEntry) -> any ByteSource {
    let data = StoredSource(bytes, entry.range.clamped(to: 0..<bytes.byteCount))
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
    // The fault of the entry says it.
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

extension StoredEntry {
  /// The same data, described otherwise.
  fileprivate func with(_ range: Range<Int>, size: Int, checksum: Int) -> StoredEntry {
    StoredEntry(
      name: name, size: size, time: time, range: range, offset: offset, method: method, methodFlags: methodFlags,
      checksum: CRC32(value: UInt32(truncatingIfNeeded: checksum)))
  }

  fileprivate func named(_ name: String) -> StoredEntry {
    StoredEntry(
      name: name, size: size, time: time, range: range, offset: offset, method: method, methodFlags: methodFlags,
      checksum: checksum)
  }
}
