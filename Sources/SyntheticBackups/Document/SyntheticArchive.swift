public import BackupFormats
public import ByteStreams
import Digests
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
    let spill = try SpillFile()
    let chain = spill.makeChain()
    let size = SpilledSize()
    var document = SpillSink(file: spill, chain: chain, size: size)
    var options = ZIPWriter<Sink>.Options()
    options.allowsUnsafeNames = true
    var writer = ZIPWriter(to: sink, options: options)
    var entries = 0
    let summary = try backup.writeArchive(to: &document, ledger: ledger) { part throws(CofferError) in
      entries += 1
      switch part {
      case .document(let name):
        try writer.addCompressed(name, from: SpillSource(file: spill, chain: chain), size: size.count)
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

/// A sink for the document, which is written before it is compressed.
private struct SpillSink: ByteSink {
  let file: SpillFile
  let chain: SpillFile.Chain
  let size: SpilledSize

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    try file.append(bytes, to: chain)
    size.count += bytes.count
  }
}

private final class SpilledSize {
  var count = 0
}

private struct SpillSource: ByteSource {
  let file: SpillFile
  let chain: SpillFile.Chain
  var offset = 0

  init(file: SpillFile, chain: SpillFile.Chain) {
    self.file = file
    self.chain = chain
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try file.read(chain, at: offset, into: buffer)
    offset += count
    return count
  }
}

extension SyntheticFormat {
  /// Returns a format for ``SyntheticArchive``.
  ///
  /// - Throws: `no-archive` if the format's backups aren't archives; otherwise the errors of `SyntheticFormat.init(_:)`.
  public static func archived(_ format: BackupFormat) throws(CofferError) -> SyntheticFormat {
    guard let layout = format.archive else { throw CofferError.noArchive(format.name) }
    return try SyntheticFormat(format, archive: layout) { MessageDigest.text(of: $1, by: $0) }
  }
}

/// The contents of a format's archives, except the files that records name.
struct ArchivePlan: Sendable {
  let metadata: String
  /// The prefix of file names; may be empty.
  let files: String
  /// The maximum number of entries that the format's readers accept.
  let limit: Int?
  let documents: [SyntheticSideDocument]
  /// The maximum number of files that no record names.
  static let strayLimit = 64

  init(_ layout: ArchiveLayout) throws(CofferError) {
    metadata = layout.metadata
    files = layout.files
    documents = try layout.documents.map { document throws(CofferError) in try SyntheticSideDocument(document) }
    limit = layout.limits.entries.map { $0 - 1 - layout.documents.count - Self.strayLimit }
  }

  /// The defects of the archive itself.
  var variants: [DefectVariant] {
    var variants: [DefectVariant] = []
    func add(_ kind: DefectKind, _ start: String, _ end: String) {
      variants.append(
        DefectVariant(
          kind: kind, code: kind.rawValue, site: .archive, path: [], change: .stray(start, end), pointers: [[]],
          location: "/backup/archive"))
    }
    if !files.isEmpty { add(.fileExtra, files + "unnamed-", ".jpg") }
    add(.pathUnsafe, "../evil-", ".txt")
    return variants
  }

  /// Returns true if a defect would make a side document contradict the archive's own document.
  func concerns(_ variant: DefectVariant) -> Bool {
    guard case .envelope(let site) = variant.site else { return false }
    let path = site + variant.path
    return documents.flatMap(\.agreements).contains { agreement in
      guard case .value(let tokens) = agreement.1 else { return false }
      return tokens.starts(with: path) || path.starts(with: tokens)
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

/// A small document in addition to the archive's own.
struct SyntheticSideDocument: Sendable {
  let name: String
  let tree: JSONTree
  let agreements: [([String], WatchedPlace)]

  init(_ side: SideDocument) throws(CofferError) {
    name = side.name
    let backup = try SyntheticBackup(of: SyntheticFormat(side.rules, name: side.name), options: .init(size: 0, layout: .compact))
    var sink = MemorySink()
    _ = try backup.write(to: &sink)
    tree = JSONTree(parsing: sink.bytes)
    agreements = side.agreements.map { ($0.pointer.pointerTokens ?? [], $0.place) }
  }
}

extension DocumentWriter {
  /// Returns a side document whose values agree with this one.
  mutating func write(_ side: SyntheticSideDocument, _ layout: TreeLayout) -> [UInt8] {
    var tree = side.tree
    for (path, place) in side.agreements {
      switch place {
      case .value(let tokens):
        let value = records.envelopeValue(at: tokens)
        records.leave()
        _ = tree.set(value ?? .null, at: path, sorted: true)
      case .count(let tokens):
        let number = records.plan.collections.firstIndex { $0.tokens == tokens }
        _ = tree.set(.number(String(number.map { records.population.counts[$0] } ?? 0)), at: path, sorted: true)
      }
    }
    var text: [UInt8] = []
    tree.append(to: &text, layout, depth: 0)
    return text
  }
}
