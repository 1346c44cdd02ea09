import Foundation
import SystemPackage

/// A database and the photos that belong to it.
///
/// Each generation of photos is in a folder with a random name: `store.db.files/3f9c…/photos/a.jpg`. The database names the
/// current one; the others are leftovers that the next run removes. Here the current one is named `(current)`, so that stores can
/// be compared.
struct Store: Hashable, Sendable {
  private(set) var database: DatabaseContent
  /// The files of the current generation, by their paths in it.
  private(set) var files: [String: Data] = [:]
  /// The number of generations that the database doesn't name.
  private(set) var strayCount = 0

  init(at path: FilePath) throws {
    database = try DatabaseContent(readingCopyOf: path)
    let folder = URL(filePath: Self.filesFolder(of: path.string))
    let generations = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    let named = database.rename(generations.filter { !$0.hasPrefix(".") }.sorted(), to: "(current)")
    strayCount = generations.count { !$0.hasPrefix(".") } - named.count
    for generation in named {
      for (name, file) in try FolderWalk.files(in: folder.appending(path: generation)) {
        files[name] = try Data(contentsOf: file)
      }
    }
  }

  static func filesFolder(of database: String) -> String { database + ".files" }

  static func == (a: Self, b: Self) -> Bool { a.database == b.database && a.files == b.files }

  func hash(into hasher: inout Hasher) {
    hasher.combine(database)
    hasher.combine(files)
  }

  /// Returns where two stores differ.
  func differences(from other: Self) -> [String] {
    database.differences(from: other.database)
      + Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.sorted().map { "photo \($0)" }
  }
}
