import BackupFormats
public import ByteStreams
public import Findings
import Rules
public import ZIPArchives

/// Validates backups whether they are documents or ZIP archives that hold one: `Validator`, which needs no libarchive, knows the former alone.
///
/// For example:
///
///     var validator = ContainerValidator(.detected(try .builtIn()), options: ValidationOptions(now: now))
///     let report = try validator.validate(FileSource(path: "backup.zip"), named: "backup.zip")
///     report.findings.first?.place.entry      // photos/stray.jpg
///
/// An archive is told by its first bytes. Nothing is unpacked to disk: its document is validated as it is read, wherever it stands in the archive,
/// and all other entries are checked in the same pass: names, sizes, checksums, and what the document says of them.
///
/// Cost: one pass; digests (MD5, SHA-256) that the document names are made on threads of their own. Memory: as `Validator`, what `ZIPReader` keeps of each
/// entry, some 200 bytes more and its name, and up to 1 MiB of each document beside the archive's own.
public struct ContainerValidator {
  private let rules: ValidationRules
  private let options: ValidationOptions
  private let limits: ZIPLimits
  private var validator: Validator
  /// By the names of the formats that an archive may be of.
  private var containedValidators: [[String]: Validator] = [:]

  /// - Parameters:
  ///   - rules: what backups are checked against; by a rule document that is no format's, no archive is a backup.
  ///   - options: as of `Validator`; with `only`, files are not judged that records of the other collections may name.
  ///   - limits: what an archive may come to: past that it isn't read on, and the report's `error` has the code `limit`. What a format's own readers take
  ///     (its descriptor's `archive.limits`) is for findings, which have that code, too.
  public init(_ rules: ValidationRules, options: ValidationOptions, limits: ZIPLimits = ZIPLimits()) {
    self.rules = rules
    self.options = options
    self.limits = limits
    validator = Validator(rules, options: options)
  }

  /// Compiles the rules now, where they are known before a backup is.
  ///
  /// - Throws: as `Validator.prepare`.
  public mutating func prepare() throws { try validator.prepare() }

  /// Reads a file to its end and says what was found; of an archive, its directory first.
  ///
  /// What is wrong with single entries is findings, which have the codes of `ZIPError`. What keeps the archive from being read to its end is the report's
  /// `error`: the codes of `Validator`, of `ZIPError`, `not-a-backup` for an archive without a document of these formats, `ambiguous-format` for one that has
  /// two, `zip-archive` for one whose document is an archive itself.
  ///
  /// - Parameters:
  ///   - file: one that can only be read as it comes is read as a stream.
  ///   - name: its name in the report.
  /// - Throws: as `Validator.validate`.
  public mutating func validate(_ file: FileSource, named name: String) throws -> ValidationReport {
    try validate(file, named: name) { try $0.validate($1, named: $2, in: $3) }
  }

  /// Validates and inspects the document in one pass.
  ///
  /// - Returns: the inspection has nothing about an archive's other entries.
  package mutating func inspect(
    _ file: FileSource, named name: String
  ) throws -> (report: ValidationReport, inspection: Inspection) {
    var inspection = Inspection(file: name)
    let report = try validate(file, named: name) { validator, source, name, container in
      let result = try validator.inspect(source, named: name, in: container)
      inspection = result.inspection
      return result.document
    }
    inspection.error = report.error
    return (report, inspection)
  }

  /// Validates a document by itself, or an archive's.
  private typealias DocumentValidation = (inout Validator, any ByteSource, String, BackupFormat.Container) throws ->
    ContainedDocument

  private mutating func validate(
    _ file: FileSource, named name: String, _ validateDocument: DocumentValidation
  ) throws -> ValidationReport {
    guard let stored = StoredBytes(file) else { return try validate(stream: file, named: name, validateDocument) }
    var start = StoredSource(stored)
    let prefix: [UInt8]
    do throws(ByteStreamError) { prefix = try start.readPrefix(4) } catch { return report(name, error) }
    guard ZIPReader.isArchive(prefix) else { return try validateDocument(&validator, file, name, .json).report }
    var report = try validateArchive(named: name, validateDocument) { (options) throws(ZIPError) in
      try ZIPReader(stored, options: options)
    }
    do throws(ByteStreamError) { try stored.checkUnchanged() } catch { report.error = DocumentError(error) }
    return report
  }

  /// Reads a stream to its end and says what was found.
  ///
  /// - Throws: as `Validator.validate`.
  public mutating func validateStream(_ source: some ByteSource, named name: String) throws -> ValidationReport {
    try validate(stream: source, named: name) { try $0.validate($1, named: $2, in: $3) }
  }

  private mutating func validate(
    stream source: some ByteSource, named name: String, _ validateDocument: DocumentValidation
  ) throws -> ValidationReport {
    var source = source
    let prefix: [UInt8]
    do throws(ByteStreamError) { prefix = try source.readPrefix(4) } catch {
      try options.cancellation.check()
      return report(name, error)
    }
    let whole = PrefixedSource(prefix: prefix, rest: source)
    guard ZIPReader.isArchive(prefix) else { return try validateDocument(&validator, whole, name, .json).report }
    return try validateArchive(named: name, validateDocument) { ZIPReader(whole, options: $0) }
  }

  /// What ``validate(_:named:)`` says of an archive whose document was validated elsewhere: the document's report, to which is added what the archive's
  /// other entries show. All those are read, the document isn't.
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

  private func report(_ name: String, _ error: ByteStreamError) -> ValidationReport {
    var report = ValidationReport(file: name)
    report.error = DocumentError(error)
    return report
  }

  private mutating func validateArchive(
    named name: String, _ validateDocument: DocumentValidation, _ open: (ZIPReader.Options) throws(ZIPError) -> ZIPReader
  ) throws -> ValidationReport {
    var readerOptions = ZIPReader.Options()
    readerOptions.limits = limits
    readerOptions.faults = .noted
    return try reporting(named: name) {
      let formats = try ArchiveFormats(rules)
      let validation = ArchiveValidation(try open(readerOptions), formats: formats, options: options)
      return try validation.run(named: name) { source, candidates in
        try validateEntry(source, of: candidates, validateDocument)
      }
    }
  }

  /// What keeps an archive from being read is its report's `error`.
  private func reporting(named name: String, _ body: () throws -> ValidationReport) throws -> ValidationReport {
    let start = ContinuousClock.now
    var report = ValidationReport(file: name)
    do {
      report = try body()
    } catch let error as ZIPError {
      try options.cancellation.check()
      report.error = DocumentError(error)
    } catch let error as DocumentError {
      report.error = error
    }
    report.seconds = (ContinuousClock.now - start) / .seconds(1)
    return report
  }

  /// Validates the archive's document, which is of one of some formats.
  private mutating func validateEntry(
    _ source: any ByteSource, of formats: [BackupFormat], _ validateDocument: DocumentValidation
  ) throws -> ContainedDocument {
    let names = formats.map(\.name)
    let rules: ValidationRules
    if case .format = self.rules { rules = self.rules } else { rules = .detected(FormatCatalog(formats)) }
    var validator = containedValidators[names] ?? Validator(rules, options: options)
    defer { containedValidators[names] = validator }
    return try validateDocument(&validator, source, "", .zip)
  }
}

extension DocumentError {
  init(_ error: ZIPError) { self.init(code: error.code.rawValue, message: error.description, position: nil) }
}
