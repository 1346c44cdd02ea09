package import ByteStreams
import CByteScan

/// Scans a range of a document, fed in pieces of any size.
///
/// Cost: one pass of `CByteScan`, some 2 GB per second. Memory: a block of 64 bytes.
package struct RangeScanner: ~Copyable {
  private var scan = coffer_range()
  /// The bytes of an unfinished block.
  private var pending: [UInt8] = []
  /// True while the bytes may be the beginning of a byte order mark, which takes no column.
  private var awaitsByteOrderMark: Bool

  /// - Parameter offset: where the range begins in the document. The byte before must not be a backslash.
  package init(from offset: Int) { self.init(from: offset, kernel: COFFER_SCAN_BEST) }

  init(from offset: Int, kernel: coffer_scan_kernel) {
    awaitsByteOrderMark = offset == 0
    pending.reserveCapacity(Self.blockSize)
    coffer_range_start(&scan, kernel)
  }

  private static var blockSize: Int { Int(COFFER_SCAN_BLOCK) }

  /// Scans the next bytes.
  package mutating func consume(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    if awaitsByteOrderMark {
      complete(3, from: &rest)
      if pending.count < 3 { return }
      awaitsByteOrderMark = false
      if pending == [0xEF, 0xBB, 0xBF] {
        pending.removeAll(keepingCapacity: true)
        scan.end.bytes = 3
      }
    }
    if !pending.isEmpty {
      complete(Self.blockSize, from: &rest)
      if pending.count < Self.blockSize { return }
      coffer_range_blocks(&scan, pending, pending.count)
      pending.removeAll(keepingCapacity: true)
    }
    let length = rest.count & ~(Self.blockSize - 1)
    if let base = rest.bindMemory(to: UInt8.self).baseAddress { coffer_range_blocks(&scan, base, length) }
    pending += rest[length...]
  }

  /// Scans the next `length` bytes of a source, or fewer if it ends; reads up to 1 MiB at a time.
  mutating func consume(from source: inout some ByteSource, upTo length: Int) throws(CofferError) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: min(1 << 20, max(1, length)), alignment: 64)
    defer { piece.deallocate() }
    var rest = length
    while rest > 0 {
      let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: piece.prefix(rest)))
      if count == 0 { return }
      consume(UnsafeRawBufferPointer(rebasing: piece.prefix(count)))
      rest -= count
    }
  }

  /// Moves bytes from the front of `bytes` until `count` are pending.
  private mutating func complete(_ count: Int, from bytes: inout UnsafeRawBufferPointer) {
    let length = min(bytes.count, max(0, count - pending.count))
    pending += bytes[..<length]
    bytes = UnsafeRawBufferPointer(rebasing: bytes[length...])
  }

  /// Returns the summary of all bytes fed.
  package consuming func finish() -> RangeSummary {
    coffer_range_finish(&scan, pending, pending.count)
    var summary = RangeSummary()
    summary.extent = TextExtent(scan.end)
    summary.outside = RangeStructure(scan.outside, endsInString: scan.in_string != 0)
    summary.inside = RangeStructure(scan.inside, endsInString: scan.in_string == 0)
    return summary
  }
}

extension RangeSummary {
  /// Scans a range in memory.
  ///
  /// - Parameter offset: where it begins in the document. The byte before must not be a backslash.
  package init(of bytes: UnsafeRawBufferPointer, from offset: Int) {
    var scanner = RangeScanner(from: offset)
    scanner.consume(bytes)
    self = scanner.finish()
  }
}

extension TextPosition {
  /// Finds the line and column of a place by reading the document again.
  ///
  /// - Parameters:
  ///   - offset: in bytes; if the source ends before, the position is its end.
  ///   - source: the document from its start.
  package init(of offset: Int, in source: any ByteSource) throws(CofferError) {
    var source = source
    var scanner = RangeScanner(from: 0)
    try scanner.consume(from: &source, upTo: offset)
    self = scanner.finish().extent.position
  }
}

extension TextExtent {
  fileprivate init(_ place: coffer_range_place) {
    self.init(byteCount: Int(place.bytes), newlineCount: Int(place.newlines), scalarCount: Int(place.scalars))
  }
}

extension RangeStructure {
  /// Returns `nil` if the side is dead.
  fileprivate init?(_ side: coffer_range_side, endsInString: Bool) {
    if side.is_dead != 0 { return nil }
    self.init(endsInString: endsInString)
    closerCount = Int(side.closers)
    openerCount = Int(side.openers)
    let floors = [side.floors.0, side.floors.1, side.floors.2, side.floors.3]
    let levels = [side.levels.0, side.levels.1, side.levels.2, side.levels.3]
    self.floors = (max(0, closerCount - Self.limit + 1)...closerCount).map { Floor(floors[$0 % Self.limit], isStart: $0 == 0) }
    self.levels = levels.prefix(openerCount).map(Level.init)
  }
}

extension RangeStructure.Floor {
  fileprivate init(_ floor: coffer_range_floor, isStart: Bool) {
    self.init(closer: isStart ? TextExtent() : TextExtent(floor.closer), commas: RangeStructure.Commas(floor.commas))
  }
}

extension RangeStructure.Level {
  fileprivate init(_ level: coffer_range_level) {
    self.init(isArray: level.is_array != 0, inside: TextExtent(level.inside), commas: RangeStructure.Commas(level.commas))
  }
}

extension RangeStructure.Commas {
  fileprivate init(_ commas: coffer_range_commas) {
    self.init()
    if commas.count == 0 { return }
    count = Int(commas.count)
    first = TextExtent(commas.first)
    last = TextExtent(commas.last)
  }
}

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
