import ByteStreams
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where in the scratch folder the steps put what they write, and find what others have written.
package struct Scratch: Sendable, Equatable {
  package let folder: FilePath

  package init(folder: FilePath) { self.folder = folder }

  /// Rules that ask for nothing.
  var rules: FilePath { folder.appending("nothing.json") }
  /// The document, if it is compressed, as it was before.
  var plain: FilePath { folder.appending("plain.json") }
  /// The document, if it is not, compressed.
  var compressed: FilePath { folder.appending("compressed.json.lz4") }
  /// The database has a folder of its own, for more than one file comes of it: journals, safety copies, photos.
  var databaseFolder: FilePath { folder.appending("database") }
  var database: FilePath { databaseFolder.appending("backup.sqlite") }

  /// The tables as CSV, and scripts of the sqlite3 shell: one writes the CSV, one reads it into tables, one selects all rows.
  var tablesFolder: FilePath { folder.appending("tables") }
  var writeScript: FilePath { tablesFolder.appending("write.sql") }
  var importScript: FilePath { tablesFolder.appending("import.sql") }
  var selectScript: FilePath { tablesFolder.appending("select.sql") }
  /// The database that the sqlite3 shell makes.
  var plainFolder: FilePath { folder.appending("plain") }
  var plainDatabase: FilePath { plainFolder.appending("plain.sqlite") }

  /// Where a document of this kind is written, and goes nowhere: an export makes an archive only of what has such a name.
  func nowhere(for kind: DocumentKind) -> FilePath { kind == .zip ? folder.appending("nowhere.zip") : "/dev/null" }

  /// Makes what the steps find there: the rules, and the name that leads nowhere.
  ///
  /// - Throws: `ByteStreamError`.
  func furnish() throws(ByteStreamError) {
    var file = try AtomicFile(replacing: rules, existing: .replace)
    try file.write("true")
    try file.commit()
    let name = nowhere(for: .zip).string
    if symlink("/dev/null", name) != 0 { throw ByteStreamError(Errno(rawValue: errno), verb: "make", name: name) }
  }
}
