import ByteStreams
import JSONEvents

/// The outline of a document's start: the paths of its values, with `*` for array items. Only paths that detection criteria use
/// are kept, so that other values take no space.
package struct DocumentOutline: Sendable {
  let container: BackupFormat.Container
  /// The paths to keep.
  private let wanted: Set<String>
  private(set) var paths: Set<String> = []
  /// The distinct strings at each path.
  private(set) var strings: [String: Set<String>] = [:]

  /// The number of bytes read: enough for a few records of any format, and quick to read.
  static let size = 256 << 10
  private static let depthLimit = 6
  private static let stringLimit = 64

  /// Reads the outline of `prefix`. Truncated or malformed input ends it early; the validation that follows reports it.
  ///
  /// - Parameters:
  ///   - container: The document's container.
  ///   - wanted: The paths that detection criteria use.
  package init(of prefix: [UInt8], in container: BackupFormat.Container, for wanted: Set<String>) {
    self.container = container
    self.wanted = wanted
    var limits = ReaderLimits()
    limits.tokenSize = max(1, prefix.count)
    var reader = JSONEventReader(MemorySource(prefix), limits: limits)
    var stack: [String?] = []
    var key: String?
    while (try? reader.next()) == true {
      let batch = reader.batch
      for index in 0..<batch.count {
        let event = batch[index]
        switch event.kind {
        case .key:
          if stack.count <= Self.depthLimit { key = batch.text(of: event).prefix(256).string }
        case .objectEnd, .arrayEnd:
          stack.removeLast()
        default:
          let path = path(of: stack, key)
          key = nil
          if let path { note(path, event, batch) }
          if event.kind == .objectStart { stack.append(path.map { $0 + "/" }) }
          if event.kind == .arrayStart { stack.append(path.map { $0 + "/*" }) }
        }
      }
    }
  }

  /// Returns the path of a key, or `nil` below the depth limit.
  private func path(of stack: [String?], _ key: String?) -> String? {
    guard let last = stack.last else { return "" }
    guard stack.count <= Self.depthLimit, let last else { return nil }
    return key.map { last + $0.pointerToken } ?? last
  }

  private mutating func note(_ path: String, _ event: Event, _ batch: EventBatch) {
    guard wanted.contains(path) else { return }
    paths.insert(path)
    guard event.kind == .string, strings[path]?.count ?? 0 < Self.stringLimit else { return }
    strings[path, default: []].insert(batch.text(of: event).prefix(256).string)
  }
}
