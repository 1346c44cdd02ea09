import BackupFormats
import ByteStreams
import JSONEvents
import Rules

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
        let update = try SideDocumentUpdate(side, values).updated(bytes)
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
