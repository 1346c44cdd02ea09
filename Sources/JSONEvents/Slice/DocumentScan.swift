package import ByteStreams

/// The state of a document at the end of its first ranges, which are appended in order: it turns their summaries, which know
/// nothing of what precedes them, into places in the document.
///
///     { "cars" : [ {…} , {…} , {…} ,     {…} , {…} ] , "ideas" : [ {…} ,
///     |<-       first range      ->|     |<-       second range      ->|
///                                             ^      ^            ^
///                       its first and last cut       end          inside the collection that is open next
///
/// It only looks for structure, and never decides whether a document is well formed.
package struct DocumentScan: Sendable, Equatable {
  /// The summary of all ranges appended, which begin at the document's start.
  package private(set) var summary: RangeSummary

  /// The state at the start of a document.
  package init() { summary = RangeSummary() }

  /// The state after ranges whose summaries have been joined.
  package init(after ranges: RangeSummary) { summary = ranges }

  /// The end of all ranges appended.
  package var position: TextPosition { summary.extent.position }

  /// The number of open containers; 0 if the document is suspect.
  package var depth: Int { structure?.openerCount ?? 0 }

  /// True if the document is malformed: nothing is known of what follows.
  package var isSuspect: Bool { structure == nil }

  /// True if it ends inside a string.
  package var isInString: Bool { structure?.endsInString ?? false }

  /// The outermost containers that are open, at most three; none if the document is suspect.
  package var containers: [RangePlaces.Container] {
    (structure?.levels ?? []).prefix(Self.watched).map { level in
      let inside = RangePlaces.Mark(position: level.inside.position, index: 0)
      return RangePlaces.Container(
        isArray: level.isArray, inside: inside.position,
        latest: level.commas.count == 0
          ? inside : RangePlaces.Mark(position: level.commas.last.position, index: level.commas.count))
    }
  }

  /// The number of levels at which collections are cut: containers with 1, 2 or 3 open brackets, counting their own.
  private static let watched = 3

  /// The structure of all ranges appended, which begin outside a string and at no level; `nil` if the document is suspect.
  private var structure: RangeStructure? {
    guard let structure = summary.outside, structure.closerCount == 0 else { return nil }
    return structure
  }

  /// Appends the range that follows, and returns its places.
  package mutating func append(_ range: RangeSummary) -> RangePlaces {
    let start = self
    summary.append(range)
    return RangePlaces(
      start: start.position, end: position, isSuspect: isSuspect, enclosing: isSuspect ? [] : start.enclosing(range),
      open: containers)
  }

  /// Returns what `range` contains of the containers around its start.
  private func enclosing(_ range: RangeSummary) -> [RangePlaces.Enclosing] {
    guard let structure, let following = structure.endsInString ? range.inside : range.outside else { return [] }
    func mark(_ place: TextExtent, _ index: Int) -> RangePlaces.Mark {
      RangePlaces.Mark(position: (summary.extent + place).position, index: index)
    }
    return structure.levels.prefix(Self.watched).enumerated().map { index, level in
      let before = level.commas.count
      // The level of the container at `index` is the floor after this number of closers; the next closer is its own bracket.
      let closers = structure.openerCount - 1 - index
      let commas = following.floor(afterClosers: closers)?.commas ?? RangeStructure.Commas()
      let closer = following.floor(afterClosers: closers + 1)?.closer
      let total = before &+ commas.count
      return RangePlaces.Enclosing(
        isArray: level.isArray, firstCut: commas.count == 0 ? nil : mark(commas.first, before &+ 1),
        lastCut: commas.count == 0 ? nil : mark(commas.last, total), end: closer.map { mark($0, total) })
    }
  }
}
