public import ByteStreams
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
