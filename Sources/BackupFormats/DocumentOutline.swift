import ByteStreams
import JSONEvents

/// What stands where in the start of a document: the pointers of its values, `*` for every item of an array. Only those are kept that clues ask for,
/// so whatever else stands there takes no room from them.
package struct DocumentOutline: Sendable {
  let container: BackupFormat.Container
  /// What clues ask for.
  private let wanted: Set<String>
  private(set) var paths: Set<String> = []
  /// The strings that stand at a path, each once.
  private(set) var strings: [String: Set<String>] = [:]

  /// So much of a document is looked at: enough for a few records of any format, little enough to take no time.
  static let size = 256 << 10
  private static let depthLimit = 6
  private static let stringLimit = 64

  /// Reads the outline of `prefix`. What is cut off or malformed ends it early; the validation that follows says so.
  ///
  /// - Parameters:
  ///   - container: what the document stands in.
  ///   - wanted: the paths that clues name.
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

  /// `nil` below what is looked at.
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
