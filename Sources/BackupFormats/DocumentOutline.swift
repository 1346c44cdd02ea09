import ByteStreams
import JSONEvents

/// The outline of a document's start: the paths of its values, with `*` for array items. Only paths that detection criteria use
/// are kept, so that other values take no space.
package struct DocumentOutline: Sendable {
  let container: BackupFormat.Container
  private(set) var paths: Set<String> = []
  /// The distinct strings at each path whose strings criteria read.
  private(set) var strings: [String: Set<String>] = [:]

  /// The number of bytes read: enough for a few records of any format, and quick to read.
  static let size = 256 << 10

  /// The paths to keep, prepared once for all documents.
  package struct Paths: Sendable {
    fileprivate let all: [String]
    /// Whether the strings at each path are kept, too.
    fileprivate let hasStrings: [Bool]
    fileprivate var tree: PointerTree

    /// - Parameter criteria: those that use the paths.
    package init(_ criteria: [DetectionCriterion]) {
      let criterion = DetectionCriterion.all(criteria)
      let pointers = criterion.paths().sorted().compactMap { path in path.pointerTokens.map { (path, $0) } }
      all = pointers.map(\.0)
      let ofStrings = criterion.paths(onlyOfStrings: true)
      hasStrings = all.map(ofStrings.contains)
      tree = PointerTree(pointers.map(\.1), matchesItems: true)
    }
  }

  /// Reads the outline of `prefix`. Truncated or malformed input ends it early; the validation that follows reports it.
  ///
  /// - Parameters:
  ///   - container: The document's container.
  ///   - wanted: The paths that detection criteria use.
  package init(of prefix: [UInt8], in container: BackupFormat.Container, for wanted: Paths) {
    self.container = container
    var limits = ReaderLimits()
    limits.tokenSize = max(1, prefix.count)
    if prefix.count < Self.size {
      // A slice reads a well-formed document several times as fast.
      let whole = Slice(of: prefix, syntax: .json)
      var finder = PathFinder(wanted)
      if whole.isUTF8, whole.read(depth: 1, limits: limits, { finder.consume($0) }) {
        (paths, strings) = (finder.paths, finder.strings)
        return
      }
    }
    var reader = JSONEventReader(MemorySource(prefix), limits: limits)
    var finder = PathFinder(wanted)
    while (try? reader.next()) == true { finder.consume(reader.batch) }
    (paths, strings) = (finder.paths, finder.strings)
  }
}

/// Finds the values at the wanted paths.
private struct PathFinder {
  private(set) var paths: Set<String> = []
  private(set) var strings: [String: Set<String>] = [:]
  private var wanted: DocumentOutline.Paths
  /// By the number of the path.
  private var isKnown: [Bool]

  private static let stringLimit = 64

  init(_ paths: DocumentOutline.Paths) {
    wanted = paths
    isKnown = Array(repeating: false, count: paths.all.count)
  }

  mutating func consume(_ batch: EventBatch) {
    for index in 0..<batch.count {
      let event = batch[index]
      for number in wanted.tree.follow(event, of: batch) {
        let path = wanted.all[number]
        if !isKnown[number] { paths.insert(path) }
        isKnown[number] = true
        guard wanted.hasStrings[number], event.kind == .string, strings[path]?.count ?? 0 < Self.stringLimit else { continue }
        strings[path, default: []].insert(batch.text(of: event).prefix(256).string)
      }
    }
  }
}
