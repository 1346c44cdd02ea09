import ByteStreams
import JSONEvents
import Rules
import Synchronization

/// A format of a catalog. Built-in formats are read on first use, because most runs need only one.
final class CatalogEntry: Sendable {
  let name: String
  /// The detection criterion of the format. If `nil`, the format is never detected and must be named.
  let detection: DetectionCriterion?
  /// The paths that the format's detection criteria use.
  let criterionPaths: Set<String>
  private let parsed: Mutex<BackupFormat?>

  init(_ format: BackupFormat) {
    name = format.name
    detection = format.detection
    criterionPaths = format.criterionPaths
    parsed = Mutex(format)
  }

  /// Reads the detection criteria of an embedded descriptor.
  ///
  /// - Throws: `CofferError` if a criterion is invalid.
  init(builtIn name: String) throws(CofferError) {
    // `backup` is the first large member of each descriptor, so little more than `backup` is read.
    let source = MemorySource(EmbeddedFile.format(name), chunkSize: 4096)
    guard let backup = try JSONValue.read(member: "backup", of: source) else {
      preconditionFailure("the built-in descriptor \(name) has no backup")
    }
    self.name = name
    if let criterion = backup["detect"] {
      detection = try DetectionCriterion(criterion, at: "/backup/detect")
    } else {
      detection = nil
    }
    let dialects = (backup["dialects"]?.array ?? []).compactMap { $0["detect"] }
    let migrations = (backup["migrations"]?.array ?? []).compactMap { $0["when"] }
    var paths = detection?.paths ?? []
    for criterion in dialects + migrations { paths.formUnion(try DetectionCriterion(criterion, at: "/backup").paths) }
    criterionPaths = paths
    parsed = Mutex(nil)
  }

  /// The format. Cost: the first access reads an embedded descriptor, 3 to 30 kB of JSON.
  var format: BackupFormat {
    parsed.withLock { parsed in
      if let parsed { return parsed }
      do {
        let format = try BackupFormat(descriptor: String(decoding: EmbeddedFile.format(name), as: UTF8.self))
        parsed = format
        return format
      } catch { preconditionFailure("the built-in descriptor \(name) is invalid: \(error)") }
    }
  }
}
