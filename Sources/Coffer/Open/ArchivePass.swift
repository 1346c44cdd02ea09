import BackupFormats
import ByteStreams
import Findings
import Rules
import ZIPArchives

/// One pass over an archive: a verb reads its document in place, and all other entries are measured.
final class ArchivePass {
  private let reader: ZIPReader
  private(set) var formats: ArchiveFormats
  private let execution: Execution
  private let digests: EntryDigests
  /// All files, in the archive's order.
  private(set) var files: [MeasuredEntry] = []
  private(set) var entryCount = 0
  private(set) var size = 0
  /// Side documents, which are small, by the names of their entries.
  private(set) var sideDocuments: [String: [UInt8]] = [:]
  /// The error that ended the pass.
  private(set) var failure: CofferError?
  private static let sideDocumentLimit = 1 << 20

  /// - Parameter computesDigests: true to compute the digests that documents of the formats declare.
  init(_ reader: ZIPReader, _ formats: ArchiveFormats, _ execution: Execution, computesDigests: Bool) {
    self.reader = reader
    self.formats = formats
    self.execution = execution
    let algorithms = formats.formats.reduce(into: Set<DigestAlgorithm>()) { $0.formUnion($1.rules.entryDigests) }
    digests = EntryDigests(computesDigests ? algorithms : [], jobs: execution.jobs)
  }

  /// Faults in single entries.
  var faults: [CofferError] { reader.faults }

  /// Reads the archive to its end.
  ///
  /// - Parameters:
  ///   - skipsDocument: true to read only the other entries.
  ///   - read: reads the document, which has one of the given formats.
  /// - Throws: the errors of `read`, and `CancellationError`. Other errors are kept as `failure`.
  func run(
    skipsDocument: Bool = false, _ read: (any ByteSource, [BackupFormat]) throws -> Void = { _, _ in }
  ) throws {
    failure = try execution.reportedError {
      while let entry = try reader.next() {
        try execution.cancellation.check()
        try visit(entry, skipsDocument, read)
      }
    }
    let digests = digests.finish()
    let unreadable = Set(reader.faults.filter(\.concernsData).compactMap(\.place.entry))
    for index in files.indices {
      files[index].facts.digests = digests[files[index].number] ?? [:]
      files[index].compressedSize = failure == nil ? reader.compressedSizes[files[index].index] : 0
      files[index].facts.isUnreadable = unreadable.contains(files[index].name)
    }
  }

  private func visit(
    _ entry: ZIPEntry, _ skipsDocument: Bool, _ read: (any ByteSource, [BackupFormat]) throws -> Void
  ) throws {
    entryCount += 1
    if entry.isFolder { return }
    let candidates = try formats.candidates(at: entry.name)
    let isSideDocument = formats.isSideDocument(entry.name)
    let place = files.count
    files.append(MeasuredEntry(name: entry.name, index: entryCount - 1))
    if !candidates.isEmpty, !skipsDocument {
      let progress = WorkProgress()
      try read(try reader.document(entry).metered(by: progress), candidates)
      files[place].facts.size = Int64(progress.snapshot.bytesRead)
      // Read the rest of a document whose reading stopped early.
      while let piece = try reader.nextPiece() { files[place].facts.size += Int64(piece.count) }
    } else if !candidates.isEmpty {
      files[place].facts.size = Int64(entry.size ?? 0)
      try reader.skip()
    } else {
      if !isSideDocument { files[place].number = digests.begin() }
      var kept: [UInt8] = []
      while let piece = try reader.nextPiece() {
        files[place].facts.size += Int64(piece.count)
        if !isSideDocument { digests.add(piece) } else if kept.count <= Self.sideDocumentLimit { kept += piece }
        try execution.cancellation.check()
      }
      if isSideDocument { sideDocuments[entry.name] = kept } else { digests.end() }
    }
    size += Int(files[place].facts.size)
  }
}

/// A file of an archive as it was read.
struct MeasuredEntry {
  let name: String
  /// The index of the entry among all entries.
  let index: Int
  var compressedSize = 0
  /// The index of the entry among those with digests, or -1 if it has none.
  var number = -1
  var facts = EntryFacts(size: 0)
}

extension CofferError {
  /// True if the entry's bytes are unreliable.
  var concernsData: Bool { [.zipEncrypted, .zipUnsupported, .zipSize, .zipChecksum].contains(code) }
}
