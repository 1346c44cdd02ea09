import ArgumentParser
import ByteStreams
import Coffer
import Platform
import SyntheticBackups
import SystemPackage

/// What shells offer for arguments. They call the closures at a press of the Tab key.
extension CompletionKind {
  static let backup = file(extensions: ["json", "ndjson", "jsonl", "lz4", "gz", "zst", "zip"])

  static let database = file(extensions: ["db", "sqlite", "sqlite3"])

  static let defect = list(DefectKind.allCases.map(\.rawValue))

  static let keyword = custom { _, _, _ in KeywordReference().keywords }

  /// The name of a format, or the path of a rule document.
  static let rules = custom { _, _, prefix in
    formatNames + paths(from: prefix) { ["json", "yaml", "yml"].contains($0.extension) }
  }

  /// The name of a format, or the path of any file.
  static let formatOrFile = custom { _, _, prefix in formatNames + paths(from: prefix) { _ in true } }

  /// The JSON Pointer of a collection.
  static let collection = custom { words, _, _ in collectionPointers(for: words) }

  /// Names of collections, separated by commas.
  static let collections = custom { words, _, prefix in
    let earlier = prefix.lastIndex(of: ",").map { prefix[...$0] } ?? ""
    return collectionPointers(for: words).compactMap { $0.pointerTokens?.last }.map { earlier + $0 }
  }

  private static var formatNames: [String] { FormatCatalog.builtIn.names }

  /// The visible files and folders whose paths begin with a prefix.
  private static func paths(from prefix: String, where isOffered: (FilePath) -> Bool) -> [String] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    let names = FolderNames(folder.isEmpty ? "." : FilePath(folder))?.names ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().compactMap { name in
      let path = folder + name
      if fileType(of: path) == S_IFDIR { return path + "/" }
      return isOffered(FilePath(path)) ? path : nil
    }
  }

  /// The collections of the format that a word names or that a document has; otherwise those of all formats.
  private static func collectionPointers(for words: [String]) -> [String] {
    let catalog = FormatCatalog.builtIn
    let named = words.lazy.dropFirst(2).compactMap { catalog[$0] ?? format(ofDocument: $0, catalog) }.first
    let formats = named.map { [$0] } ?? catalog.formats
    var known: Set<String> = []
    return formats.flatMap(\.collections).map(\.pointer).filter { known.insert($0).inserted }
  }

  private static func format(ofDocument path: String, _ catalog: FormatCatalog) -> BackupFormat? {
    // Opening a pipe would wait for its writer.
    guard fileType(of: path) == S_IFREG, let source = try? FileSource(path: FilePath(path)),
      case .format(let candidate)? = try? catalog.detect(source)
    else { return nil }
    return candidate.format
  }

  private static func fileType(of path: String) -> mode_t? {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_mode & S_IFMT : nil
  }
}
