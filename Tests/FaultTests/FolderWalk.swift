import Foundation

/// The regular files below a folder. Names that begin with a dot are temporary files, which a killed run may leave.
enum FolderWalk {
  /// - Returns: names relative to the folder, and the files' URLs.
  static func files(in folder: URL) throws -> [(name: String, file: URL)] {
    var found: [(name: String, file: URL)] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted() {
      if name.hasPrefix(".") { continue }
      let item = folder.appending(path: name)
      if try item.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        found += try files(in: item).map { ("\(name)/\($0.name)", $0.file) }
      } else {
        found.append((name, item))
      }
    }
    return found
  }

  /// Returns the names that begin with a dot, in a folder and below it.
  static func unfinished(in folder: URL) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))?.compactMap { $0 as? String } ?? []
    return names.filter { $0.split(separator: "/").last?.hasPrefix(".") == true }.sorted()
  }
}
