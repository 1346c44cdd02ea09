import BackupFormats
import ByteStreams
import Findings
import Rules
import ZIPArchives

extension Validator {
  /// Validates an archive: its document, whose events `observer` gets, and all other entries.
  func validate<Observer: ValidationObserver>(
    archive backup: OpenedBackup, observedBy observer: inout Observer
  ) throws -> ValidatedBackup {
    var result = try reporting(on: backup) {
      let reader = try backup.reader(faults: .noted)
      let pass = ArchivePass(reader, try ArchiveFormats(rules), options.execution, computesDigests: true)
      var document: ValidatedDocument?
      try pass.run { source, candidates in
        let opened = OpenedDocument(source, named: "", in: .zip)
        document = try validate(opened, by: rules.limited(to: candidates), observedBy: &observer)
      }
      return ValidatedBackup(report: try report(on: pass, document, named: backup.name), document: document, archive: pass)
    }
    do throws(CofferError) { try backup.checkUnchanged() } catch { result.report.error = error }
    return result
  }

  /// Returns a document's report, with the findings of an archive's other entries. Reads those entries, but not the document.
  ///
  /// - Parameter document: the result of a pass over the backup's document, by a validator with these rules and options.
  /// - Throws: the errors of ``validate(_:named:)``.
  package func report(on backup: OpenedBackup, around document: ValidatedDocument) throws -> ValidationReport {
    guard let archive = backup.archive else { return document.report }
    return try reporting(on: backup) {
      let reader = try archive.reader(faults: .noted)
      let pass = ArchivePass(reader, try ArchiveFormats(rules), options.execution, computesDigests: true)
      try pass.run(skipsDocument: true)
      return ValidatedBackup(report: try report(on: pass, document, named: backup.name), document: document)
    }.report
  }

  /// Compares the document of an archive that has been read with the other entries.
  private func report(
    on pass: ArchivePass, _ document: ValidatedDocument?, named name: String
  ) throws -> ValidationReport {
    var report = document?.report ?? ValidationReport(file: name)
    report.file = name
    report.container = ContainerSummary(kind: "zip", entries: pass.entryCount, bytes: pass.size)
    if let failure = pass.failure {
      report.error = failure
    } else {
      try ArchiveFindings(pass: pass, document: document, options: options).add(to: &report)
    }
    return report
  }

  /// Turns an error that makes an archive unreadable into the report's `error`.
  private func reporting(on backup: OpenedBackup, _ body: () throws -> ValidatedBackup) throws -> ValidatedBackup {
    var result = ValidatedBackup(report: ValidationReport(file: backup.name))
    if let error = try options.execution.reportedError({ result = try body() }) { result.report.error = error }
    return result
  }
}
