import BackupFormats
import ByteStreams
import Findings
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
