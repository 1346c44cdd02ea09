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
