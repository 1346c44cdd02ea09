public import BackupFormats
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
  /// Cost: that of ``inspect(_:named:)``, plus a validation. A backup that must be migrated first takes three more passes, and
  /// its size in temporary storage. So does a stream.
  ///
  /// - Parameters:
  ///   - file: the backup.
  ///   - name: its name in the inspection.
  ///   - validation: how an import would validate it.
  /// - Throws: the errors of `Inspector.inspect`; `CofferError`.
  public func inspect(
    _ file: FileSource, named name: String, importingBy validation: ValidationOptions
  ) throws -> Inspection {
    let stored: StoredBytes
    do throws(CofferError) {
      stored = try StoredBytes.storing(file, named: name, validation.execution)
      // To inspect it, and to validate it.
      validation.execution.progress?.expect(stored.byteCount(ofPasses: 2))
    } catch {
      try validation.execution.cancellation.check()
      var inspection = Inspection(file: name)
      inspection.error = error
      return inspection
    }
    var inspection = try inspect(StoredSource(stored), named: name)
    guard inspection.importability.isPossible else { return inspection }
    do {
      let source = try BackupSource(stored, named: name, rules, validation.execution)
      let migration = try validated(source, inspection, validation)
      inspection.importability = migration == nil ? .current : .older
    } catch let error as CofferError where error.code == .findings {
      let counts = (error.underlying as? FindingsError)?.report.counts ?? FindingCounts()
      inspection.importability = counts.byCode["duplicate-key"] == counts.count(.error) ? .duplicateKeys : .findings
    } catch let error as CofferError where !error.concernsRequest {
      if let importability = Inspection.Importability(error) {
        inspection.importability = importability
      } else {
        inspection.error = error
        inspection.importability = .unreadable
      }
    }
    return inspection
  }

  /// - Returns: how the backup would be migrated, or `nil` if it wouldn't.
  private func validated(
    _ source: BackupSource, _ inspection: Inspection, _ options: ValidationOptions
  ) throws -> MigrationReport? {
    let catalog: FormatCatalog
    switch rules {
    case .detected(let formats): catalog = formats
    case .format(let format): catalog = FormatCatalog.builtIn.preceded(by: [format])
    case .document: return nil
    }
    let format = inspection.formatName.flatMap { catalog[$0] }
    let archives = Validator(rules, options: options)
    return try ImportPath(catalog: catalog, options: options).run(
      rules, in: source.container, older: inspection.importability == .older ? format : nil, reopening: source.document
    ) { document, attempt in
      let validator = Validator(attempt.rules, options: attempt.options)
      var result = try validator.validate(document, named: source.name, in: source.container)
      if result.report.error == nil { result.report = try source.report(around: result, by: archives) }
      if let error = result.report.error { throw error }
      try attempt.check(result)
      return attempt.migration
    }
  }
}

extension Inspection {
  fileprivate var formatName: String? { if case .known(let name, _, _, _) = format { name } else { nil } }
}
