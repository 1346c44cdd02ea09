public import ByteStreams
import ZIPArchives

/// A ZIP backup of some format, made up from a seed: its document, and a tiny photo for each file that the document names.
///
/// The photos are pure functions of the seed and the record's number, so that sizes and digests stand in the document before any photo is made.
///
/// For example:
///
///     let format = try SyntheticFormat.archived(FormatCatalog.builtIn()["smilepile"]!)
///     let archive = try SyntheticArchive(of: format, options: .init(size: 1_000_000, seed: 7, defects: [.fileMissing: 2]))
///     let summary = try archive.write(to: &file)
///
/// Memory: what `ZIPWriter` keeps of each entry; the document waits in a temporary file without a name.
public struct SyntheticArchive: Sendable {
  /// What was written.
  public struct Summary: Sendable, Hashable {
    /// Of the document and its records; its bytes are those of the document.
    public let document: SyntheticBackup.Summary
    /// The archive's entries.
    public let entries: Int
  }

  private let backup: SyntheticBackup

  /// - Parameter options: the size is that of the document; it gets smaller where the format's readers take only so many entries.
  /// - Throws: as `SyntheticBackup.init(of:options:)`.
  public init(of format: SyntheticFormat, options: SyntheticBackup.Options) throws(SyntheticBackupError) {
    backup = try SyntheticBackup(of: format, options: options)
  }

  /// Writes the archive to `sink`, and hands each planted defect to `ledger`: those of the document in its order, then those of the archive.
  public func write<Sink: ByteSink>(
    to sink: inout Sink, ledger: (LedgerEntry) throws(ByteStreamError) -> Void = { _ throws(ByteStreamError) in }
  ) throws(ByteStreamError) -> Summary {
    let spill = try SpillFile()
    let chain = spill.makeChain()
    let size = SpilledSize()
    var document = SpillSink(file: spill, chain: chain, size: size)
    var options = ZIPWriter<Sink>.Options()
    options.allowsUnsafeNames = true
    var writer = ZIPWriter(to: sink, options: options)
    var entries = 0
    let summary = try backup.writeArchive(to: &document, ledger: ledger) { part throws(ByteStreamError) in
      entries += 1
      do throws(ZIPError) {
        switch part {
        case .document(let name):
          try writer.addCompressed(name, from: SpillSource(file: spill, chain: chain), size: size.count)
        case .sideDocument(let name, let bytes): try writer.addCompressed(name, from: MemorySource(bytes), size: bytes.count)
        case .file(let name, let bytes):
          try writer.addStored(name, size: bytes.count, checksum: CRC32(of: bytes), from: MemorySource(bytes))
        }
      } catch { throw ByteStreamError(error) }
    }
    do throws(ZIPError) { try writer.finish() } catch { throw ByteStreamError(error) }
    sink = writer.sink
    return Summary(document: summary, entries: entries)
  }
}

/// A document that is written before it is compressed.
private struct SpillSink: ByteSink {
  let file: SpillFile
  let chain: SpillFile.Chain
  let size: SpilledSize

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
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

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let count = try file.read(chain, at: offset, into: buffer)
    offset += count
    return count
  }
}
