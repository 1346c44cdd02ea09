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
    /// The number of its commas so far.
    package var commaCount: Int { latest.index }
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
    var list = IntegerList()
    list.add(extent)
    try container.encode(list.values, forKey: .extent)
    try container.encodeIfPresent(outside.map(IntegerList.init)?.values, forKey: .outside)
    try container.encodeIfPresent(inside.map(IntegerList.init)?.values, forKey: .inside)
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func list(_ key: CodingKeys) throws -> IntegerList? {
      IntegerList(try container.decodeIfPresent([Int].self, forKey: key))
    }
    func damage(_ key: CodingKeys) -> DecodingError {
      .dataCorruptedError(forKey: key, in: container, debugDescription: "no summary of a range has these numbers")
    }
    guard var numbers = try list(.extent), let extent = numbers.extent(upTo: nil), numbers.isAtEnd else { throw damage(.extent) }
    func structure(_ key: CodingKeys) throws -> RangeStructure? {
      guard var numbers = try list(key) else { return nil }
      guard let structure = numbers.structure(upTo: extent), numbers.isAtEnd else { throw damage(key) }
      return structure
    }
    self.init()
    self.extent = extent
    outside = try structure(.outside)
    inside = try structure(.inside)
  }
}

/// The integers of a summary: written in order, and read with a check of each.
private struct IntegerList {
  private(set) var values: [Int] = []
  private var position = 0

  init() {}

  init?(_ values: [Int]?) {
    guard let values else { return nil }
    self.values = values
  }

  init(_ structure: RangeStructure) {
    values = [structure.endsInString ? 1 : 0, structure.closerCount, structure.openerCount]
    for (index, floor) in structure.floors.enumerated() {
      if index > 0 || structure.closerCount >= structure.floors.count { add(floor.closer) }
      add(floor.commas)
    }
    for level in structure.levels {
      values.append(level.isArray ? 1 : 0)
      add(level.inside)
      add(level.commas)
    }
  }

  mutating func add(_ extent: TextExtent) { values += [extent.byteCount, extent.newlineCount, extent.scalarCount] }

  private mutating func add(_ commas: RangeStructure.Commas) {
    values.append(commas.count)
    if commas.count == 0 { return }
    add(commas.first)
    add(commas.last)
  }

  // MARK: Reading

  var isAtEnd: Bool { position == values.count }

  /// The largest number accepted: some petabytes, so that the sums of many remain numbers.
  private static let limit = 1 << 52

  /// Returns the next integer, or `nil` if it is negative or exceeds the limit.
  private mutating func integer(upTo limit: Int = Self.limit) -> Int? {
    guard position < values.count, (0...limit).contains(values[position]) else { return nil }
    defer { position += 1 }
    return values[position]
  }

  /// Returns the next extent, or `nil` if it exceeds that of the range.
  mutating func extent(upTo whole: TextExtent?) -> TextExtent? {
    guard
      let bytes = integer(upTo: whole?.byteCount ?? Self.limit),
      let newlines = integer(upTo: min(bytes, whole?.newlineCount ?? bytes)),
      let scalars = integer(upTo: bytes - newlines)
    else { return nil }
    return TextExtent(byteCount: bytes, newlineCount: newlines, scalarCount: scalars)
  }

  mutating func structure(upTo extent: TextExtent) -> RangeStructure? {
    guard
      let endsInString = integer(upTo: 1), let closers = integer(upTo: extent.byteCount),
      let openers = integer(upTo: extent.byteCount - closers)
    else { return nil }
    var structure = RangeStructure(endsInString: endsInString == 1)
    structure.closerCount = closers
    structure.openerCount = openers
    structure.floors = []
    for index in max(0, closers - RangeStructure.limit + 1)...closers {
      var floor = RangeStructure.Floor()
      if index > 0 {
        guard let closer = self.extent(upTo: extent) else { return nil }
        floor.closer = closer
      }
      guard let commas = commas(upTo: extent) else { return nil }
      floor.commas = commas
      structure.floors.append(floor)
    }
    for _ in 0..<min(openers, RangeStructure.limit) {
      guard let isArray = integer(upTo: 1), let inside = self.extent(upTo: extent), let commas = commas(upTo: extent) else {
        return nil
      }
      structure.levels.append(RangeStructure.Level(isArray: isArray == 1, inside: inside, commas: commas))
    }
    return structure
  }

  private mutating func commas(upTo extent: TextExtent) -> RangeStructure.Commas? {
    var commas = RangeStructure.Commas()
    guard let count = integer(upTo: extent.byteCount) else { return nil }
    if count == 0 { return commas }
    guard let first = self.extent(upTo: extent), let last = self.extent(upTo: extent) else { return nil }
    commas.count = count
    commas.first = first
    commas.last = last
    return commas
  }
}

extension RangeSummary {
  /// Scans a range of a document that is stored, after moving both of its ends to where a range may begin.
  ///
  ///     … "a \" quoted \\" …
  ///           ^ -> ^             a range can't begin after a backslash
  ///
  /// So adjacent ranges stay adjacent, and a range may become empty. Reads 1 MiB at a time.
  ///
  /// - Throws: `CofferError` from reading.
  package init(of bytes: StoredBytes, in range: Range<Int>) throws(CofferError) {
    let start = try bytes.rangeBoundary(atOrAfter: range.lowerBound)
    let end = try bytes.rangeBoundary(atOrAfter: range.upperBound)
    var source = StoredSource(bytes, start..<end)
    var scanner = RangeScanner(from: start)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: min(1 << 20, max(1, end - start)), alignment: 64)
    defer { piece.deallocate() }
    while true {
      let count = try source.read(into: piece)
      if count == 0 { break }
      scanner.feed(UnsafeRawBufferPointer(rebasing: piece.prefix(count)))
    }
    self = scanner.finish()
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
