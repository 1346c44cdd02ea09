package import ByteStreams
import CompressedStreams
import JSONEvents
import Platform
import Rules
package import SystemPackage
import ZIPArchives

/// The backup to measure, and its options.
package struct Document: Sendable, Equatable {
  package let file: FilePath
  package let kind: DocumentKind
  /// The current time for its rules, in RFC 3339 (default: the system's time).
  package let presentTime: String?
  /// The command's arguments for its rules (default: its format is detected among the built-in ones).
  package var rules: [String] = []

  /// - Parameter file: A path that doesn't begin with `-`.
  package init(file: FilePath, kind: DocumentKind, presentTime: String? = nil) {
    self.file = file
    self.kind = kind
    self.presentTime = presentTime
  }

  /// The command's arguments for `presentTime`.
  var now: [String] { presentTime.map { ["--now", $0] } ?? [] }

  /// The arguments of a run that applies its rules. No run looks for configuration: what a project file says besides the rules would
  /// be measured, too.
  var judging: [String] { ["--no-config"] + rules }
}

/// The storage form of a backup, which determines the possible steps.
package enum DocumentKind: String, Sendable, CaseIterable {
  case json
  case lz4
  case gzip
  case zstd
  case zip

  /// True for compressed documents.
  package var isCompressed: Bool { self == .lz4 || self == .gzip || self == .zstd }

  /// Detects the kind from a file's first four bytes.
  ///
  /// - Throws: `CofferError` if the file can't be opened or read, or isn't a regular file.
  package init(ofFileAt path: FilePath) throws(CofferError) {
    // Opening a named pipe would block until it has a writer.
    if let type = try? path.stat().type, type != .regular {
      throw CofferError(.alreadyRead, "\(path) is not a regular file, so it can't be read repeatedly")
    }
    var start = try FileSource(path: path)
    if ZIPReader.isArchive(try start.readPrefix(4)) {
      self = .zip
    } else {
      let format = try Decompression(try FileSource(path: path)).format
      self = format.flatMap { Self(rawValue: $0.rawValue) } ?? .json
    }
  }
}

/// The properties of a document that are known before measuring: the units of the rates, and its description in the report.
package struct DocumentSurvey: Sendable, Equatable {
  package let kind: DocumentKind
  /// The size of the stored file.
  package let storedBytes: Int
  /// The size of the uncompressed document, or of an archive's contents.
  package let bytes: Int
  package let records: Int
  package var format: String?
  package var version: String?
  /// True if the document satisfies all rules of its format.
  package let isValid: Bool
  /// The error that ended reading, or `nil` if the document was read completely.
  package var error: String?
}

extension DocumentSurvey {
  /// Parses the report of `coffer validate --json` for a single file.
  ///
  /// - Throws: `CofferError` with the code `noReport` if the bytes aren't a report.
  package init(kind: DocumentKind, storedBytes: Int, report: [UInt8]) throws {
    guard let root = try? JSONValue.read(MemorySource(report)), let file = root["files"]?.array?.first,
      let bytes = file["bytes"]?.number.flatMap({ Int($0) }), let records = file["records"]?.number.flatMap({ Int($0) })
    else {
      throw CofferError(.noReport, "coffer validate returned no report")
    }
    let contained = file["container"]?["bytes"]?.number.flatMap { Int($0) } ?? 0
    // A truncated plain document is read only up to its error, but compressed as a whole.
    let stored = kind == .json ? storedBytes : 0
    self.init(
      kind: kind, storedBytes: storedBytes, bytes: max(bytes, contained, stored), records: records,
      format: file["format"]?.string,
      version: file["version"]?.string ?? file["version"]?.number, isValid: file["valid"]?.boolean ?? false,
      error: file["error"]?["message"]?.string)
  }
}
