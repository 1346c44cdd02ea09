import BackupFormats
import ByteStreams
import ZIPArchives

/// Recovers a damaged ZIP archive: its document, and its other files that are whole.
///
///     archive ─▶ DamagedArchive ─┬─▶ document ─▶ Recovery ─┬─▶ ZIPWriter ─▶ sink
///                                └─▶ files without a fault ┘
struct ArchiveRecovery {
  private let recovery: Recovery
  private let name: String
  private let archive: DamagedArchive
  /// Of several entries with one name, the last, as for programs that read the directory.
  private let entries: [DamagedArchive.Entry]
  /// The names of the others.
  private let earlierNames: [String]
  /// The index of the document's entry.
  private let document: Int
  private let bytes: StoredBytes

  private var execution: Execution { recovery.options.validation.execution }

  /// - Throws: `notABackup` for an archive without a document, or with several; errors of reading.
  init(_ recovery: Recovery, _ backup: OpenedBackup) throws {
    self.recovery = recovery
    name = backup.name
    bytes = try backup.storedArchive()
    archive = try DamagedArchive(bytes, limits: ZIPLimits(recovery.options.validation.execution.expansion))
    let last = Dictionary(archive.entries.map { ($0.stored.name, $0.stored.offset) }) { _, last in last }
    var entries = archive.entries.filter { last[$0.stored.name] == $0.stored.offset }
    earlierNames = archive.entries.map(\.stored).filter { last[$0.name] != $0.offset }.map(\.name)
    var document = try Self.document(of: recovery.rules, in: entries)
    if document == nil, let other = try Self.document(of: recovery.rules, in: entries.map(\.renamed)) {
      // Its name in the directory is damaged.
      entries[other] = entries[other].renamed
      document = other
    }
    guard let document else {
      throw CofferError(.notABackup, "the header of the archive's document isn't found: nothing can be recovered")
    }
    self.document = document
    self.entries = entries
  }

  /// Returns the index of the document: one that is described before its data, if there is such a one.
  private static func document(of rules: RuleSource, in entries: [DamagedArchive.Entry]) throws -> Int? {
    for isDoubtful in [false, true] {
      let candidates = entries.filter { $0.isDoubtful == isDoubtful }.map(\.stored)
      guard let document = try document(of: rules, among: candidates) else { continue }
      return entries.firstIndex { $0.stored.offset == document.offset && $0.isDoubtful == isDoubtful }
    }
    return nil
  }

  private static func document(of rules: RuleSource, among entries: [StoredEntry]) throws -> StoredEntry? {
    var found: StoredEntry?
    // Rules that describe no archive say nothing about its document.
    if var formats = try? ArchiveFormats(rules) {
      for entry in entries where try !formats.candidates(at: entry.name).isEmpty { found = entry }
    }
    return try found ?? BackupArchive.onlyJSON(among: entries)
  }

  /// Writes the document, or an archive, to `sink`.
  func recover<Sink: ByteSink>(to sink: inout Sink, _ log: RecoveryLog) throws {
    if let failure = archive.failure { add(failure, log) }
    for name in earlierNames { add(CofferError(.duplicateName, "a later entry has its name", entry: name), log) }
    var whole: [StoredEntry?] = []
    var text = entries[document].stored
    var names = EntryNames()
    _ = names.fault(adding: text.name)
    for (index, entry) in entries.enumerated() {
      try execution.cancellation.check()
      let judged = try judge(entry)
      let stored = judged.stored
      var fault = judged.fault
      if fault == nil, index != document, let words = names.fault(adding: stored.name) {
        fault = CofferError(.duplicateName, words, entry: stored.name)
      }
      if let fault { add(fault, log) }
      if index == document { text = stored }
      whole.append(fault == nil ? stored : nil)
    }
    log.report.fileCount = whole.indices.count { $0 != document && whole[$0]?.isFolder == false }
    log.report.writesFiles = recovery.options.writesArchive
    let backup = OpenedBackup(named: name, in: .zip, execution) { [archive, text] in archive.contents(of: text) }
    guard recovery.options.writesArchive else { return try recovery.recover(backup, to: &sink, log) }
    var writer = ZIPWriter(to: sink)
    defer { sink = writer.sink }
    for (index, entry) in whole.enumerated() {
      if index == document {
        var content = try writer.beginCompressed(text.name, size: text.size, time: text.time)
        try recovery.recover(backup, to: &content, log)
        try writer.end(content)
      } else if let entry {
        try writer.addCopy(of: entry, from: StoredSource(bytes, entry.range))
      }
    }
    try writer.finish()
    try bytes.checkUnchanged()
  }

  private func judge(_ entry: DamagedArchive.Entry) throws -> (stored: StoredEntry, fault: CofferError?) {
    do throws(CofferError) {
      return try archive.judge(entry)
    } catch {
      if error.code == .limit { return (entry.stored, error) }
      throw error
    }
  }

  private func add(_ fault: CofferError, _ log: RecoveryLog) {
    log.report.archiveFaultCount += 1
    if log.report.archiveFaults.count < RecoveryReport.maximumLeftOut { log.report.archiveFaults.append(fault) }
  }
}
