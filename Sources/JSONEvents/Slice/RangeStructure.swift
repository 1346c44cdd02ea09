/// The brackets and commas of a range of a document, relative to its start: a monoid under `append(_:after:)`.
///
///     level  2                  , [ , ] ,
///            1            [ , [           ,
///            0     , , }                         start: level 0, in an unknown container
///           -1         , }
///           -2           , ,                     the final floor
///
///     floors  0: , ,   -1: } ,   -2: } , ,       the commas at each level that the range falls to
///     levels  1: [ , ,   2: …                    the containers that it opens and leaves open, and their commas
///
/// Of both it keeps the four outermost, so it has a limited size. That suffices for three levels of a document: from any of them,
/// a range that falls out of the document's root reaches its last four floors.
///
/// A range doesn't know what contains its start, so it also counts the commas between an object's members.
package struct RangeStructure: Sendable, Equatable {
  /// The commas of one level.
  package struct Commas: Sendable, Equatable {
    package var count = 0
    /// The places after the first one and the last one, if there are any.
    package var first = TextExtent()
    package var last = TextExtent()

    package init() {}

    mutating func append(_ next: Commas) {
      if next.count == 0 { return }
      if count == 0 { first = next.first }
      last = next.last
      count &+= next.count
    }

    func moved(after extent: TextExtent) -> Commas {
      if count == 0 { return self }
      var commas = self
      commas.first = extent + first
      commas.last = extent + last
      return commas
    }
  }

  /// A level of a container that is open at the range's start.
  package struct Floor: Sendable, Equatable {
    /// The bracket before it, which closes the container above it; zero for the level of the start.
    package var closer = TextExtent()
    package var commas = Commas()
  }

  /// A container that the range opens and leaves open.
  package struct Level: Sendable, Equatable {
    package var isArray: Bool
    /// The place after its opening bracket.
    package var inside: TextExtent
    package var commas = Commas()
  }

  /// The number of floors and levels that are kept.
  static let limit = 4

  /// True if the range ends inside a string.
  package internal(set) var endsInString: Bool
  /// The number of closing brackets that have no opening one in the range.
  package internal(set) var closerCount = 0
  /// The level at the start and those after each closer: the last ones, at least one.
  package internal(set) var floors = [Floor()]
  /// The number of opening brackets that have no closing one in the range.
  package internal(set) var openerCount = 0
  /// The containers of the first openers.
  package internal(set) var levels: [Level] = []

  /// The empty structure.
  init(endsInString: Bool) { self.endsInString = endsInString }

  /// Returns the floor after the first `count` closers, if the range falls so far and the floor is kept.
  package func floor(afterClosers count: Int) -> Floor? {
    let index = count - (closerCount - floors.count + 1)
    return floors.indices.contains(index) ? floors[index] : nil
  }

  /// Appends the structure of the range that follows, which begins as this one ends.
  ///
  /// - Parameter extent: that of this range.
  mutating func append(_ next: RangeStructure, after extent: TextExtent) {
    let next = next.moved(after: extent)
    // The next range's closers close our levels, and then fall below our floor.
    let below = max(0, next.closerCount &- openerCount)
    let remaining = max(0, openerCount - next.closerCount)
    levels.removeSubrange(min(remaining, levels.count)...)
    let joint = next.floor(afterClosers: next.closerCount - below)?.commas ?? Commas()
    if remaining == 0 {
      floors[floors.count - 1].commas.append(joint)
      floors = (floors + next.floors.suffix(below)).suffix(Self.limit)
    } else if remaining <= Self.limit {
      levels[remaining - 1].commas.append(joint)
    }
    levels += next.levels.prefix(max(0, Self.limit - remaining))
    closerCount &+= below
    openerCount = remaining &+ next.openerCount
    endsInString = next.endsInString
  }

  private func moved(after extent: TextExtent) -> RangeStructure {
    var moved = self
    for index in floors.indices {
      // No closer is at the start.
      if closerCount - floors.count + 1 + index > 0 { moved.floors[index].closer = extent + floors[index].closer }
      moved.floors[index].commas = floors[index].commas.moved(after: extent)
    }
    for index in levels.indices {
      moved.levels[index].inside = extent + levels[index].inside
      moved.levels[index].commas = levels[index].commas.moved(after: extent)
    }
    return moved
  }
}
