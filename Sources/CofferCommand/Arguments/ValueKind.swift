import ArgumentParser
import Coffer
import Platform
import SyntheticBackups
import SystemPackage

/// What a value is: its name in help pages, and what shells offer for it.
///
///     @Option(.rules, "The rules: a format's name or a rule document's path.")
///     var rules: String?
struct ValueKind {
  private(set) var name: String
  fileprivate(set) var completion: CompletionKind?

  /// Returns this kind with another name.
  func named(_ name: String) -> ValueKind { ValueKind(name: name, completion: completion) }

  /// A value for which shells offer nothing.
  static func value(_ name: String) -> ValueKind { ValueKind(name: name) }

  static var age: ValueKind { .value("age") }
  static var choice: ValueKind { .value("which") }
  static var count: ValueKind { .value("n") }
  static var name: ValueKind { .value("name") }
  static var size: ValueKind { .value("size") }
  static var text: ValueKind { .value("text") }
  static var time: ValueKind { .value("time") }

  static var file: ValueKind { ValueKind(name: "file", completion: .file()) }
  static func file(ending: [String]) -> ValueKind { ValueKind(name: "file", completion: .file(extensions: ending)) }
  static var folder: ValueKind { ValueKind(name: "folder", completion: .directory) }
  static var backup: ValueKind { .file(ending: ["json", "ndjson", "jsonl", "lz4", "gz", "zst", "zip"]) }
  static var database: ValueKind { .file(ending: ["db", "sqlite", "sqlite3"]).named("db") }
  /// The name of a format, or the path of a rule document.
  static var rules: ValueKind { ValueKind(name: "name-or-file", completion: .rules) }
  /// A report's format and the file for it.
  static func report(as formats: [String]) -> ValueKind {
    ValueKind(name: "format=file", completion: .report(as: formats))
  }
  /// The JSON Pointer of a collection.
  static var collection: ValueKind { ValueKind(name: "pointer", completion: .collection) }
  /// Names of collections, separated by commas.
  static var collections: ValueKind { ValueKind(name: "collections", completion: .collections) }

  fileprivate func help(_ text: String) -> ArgumentHelp { ArgumentHelp("\(text)", valueName: name) }
}

extension Option {
  init<T: ExpressibleByArgument>(_ kind: ValueKind, _ help: String, name: NameSpecification = .long) where Value == T? {
    self.init(name: name, help: kind.help(help), completion: kind.completion)
  }

  init(_ kind: ValueKind, _ help: String, name: NameSpecification = .long) where Value: ExpressibleByArgument {
    self.init(name: name, help: kind.help(help), completion: kind.completion)
  }

  init(wrappedValue: Value, _ kind: ValueKind, _ help: String, name: NameSpecification = .long)
  where Value: ExpressibleByArgument {
    self.init(wrappedValue: wrappedValue, name: name, help: kind.help(help), completion: kind.completion)
  }

  init<T: ExpressibleByArgument>(wrappedValue: [T], _ kind: ValueKind, _ help: String) where Value == [T] {
    self.init(wrappedValue: wrappedValue, help: kind.help(help), completion: kind.completion)
  }
}

extension Argument {
  init<T: ExpressibleByArgument>(_ kind: ValueKind, _ help: String) where Value == T? {
    self.init(help: kind.help(help), completion: kind.completion)
  }

  init(_ kind: ValueKind, _ help: String) where Value: ExpressibleByArgument {
    self.init(help: kind.help(help), completion: kind.completion)
  }

  init<T: ExpressibleByArgument>(_ kind: ValueKind, _ help: String) where Value == [T] {
    self.init(help: kind.help(help), completion: kind.completion)
  }

  init<T: ExpressibleByArgument>(wrappedValue: [T], _ kind: ValueKind, _ help: String) where Value == [T] {
    self.init(wrappedValue: wrappedValue, help: kind.help(help), completion: kind.completion)
  }
}

/// What shells offer for values. They call the closures at a press of the Tab key.
extension CompletionKind {
  static let defect = list(DefectKind.allCases.map(\.rawValue))

  static let keyword = custom { _, _, _ in KeywordReference().keywords }

  /// The name of a format, or the path of a rule document.
  static let rules = custom { _, _, prefix in
    formatNames + paths(from: prefix) { ["json", "yaml", "yml"].contains($0.extension) }
  }

  /// The name of a format, or the path of any file.
  static let formatOrFile = custom { _, _, prefix in formatNames + paths(from: prefix) { _ in true } }

  /// The formats of reports with usual names of files, and after the equals sign the paths of files.
  static func report(as formats: [String]) -> CompletionKind {
    custom { _, _, prefix in
      guard let sign = prefix.firstIndex(of: "=") else {
        return formats.map { "\($0)=report.\(reportEndings[$0] ?? $0)" }
      }
      return paths(from: String(prefix[prefix.index(after: sign)...])) { _ in true }.map { prefix[...sign] + $0 }
    }
  }

  private static let reportEndings = [
    "text": "txt", "github": "txt", "gitlab": "json", "junit": "xml", "checkstyle": "xml", "markdown": "md", "rdjsonl": "jsonl",
  ]

  /// The JSON Pointer of a collection.
  static let collection = custom { words, _, _ in collectionPointers(for: words) }

  /// Names of collections, separated by commas.
  static let collections = custom { words, _, prefix in
    let earlier = prefix.lastIndex(of: ",").map { prefix[...$0] } ?? ""
    return collectionPointers(for: words).compactMap { $0.pointerTokens?.last }.map { earlier + $0 }
  }

  private static var formatNames: [String] { catalog(for: []).names }

  /// The formats that are known to a run about files.
  private static func catalog(for files: [String]) -> FormatCatalog {
    guard let arguments = try? RuleArguments.parse([]), let configuration = try? Configuration(of: files, arguments) else {
      return .builtIn
    }
    return configuration.catalog
  }

  /// The visible files and folders whose paths begin with a prefix.
  private static func paths(from prefix: String, where isOffered: (FilePath) -> Bool) -> [String] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    let names = FolderNames(folder.isEmpty ? "." : FilePath(folder))?.names ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().compactMap { name in
      let path = folder + name
      if FileComparison.isFolder(path) { return path + "/" }
      return isOffered(FilePath(path)) ? path : nil
    }
  }

  /// The collections of the format that a word names or that a document has; otherwise those of all formats.
  private static func collectionPointers(for words: [String]) -> [String] {
    let catalog = catalog(for: words.filter(FileComparison.isRegularFile))
    let named = words.lazy.dropFirst(2).compactMap { catalog[$0] ?? format(ofDocument: $0, catalog) }.first
    let formats = named.map { [$0] } ?? catalog.formats
    var known: Set<String> = []
    return formats.flatMap(\.collections).map(\.pointer).filter { known.insert($0).inserted }
  }

  private static func format(ofDocument path: String, _ catalog: FormatCatalog) -> BackupFormat? {
    // Opening a pipe would wait for its writer.
    guard FileComparison.isRegularFile(path), let source = try? FileSource(path: FilePath(path)),
      case .format(let candidate)? = try? catalog.detect(source)
    else { return nil }
    return candidate.format
  }
}
