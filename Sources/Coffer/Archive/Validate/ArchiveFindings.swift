import BackupFormats
import Findings
import JSONEvents
import Rules
import ZIPArchives

/// Findings about an archive, in addition to those of its document.
struct ArchiveFindings {
  /// Has read the archive to its end.
  let pass: ArchivePass
  /// The result of validating its document.
  let document: ValidatedDocument?
  let options: ValidationOptions

  func add(to report: inout ValidationReport) throws {
    var collector = FindingCollector(limit: .max)
    for fault in pass.faults {
      collector.add(Self.finding(fault.code.rawValue, .error, fault.message, entry: fault.place.entry ?? ""))
    }
    guard let document, let name = pass.formats.document else {
      try addMissingDocument(to: &collector)
      return merge(collector, into: &report)
    }
    guard let format = document.format, let layout = format.archive else {
      if report.error == nil, report.formatProblem == nil {
        report.error = pass.formats.unknownDocument(name)
      }
      return merge(collector, into: &report)
    }
    let top = layout.topFolder(ofMetadata: name) ?? ""
    if !top.isEmpty {
      let message = "the whole backup is in this folder"
      collector.add(Self.finding("dialect", .note, message, entry: top))
    }
    if let dialect = format.dialects.first(where: { $0.name == report.dialect }), dialect.container == .json {
      let message = "'\(dialect.name)' is a separate file, not a document in an archive"
      collector.add(Self.finding("dialect", .warning, message, entry: name))
    }
    addLimits(layout.limits, to: &collector)
    try addSideDocuments(layout, top, document, to: &collector, &report)
    // An incompletely read document may name more files.
    if report.error == nil, format.rules.namesEntries, let claims = document.claims {
      addClaims(claims, isAll: !document.leavesClaimsOut, layout, top, to: &collector, &report)
    }
    merge(collector, into: &report)
  }

  /// Findings beyond the limit are only counted.
  private func merge(_ collector: FindingCollector, into report: inout ValidationReport) {
    report.counts.merge(collector.counts)
    report.findings = (report.findings + collector.findings()).fairChoice(of: options.keptFindings)
  }

  static func finding(
    _ code: String, _ severity: Severity, _ message: String, entry: String, keyword: String = "archive",
    location: String = "/backup/archive"
  ) -> Finding {
    Finding(
      code: code, keyword: keyword, severity: severity, message: message, place: Place(entry: entry), schemaLocation: location)
  }

  // MARK: The archive

  /// Reports a missing document if the archive has files of a format; any other archive isn't a backup.
  private func addMissingDocument(to collector: inout FindingCollector) throws(CofferError) {
    let likely = pass.formats.formats(withFilesAmong: pass.files.lazy.map(\.name))
    guard let first = likely.first?.archive else { throw pass.formats.noDocument }
    let names = ArchiveFormats.documentNames(of: likely)
    collector.add(
      Self.finding("file-missing", .error, "the archive has no \(names), the document of its other files", entry: first.metadata))
  }

  private func addLimits(_ limits: ArchiveLayout.Limits, to collector: inout FindingCollector) {
    let location = "/backup/archive/limits"
    func add(_ message: String, _ entry: String, _ name: String) {
      collector.add(Self.finding("limit", .error, message, entry: entry, keyword: name, location: "\(location)/\(name)"))
    }
    if let limit = limits.entries, pass.entryCount > limit {
      add("the archive has \(pass.entryCount) entries, but its reader accepts only \(limit)", "", "entries")
    }
    if let limit = limits.size, pass.size > limit {
      add("the archive expands to \(pass.size) bytes, but its reader accepts only \(limit)", "", "size")
    }
    guard let limit = limits.ratio else { return }
    for file in pass.files {
      if file.facts.isUnreadable { continue }
      if Double(file.facts.size) > Double(max(1, file.compressedSize)) * Double(limit) {
        add("the entry expands to more than \(limit) times its compressed size", file.name, "ratio")
      }
    }
  }

  // MARK: Files named in the document

  /// - Parameter isAll: true if the document names no others.
  private func addClaims(
    _ claims: EntryClaims, isAll: Bool, _ layout: ArchiveLayout, _ top: String, to collector: inout FindingCollector,
    _ report: inout ValidationReport
  ) {
    var facts: [String: EntryFacts] = [:]
    for file in pass.files where file.name.hasPrefix(top) { facts[String(file.name.dropFirst(top.count))] = file.facts }
    let found = claims.findings { facts[$0] }
    merge(found, into: &report)

    let claimed = claims.names
    let known = Set([layout.metadata] + layout.documents.map(\.name))
    // Unsafe names have already been reported.
    let unsafe = Set(pass.faults.filter { !$0.concernsData }.compactMap(\.place.entry))
    for file in pass.files where !unsafe.contains(file.name) {
      let name = file.name.hasPrefix(top) ? String(file.name.dropFirst(top.count)) : file.name
      if claimed.contains(name) || known.contains(name) && file.name.hasPrefix(top) { continue }
      let isOfFiles = !layout.files.isEmpty && name.hasPrefix(layout.files)
      // An unchecked record may name it.
      if !isAll, isOfFiles || layout.files.isEmpty { continue }
      collector.add(
        Self.finding(
          "file-extra", isOfFiles ? .warning : .note,
          isOfFiles ? "no record names this file" : "the format has no such entry", entry: file.name))
    }
  }

  // MARK: Side documents

  private func addSideDocuments(
    _ layout: ArchiveLayout, _ top: String, _ content: ValidatedDocument, to collector: inout FindingCollector,
    _ report: inout ValidationReport
  ) throws {
    for (side, values) in layout.documents(agreeingWith: content.watched) {
      guard let bytes = pass.sideDocuments[top + side.name] else {
        if side.isRequired {
          collector.add(Self.finding("file-missing", .error, "the archive has no \(side.name)", entry: top + side.name))
        }
        continue
      }
      var check = SideDocumentCheck(side: side, bytes: bytes, entry: top + side.name, options: options)
      try check.run(values, isComplete: content.report.error == nil)
      collector.merge(check.collector)
      if let error = check.error, report.error == nil { report.error = error }
    }
  }
}
