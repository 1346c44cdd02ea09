import Foundation
import SystemPackage

/// The content of a folder that must not be lost: databases by their rows, other files by their bytes.
struct Snapshot: Hashable, Sendable {
  /// The databases by name, except safety copies.
  private(set) var stores: [String: Store] = [:]
  /// The safety copies that imports made before they changed a database. They come and go, so they are compared separately.
  private(set) var safetyCopies: [String: Store] = [:]
  private(set) var files: [String: Data] = [:]
  /// Photos that no database refers to. Killed runs leave them, and later runs remove them.
  private(set) var strays: Set<String> = []

  init(of folder: FilePath) throws {
    let url = URL(filePath: folder.string)
    let found = try FolderWalk.files(in: url)
    let databases = found.map(\.name).filter(Self.isDatabase)
    for name in databases {
      let store = try Store(at: folder.appending(name))
      if name.contains(Self.safetyMark) { safetyCopies[name] = store } else { stores[name] = store }
    }
    let companions = Set(databases.flatMap { name in (DatabaseContent.companions + ["-shm"]).map { name + $0 } })
    for (name, file) in found where !Self.isDatabase(name) && !companions.contains(name) {
      if let set = name.prefixMatch(of: /(.+\.(db|sqlite))\.files\/[0-9a-f]{16}\//) {
        if !databases.contains(String(set.1)) { strays.insert(Store.filesFolder(of: String(set.1))) }
      } else {
        files[name] = try Data(contentsOf: file)
      }
    }
    for (name, store) in stores.merging(safetyCopies, uniquingKeysWith: { store, _ in store }) where store.strayCount > 0 {
      strays.insert(Store.filesFolder(of: name))
    }
  }

  private static let safetyMark = ".before-import-"

  private static func isDatabase(_ name: String) -> Bool { name.hasSuffix(".db") || name.hasSuffix(".sqlite") }

  /// Errors within the databases, whatever their content should be.
  var damage: [String] {
    stores.merging(safetyCopies) { store, _ in store }
      .sorted { $0.key < $1.key }
      .flatMap { name, store in store.database.damage.map { "\(name): \($0)" } }
  }

  /// True if everything except safety copies is the same.
  func isSame(as other: Self) -> Bool { stores == other.stores && files == other.files }

  /// Returns where two snapshots differ, except safety copies.
  func differences(from other: Self) -> [String] {
    let names = Set(stores.keys).union(other.stores.keys).sorted()
    let ofStores = names.flatMap { name -> [String] in
      guard let store = stores[name] else { return ["\(name) is missing"] }
      guard let other = other.stores[name] else { return ["\(name) is new"] }
      return store.differences(from: other).map { "\(name): \($0)" }
    }
    return ofStores + Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.sorted()
  }

  /// True if only some of the files that are in `before` and not in `after` are gone, and nothing else has changed.
  ///
  /// - Parameter inOrder: true if the removed files must be the first by name.
  func isBetween(_ before: Self, _ after: Self, inOrder: Bool) -> Bool {
    let removed = before.files.keys.filter { files[$0] == nil }.sorted()
    let removable = before.files.keys.filter { after.files[$0] == nil }.sorted()
    return stores == before.stores && stores == after.stores
      && files.allSatisfy { before.files[$0.key] == $0.value }
      && after.files.allSatisfy { files[$0.key] == $0.value }
      && (!inOrder || removable.starts(with: removed))
  }
}
