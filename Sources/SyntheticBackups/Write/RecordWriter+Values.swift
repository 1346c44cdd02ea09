import JSONEvents
import Rules

/// Writes values.
extension RecordWriter {
  mutating func write(_ generator: Int32, state: UInt64, _ random: inout RandomSource) {
    if isCircular { return writeNull() }
    switch plan.generators[Int(generator)] {
    case .pool(let pool): writePiece(of: pool, &random)
    case .distinct(let pool):
      let piece = pieces[Int(pool.lowerBound) + frames[top].index % pool.count]
      buffer.append(text + Int(piece.start), count: Int(piece.count))
    case .number(let number): write(plan.numbers[Int(number)], value(of: Int(number), &random))
    case .uuid:
      buffer.append(UInt8(ascii: "\""))
      writeUUID(state)
      buffer.append(UInt8(ascii: "\""))
    case .text(let parts): writeText(parts, &random)
    case .reference(let number):
      let before = top
      enterTarget(of: plan.references[Int(number)])
      writeFound(plan.references[Int(number)].path, from: top)
      top = before
    case .copy(let place):
      let before = top
      let path = enterPlace(plan.places[Int(place)])
      writeFound(path, from: top)
      top = before
    case .prefixed(let prefix, let place):
      let before = top
      let path = enterPlace(plan.places[Int(place)])
      let start = buffer.count
      writeFound(path, from: top)
      top = before
      let found = buffer.bytes(from: start)
      guard found.first == UInt8(ascii: "\"") else { break }
      buffer.truncate(to: start + 1)
      writePiece(of: prefix, &random)
      buffer.append(Array(found.dropFirst()))
    case .item(let place, let name): writeItem(of: plan.places[Int(place)], name, &random)
    case .object(let object):
      let before = top
      enter(object, state: state, index: item)
      writeMembers(of: top)
      top = before
    case .array(let array): writeArray(plan.arrays[Int(array)], state: state, &random)
    case .choice(let choices):
      let chosen = plan.choices[Int(choices.lowerBound) + random.below(choices.count)]
      write(chosen, state: state, &random)
    case .count(let collection): buffer.append(Int64(population.counts[Int(collection)]))
    case .sum(let number):
      buffer.append(Array(sum(plan.places[Int(plan.sums[Int(number)].place)]).text.utf8))
    case .fileSize(let number): buffer.append(Int64(bytes(ofFile: frames[top].index, of: plan.files[Int(number)]).count))
    case .fileDigest(let number):
      let file = plan.files[Int(number)]
      buffer.append(UInt8(ascii: "\""))
      buffer.append(Array((plan.digest?(file.entry.algorithm, bytes(ofFile: frames[top].index, of: file)) ?? "").utf8))
      buffer.append(UInt8(ascii: "\""))
    }
  }

  @inline(__always)
  mutating func writePiece(of pool: Plan.Slice, _ random: inout RandomSource) {
    let index = pool.count == 1 ? Int(pool.lowerBound) : Int(pool.lowerBound) + random.below(pool.count)
    let piece = pieces[index]
    buffer.append(text + Int(piece.start), count: Int(piece.count))
  }

  mutating func writeText(_ parts: Plan.Slice, _ random: inout RandomSource) {
    buffer.append(UInt8(ascii: "\""))
    for part in parts {
      switch plan.parts[Int(part)].content {
      case .pool(let pool): writePiece(of: pool, &random)
      case .number(let low, let high): buffer.append(random.within(low, high))
      case .ordinal: buffer.append(Int64(frames[top].index + 1))
      case .rank(let isDescending):
        let rank = String(isDescending ? self.rank(of: frames[top]) : frames[top].index)
        buffer.append(Array(repeating: UInt8(ascii: "0"), count: max(0, 8 - rank.utf8.count)) + rank.utf8)
      }
    }
    buffer.append(UInt8(ascii: "\""))
  }

  /// Writes a UUID. Distinct states give distinct UUIDs: all 64 bits of a bijection of the state are kept. The bits replaced by
  /// the version move to the end of the low half.
  mutating func writeUUID(_ state: UInt64) {
    let unique = RandomSource.mixed(state)
    let random = RandomSource.mixed(unique ^ population.seed)
    buffer.append(
      uuid: unique & ~0xF000 | 0x4000, random & 0x3FFF_FFFF_FFFF_FFF0 | 0x8000_0000_0000_0000 | unique >> 12 & 0xF)
  }

  @inline(__always)
  mutating func write(_ number: NumberPlan, _ value: Int64) {
    switch number.form {
    case .number: buffer.append(value, scale: Int(number.scale))
    case .quoted:
      buffer.append(UInt8(ascii: "\""))
      buffer.append(value, scale: Int(number.scale), alwaysFraction: true)
      buffer.append(UInt8(ascii: "\""))
    case .dateTime:
      buffer.append(UInt8(ascii: "\""))
      buffer.append(dayAt: value)
      buffer.append(UInt8(ascii: "T"))
      buffer.append(timeAt: value)
      buffer.append(UInt8(ascii: "\""))
    case .date:
      buffer.append(UInt8(ascii: "\""))
      buffer.append(dayAt: value)
      buffer.append(UInt8(ascii: "\""))
    case .time:
      buffer.append(UInt8(ascii: "\""))
      buffer.append(timeAt: value)
      buffer.append(UInt8(ascii: "\""))
    case .unixTime: buffer.append(value)
    case .unixMilliseconds: buffer.append(value * 1000)
    case .appleTime: buffer.append(value - 978_307_200)
    }
  }
}

/// Computes the numbers of values.
extension RecordWriter {
  @inline(__always)
  mutating func value(of index: Int, _ random: inout RandomSource) -> Int64 {
    let number = plan.numbers[index]
    if number.ascends || number.isSequence { return ascending(number, &random) }
    if !number.bounds.isEmpty { return bounded(number, &random) }
    return number.step == 1
      ? random.within(number.low, number.high)
      : number.low + random.within(0, (number.high - number.low) / number.step) * number.step
  }

  mutating func bounded(_ number: NumberPlan, _ random: inout RandomSource) -> Int64 {
    var (low, high) = (number.low, number.high)
    for index in number.bounds {
      let bound = plan.bounds[Int(index)]
      let before = top
      let path = enterPlace(plan.places[Int(bound.place)])
      let found = self.number(path)
      top = before
      guard var (value, scale) = found else { continue }
      while scale < Int(number.scale) {
        value = value.multipliedSafely(by: 10)
        scale += 1
      }
      while scale > Int(number.scale) {
        // Rounded up for a lower bound, down for an upper one: division itself rounds towards zero.
        let rest = value % 10
        value = value / 10 + (bound.isLower ? (rest > 0 ? 1 : 0) : (rest < 0 ? -1 : 0))
        scale -= 1
      }
      if let offset = bound.offset, value.magnitude < 1_000_000_000_000 {
        value = offset.added(to: Instant(seconds: value)).seconds
      }
      if bound.isExclusive, value.magnitude < UInt64(Int64.max) { value += bound.isLower ? 1 : -1 }
      if bound.isLower { low = max(low, value) } else { high = min(high, value) }
    }
    if low > high {
      // The bound is outside of the usual range, but within the allowed one.
      let width = number.high - number.low
      let lowestAllowed = number.bounds.contains { !plan.bounds[Int($0)].isLower }
      if lowestAllowed { low = max(number.hardLow, high - width) } else { high = min(number.hardHigh, low + width) }
    }
    low = low.roundedUp(to: number.step)
    guard low <= high else { return low }
    return number.step == 1 ? random.within(low, high) : low + random.within(0, (high - low) / number.step) * number.step
  }

  /// Returns a number that grows with the record's index.
  func ascending(_ number: NumberPlan, _ random: inout RandomSource) -> Int64 {
    let frame = frames[top]
    let index = Int64(number.descends ? rank(of: frame) : frame.index)
    if number.isSequence {
      let place = index.multipliedSafely(by: number.stride) + Int64(random.below(Int(number.stride)))
      return number.low.addingSafely(place.multipliedSafely(by: number.step))
    }
    let count = Int64(recordCount(of: frame))
    let span = number.high - number.low
    let step = span / max(1, count)
    let start = number.low + Int64((Double(span) * (Double(index) / Double(max(1, count)))).rounded(.down))
    let value = min(number.high, start + (step > 1 ? random.within(0, step - 1) : 0))
    return number.step == 1 ? value : number.low + (value - number.low) / number.step * number.step
  }

  /// Returns the number of records after a frame's record.
  func rank(of frame: Frame) -> Int { max(0, recordCount(of: frame) - 1 - frame.index) }

  /// Returns the number of records in the collection of a frame's record.
  func recordCount(of frame: Frame) -> Int {
    for (index, collection) in plan.collections.enumerated() where collection.object == frame.object {
      return population.counts[index]
    }
    return 1000
  }

  /// Returns the number at a path from the innermost frame, in units of 10⁻ˢ, or `nil` if there is none.
  mutating func number(_ path: Plan.Slice) -> (Int64, scale: Int)? {
    guard let member = member(path, from: top) else { return nil }
    var random = RandomSource(state: frames[top].state &+ member.salt)
    guard presence(of: member, &random, in: top) == .value else { return nil }
    return number(member.generator, &random)
  }

  mutating func number(_ generator: Int32, _ random: inout RandomSource) -> (Int64, scale: Int)? {
    if isCircular { return nil }
    switch plan.generators[Int(generator)] {
    case .number(let index): return (value(of: Int(index), &random), Int(plan.numbers[Int(index)].scale))
    case .pool(let pool):
      let index = pool.count == 1 ? Int(pool.lowerBound) : Int(pool.lowerBound) + random.below(pool.count)
      let piece = pieces[index]
      return Self.number(
        String(decoding: UnsafeBufferPointer(start: text + Int(piece.start), count: Int(piece.count)), as: UTF8.self))
    case .distinct(let pool):
      let piece = pieces[Int(pool.lowerBound) + frames[top].index % pool.count]
      return Self.number(
        String(decoding: UnsafeBufferPointer(start: text + Int(piece.start), count: Int(piece.count)), as: UTF8.self))
    case .count(let collection): return (Int64(population.counts[Int(collection)]), 0)
    case .fileSize(let number): return (Int64(bytes(ofFile: frames[top].index, of: plan.files[Int(number)]).count), 0)
    case .sum(let number):
      let sum = sum(plan.places[Int(plan.sums[Int(number)].place)])
      return (Int64(clamping: sum.units), sum.scale)
    case .copy(let place):
      let before = top
      defer { top = before }
      return number(enterPlace(plan.places[Int(place)]))
    default: return nil
    }
  }

  static func number(_ text: String) -> (Int64, scale: Int)? {
    if text.hasPrefix("\"") {
      let inner = String(text.dropFirst().dropLast())
      if let instant = Instant(inner) { return (instant.seconds, 0) }
      return ExactDecimal(inner).map { ($0.units(scale: 6, roundingUp: true, isExclusive: false), 6) }
    }
    return ExactDecimal(text).map {
      $0.isInteger
        ? ($0.units(scale: 0, roundingUp: true, isExclusive: false), 0)
        : ($0.units(scale: 6, roundingUp: true, isExclusive: false), 6)
    }
  }
}

extension Int64 {
  /// Returns the product, or a sixteenth of the largest or smallest integer on overflow.
  func multipliedSafely(by other: Int64) -> Int64 {
    let (product, isCut) = multipliedReportingOverflow(by: other)
    return isCut ? ((self < 0) == (other < 0) ? .max / 16 : .min / 16) : product
  }

  func addingSafely(_ other: Int64) -> Int64 {
    let (sum, isCut) = addingReportingOverflow(other)
    return isCut ? (other > 0 ? .max / 16 : .min / 16) : sum
  }
}

/// Computes the sum of the numbers at a place.
extension RecordWriter {
  /// A sum in units of 10⁻ˢ, wide enough for any number of records.
  struct Total {
    private(set) var units: Int128 = 0
    private(set) var scale = 0

    mutating func add(_ units: Int128, _ scale: Int) {
      var units = units
      for _ in 0..<max(0, self.scale - scale) { units *= 10 }
      while self.scale < scale {
        self.units *= 10
        self.scale += 1
      }
      self.units += units
    }

    var text: String {
      let digits = String(units.magnitude)
      let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
      let fraction = String(padded.suffix(scale).reversed().drop { $0 == "0" }.reversed())
      return (units < 0 ? "-" : "") + padded.dropLast(scale) + (fraction.isEmpty ? "" : "." + fraction)
    }
  }

  mutating func sum(_ place: DataPlace) -> Total {
    let before = top
    let path = enterPlace(place)
    var total = Total()
    add(path, to: &total)
    top = before
    return total
  }

  /// Adds the numbers at a path; `*` is each item.
  private mutating func add(_ path: Plan.Slice, to total: inout Total) {
    guard let first = path.first, !isCircular else { return }
    let rest = path.dropFirst()
    let before = top
    guard let member = find(plan.paths[Int(first)], in: frames[top].branch) else { return }
    var random = RandomSource(state: frames[top].state &+ member.salt)
    guard presence(of: member, &random, in: top) == .value else { return }
    switch plan.generators[Int(member.generator)] {
    case .object(let object) where !rest.isEmpty:
      enter(object, state: frames[top].state &+ member.salt, index: frames[top].index)
      add(rest, to: &total)
    case .array(let number) where rest.first.map { plan.paths[Int($0)] == -1 } ?? false:
      let array = plan.arrays[Int(number)]
      if array.collection >= 0 {
        addRecords(of: Int(array.collection), rest.dropFirst(), to: &total)
      } else {
        addItems(of: array, rest.dropFirst(), state: frames[top].state &+ member.salt, &random, to: &total)
      }
    default:
      if rest.isEmpty, let (units, scale) = self.number(member.generator, &random) { total.add(Int128(units), scale) }
    }
    top = before
  }

  /// Adds the records as written in the document, including their defects.
  private mutating func addRecords(of collection: Int, _ path: Plan.Slice, to total: inout Total) {
    let before = top
    var schedule = DefectSchedule(.collection(collection), spacing: population.slots[collection], allocation: allocation)
    for index in 0..<population.counts[collection] {
      // While the writer plants a defect that depends on the sum, it uses the sum without defects.
      if !isPlanting, let number = schedule.defect(at: index) {
        addPlanted(number, at: index, of: collection, path, to: &total)
      } else {
        enter(collection, at: index, above: before)
        add(path, to: &total)
      }
      top = before
    }
  }

  private mutating func addItems(
    of array: ArrayPlan, _ path: Plan.Slice, state: UInt64, _ random: inout RandomSource, to total: inout Total
  ) {
    let before = top
    guard array.item >= 0, case .object(let object) = plan.generators[Int(array.item)] else { return }
    for index in 0..<length(of: array, &random) {
      enter(object, state: RandomSource.mixed(state &+ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15), index: index)
      add(path, to: &total)
      top = before
    }
  }

  private mutating func addPlanted(
    _ number: Int, at index: Int, of collection: Int, _ path: Plan.Slice, to total: inout Total
  ) {
    // The record is generated from the root and overwrites the current frames, so they are saved.
    let (outer, outerItem, outerCount) = (Array(UnsafeBufferPointer(start: frames, count: top + 1)), item, itemCount)
    let tree = planted(number, at: index, of: collection).tree
    outer.withUnsafeBufferPointer { outer in
      if let start = outer.baseAddress { frames.update(from: start, count: outer.count) }
    }
    (top, item, itemCount) = (outer.count - 1, outerItem, outerCount)
    let names = path.map { plan.paths[Int($0)] }.map { $0 < 0 ? "*" : plan.names[Int($0)] }
    Self.add(tree, names[...], to: &total)
  }

  private static func add(_ tree: JSONTree, _ names: ArraySlice<String>, to total: inout Total) {
    switch (names.first, tree) {
    case (nil, .number(let text)):
      // Larger numbers have no sum that can be written; a trial rejects such defects.
      guard let number = ExactDecimal(text), number.digitCount <= 18, (-6...18).contains(number.exponent) else { return }
      total.add(Int128(number.units(scale: 6, roundingUp: true, isExclusive: false)), 6)
    case ("*", .array(let items)): for item in items { add(item, names.dropFirst(), to: &total) }
    case (let name?, .object): if let value = tree.value(at: [name]) { add(value, names.dropFirst(), to: &total) }
    default: break
    }
  }
}
