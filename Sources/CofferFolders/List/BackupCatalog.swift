public import BackupFormats
public import ByteStreams
import Coffer
import Platform
public import Rules
public import SystemPackage

/// A folder of backups: lists it, removes old backups, and says if another one is due.
///
/// For example:
///
///     let catalog = BackupCatalog("backups", formats: try .builtIn(), options: .init(now: now))
///     for backup in try catalog.listing().backups { print(backup.name, backup.created.instant, backup.isValid) }
///
/// A backup is a regular file with the extension `.json`, `.json.lz4` or `.zip`, in upper or lower case, whose content is of a
/// format with collections. A file whose name matches a format's template (`BackupFormat.fileName`) also counts as a backup; if
/// its content is of no format, it is damaged. All other entries are listed with their kind, and left alone: other files with
/// these extensions that are damaged or of an unknown format, files with other extensions, folders, symbolic links, names that
/// are not UTF-8. Temporary files (`.coffer-….tmp`) are skipped.
///
/// Nothing is cached between calls. Reading doesn't need the folder's lock; ``pruning(by:)`` takes it.
public struct BackupCatalog: Sendable {
  /// Options for examining a folder.
  public struct Options: Sendable {
    /// The current time.
    public var now: Instant
    /// The time zone of the times in file names.
    public var clock = WallClock.local
    /// Threads, memory, temporary files, cancellation and progress.
    public var execution = Execution()

    public init(now: Instant) { self.now = now }
  }

  public let folder: FilePath
  let formats: FormatCatalog
  let options: Options

  /// Creates a catalog without reading anything.
  ///
  /// - Parameters:
  ///   - folder: the folder of the backups. Subfolders are not searched.
  ///   - formats: the known formats.
  public init(_ folder: FilePath, formats: FormatCatalog, options: Options) {
    self.folder = folder
    self.formats = formats
    self.options = options
  }

  /// Examines everything in the folder.
  ///
  /// Cost: each backup is read completely once, on all threads; a damaged one twice, if only its name identifies its format.
  /// Memory: that of `Validator`, and a few hundred bytes per file.
  ///
  /// - Throws: `ByteStreamError` if the folder can't be read; `CancellationError`. The listing has the errors of individual
  ///   files.
  public func listing() throws -> CatalogListing {
    let descriptor = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ByteStreamError(Errno(rawValue: errno), verb: "read", name: folder.string) }
    defer { close(descriptor) }
    return try listing(ofOpen: descriptor)
  }

  /// Examines everything in an open folder.
  func listing(ofOpen descriptor: CInt) throws -> CatalogListing {
    // A separate descriptor, because reading the folder moves its position and closes it.
    guard let listed = FolderNames(descriptor: openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
      throw ByteStreamError(Errno(rawValue: errno), verb: "read", name: folder.string)
    }
    var examination = Examination(of: folder, descriptor, formats, options)
    var backups: [CatalogedBackup] = []
    var others: [CatalogListing.Other] = []
    // Sorted, so that the result is deterministic.
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

  /// Returns true for a temporary file or folder, or one left by a killed process.
  private static func isUnfinished(_ name: String) -> Bool { Leftovers.isName(name) }
}
