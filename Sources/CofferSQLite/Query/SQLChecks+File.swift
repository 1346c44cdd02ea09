public import BackupFormats
import ByteStreams
import Coffer
public import Findings
public import SystemPackage

extension SQLChecks {
  /// Returns a report with the findings of the checks.
  ///
  /// - Parameters:
  ///   - report: that of the validation of the file, with `ValidationOptions.runsSQLChecks`.
  ///   - file: JSON, compressed data that holds it, or a ZIP archive.
  ///   - catalog: the known formats, for the migration of an older version: of one, the checks aren't run, and a warning says so.
  /// - Throws: the errors of `BackupQuery`; `invalidRules` with the place of a statement that can't be used; `ruleLimit` for one that takes
  ///   too long.
  public func add(to report: ValidationReport, of file: FilePath, catalog: FormatCatalog) throws -> ValidationReport {
    if format.checks.isEmpty || report.error != nil || report.formatProblem != nil { return report }
    func leavingOut(because reason: String) -> ValidationReport {
      var report = report
      report.add(Finding(notRun: format.checks, because: reason))
      return report
    }
    if options.only != nil { return leavingOut(because: "not all collections were read") }
    let folder = try ScratchFolder(within: options.execution.temporaryFolder)
    var importing = DatabaseImportOptions(validation: options)
    (importing.allowsFindings, importing.allowsNewer, importing.addsNestedViews) = (true, true, true)
    let importer = DatabaseImporter(.format(format), catalog: catalog.preceded(by: [format]), options: importing)
    let tables = try importer.tables(of: file, at: folder.stagePath)
    if tables.migration != nil {
      return leavingOut(because: "the document is of an older version: migrate it first")
    }
    return try add(to: report, in: folder.stagePath) {
      try OpenedBackup(file, .format(format), execution: options.execution).document()
    }
  }
}
