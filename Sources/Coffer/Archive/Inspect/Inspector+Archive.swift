import BackupFormats
import ByteStreams
import Findings
import ZIPArchives

extension Inspector {
  /// Inspects an archive: its document, and the number of other files.
  func inspect(_ archive: OpenedArchive, named name: String) throws -> Inspection {
    var inspection = Inspection(file: name)
    inspection.container = .zip
    var survey: ArchiveSurvey
    do throws(CofferError) { survey = ArchiveSurvey(formats: try ArchiveFormats(rules)) } catch {
      inspection.error = error
      inspection.importability = .unreadable
      return inspection
    }
    var failure: CofferError?
    do {
      try survey.run(try archive.reader(limits: limits, faults: .noted), options.execution.cancellation) { source, formats in
        try Inspector(rules.limited(to: formats), options: options).inspectEntry(source, ofArchive: name)
      }
    } catch let error as CofferError where !error.concernsRequest {
      failure = error
      try options.execution.cancellation.check()
    }
    do throws(CofferError) { try archive.stored?.checkUnchanged() } catch { failure = error }
    if let document = survey.inspection {
      inspection = document
      inspection.container = .zip
    }
    let attachments = survey.attachments
    // If nothing of an archive could be read, nothing is known about its files.
    inspection.attachments = failure != nil && survey.inspection == nil && attachments.count == 0 ? nil : attachments
    inspection.warnings += survey.warnings
    if attachments.missing > 0 {
      let files =
        attachments.missing == 1
        ? "1 file named in the document is" : "\(attachments.missing) files named in the document are"
      let names = attachments.missingNames.prefix(10).joined(separator: ", ") + (attachments.missing > 10 ? ", …" : "")
      inspection.warnings.append(Inspection.Warning(code: "file-missing", message: "\(files) not in the archive: \(names)"))
    }
    if !survey.faults.isEmpty { inspection.importability = .faultyArchive }
    if let failure {
      inspection.error = failure
      inspection.importability = .unreadable
    }
    return inspection
  }

  /// Inspects an archive's document, and returns the names of the entries that its records refer to.
  package func inspectEntry(
    _ document: any ByteSource, ofArchive name: String
  ) throws -> (inspection: Inspection, names: Set<String>) {
    var inspection = Inspection(file: name)
    inspection.container = .zip
    let names = try inspect(document, &inspection)
    return (inspection, names)
  }
}

/// One pass over an archive's entries: its document is inspected, the others are counted.
struct ArchiveSurvey {
  private var formats: ArchiveFormats
  private(set) var inspection: Inspection?
  /// The names in the document's records.
  private var named: Set<String> = []
  private var layouts: [ArchiveLayout] = []
  /// The names of all other files; the number and total size of those that aren't documents.
  private var files: Set<String> = []
  private var attachedCount = 0
  private var bytes = 0
  /// Faults in individual entries.
  private(set) var faults: [CofferError] = []

  init(formats: ArchiveFormats) { self.formats = formats }

  /// Reads the archive to its end.
  ///
  /// - Parameter inspect: inspects the document, which has one of the given formats.
  /// - Throws: `CofferError`, including if the archive isn't a backup; the errors of `inspect`.
  mutating func run(
    _ reader: ZIPReader, _ cancellation: Cancellation?,
    inspect: (any ByteSource, [BackupFormat]) throws -> (inspection: Inspection, names: Set<String>)
  ) throws {
    defer { faults = reader.faults }
    while let entry = try reader.next() {
      try cancellation.check()
      if entry.isFolder { continue }
      let candidates = try formats.candidates(at: entry.name)
      if candidates.isEmpty {
        files.insert(entry.name)
        let isSideDocument = formats.isSideDocument(entry.name)
        attachedCount += isSideDocument ? 0 : 1
        while let piece = try reader.nextPiece() {
          try cancellation.check()
          if !isSideDocument { bytes += piece.count }
        }
        continue
      }
      (inspection, named) = try inspect(try reader.document(entry), candidates)
      layouts = candidates.compactMap(\.archive)
    }
    if inspection == nil { throw formats.noDocument }
  }

  /// One warning for each code, however many entries have it.
  var warnings: [Inspection.Warning] {
    var warnings: [Inspection.Warning] = []
    var counts: [CofferError.Code: Int] = [:]
    for fault in faults {
      counts[fault.code, default: 0] += 1
      if counts[fault.code] == 1 { warnings.append(Inspection.Warning(code: fault.code.rawValue, message: fault.description)) }
    }
    for index in warnings.indices {
      let more = (counts[CofferError.Code(rawValue: warnings[index].code)] ?? 1) - 1
      if more > 0 { warnings[index].message += " (\(more.counted("more such fault")))" }
    }
    return warnings
  }

  var attachments: Inspection.Attachments {
    let top = formats.document.flatMap { document in layouts.lazy.compactMap { $0.topFolder(ofMetadata: document) }.first } ?? ""
    let missing = named.filter { !files.contains(top + $0) }.sorted()
    return Inspection.Attachments(
      count: attachedCount, bytes: bytes, missing: missing.count, missingNames: missing.prefix(1000).map { top + $0 })
  }
}
