public import BackupFormats
public import ByteStreams
import Coffer
public import Findings
import Platform
public import Rules
public import SystemPackage

/// A folder of backups: lists them, removes old ones, and adds one when it is due.
///
/// For example:
///
///     let folder = BackupFolder("backups", formats: .builtIn, options: .init(now: now))
///     for backup in try folder.listing().backups { print(backup.name, backup.created.instant, backup.isValid) }
///
/// A backup is a regular file whose name ends in `.json`, `.json.lz4`, `.json.gz`, `.json.zst` or `.zip` (in any letter case),
/// and whose content has a known format with collections. A file whose content has none, but whose name fits the template of a
/// format (`BackupFormat.fileName`), is a damaged backup. Everything else is listed with its kind, and left alone: files with
/// such an ending that are damaged or of an unknown format, other files, folders, symbolic links, names that aren't UTF-8.
/// Unfinished files (`.coffer-….tmp`) are skipped.
///
/// Reading doesn't lock the folder; ``pruning(by:)`` does. With a ``VerdictCache``, a listing needn't read backups that an earlier
/// one found valid; all other calls read each backup.
public struct BackupFolder: Sendable {
  /// Options for reading a folder.
  public struct Options: Sendable {
    /// The current time.
    public var now: Instant
    /// The time zone of the times in file names (default: local).
    public var clock = WallClock.local
    /// Threads, memory, temporary files, cancellation and progress.
    public var execution = Execution()
    /// Remembers valid backups for ``BackupFolder/listing()``. If `nil`, or if rules refer to files, nothing is remembered.
    public var cache: VerdictCache?
    /// All formats that a file may have: one of the others is neither listed as a backup nor as damaged.
    public var knownFormats = FormatCatalog.builtIn
    /// The format of the file with a name, if it is not detected.
    package var assignedFormat: @Sendable (_ name: String) -> BackupFormat? = { _ in nil }

    public init(now: Instant) { self.now = now }

    /// How each file is validated.
    var validation: ValidationOptions {
      var validation = ValidationOptions(now: now)
      validation.execution = execution
      return validation
    }
  }

  public let folder: FilePath
  let formats: FormatCatalog
  let options: Options

  /// Reads nothing yet.
  ///
  /// - Parameters:
  ///   - folder: the folder of the backups; its subfolders are not searched.
  ///   - formats: the formats to recognise.
  ///   - options: the current time, the time zone of file names, threads and memory.
  public init(_ folder: FilePath, formats: FormatCatalog, options: Options) {
    self.folder = folder
    self.formats = formats
    self.options = options
  }

  /// Examines everything in the folder. Trusts the cache, if there is one.
  ///
  /// Cost: each backup is read completely once, on all threads; twice if only its name reveals its format. Memory: that of
  /// `Validator`, and a few hundred bytes per file. With a cache, valid backups are read once more, for a digest, and then not
  /// again until they change.
  ///
  /// - Throws: `CofferError` if the folder can't be read; `CancellationError`. Faults of single files are in the listing.
  public func listing() throws -> FolderListing { try withFolder { try listing(ofOpen: $0, trusting: true) } }

  /// Examines everything in the folder, and returns the report on each backup, in the listing's order, and then on each file that
  /// is ``FolderListing/lost``. Reports name files with the folder's path.
  ///
  /// Cost: that of ``listing()``, and memory for the findings.
  ///
  /// - Parameters:
  ///   - maximumFindings: the number of findings to report for each file; all are counted.
  ///   - redacts: true to leave the documents' values out: of findings and errors, and of the listing the version, the app, the
  ///     device, and the time of creation, which is then that of the name or the file.
  /// - Throws: the errors of ``listing()``.
  public func verify(
    maximumFindings: Int = 1000, redacts: Bool = false
  ) throws -> (listing: FolderListing, reports: [ValidationReport]) {
    var validation = options.validation
    validation.maximumFindings = maximumFindings
    validation.redacts = redacts
    var reports: [String: ValidationReport] = [:]
    let listing = try withFolder { descriptor in
      try self.listing(ofOpen: descriptor, by: validation) { name, report in
        reports[name] = report
        reports[name]?.file = folder.appending(name).string
      }
    }
    let names = listing.backups.map(\.name) + listing.lost.map(\.name)
    return (listing, names.compactMap { reports[$0] })
  }

  func withFolder<R>(_ body: (_ descriptor: CInt) throws -> R) throws -> R {
    let descriptor = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CofferError(Errno(rawValue: errno), verb: "read", name: folder.string) }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  /// Examines everything in an open folder.
  ///
  /// - Parameters:
  ///   - isTrusting: true if backups that the cache knows needn't be read.
  ///   - validation: how each file is validated (default: as the options say).
  ///   - keep: gets the report on each backup and each lost file that was read.
  func listing(
    ofOpen descriptor: CInt, trusting isTrusting: Bool = false, by validation: ValidationOptions? = nil,
    _ keep: (_ name: String, ValidationReport) -> Void = { _, _ in }
  ) throws -> FolderListing {
    // Uses a separate descriptor, because listing moves its position and closes it.
    guard let listed = FolderNames(descriptor: openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
      throw CofferError(Errno(rawValue: errno), verb: "read", name: folder.string)
    }
    var examination = Examination(of: folder, descriptor, formats, options, validation)
    examination.isTrusting = isTrusting
    // The cache knows the text of the rules, but not that of other files.
    examination.memory = options.cache.flatMap { cache in
      formats.formats.contains(where: \.refersToFiles) ? nil : FolderMemory(cache, of: folder, descriptor, formats, options)
    }
    var backups: [ListedBackup] = []
    var others: [FolderListing.Other] = []
    // Sort them, so that the result doesn't depend on the file system.
    let names = listed.names.sorted().filter { !Self.isUnfinished($0) }
    let sizes = names.map { examination.size(ofBackup: $0) }
    let files = zip(names, sizes).filter { $1 != nil }.map { (name: $0, size: $1) }
    let examined = try options.execution.results(for: files) { [examination] in try examination.examine(files[$0].name, by: $1) }
    var results = examined.makeIterator()
    var known: [RememberedBackup] = []
    for (name, size) in zip(names, sizes) {
      switch size == nil ? try examination.examine(name) : results.next() ?? nil {
      case .backup(let backup, let report, let remembered):
        backups.append(backup)
        if let report { keep(name, report) }
        if let remembered { known.append(remembered) }
      case .other(let kind): others.append(FolderListing.Other(name: name, kind: kind))
      case .lost(let kind, let error, let report):
        others.append(FolderListing.Other(name: name, kind: kind, error: error))
        keep(name, report)
      case nil: break
      }
    }
    precondition(results.next() == nil, "a file was examined that has no name")
    examination.memory?.save(known)
    return FolderListing(folder: folder.string, backups: backups, others: others, unnamedCount: listed.otherCount)
  }

  /// Returns true for a file or folder that is unfinished, or was left by a killed process.
  private static func isUnfinished(_ name: String) -> Bool { Leftovers.isName(name) }
}
