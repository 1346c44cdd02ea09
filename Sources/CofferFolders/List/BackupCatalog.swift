public import BackupFormats
public import ByteStreams
import Coffer
import Platform
public import Rules
public import SystemPackage

/// A folder of backups: what is in it, what of it should go, and whether another one is due.
///
/// For example:
///
///     let catalog = BackupCatalog("backups", formats: try .builtIn(), options: .init(now: now))
///     for backup in try catalog.listing().backups { print(backup.name, backup.created.instant, backup.isValid) }
///
/// A backup is a regular file whose name ends in `.json`, `.json.lz4` or `.zip`, in letters of either case, and whose content is of a format that has
/// collections; or whose name is one that a format gives its backups (`BackupFormat.fileName`, with a template), whatever it holds: that one is damaged, then.
/// All else is listed with its kind, and left alone: files with such an ending that are damaged or of no known format, other files, folders, symbolic links,
/// names that are not UTF-8. Files on their way to their names (`.coffer-….tmp`) are passed over.
///
/// Nothing is kept between calls. Reading never needs the folder's lock; ``pruning(by:)`` has it.
public struct BackupCatalog: Sendable {
  /// How a folder is looked at.
  public struct Options: Sendable {
    /// What the present is.
    public var now: Instant
    /// Whose time it is that stands in files' names.
    public var clock = WallClock.local
    /// Threads, memory, temporary files, cancellation and progress.
    public var execution = Execution()

    public init(now: Instant) { self.now = now }
  }

  public let folder: FilePath
  let formats: FormatCatalog
  let options: Options

  /// Nothing is read yet.
  ///
  /// - Parameters:
  ///   - folder: where the backups are; folders in it are not looked into.
  ///   - formats: those that backups may be of.
  public init(_ folder: FilePath, formats: FormatCatalog, options: Options) {
    self.folder = folder
    self.formats = formats
    self.options = options
  }

  /// Looks at everything in the folder.
  ///
  /// Cost: each backup is read to its end once, on all threads; a damaged one, whose name alone tells its format, twice. Memory: as `Validator`, and some hundred bytes
  /// a file.
  ///
  /// - Throws: `ByteStreamError` if the folder can't be read; `CancellationError`. What is wrong with single files stands in the listing.
  public func listing() throws -> CatalogListing {
    let descriptor = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ByteStreamError(Errno(rawValue: errno), verb: "read", name: folder.string) }
    defer { close(descriptor) }
    return try listing(ofOpen: descriptor)
  }

  /// The same of the folder that is open.
  func listing(ofOpen descriptor: CInt) throws -> CatalogListing {
    // A descriptor of its own, for listing moves the place in it, and closes it.
    guard let listed = FolderNames(descriptor: openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
      throw ByteStreamError(Errno(rawValue: errno), verb: "read", name: folder.string)
    }
    var examination = Examination(of: folder, descriptor, formats, options)
    var backups: [CatalogedBackup] = []
    var others: [CatalogListing.Other] = []
    // In an order of their own, so that the same folder always gives the same.
    for name in listed.names.sorted() where !Self.isUnfinished(name) {
      switch try examination.examine(name) {
      case .backup(let backup): backups.append(backup)
      case .other(let kind): others.append(CatalogListing.Other(name: name, kind: kind))
      case .lost(let kind, let error): others.append(CatalogListing.Other(name: name, kind: kind, error: error))
      case nil: break
      }
    }
    return CatalogListing(folder: folder.string, backups: backups, others: others, unnamedCount: listed.otherCount)
  }

  /// A file or folder on its way to its name, or left by a process that was killed.
  private static func isUnfinished(_ name: String) -> Bool { Leftovers.isName(name) }
}
