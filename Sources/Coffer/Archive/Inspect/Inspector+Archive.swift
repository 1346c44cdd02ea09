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
