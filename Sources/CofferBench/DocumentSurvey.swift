import ByteStreams
import JSONEvents
import Rules

/// The properties of a document that are known before measuring: the units of the rates, and its description in the report.
package struct DocumentSurvey: Sendable, Equatable {
  package let kind: DocumentKind
  /// The size of the stored file.
  package let storedBytes: Int
  /// The size of the uncompressed document, or of an archive's contents.
  package let bytes: Int
  package let records: Int
  package let format: String?
  package let version: String?
  /// True if the document satisfies all rules of its format.
  package let isValid: Bool
  /// The error that ended reading, or `nil` if the document was read completely.
  package let error: String?

  package init(
    kind: DocumentKind, storedBytes: Int, bytes: Int, records: Int, format: String? = nil, version: String? = nil, isValid: Bool,
    error: String? = nil
  ) {
    self.kind = kind
    self.storedBytes = storedBytes
    self.bytes = bytes
    self.records = records
    self.format = format
    self.version = version
    self.isValid = isValid
    self.error = error
  }

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
