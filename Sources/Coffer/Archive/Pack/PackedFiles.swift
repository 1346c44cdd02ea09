import BackupFormats
import ByteStreams
import JSONEvents
import Platform
import Rules
package import SystemPackage

/// An archive's files other than its document.
struct PackedFiles {
  /// All files in the order of their names' bytes.
  let all: [FileTree.File]
  /// The side documents that differ from their files, by name.
  private(set) var updated: [String: [UInt8]] = [:]

  /// Side documents are small.
  private static let sideDocumentLimit = 1 << 20

  init(_ files: [FileTree.File]) { all = files }

  /// Makes the side documents agree with the archive's document.
  ///
  /// - Parameter watched: the document's values for `ArchiveLayout.watchedPlaces`.
  /// - Throws: `CofferError`, for example for an unreadable side document.
  mutating func update(by layout: ArchiveLayout, _ watched: [WatchedValue]) throws {
    for (side, values) in layout.documents(agreeingWith: watched) {
      guard let file = file(of: side), let bytes = try content(of: side) else { continue }
      do {
        let update = try side.updated(bytes, by: values)
        if update != bytes { updated[side.name] = update }
      } catch let error as CofferError {
        throw error.inDocument(file.path.string)
      }
    }
  }

  func file(of side: SideDocument) -> FileTree.File? { all.first { $0.name == side.name } }

  /// Returns what the archive will have of a side document, or `nil` if there is no file for it.
  func content(of side: SideDocument) throws(CofferError) -> [UInt8]? {
    if let update = updated[side.name] { return update }
    guard let file = file(of: side) else { return nil }
    guard file.size <= Self.sideDocumentLimit else {
      throw CofferError(.sizeLimit, "\(file.path): too large for a side document (\(file.size) bytes)")
    }
    var source = try FileSource(path: file.path)
    return try source.readPrefix(file.size)
  }
}

extension FileTree.File {
  /// True if compressing it is worth the time; photos are already compressed.
  var isText: Bool {
    let ending = path.extension?.lowercased() ?? ""
    return ["json", "txt", "csv", "xml", "html", "md", "plist"].contains(ending)
  }
}

/// The files below a folder, with their names in an archive.
package struct FileTree {
  package struct File {
    /// The name, with `/` between folders.
    package let name: String
    package let path: FilePath
    /// The size in bytes.
    package let size: Int
  }

  /// The files in the order of their names' bytes.
  package private(set) var files: [File] = []
  private static let depthLimit = 64

  /// - Parameter prefix: the prefix of all names.
  /// - Throws: `CofferError` for an unreadable folder, or for anything other than files and folders.
  package init(_ folder: FilePath, prefix: String = "") throws {
    try add(folder, prefix, depth: 0)
    files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private mutating func add(_ folder: FilePath, _ prefix: String, depth: Int) throws {
    guard depth < Self.depthLimit else { throw CofferError(.notAFile, "\(folder): nested too deeply for a backup") }
    for name in try Self.names(in: folder) {
      let path = folder.appending(name)
      let status = try CofferError.trying("read", path.string) { try path.stat(followTargetSymlink: false) }
      switch status.type {
      case .directory: try add(path, prefix + name + "/", depth: depth + 1)
      case .regular: files.append(File(name: prefix + name, path: path, size: Int(status.size)))
      case .symbolicLink: throw CofferError(.notAFile, "\(path) is a symbolic link, which can't be packed")
      default: throw CofferError(.notAFile, "\(path) is neither a file nor a folder")
      }
    }
  }

  private static func names(in folder: FilePath) throws -> [String] {
    guard let listed = FolderNames(folder) else {
      throw CofferError(Errno(rawValue: errno), verb: "read", name: folder.string)
    }
    if listed.otherCount > 0 { throw CofferError(.notAFile, "\(folder) contains a file whose name isn't UTF-8") }
    return listed.names
  }
}

extension FileTree.File {
  /// Returns `nil` unless there is a file.
  package init?(named name: String, at path: FilePath) {
    guard let status = try? path.stat(followTargetSymlink: false), status.type == .regular else { return nil }
    self.init(name: name, path: path, size: Int(status.size))
  }
}

/// A file to pack: its digests are computed as it is read, and the progress counts its bytes.
struct DigestedSource<Source: ByteSource>: ByteSource {
  var source: Source
  /// Computes the digests. If `nil`, there are none.
  let digests: EntryDigests?
  let execution: Execution

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if execution.cancellation?.isRequested == true { throw CofferError(.cancelled, "packing was cancelled") }
    let count = try source.read(into: buffer)
    execution.progress?.add(bytes: count)
    digests?.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }
}
