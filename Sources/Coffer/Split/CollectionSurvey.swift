import JSONEvents

/// The large arrays of a document: those that are open where one range ends and the next one begins.
struct CollectionSurvey {
  struct Found {
    /// The number of open brackets around an item.
    let depth: Int
    /// The place after the opening bracket.
    let start: SplitPlan.Mark
    /// Places after commas: the first one in each range.
    var cuts: [SplitPlan.Mark] = []
    /// The place of the closing bracket, or `nil` if it wasn't found.
    var end: SplitPlan.Mark?
  }

  /// The open arrays, by depth minus one.
  private var open: [Found?] = [nil, nil, nil]
  private var closed: [Found] = []
  private(set) var isSuspect = false

  /// Takes the next range of the document.
  mutating func take(_ range: RangePlaces) {
    if isSuspect { return }
    guard !range.isSuspect else { return isSuspect = true }
    for (level, container) in range.enclosing.enumerated() {
      guard var found = open[level] else { continue }
      if let cut = container.firstCut { found.cuts.append(SplitPlan.Mark(cut)) }
      guard var end = container.end.map(SplitPlan.Mark.init) else {
        open[level] = found
        continue
      }
      open[level] = nil
      // Without a comma there is at most one item: nothing to cut.
      if end.index == 0 { continue }
      end.index &+= 1
      // The document has a comma that no item follows.
      if found.cuts.last?.offset == end.offset { found.cuts.removeLast() }
      found.end = end
      closed.append(found)
    }
    for (level, container) in range.open.enumerated() where container.isArray && open[level] == nil {
      open[level] = Found(depth: level + 1, start: SplitPlan.Mark(container.inside, index: 0))
    }
  }

  /// The arrays in the order of their starts, so each precedes those inside it.
  var arrays: [Found] { (closed + open.compactMap(\.self)).sorted { $0.start.offset < $1.start.offset } }
}

extension CollectionSurvey.Found {
  /// True if its places are in order, and in a document of this size. Those of damaged scans may not be.
  func isValid(after start: SplitPlan.Mark?, byteCount: Int) -> Bool {
    let marks = [self.start] + cuts + (end.map { [$0] } ?? [])
    let isAfter = start.map { $0.offset < self.start.offset } ?? true
    return isAfter && marks.allSatisfy { $0.isValid && $0.offset <= byteCount }
      && zip(marks, marks.dropFirst()).allSatisfy { $0.offset < $1.offset && $0.index < $1.index }
  }
}

extension SplitPlan.Mark {
  fileprivate init(_ mark: RangePlaces.Mark) { self.init(mark.position, index: mark.index) }
}
