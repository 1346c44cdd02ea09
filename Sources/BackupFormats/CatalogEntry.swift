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
  private let state: Mutex<State>

  private enum State {
    /// A built-in format, by its index, that has not been read yet.
    case builtIn(Int)
    case read(BackupFormat)
  }

  init(_ format: BackupFormat) {
    name = format.name
    detection = format.detection
    criterionPaths = format.criterionPaths
    state = Mutex(.read(format))
  }

  /// Reads the name and the detection criteria of an embedded descriptor. Returns `nil` past the last one.
  ///
  /// - Throws: `CofferError` if a criterion is invalid.
  init?(builtIn index: Int) throws(CofferError) {
    guard let descriptor = EmbeddedFile.format(index) else { return nil }
    // `backup` is the first large member of each descriptor, so little more than `backup` is read.
    let source = MemorySource(descriptor, chunkSize: 4096)
    guard let backup = try JSONValue.read(member: "backup", of: source), let name = backup["name"]?.string else {
      preconditionFailure("the built-in descriptor \(index) has no backup with a name")
    }
    self.name = name
    let description = RuleValue(backup, at: "/backup")
    detection = try description["detect"].map { value throws(CofferError) in try DetectionCriterion(value) }
    let dialects = (description["dialects"]?.items ?? []).compactMap { $0["detect"] }
    let migrations = (description["migrations"]?.items ?? []).compactMap { $0["when"] }
    var paths = detection?.paths ?? []
    for criterion in dialects + migrations { paths.formUnion(try DetectionCriterion(criterion).paths) }
    criterionPaths = paths
    state = Mutex(.builtIn(index))
  }

  /// The format. Cost: the first access reads an embedded descriptor, 3 to 30 kB of JSON.
  var format: BackupFormat {
    state.withLock { state in
      switch state {
      case .read(let format): return format
      case .builtIn(let index):
        do {
          let format = try BackupFormat(descriptor: String(decoding: EmbeddedFile.format(index) ?? [], as: UTF8.self))
          state = .read(format)
          return format
        } catch { preconditionFailure("the built-in descriptor \(name) is invalid: \(error)") }
      }
    }
  }
}
