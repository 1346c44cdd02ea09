package import ByteStreams
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder for the files of one piece of work, where the environment wants temporary files.
package struct StageFolder {
  private let path: FilePath

  /// Where a database may lie.
  package var databasePath: FilePath { path.appending("stage.db") }

  /// - Throws: `ByteStreamError` if none can be made.
  package init() throws(ByteStreamError) {
    let template = SpillFile.defaultFolder.appending("coffer-XXXXXX").string
    var name = Array(template.utf8CString)
    guard name.withUnsafeMutableBufferPointer({ $0.baseAddress.map { mkdtemp($0) != nil } ?? false }) else {
      throw ByteStreamError(Errno(rawValue: errno), verb: "create", name: template)
    }
    path = FilePath(String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Removes it with the database in it.
  package func remove() {
    _ = try? DatabaseFile.remove(databasePath)
    rmdir(path.string)
  }
}
