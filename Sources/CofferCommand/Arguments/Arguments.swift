public import ArgumentParser
import ByteStreams
public import Coffer
import Platform
import SyntheticBackups
import SystemPackage

/// The sections of a verb's help. Options of the verb alone have none, and come last, where a terminal shows them.
enum HelpSection {
  static let rules = "Rules"
  static let input = "Input"
  static let report = "Report"
  /// What makes a run fail.
  static let verdict = "Verdict"
  static let run = "Run"
}

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

extension CompressionFormat: ExpressibleByArgument {}

/// The compression level of an output.
struct LevelArgument: ParsableArguments {
  @Option(
    .count, "Compression level, from 1 (fastest) to 12 (LZ4), 9 (gzip) or 19 (zstd) (default: 1 for LZ4, 6 for gzip, 3 for zstd)."
  )
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
struct DefectArgument {
  let kind: DefectKind
  let count: Int
  /// A limit above what any document has room for, but small enough that sums don't overflow.
  private static let limit = 1_000_000_000_000

  init(_ argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let kind = DefectKind(rawValue: String(parts[0])) else {
      throw ValidationError("the kinds are \(DefectKind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard let count = parts.count == 1 ? 1 : Int(parts[1]), (0...Self.limit).contains(count) else {
      throw ValidationError("expected a kind, or a kind with a number such as \(kind.rawValue)=3")
    }
    (self.kind, self.count) = (kind, count)
  }
}
