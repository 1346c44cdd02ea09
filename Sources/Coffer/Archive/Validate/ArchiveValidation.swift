import BackupFormats
import ByteStreams
import Findings
import Rules
import ZIPArchives

extension Validator {
  /// Validates an archive: its document, and all other entries.
  func validate(
    _ archive: OpenedArchive, named name: String, _ validateDocument: DocumentValidation
  ) throws -> ValidationReport {
    var report = try reporting(named: name) {
      let formats = try ArchiveFormats(rules)
      let reader = try archive.reader(limits: limits, faults: .noted)
      return try ArchiveValidation(reader, formats: formats, options: options).run(named: name) { source, candidates in
        try validateDocument(source, rules.limited(to: candidates), "", .zip)
      }
    }
    do throws(CofferError) { try archive.stored?.checkUnchanged() } catch { report.error = error }
    return report
  }

  /// Reports on an archive whose document has already been validated: reads all other entries, and adds their findings to the
  /// document's report.
  ///
  /// - Parameter document: the document's claims, watched values and format, from a pass with the same rules and options.
  /// - Throws: the errors of ``validate(_:named:)``.
  package func validate(
    _ archive: BackupArchive, around document: ContainedDocument, named name: String
  ) throws -> ValidationReport {
    try reporting(named: name) {
      let reader = try archive.reader(faults: .noted)
      return try ArchiveValidation(reader, formats: ArchiveFormats(rules), options: options).run(named: name, around: document)
    }
  }

  /// Turns an error that makes an archive unreadable into the report's `error`.
  private func reporting(named name: String, _ body: () throws -> ValidationReport) throws -> ValidationReport {
    do {
      return try body()
    } catch let error as CofferError where !error.concernsRequest {
      try options.execution.cancellation.check()
      var report = ValidationReport(file: name)
      report.error = error
      return report
    }
  }
}

/// One pass over an archive: validates its document in place, measures all other entries, and compares both at the end.
final class ArchiveValidation {
  private let reader: ZIPReader
  private var formats: ArchiveFormats
  private let options: ValidationOptions
  private let digests: EntryDigests
  /// All files, in the archive's order.
  private var files: [MeasuredEntry] = []
  private var entryCount = 0
  private var size = 0
  /// The archive's document, with the name of its entry.
  private var document: (name: String, content: ContainedDocument)?
  /// The document's result, if it has been validated already.
  private var known: ContainedDocument?
  /// Side documents, which are small, by the names of their entries.
  private var sideDocuments: [String: [UInt8]] = [:]
  private static let sideDocumentLimit = 1 << 20

  init(_ reader: ZIPReader, formats: ArchiveFormats, options: ValidationOptions) {
    self.reader = reader
    self.formats = formats
    self.options = options
    let algorithms = formats.formats.reduce(into: Set<DigestAlgorithm>()) { $0.formUnion($1.rules.entryDigests) }
    digests = EntryDigests(algorithms, jobs: options.execution.jobs)
  }

  /// Reads the archive to its end.
  ///
  /// - Parameter validate: validates the document, which has one of the given formats.
  func run(
    named name: String, validate: (any ByteSource, [BackupFormat]) throws -> ContainedDocument
  ) throws -> ValidationReport {
    var failure: CofferError?
    do {
      while let entry = try reader.next() {
        try options.execution.cancellation.check()
        try take(entry, validate)
      }
    } catch let error as CofferError where !error.concernsRequest {
      try options.execution.cancellation.check()
      failure = error
    }
    var report = document?.content.report ?? ValidationReport(file: name)
    report.file = name
    report.container = ContainerSummary(kind: "zip", entries: entryCount, bytes: size)
    if let failure {
      report.error = failure
      return report
    }
    let findings = ArchiveFindings(
      files: measured(), entryCount: entryCount, size: size, faults: reader.faults, document: document,
      sideDocuments: sideDocuments, formats: formats, options: options)
    try findings.add(to: &report)
    return report
  }

  /// Reads the whole archive except its document, which has already been validated.
  func run(named name: String, around document: ContainedDocument) throws -> ValidationReport {
    known = document
    return try run(named: name) { _, _ in document }
  }

  /// Returns the files with their digests.
  private func measured() -> [MeasuredEntry] {
    let digests = digests.finish()
    let unreadable = Set(reader.faults.filter(\.concernsData).compactMap(\.place.entry))
    for index in files.indices {
      files[index].facts.digests = digests[files[index].number] ?? [:]
      files[index].compressedSize = reader.compressedSizes[files[index].index]
      files[index].facts.isUnreadable = unreadable.contains(files[index].name)
    }
    return files
  }

  private func take(
    _ entry: ZIPEntry, _ validate: (any ByteSource, [BackupFormat]) throws -> ContainedDocument
  ) throws {
    entryCount += 1
    if entry.isFolder { return }
    var file = MeasuredEntry(name: entry.name, index: entryCount - 1)
    let candidates = try formats.candidates(at: entry.name)
    if !candidates.isEmpty, let known {
      document = (entry.name, known)
      file.facts.size = Int64(entry.size ?? 0)
      try reader.skip()
    } else if !candidates.isEmpty {
      let source = CountedSource(try reader.document(entry))
      let content = try validate(source.shared, candidates)
      document = (entry.name, content)
      // Read the rest of a document whose validation stopped early.
      while let piece = try reader.nextPiece() { source.count += piece.count }
      file.facts.size = Int64(source.count)
    } else if formats.isSideDocument(entry.name) {
      var bytes: [UInt8] = []
      while let piece = try reader.nextPiece() {
        file.facts.size += Int64(piece.count)
        if bytes.count <= Self.sideDocumentLimit { bytes += piece }
      }
      sideDocuments[entry.name] = bytes
    } else {
      file.number = digests.begin()
      while let piece = try reader.nextPiece() {
        file.facts.size += Int64(piece.count)
        digests.add(piece)
        try options.execution.cancellation.check()
      }
      digests.end()
    }
    size += Int(file.facts.size)
    files.append(file)
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

/// A source that counts the bytes read from it.
private final class CountedSource {
  var count = 0
  private var source: any ByteSource

  init(_ source: any ByteSource) { self.source = source }

  var shared: any ByteSource { Shared(counted: self) }

  private struct Shared: ByteSource {
    let counted: CountedSource

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
      let count = try counted.source.read(into: buffer)
      counted.count += count
      return count
    }
  }
}
