import BackupFormats
public import ByteStreams
import JSONEvents
import Rules
import ZIPArchives

/// A synthetic ZIP backup of a format, generated from a seed: its document, and a tiny photo for each file that the document
/// names.
///
/// Photos are pure functions of the seed and the record's number, so that the document can contain their sizes and digests before
/// they exist.
///
/// For example:
///
///     let format = try SyntheticFormat.archived(FormatCatalog.builtIn["smilepile"]!)
///     let archive = try SyntheticArchive(of: format, options: .init(size: 1_000_000, seed: 7, defects: [.fileMissing: 2]))
///     let summary = try archive.write(to: &file)
///
/// Memory: `ZIPWriter`'s directory entries. The document is first written to a temporary file without a name.
public struct SyntheticArchive: Sendable {
  /// A summary of the written archive.
  public struct Summary: Sendable, Hashable {
    /// The document and its records; `bytes` is the size of the document.
    public let document: SyntheticBackup.Summary
    /// The number of entries in the archive.
    public let entries: Int
  }

  private let backup: SyntheticBackup

  /// - Parameters:
  ///   - format: a format made by ``SyntheticFormat/archived(_:)``.
  ///   - options: The size is that of the document. It is smaller if the format's readers limit the number of entries.
  /// - Throws: The errors of `SyntheticBackup.init(of:options:)`.
  public init(of format: SyntheticFormat, options: SyntheticBackup.Options) throws(CofferError) {
    backup = try SyntheticBackup(of: format, options: options)
  }

  /// Writes the archive to `sink`, and passes each planted defect to `ledger`: those of the document in document order, then
  /// those of the archive.
  public func write<Sink: ByteSink>(
    to sink: inout Sink, ledger: (LedgerEntry) throws(CofferError) -> Void = { _ throws(CofferError) in }
  ) throws(CofferError) -> Summary {
    let document = SpilledDocument(file: try SpillFile())
    var spill = document
    var options = ZIPWriter<Sink>.Options()
    options.allowsUnsafeNames = true
    var writer = ZIPWriter(to: sink, options: options)
    var entries = 0
    let summary = try backup.writeArchive(to: &spill, ledger: ledger) { part throws(CofferError) in
      entries += 1
      switch part {
      case .document(let name): try writer.addCompressed(name, from: document, size: document.size)
      case .sideDocument(let name, let bytes): try writer.addCompressed(name, from: MemorySource(bytes), size: bytes.count)
      case .file(let name, let bytes):
        try writer.addStored(name, size: bytes.count, checksum: CRC32(of: bytes), from: MemorySource(bytes))
      }
    }
    try writer.finish()
    sink = writer.sink
    return Summary(document: summary, entries: entries)
  }
}

/// The document, which is written before it is compressed.
private final class SpilledDocument: ByteSink, ByteSource {
  private let file: SpillFile
  private let chain: SpillFile.Chain
  private(set) var size = 0
  private var offset = 0

  init(file: SpillFile) {
    self.file = file
    chain = file.makeChain()
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    try file.append(bytes, to: chain)
    size += bytes.count
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try file.read(chain, at: offset, into: buffer)
    offset += count
    return count
  }
}

/// The contents of a format's archives, except the files that records name.
struct ArchivePlan: Sendable {
  let layout: ArchiveLayout
  /// A sample of each document in addition to the archive's own.
  private let samples: [(side: SideDocument, value: JSONValue)]
  /// The maximum number of files that no record names.
  static let strayLimit = 64

  init(_ layout: ArchiveLayout) throws(CofferError) {
    self.layout = layout
    samples = try layout.documents.map { side throws(CofferError) in
      let backup = try SyntheticBackup(
        of: SyntheticFormat(side.rules, name: side.name), options: .init(size: 0, layout: .compact))
      var sink = MemorySink()
      _ = try backup.write(to: &sink)
      return (side, try JSONValue.read(MemorySource(sink.bytes)).value)
    }
  }

  /// The maximum number of files that the format's readers accept.
  var fileLimit: Int? { layout.limits.entries.map { $0 - 1 - samples.count - Self.strayLimit } }

  /// The defects of the archive itself.
  var variants: [DefectVariant] {
    func variant(_ kind: DefectKind, _ start: String, _ end: String) -> DefectVariant {
      DefectVariant(
        kind: kind, code: kind.rawValue, site: .archive, path: [], change: .stray(start, end), pointers: [[]],
        location: "/backup/archive")
    }
    let unsafe = variant(.pathUnsafe, "../evil-", ".txt")
    return layout.files.isEmpty ? [unsafe] : [variant(.fileExtra, layout.files + "unnamed-", ".jpg"), unsafe]
  }

  /// Returns true if a defect would make a side document contradict the archive's own document.
  func concerns(_ variant: DefectVariant) -> Bool {
    guard case .envelope(let site) = variant.site else { return false }
    let path = site + variant.path
    return samples.flatMap(\.side.agreements).contains { agreement in
      guard case .value(let tokens) = agreement.place else { return false }
      return tokens.starts(with: path) || path.starts(with: tokens)
    }
  }

  /// Returns the documents in addition to the archive's own, with values that agree with it.
  func documents(
    agreeingWith drawer: Drawer, layout: JSONEventWriter.Layout
  ) throws(CofferError) -> [(name: String, bytes: [UInt8])] {
    try samples.map { side, sample throws(CofferError) in
      var value = sample
      for agreement in side.agreements {
        let agreed: JSONValue
        switch agreement.place {
        case .value(let tokens): agreed = drawer.value(at: tokens[...], in: drawer.root) ?? .null
        case .count(let tokens):
          let number = drawer.plan.collections.firstIndex { $0.tokens == tokens }
          agreed = .number(String(number.map { drawer.population.counts[$0] } ?? 0))
        }
        // Watched places are those of scalars.
        guard agreed.depth == 0 else { continue }
        _ = value.set(agreed, at: (agreement.pointer.pointerTokens ?? [])[...], isSorted: true)
      }
      var json = JSONEventWriter(layout: layout, slashes: drawer.plan.escapesSlashes ? .escaped : .plain)
      json.write(value)
      var sink = MemorySink()
      try json.finish(to: &sink)
      return (side.name, sink.bytes)
    }
  }
}

/// A part of an archive, in archive order.
package enum ArchivePart {
  /// The document is complete: the bytes written to the sink.
  case document(name: String)
  case sideDocument(name: String, bytes: [UInt8])
  case file(name: String, bytes: [UInt8])
}

/// A tiny photo: a baseline JPEG (ITU-T T.81) of 8 × 8 grey pixels, with a comment that distinguishes it from all others.
///
///     SOI │ APP0 (JFIF) │ COM (its number) │ DQT │ SOF0 │ DHT │ DHT │ SOS │ data │ EOI
enum SyntheticPhoto {
  /// - Parameter stream: distinguishes the photos of different collections.
  static func bytes(seed: UInt64, stream: Int = 0, index: Int) -> [UInt8] {
    let start: [UInt8] = [0xFF, 0xD8] + segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
    return start + segment(0xFE, Array("made up, number \(index + 1), seed \(seed), kind \(stream)".utf8)) + picture
  }

  private static let picture: [UInt8] =
    segment(0xDB, [0] + Array(repeating: 8, count: 64))
    // 8 bits per sample, 8 rows of 8, three components without subsampling.
    + segment(0xC0, [8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
    // One code for a DC difference of no bits, and one for the end of the block: each block has only a DC coefficient.
    + segment(0xC4, [0x00, 1] + Array(repeating: 0, count: 16)) + segment(0xC4, [0x10, 1] + Array(repeating: 0, count: 16))
    // Three blocks of two bits, and padding with ones.
    + segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]) + [0b0000_0011, 0xFF, 0xD9]

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)] + content
  }
}
