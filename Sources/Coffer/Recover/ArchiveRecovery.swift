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
  private let document: DamagedArchive.Entry
  private let bytes: StoredBytes
  /// The offset of the last entry with each name.
  private let lastOffsets: [String: Int]

  private var execution: Execution { recovery.options.validation.execution }

  /// - Throws: `notABackup` for an archive without a document, or with several; errors of reading.
  init(_ recovery: Recovery, _ backup: OpenedBackup) throws {
    self.recovery = recovery
    name = backup.name
    bytes = try backup.storedArchive()
    archive = try DamagedArchive(bytes, limits: ZIPLimits(recovery.options.validation.execution.expansion))
    // Of several entries with one name, the last counts, as for programs that read the directory.
    lastOffsets = Dictionary(archive.entries.map { ($0.stored.name, $0.stored.offset) }) { _, last in last }
    let entries = archive.entries.filter { [lastOffsets] in lastOffsets[$0.stored.name] == $0.stored.offset }
    var found: StoredEntry?
    if var formats = try? ArchiveFormats(recovery.rules) {
      for entry in entries where try !formats.candidates(at: entry.stored.name).isEmpty { found = entry.stored }
    }
    found = try found ?? BackupArchive.onlyJSON(among: entries.map(\.stored))
    guard let document = entries.first(where: { $0.stored.offset == found?.offset }) else {
      throw CofferError(.notABackup, "the header of the archive's document isn't found: nothing can be recovered")
    }
    self.document = document
  }

  /// Writes the document, or an archive, to `sink`.
  func recover<Sink: ByteSink>(to sink: inout Sink, _ log: RecoveryLog) throws {
    if let failure = archive.failure { add(failure, log) }
    var isWhole: [Bool] = []
    log.report.fileCount = 0
    for entry in archive.entries {
      try execution.cancellation.check()
      let isLast = lastOffsets[entry.stored.name] == entry.stored.offset
      let fault =
        isLast ? try fault(of: entry) : CofferError(.duplicateName, "a later entry has its name", entry: entry.stored.name)
      if let fault { add(fault, log) }
      isWhole.append(fault == nil)
      if fault == nil, !entry.stored.isFolder, entry.stored.offset != document.stored.offset { log.report.fileCount? += 1 }
    }
    let backup = OpenedBackup(named: name, in: .zip, execution) { [archive, document] in archive.contents(of: document.stored) }
    guard recovery.options.writesArchive else { return try recovery.recover(backup, to: &sink, log) }
    var writer = ZIPWriter(to: sink)
    defer { sink = writer.sink }
    for (entry, isWhole) in zip(archive.entries, isWhole) {
      if entry.stored.offset == document.stored.offset {
        var content = try writer.beginCompressed(entry.stored.name, size: entry.stored.size, time: entry.stored.time)
        try recovery.recover(backup, to: &content, log)
        try writer.end(content)
      } else if isWhole {
        try writer.addCopy(of: entry.stored, from: StoredSource(bytes, entry.stored.range))
      }
    }
    try writer.finish()
    try bytes.checkUnchanged()
  }

  /// Returns what is wrong with an entry.
  private func fault(of entry: DamagedArchive.Entry) throws -> CofferError? {
    do throws(CofferError) {
      return try archive.fault(of: entry)
    } catch {
      if error.code == .limit { return error }
      throw error
    }
  }

  private func add(_ fault: CofferError, _ log: RecoveryLog) {
    log.report.archiveFaultCount += 1
    if log.report.archiveFaults.count < RecoveryReport.maximumLeftOut { log.report.archiveFaults.append(fault) }
  }
}
