import BackupFormats
public import ByteStreams
import Findings
import ZIPArchives

extension Inspector {
  /// Inspects a backup and decides whether it can be imported: `Inspection.importability` predicts the outcome of importing the
  /// whole backup into a new database.
  ///
  /// For example:
  ///
  ///     let validation = ValidationOptions(now: now)
  ///     let inspection = try inspector.inspect(FileSource(path: "export.json"), named: "export.json", importingBy: validation)
  ///     print(inspection.importability.isPossible)
  ///
  /// Cost: that of a validation. A backup that must be migrated first takes three more passes, and its size in temporary storage. So
  /// does a stream.
  ///
  /// - Parameters:
  ///   - file: the backup.
  ///   - name: its name in the inspection.
  ///   - validation: how an import would validate it.
  /// - Throws: the errors of `Inspector.inspect`; `CofferError`.
  public func inspect(
    _ file: FileSource, named name: String, importingBy validation: ValidationOptions
  ) throws -> Inspection {
    var inspection = Inspection(file: name)
    let error = try validation.execution.reportedError {
      let stored = try StoredBytes.storing(file, named: name, validation.execution)
      validation.execution.progress?.expect(stored.byteCount(ofPasses: 1))
      inspection.storedBytes = stored.byteCount
      inspection = try inspect(stored, named: name, validation)
      inspection.storedBytes = stored.byteCount
    }
    if let error { inspection.error = error }
    return inspection
  }

  private func inspect(_ stored: StoredBytes, named name: String, _ validation: ValidationOptions) throws -> Inspection {
    let catalog: FormatCatalog
    switch rules {
    case .detected(let formats): catalog = formats
    case .format(let format): catalog = FormatCatalog.builtIn.preceded(by: [format])
    // What describes no format can't be imported.
    case .document: return try inspect(StoredSource(stored), named: name)
    }
    let decision = ImportDecision(catalog: catalog, options: validation)
    let validator = Validator(rules, options: decision.options)
    let backup = try OpenedBackup(StoredSource(stored), named: name, validation.execution.unmetered)
    var (inspection, validated) = try inspect(backup, validatedBy: validator)
    if let error = validated.document?.report.error, !error.isFaultOfDocument {
      // The rules may take more than a limit allows: then the rest is inspected without them.
      inspection = try inspect(StoredSource(stored), named: name)
    }
    guard inspection.importability.isPossible else { return inspection }
    let error = try validation.execution.reportedError {
      let source = try OpenedBackup(stored, named: name, rules, validation.execution)
      let format = validated.document?.format
      let migration = try decision.run(rules, source, older: inspection.importability == .older ? format : nil) {
        document, attempt in
        var result: ValidatedDocument
        if attempt.migration == nil, var known = validated.document {
          // That is the pass that has been made.
          known.report = validated.report
          result = known
        } else {
          result = try Validator(attempt.rules, options: attempt.options).validate(document)
          if result.report.error == nil { result.report = try validator.report(on: source, around: result) }
        }
        if let error = result.report.error { throw error }
        try attempt.check(result)
        return attempt.migration
      }
      inspection.importability = migration == nil ? .current : .older
    }
    guard let error else { return inspection }
    if error.code == .findings {
      let counts = (error.underlying as? FindingsError)?.report.counts ?? FindingCounts()
      inspection.importability = counts.byCode["duplicate-key"] == counts.count(.error) ? .duplicateKeys : .findings
    } else if let importability = Inspection.Importability(error) {
      inspection.importability = importability
    } else {
      inspection.error = error
      inspection.importability = .unreadable
    }
    return inspection
  }
}
