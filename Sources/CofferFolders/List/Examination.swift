import BackupFormats
import ByteStreams
import Coffer
import Findings
import Rules
import SystemPackage

/// Classifies the entries of a folder, on any thread.
struct Examination: Sendable {
  enum Result: Sendable {
    /// The report is `nil` if the backup was not read. What there is to remember of it is `nil` if it isn't valid.
    case backup(ListedBackup, ValidationReport?, remembered: RememberedBackup?)
    case other(FolderListing.Other.Kind)
    /// A file with a backup's ending.
    case lost(FolderListing.Other.Kind, CofferError?, ValidationReport)
  }

  private let folder: FilePath
  private let descriptor: CInt
  private let formats: FormatCatalog
  private let options: BackupFolder.Options
  private let validation: ValidationOptions
  /// The endings of backup files.
  private let endings: [String]
  private let validator: Validator
  /// What earlier listings know about the folder.
  var memory: FolderMemory?
  /// True if a backup that they found valid needn't be read.
  var isTrusting = false

  /// - Parameter descriptor: the folder's descriptor, which must stay open.
  init(
    of folder: FilePath, _ descriptor: CInt, _ formats: FormatCatalog, _ options: BackupFolder.Options,
    _ validation: ValidationOptions? = nil
  ) {
    self.folder = folder
    self.descriptor = descriptor
    self.formats = formats
    self.options = options
    self.validation = validation ?? options.validation
    endings =
      [".json", ".zip"] + CompressionFormat.allCases.map { ".json.\($0.ending)" }
      + formats.fileEndings
    validator = Validator(.detected(formats), options: self.validation)
  }

  /// Names that begin with a dot are hidden files.
  private func hasBackupName(_ name: String) -> Bool {
    !name.hasPrefix(".") && endings.contains(where: name.lowercased().hasSuffix)
  }

  /// Returns the size of a file that is read, or `nil` for everything else.
  func size(ofBackup name: String) -> Int? {
    guard hasBackupName(name), let identity = FileIdentity(name, in: descriptor), identity.type == .regular else { return nil }
    return identity.size
  }

  /// Classifies an entry; returns `nil` if it no longer exists.
  ///
  /// - Parameter execution: the threads for reading the file (default: as the options say).
  func examine(_ name: String, by execution: Execution? = nil) throws -> Result? {
    try options.execution.cancellation.check()
    let execution = execution ?? options.execution
    guard let identity = FileIdentity(name, in: descriptor) else { return nil }
    switch identity.type {
    case .regular: break
    case .directory: return .other(.folder)
    case .symbolicLink: return .other(.link)
    default: return .other(.special)
    }
    guard hasBackupName(name) else { return .other(.file) }
    if isTrusting, let (known, format) = try memory?.recall(name, identity) { return recalled(known, format, identity) }
    // Without a template, a format's file name is arbitrary or always the same, so it reveals nothing.
    let named = formats.format(ofFileNamed: name)
    func read(_ validator: Validator) throws -> (report: ValidationReport, inspection: Inspection) {
      try self.read(name, by: validator.running(execution))
    }
    var (report, inspection) = try read(options.assignedFormat(name).map(validator(of:)) ?? validator)
    let known = report.format.flatMap { formats[$0] }
    guard let format = known ?? named, !format.collections.isEmpty else {
      return known == nil ? try withoutFormat(report, read) : .other(.file)
    }
    if known == nil {
      (report, inspection) = try read(validator(of: format))
    }
    var backup = listed(
      name, format, identity, createdAt: validation.redacts ? nil : inspection.createdAt?.instant,
      validity(report, inspection))
    if FileIdentity(name, in: descriptor) != identity {
      let error = CofferError(.inputChanged, "\(name) changed while it was being read")
      backup.validity = .unreadable(error)
      report.error = error
    }
    // Some formats' rules only warn of a newer version.
    if case .newer(let version) = backup.validity, report.isValid {
      let shown = validation.redacts ? "the version" : "version \(version)"
      report.error = CofferError(.newerVersion, "\(shown) is newer than any known version")
    }
    if !validation.redacts {
      backup.version = inspection.version?.number
      backup.app = inspection.app
      backup.device = inspection.device
    }
    backup.counts = inspection.collections.filter(\.isPresent).map {
      ListedBackup.Count(title: $0.title, pointer: $0.pointer, count: $0.count)
    }
    guard backup.isValid, let memory else { return .backup(backup, report, remembered: nil) }
    let remembered = isTrusting ? try memory.entry(of: backup, createdAt: inspection.createdAt?.instant) : memory.stored[name]
    return .backup(backup, report, remembered: remembered)
  }

  /// Returns a validator for a file whose format isn't detected by its content.
  private func validator(of format: BackupFormat) -> Validator { Validator(.format(format), options: validation) }

  private func recalled(_ known: RememberedBackup, _ format: BackupFormat, _ identity: FileIdentity) -> Result {
    var backup = listed(known.name, format, identity, createdAt: known.createdAt.flatMap { Instant($0) }, .valid)
    backup.version = known.version
    backup.app = known.app
    backup.device = known.device
    backup.counts = known.counts
    backup.checkedAt = Instant(known.checkedAt)
    return .backup(backup, nil, remembered: known)
  }

  /// - Parameter createdAt: the creation time that the document states. If `nil`, it is that of the name or the file.
  private func listed(
    _ name: String, _ format: BackupFormat, _ identity: FileIdentity, createdAt: Instant?, _ validity: ListedBackup.Validity
  ) -> ListedBackup {
    let created: ListedBackup.Creation =
      if let createdAt {
        .init(createdAt, by: .document)
      } else if let time = format.fileName?.time(in: name), let instant = options.clock.instant(of: time) {
        .init(instant, by: .name)
      } else {
        .init(
          Instant(seconds: Int64(identity.modified.seconds), attoseconds: Int64(identity.modified.nanoseconds) * 1_000_000_000),
          by: .file)
      }
    var backup = ListedBackup(name: name, format: format.name, created: created, validity: validity)
    backup.identity = identity
    backup.size = identity.size
    backup.takeName(of: format)
    return backup
  }

  /// Classifies a file that has a backup's ending, but no requested format by content or name.
  private func withoutFormat(
    _ report: ValidationReport, _ read: (Validator) throws -> (report: ValidationReport, inspection: Inspection)
  ) throws -> Result {
    let others = options.knownFormats.formats.filter { formats[$0.name] == nil }
    if !others.isEmpty {
      let validator = Validator(.detected(FormatCatalog(others)), options: validation)
      if try read(validator).report.format != nil { return .other(.otherFormat) }
    }
    if let error = report.error, error.code != .notABackup {
      return .lost(error.isDamage ? .damaged : .unreadable, error, report)
    }
    return .lost(report.formatProblem == .ambiguous ? .ambiguous : .unknownFormat, nil, report)
  }

  /// Reads a file once, completely.
  private func read(
    _ name: String, by validator: Validator
  ) throws -> (report: ValidationReport, inspection: Inspection) {
    let file: FileSource
    do throws(CofferError) {
      file = try FileSource(path: folder.appending(name), cancellation: options.execution.cancellation)
    } catch {
      var report = ValidationReport(file: name)
      report.error = error
      return (report, Inspection(file: name))
    }
    return try validator.inspect(file, named: name)
  }

  private func validity(_ report: ValidationReport, _ inspection: Inspection) -> ListedBackup.Validity {
    if inspection.importability == .newer, let version = inspection.version?.number { return .newer(version: version) }
    if let error = report.error { return error.isDamage || error.code == .notABackup ? .damaged(error) : .unreadable(error) }
    if report.isValid { return .valid }
    return .invalid(errors: report.counts.count(.error), first: report.findings.first { $0.severity == .error })
  }
}

extension CofferError {
  /// True if the file's content is at fault, rather than the system or a limit.
  var isDamage: Bool {
    let codes: [Code] = [
      .syntax, .truncated, .empty, .encoding, .zipArchive, .lz4Corrupt, .lz4Truncated, .notLZ4, .notZIP,
      .gzipCorrupt, .gzipTruncated, .notGzip, .zstdCorrupt, .zstdTruncated, .notZstd, .lz4Entry, .sqliteDatabase,
      .zipTruncated, .zipCorrupt, .zipInconsistent, .zipChecksum, .zipSize, .foreignCompression,
    ]
    return codes.contains(code)
  }
}
