package import ByteStreams

/// What a range of a document contributes to the place of everything after it: a monoid under `append(_:)`.
///
///     … "tags": ["a, b"], "id": 7}, {"id": …
///                    |<-   range   ->|
///
///     outside  dead: ` b` can't be outside a string
///     inside   falls by two levels, after `]` and `}`, with a comma at each floor; ends outside a string, in an object
///
/// A range doesn't know whether it begins in a string, so it is scanned for both cases. The bytes before it decide which one is
/// true: the summary is a function of the state at its start, and never a guess. A case that a byte disproves is dead; if it is
/// the true one, the document is malformed.
///
/// A range may begin at any byte that doesn't follow a backslash, and isn't in the document's byte order mark.
/// Size: less than a kilobyte of JSON, because one case is dead almost always.
package struct RangeSummary: Sendable, Equatable {
  package internal(set) var extent: TextExtent
  /// The range if it begins outside a string; `nil` if that is impossible.
  package internal(set) var outside: RangeStructure?
  /// The range if it begins inside a string; `nil` if that is impossible.
  package internal(set) var inside: RangeStructure?

  /// The empty summary.
  package init() {
    extent = TextExtent()
    outside = RangeStructure(endsInString: false)
    inside = RangeStructure(endsInString: true)
  }

  /// Appends the range that follows: the result is the summary of both ranges' bytes.
  package mutating func append(_ next: RangeSummary) {
    outside = Self.joined(outside, next, after: extent)
    inside = Self.joined(inside, next, after: extent)
    extent = extent + next.extent
  }

  private static func joined(_ first: RangeStructure?, _ next: RangeSummary, after extent: TextExtent) -> RangeStructure? {
    guard var joined = first, let following = joined.endsInString ? next.inside : next.outside else { return nil }
    joined.append(following, after: extent)
    return joined
  }
}

/// The places of a range in its document at which collections can be cut.
///
/// If the document is suspect at the range's end, there are none: the error may be anywhere in the range.
package struct RangePlaces: Sendable, Equatable {
  /// A place in a container.
  package struct Mark: Sendable, Equatable {
    package var position: TextPosition
    /// The number of commas before it in the container: in an array, the index of the item that follows.
    package var index: Int
  }

  /// A container that is open at the range's start.
  package struct Enclosing: Sendable, Equatable {
    package var isArray: Bool
    /// The places after the container's first and last comma in the range, if there is one.
    package var firstCut: Mark?
    package var lastCut: Mark?
    /// The place of its closing bracket, if it closes in the range.
    package var end: Mark?
  }

  /// A container that is open at the range's end.
  package struct Container: Sendable, Equatable {
    package var isArray: Bool
    /// The place after its opening bracket, in this range or an earlier one.
    package var inside: TextPosition
    /// The place after its last comma so far, or after its bracket.
    package var latest: Mark
  }

  package var start: TextPosition
  package var end: TextPosition
  /// True if the document is malformed in the range or before it.
  package var isSuspect: Bool
  /// The outermost containers that are open at the range's start, at most three, from the root.
  package var enclosing: [Enclosing]
  /// The outermost containers that are open at the range's end, at most three, from the root.
  package var open: [Container]
}

/// The coding of summaries: an object with a list of integers for the extent and for each case that is not dead.
///
///     {"extent":[bytes,newlines,scalars],"outside":[…]}
///
///     case     ends in a string (0 or 1), closers, openers, floors, levels
///     floor    closer, commas            the last four floors, without the closer of the level of the range's start
///     level    array (0 or 1), inside, commas
///     commas   count, first, last        without places if the count is 0
///
/// A place has three integers, as the extent of the bytes before it.
extension RangeSummary: Codable {
  private enum CodingKeys: String, CodingKey { case extent, outside, inside }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(extent.numbers, forKey: .extent)
    try container.encodeIfPresent(outside?.numbers, forKey: .outside)
    try container.encodeIfPresent(inside?.numbers, forKey: .inside)
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func read<Part>(_ key: CodingKeys, _ part: (inout NumberReader) throws -> Part) throws -> Part {
      var numbers = NumberReader(rest: try container.decode([Int].self, forKey: key)[...])
      let result = try? part(&numbers)
      guard let result, numbers.rest.isEmpty else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "no summary of a range has these numbers")
      }
      return result
    }
    let extent = try read(.extent) { try $0.extent(upTo: nil) }
    func structure(_ key: CodingKeys) throws -> RangeStructure? {
      container.contains(key) ? try read(key) { try $0.structure(upTo: extent) } : nil
    }
    self.init()
    self.extent = extent
    outside = try structure(.outside)
    inside = try structure(.inside)
  }
}

extension TextExtent {
  fileprivate var numbers: [Int] { [byteCount, newlineCount, scalarCount] }
}

extension RangeStructure {
  fileprivate var numbers: [Int] {
    let floors = floors.enumerated().map { index, floor in
      (index > 0 || closerCount >= self.floors.count ? floor.closer.numbers : []) + floor.commas.numbers
    }
    let levels = levels.map { [$0.isArray ? 1 : 0] + $0.inside.numbers + $0.commas.numbers }
    return [endsInString ? 1 : 0, closerCount, openerCount] + (floors + levels).joined()
  }
}

extension RangeStructure.Commas {
  fileprivate var numbers: [Int] { count == 0 ? [0] : [count] + first.numbers + last.numbers }
}

/// Reads the numbers of a summary with a check of each.
private struct NumberReader {
  private struct Damage: Error {}

  private(set) var rest: ArraySlice<Int>

  /// The largest number accepted: some petabytes, so that the sums of many remain numbers.
  private static let limit = 1 << 52

  init(rest: ArraySlice<Int>) { self.rest = rest }

  private mutating func next(upTo limit: Int = Self.limit) throws -> Int {
    guard let number = rest.popFirst(), number >= 0, number <= limit else { throw Damage() }
    return number
  }

  /// - Parameter whole: the extent of the range.
  mutating func extent(upTo whole: TextExtent?) throws -> TextExtent {
    let bytes = try next(upTo: whole?.byteCount ?? Self.limit)
    let newlines = try next(upTo: min(bytes, whole?.newlineCount ?? bytes))
    return TextExtent(byteCount: bytes, newlineCount: newlines, scalarCount: try next(upTo: bytes - newlines))
  }

  mutating func structure(upTo extent: TextExtent) throws -> RangeStructure {
    var structure = RangeStructure(endsInString: try next(upTo: 1) == 1)
    structure.closerCount = try next(upTo: extent.byteCount)
    structure.openerCount = try next(upTo: extent.byteCount - structure.closerCount)
    structure.floors = try (max(0, structure.closerCount - RangeStructure.limit + 1)...structure.closerCount).map { index in
      let closer = index > 0 ? try self.extent(upTo: extent) : TextExtent()
      return RangeStructure.Floor(closer: closer, commas: try commas(upTo: extent))
    }
    structure.levels = try (0..<min(structure.openerCount, RangeStructure.limit)).map { _ in
      let isArray = try next(upTo: 1) == 1
      return RangeStructure.Level(isArray: isArray, inside: try self.extent(upTo: extent), commas: try commas(upTo: extent))
    }
    return structure
  }

  private mutating func commas(upTo extent: TextExtent) throws -> RangeStructure.Commas {
    var commas = RangeStructure.Commas()
    commas.count = try next(upTo: extent.byteCount)
    if commas.count == 0 { return commas }
    commas.first = try self.extent(upTo: extent)
    commas.last = try self.extent(upTo: extent)
    return commas
  }
}

extension StoredBytes {
  /// Returns the first place from `offset` on at which a range may begin: not after a backslash, and not in a byte order mark.
  ///
  /// - Throws: `CofferError` from reading.
  package func rangeBoundary(atOrAfter offset: Int) throws(CofferError) -> Int {
    precondition(offset >= 0, "the offset is negative")
    if offset == 0 { return 0 }
    if offset >= byteCount { return byteCount }
    if offset < 3, try piece(at: 0, upTo: 3) == [0xEF, 0xBB, 0xBF] { return 3 }
    var boundary = offset
    var pieceSize = 64
    while boundary < byteCount {
      let before = try piece(at: boundary - 1, upTo: pieceSize)
      guard let run = before.firstIndex(where: { $0 != UInt8(ascii: "\\") }) else {
        boundary += before.count
        pieceSize = min(1 << 20, pieceSize * 16)
        continue
      }
      return boundary + run
    }
    return byteCount
  }

  private func piece(at offset: Int, upTo length: Int) throws(CofferError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
    defer { buffer.deallocate() }
    return Array(buffer.prefix(try read(at: offset, into: buffer)))
  }
}
