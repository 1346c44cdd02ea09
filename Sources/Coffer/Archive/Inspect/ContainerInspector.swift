public import BackupFormats
public import ByteStreams
import Findings
public import ZIPArchives

/// Inspects backups whether they are documents or ZIP archives that hold one: `Inspector`, which needs no libarchive, knows the former alone.
///
/// For example:
///
///     let inspector = ContainerInspector(.detected(try .builtIn()), options: InspectionOptions(now: now))
///     let inspection = try inspector.inspect(FileSource(path: "backup.zip"), named: "backup.zip")
///     print(inspection.attachments?.count ?? 0, inspection.attachments?.missing ?? 0)
///
/// An archive is told by its first bytes, and read to its end: one whose entries are unsafe or damaged can't be imported. Whether its files are those
/// that the document means is for `ContainerValidator` to say.
///
/// Cost: one pass, over all entries, whose checksums are proved. Memory: as `Inspector`, what `ZIPReader` keeps of each entry, and the names that
/// records give entries.
public struct ContainerInspector: Sendable {
  let rules: ValidationRules
  private let options: InspectionOptions
  private let limits: ZIPLimits

  /// - Parameters:
  ///   - rules: what backups are, or which formats they may be of; by a rule document that is no format's, no archive is a backup.
  ///   - options: as of `Inspector`; `syntax` is about documents that stand by themselves.
  ///   - limits: what an archive may come to: past that it can't be read, and the inspection's `error` has the code `limit`.
  public init(_ rules: ValidationRules, options: InspectionOptions, limits: ZIPLimits = ZIPLimits()) {
    self.rules = rules
    self.options = options
    self.limits = limits
  }

  /// Reads a file and says what it is; of an archive, its directory first.
  ///
  /// What keeps it from being read is the inspection's `error`: the codes of `Inspector`, of `ZIPError`, `not-a-backup` for an archive without a document
  /// of these formats, `ambiguous-format` for one that has two, `zip-archive` for one whose document is an archive itself.
  ///
  /// - Parameters:
  ///   - file: one that can only be read as it comes is read as a stream.
  ///   - name: its name in the inspection.
  /// - Throws: as `Inspector.inspect`.
  public func inspect(_ file: FileSource, named name: String) throws -> Inspection {
    guard let stored = StoredBytes(file) else { return try inspectStream(file, named: name) }
    return try inspect(stored, named: name)
  }

  /// The same of bytes that can be read more than once.
  func inspect(_ stored: StoredBytes, named name: String) throws -> Inspection {
    var start = StoredSource(stored)
    let prefix: [UInt8]
    do throws(ByteStreamError) { prefix = try start.readPrefix(4) } catch { return broken(name, DocumentError(error)) }
    guard ZIPReader.isArchive(prefix) else {
      var inspection = try Inspector(rules, options: options).inspect(StoredSource(stored), named: name)
      inspection.storedBytes = stored.byteCount
      return inspection
    }
    var inspection = try inspectArchive(named: name) { (options) throws(ZIPError) in try ZIPReader(stored, options: options) }
    inspection.storedBytes = stored.byteCount
    do throws(ByteStreamError) { try stored.checkUnchanged() } catch {
      inspection.error = DocumentError(error)
      inspection.importability = .unreadable
    }
    return inspection
  }

  /// Reads a stream and says what it is: the same as of a file, but for archives whose directory, which comes last, disagrees with what stood before it.
  ///
  /// - Throws: as `Inspector.inspect`.
  public func inspectStream(_ source: some ByteSource, named name: String) throws -> Inspection {
    var source = source
    let prefix: [UInt8]
    do throws(ByteStreamError) { prefix = try source.readPrefix(4) } catch {
      try options.cancellation.check()
      return broken(name, DocumentError(error))
    }
    let whole = PrefixedSource(prefix: prefix, rest: source)
    guard ZIPReader.isArchive(prefix) else { return try Inspector(rules, options: options).inspect(whole, named: name) }
    return try inspectArchive(named: name) { ZIPReader(whole, options: $0) }
  }

  private func broken(_ name: String, _ error: DocumentError) -> Inspection {
    var inspection = Inspection(file: name)
    inspection.error = error
    return inspection
  }

  private func inspectArchive(
    named name: String, _ open: (ZIPReader.Options) throws(ZIPError) -> ZIPReader
  ) throws -> Inspection {
    var readerOptions = ZIPReader.Options()
    readerOptions.limits = limits
    readerOptions.faults = .noted
    var inspection = Inspection(file: name)
    inspection.container = .zip
    var survey: ArchiveSurvey
    do throws(DocumentError) { survey = ArchiveSurvey(formats: try ArchiveFormats(rules)) } catch {
      inspection.error = error
      inspection.importability = .unreadable
      return inspection
    }
    var failure: DocumentError?
    do {
      try survey.run(try open(readerOptions), options.cancellation) { source, formats in
        let rules = if case .detected = rules { ValidationRules.detected(FormatCatalog(formats)) } else { rules }
        return try Inspector(rules, options: options).inspectEntry(source, ofArchive: name)
      }
    } catch let error as ZIPError {
      try options.cancellation.check()
      failure = DocumentError(error)
    } catch let error as DocumentError {
      failure = error
    }
    if let document = survey.inspection {
      inspection = document
      inspection.container = .zip
    }
    let attachments = survey.attachments
    // Of an archive that nothing could be read of, nothing is known.
    inspection.attachments = failure != nil && survey.inspection == nil && attachments.count == 0 ? nil : attachments
    inspection.warnings += survey.warnings
    if attachments.missing > 0 {
      let files =
        attachments.missing == 1
        ? "1 file that the document names is" : "\(attachments.missing) files that the document names are"
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
}
