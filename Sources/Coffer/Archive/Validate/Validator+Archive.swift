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
    do throws(ByteStreamError) { try archive.stored?.checkUnchanged() } catch { report.error = DocumentError(error) }
    return report
  }

  /// The report on an archive whose document has been validated separately: the document's report and the findings of all other entries, which are
  /// read now.
  ///
  /// - Parameter document: with the claims, the watched values and the format that its pass found, by the same rules and options.
  /// - Throws: as ``validate(_:named:)``.
  package func validate(
    _ archive: BackupArchive, around document: ContainedDocument, named name: String
  ) throws -> ValidationReport {
    try reporting(named: name) {
      let reader = try archive.reader(faults: .noted)
      return try ArchiveValidation(reader, formats: ArchiveFormats(rules), options: options).run(named: name, around: document)
    }
  }

  /// Turns an error that keeps an archive from being read into the report's `error`.
  private func reporting(named name: String, _ body: () throws -> ValidationReport) throws -> ValidationReport {
    do {
      return try body()
    } catch {
      guard let error = DocumentError(ofArchive: error) else { throw error }
      try options.execution.cancellation.check()
      var report = ValidationReport(file: name)
      report.error = error
      return report
    }
  }
}

extension ValidationRules {
  /// The rules for an archive's document, whose name admits only some formats.
  func limited(to formats: [BackupFormat]) -> ValidationRules {
    if case .detected = self { .detected(FormatCatalog(formats)) } else { self }
  }
}

extension DocumentError {
  init(_ error: ZIPError) { self.init(code: error.code.rawValue, message: error.description, position: nil) }

  /// `nil` if `error` is not about the archive.
  init?(ofArchive error: any Error) {
    switch error {
    case let error as ZIPError: self.init(error)
    case let error as DocumentError: self = error
    default: return nil
    }
  }
}
