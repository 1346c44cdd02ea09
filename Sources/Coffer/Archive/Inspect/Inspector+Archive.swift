import BackupFormats
import ByteStreams
import Findings
import ZIPArchives

extension Inspector {
  /// Inspects an archive: its document, and the number of other files.
  func inspect(archive backup: OpenedBackup) throws -> Inspection {
    var inspection = Inspection(file: backup.name)
    inspection.container = .zip
    let error = try options.execution.reportedError {
      let reader = try backup.reader(faults: .noted)
      let archive = ArchivePass(reader, try ArchiveFormats(rules), options.execution, computesDigests: false)
      var found: (inspection: Inspection, names: Set<String>)?
      try archive.run { source, formats in
        found = try inspect(OpenedDocument(source, named: backup.name, in: .zip), by: rules.limited(to: formats))
      }
      if let found { inspection = found.inspection }
      add(archive, naming: found?.names ?? [], to: &inspection, document: found != nil)
    }
    inspection.fail(with: error)
    do throws(CofferError) { try backup.checkUnchanged() } catch { inspection.fail(with: error) }
    return inspection
  }

  /// Adds what a pass over an archive has found to the inspection of its document.
  ///
  /// - Parameters:
  ///   - names: the names of the entries that records refer to.
  ///   - hasDocument: false if the archive has none, or broke off before it.
  func add(_ archive: ArchivePass, naming names: Set<String>, to inspection: inout Inspection, document hasDocument: Bool) {
    let failure = archive.failure ?? (hasDocument ? nil : archive.formats.noDocument)
    let attachments = archive.attachments(naming: names)
    // If nothing of an archive could be read, nothing is known about its files.
    inspection.attachments = failure != nil && !hasDocument && attachments.count == 0 ? nil : attachments
    inspection.warnings += archive.warnings
    if attachments.missing > 0 {
      let files =
        attachments.missing == 1
        ? "1 file named in the document is" : "\(attachments.missing) files named in the document are"
      let names = attachments.missingNames.prefix(10).joined(separator: ", ") + (attachments.missing > 10 ? ", …" : "")
      inspection.warnings.append(Inspection.Warning(code: "file-missing", message: "\(files) not in the archive: \(names)"))
    }
    if !archive.faults.isEmpty { inspection.importability = .faultyArchive }
    inspection.fail(with: failure)
  }
}

extension ArchivePass {
  /// One warning for each code, however many entries have it.
  fileprivate var warnings: [Inspection.Warning] {
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

  fileprivate func attachments(naming names: Set<String>) -> Inspection.Attachments {
    let layouts = formats.formats.lazy.compactMap(\.archive)
    let top = formats.document.flatMap { document in layouts.compactMap { $0.topFolder(ofMetadata: document) }.first } ?? ""
    let others = files.filter { $0.name != formats.document }
    let found = Set(others.map(\.name))
    let missing = names.filter { !found.contains(top + $0) }.sorted()
    let attached = others.filter { !formats.isSideDocument($0.name) }
    return Inspection.Attachments(
      count: attached.count, bytes: attached.reduce(0) { $0 + Int($1.facts.size) }, missing: missing.count,
      missingNames: missing.prefix(1000).map { top + $0 })
  }
}
