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
  /// The names of missing documents.
  private(set) var missing: [String] = []

  /// Side documents are small.
  private static let sideDocumentLimit = 1 << 20

  init(_ files: [FileTree.File]) { all = files }

  /// Makes the side documents agree with the archive's document.
  ///
  /// - Parameter watched: the document's values for `ArchiveLayout.watchedPlaces`.
  /// - Throws: `CofferError`, for example for an unreadable side document.
  mutating func update(by layout: ArchiveLayout, _ watched: [WatchedValue]) throws {
    var watched = watched[...]
    for side in layout.documents {
      let values = Array(watched.prefix(side.agreements.count))
      watched = watched.dropFirst(side.agreements.count)
      guard let file = all.first(where: { $0.name == side.name }) else {
        if side.isRequired { missing.append(side.name) }
        continue
      }
      guard file.size <= Self.sideDocumentLimit else {
        throw CofferError(.sizeLimit, "\(file.path): too large for a side document (\(file.size) bytes)")
      }
      var source = try FileSource(path: file.path)
      let bytes = try source.readPrefix(file.size)
      do {
        let update = try SideDocumentUpdate(side, values).updated(bytes)
        if update != bytes { updated[side.name] = update }
      } catch let error as CofferError {
        throw error.inDocument(file.path.string)
      }
    }
  }
}

extension FileTree.File {
  /// True if compressing it is worth the time; photos are already compressed.
  var isText: Bool {
    let ending = path.extension?.lowercased() ?? ""
    return ["json", "txt", "csv", "xml", "html", "md", "plist"].contains(ending)
  }
}
