package import ByteStreams
import Platform
package import SystemPackage

/// The paths in the scratch folder that the steps write and read.
package struct Scratch: Sendable, Equatable {
  package let folder: FilePath

  package init(folder: FilePath) { self.folder = folder }

  /// Rules without constraints.
  var rules: FilePath { folder.appending("nothing.json") }
  /// The decompressed document, if the original is compressed.
  var plain: FilePath { folder.appending("plain.json") }
  /// The compressed document, if the original is not compressed.
  var compressed: FilePath { folder.appending("compressed.json.lz4") }
  /// The database's own folder: a database has more than one file (journals, safety copies, photos).
  var databaseFolder: FilePath { folder.appending("database") }
  var database: FilePath { databaseFolder.appending("backup.sqlite") }

  /// The tables as CSV, and scripts for the sqlite3 shell: one writes the CSV, one imports it into tables, one selects all rows.
  var tablesFolder: FilePath { folder.appending("tables") }
  var writeScript: FilePath { tablesFolder.appending("write.sql") }
  var importScript: FilePath { tablesFolder.appending("import.sql") }
  var selectScript: FilePath { tablesFolder.appending("select.sql") }
  /// The folder of the database that the sqlite3 shell creates.
  var plainFolder: FilePath { folder.appending("plain") }
  var plainDatabase: FilePath { plainFolder.appending("plain.sqlite") }

  /// Returns a path that discards a document of this kind. An export writes an archive only if the name ends in `.zip`.
  func nowhere(for kind: DocumentKind) -> FilePath { kind == .zip ? folder.appending("nowhere.zip") : "/dev/null" }

  /// Creates the files that the steps need: the rules, and the link to /dev/null.
  func prepare() throws(CofferError) {
    var file = try AtomicFile(rules, existing: .replace)
    try file.write("true")
    try file.commit()
    let name = nowhere(for: .zip).string
    if symlink("/dev/null", name) != 0 { throw CofferError(Errno(rawValue: errno), verb: "make", name: name) }
  }
}

extension ScratchFolder {
  /// Returns the free space for unprivileged users, in bytes.
  ///
  /// - Throws: `CofferError` if the system can't report it.
  package func availableBytes() throws(CofferError) -> Int {
    var information = statvfs()
    guard statvfs(path.string, &information) == 0 else {
      throw CofferError(Errno(rawValue: errno), verb: "look at", name: path.string)
    }
    let (bytes, isHuge) = UInt64(information.f_bavail).multipliedReportingOverflow(by: UInt64(information.f_frsize))
    return isHuge ? .max : Int(clamping: bytes)
  }

  /// Creates an empty folder, replacing any existing one.
  ///
  /// - Throws: `CofferError` if that isn't possible.
  package func empty(_ folder: FilePath) throws(CofferError) {
    Leftovers.removeTree(folder)
    guard mkdir(folder.string, 0o700) == 0 else {
      throw CofferError(Errno(rawValue: errno), verb: "make", name: folder.string)
    }
  }
}
