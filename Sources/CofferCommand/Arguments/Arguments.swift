public import ArgumentParser
import ByteStreams
public import Coffer
import Platform
import SyntheticBackups
import SystemPackage

/// A number of bytes: `1048576`, `100MB` (powers of 1000), `64MiB` or `64M` (powers of 1024).
struct ByteSize: ExpressibleByArgument {
  let bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  /// The size in the largest unit that divides it.
  var defaultValueDescription: String {
    for (exponent, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB")] where bytes > 0 && bytes % (1 << exponent) == 0 {
      return "\(bytes >> exponent)\(unit)"
    }
    return String(bytes)
  }

  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let units: [String: Double] = [
      "": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824,
      "tib": 1_099_511_627_776,
      "k": 1024, "m": 1_048_576, "g": 1_073_741_824, "t": 1_099_511_627_776,
    ]
    guard let number = Double(digits), let unit = units[argument.dropFirst(digits.count).lowercased()] else { return nil }
    let bytes = number * unit
    guard bytes >= 0, bytes <= 1e15 else { return nil }
    self.bytes = Int(bytes)
  }
}

/// A point in time in RFC 3339 format.
struct TimeArgument: ExpressibleByArgument {
  let instant: Instant

  init?(argument: String) {
    guard let instant = Instant(argument) else { return nil }
    self.instant = instant
  }
}

extension CompressionFormat: ExpressibleByArgument {}

/// The compression level of an output.
struct LevelArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compression level, from 1 (fastest) to 12 (LZ4), 9 (gzip) or 19 (zstd) (default: 1 for LZ4, 6 for gzip, 3 for zstd).",
      valueName: "n"))
  var level: Int?

  /// Returns the compression with the level that was given, or `nil` for an output that is not compressed.
  func compression(_ format: CompressionFormat?) throws -> Compression? {
    guard let level else { return format.map { Compression($0) } }
    guard let format else {
      throw ValidationError("--level requires an output whose name ends in \(CompressionFormat.listedEndings)")
    }
    guard let compression = Compression(format, level: level) else {
      let levels = format.levels
      throw ValidationError("--level must be between \(levels.lowerBound) and \(levels.upperBound) for \(format.name)")
    }
    return compression
  }
}

/// `KIND=N`, or `KIND` for one.
struct DefectArgument: ExpressibleByArgument {
  let kind: DefectKind
  let count: Int
  /// A limit above what any document has room for, but small enough that sums don't overflow.
  private static let limit = 1_000_000_000_000

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let kind = DefectKind(rawValue: String(parts[0])) else { return nil }
    guard parts.count == 1 || Int(parts[1]) != nil else { return nil }
    self.kind = kind
    count = parts.count == 1 ? 1 : Int(parts[1]) ?? 0
    guard (0...Self.limit).contains(count) else { return nil }
  }
}

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
