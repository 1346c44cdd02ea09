import ByteStreams
import JSONEvents
import Rules

/// What is known of a document before anything is measured: what rates are counted in, and what the result says of it.
package struct DocumentSurvey: Sendable, Equatable {
  package let kind: DocumentKind
  /// Of the file as it is stored.
  package let storedBytes: Int
  /// Of the document, uncompressed; of an archive, all that it holds.
  package let bytes: Int
  package let records: Int
  package let format: String?
  package let version: String?
  /// Whether no rule of its format is broken.
  package let isValid: Bool
  /// Why it could not be read to its end; `nil`: it could.
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

  /// Takes it from what `coffer validate --json` says of the one file.
  ///
  /// - Throws: `ThroughputError` with the code `noReport` if the text is no such report.
  package init(kind: DocumentKind, storedBytes: Int, report: [UInt8]) throws {
    guard let root = try? JSONValue.read(MemorySource(report)), let file = root["files"]?.array?.first,
      let bytes = file["bytes"]?.number.flatMap({ Int($0) }), let records = file["records"]?.number.flatMap({ Int($0) })
    else {
      throw ThroughputError(code: .noReport, message: "coffer validate gave no report")
    }
    let contained = file["container"]?["bytes"]?.number.flatMap { Int($0) } ?? 0
    // A plain document that breaks off is read up to there only, but compressed as a whole.
    let stored = kind == .json ? storedBytes : 0
    self.init(
      kind: kind, storedBytes: storedBytes, bytes: max(bytes, contained, stored), records: records,
      format: file["format"]?.string,
      version: file["version"]?.string ?? file["version"]?.number, isValid: file["valid"]?.boolean ?? false,
      error: file["error"]?["message"]?.string)
  }
}
