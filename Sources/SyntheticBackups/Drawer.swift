import ByteStreams
import Digests
import JSONEvents
import Rules

/// The population of a document: the number of records in each collection, and the records that carry a defect.
///
/// Everything else is computed from the seed and a record's index, so that a record can refer to one that is written later, and a
/// gigabyte takes no more memory than a kilobyte.
struct Population: Sendable {
  let seed: UInt64
  /// The number of records of each collection.
  let counts: [Int]
  let allocation: DefectAllocation
  let slots: [SlotSpacing]

  init(seed: UInt64, counts: [Int], allocation: DefectAllocation = DefectAllocation(), plan: Plan) {
    self.seed = seed
    self.counts = counts
    self.allocation = allocation
    slots = counts.indices.map { number in
      SlotSpacing(
        records: counts[number], count: allocation.defects(at: .collection(number)),
        firstValid: plan.collections[number].heads.count)
    }
  }

  /// Returns the number of the defect's variant that a record carries, if it carries one.
  func defect(at index: Int, of collection: Int) -> Int? {
    slots[collection].slot(of: index).flatMap { allocation.variant(ofSlot: $0, at: .collection(collection)) }
  }
}

/// Draws the values of a plan. Each is computed from the seed and its place only.
///
/// A value's draws depend only on the state of the object around it and on its own salt, so that any value of any record can be
/// computed without those before it. References get another record's key this way, and dates their lower bound.
final class Drawer {
  let plan: Plan
  let population: Population
  /// True if a record with a defect is being drawn.
  var isPlanting = false
  /// The pointer of a value that depended on itself through other records, if there was one: the output is then invalid.
  // Checked for each value: a check of exclusive access would take as long as the draw.
  @exclusivity(unchecked) private(set) var circle: String?
  /// The root, if it is an object.
  let root: Scope?
  /// The scopes around the records of each collection.
  private let holders: [Scope]
  /// A limit above what any value needs: the deepest nesting allowed in rules, plus some records that are referred to.
  private static let depthLimit = 512

  /// A container whose members or items are drawn.
  final class Scope {
    let around: Scope?
    /// The members of an object, or `nil` for an array.
    let branch: Branch?
    let state: UInt64
    /// The index in the innermost array around it, and the length of that array.
    let index: Int
    let count: Int
    /// If every allowed member is present, the attempt to find branches with a place for a defect.
    let attempt: UInt64?
    /// The number of scopes that led here, also through references.
    let depth: Int
    /// The last array of it whose items other values are: they are usually asked for again.
    var items: (path: [String], values: [JSONValue])?

    init(
      in around: Scope?, _ branch: Branch? = nil, state: UInt64, index: Int, of count: Int, attempt: UInt64?, depth: Int? = nil
    ) {
      self.around = around
      self.branch = branch
      self.state = state
      self.index = index
      self.count = count
      self.attempt = attempt
      self.depth = (depth ?? around?.depth ?? 0) + 1
    }

    /// Returns the scope of a member that is an object.
    func inner(_ name: String) -> Scope? {
      guard let member = branch?.members.first(where: { $0.name == name }), case .object(let branches) = member.recipe else {
        return nil
      }
      return inner(branches, state &+ member.salt)
    }

    func inner(_ branches: [Branch], _ state: UInt64) -> Scope {
      let state = (state &+ (attempt ?? 0)).scattered
      let branch = branches.count == 1 ? 0 : Drawer.chosen(of: branches, among: Array(branches.indices), state)
      return Scope(in: self, branches[branch], state: state, index: index, of: count, attempt: attempt)
    }

    func up(_ levels: Int) -> Scope? { (0..<levels).reduce(self as Scope?) { scope, _ in scope?.around } }
  }

  init(plan: Plan, population: Population) {
    self.plan = plan
    self.population = population
    let root: Scope? =
      if case .object(let branches) = plan.root {
        Scope(in: nil, branches[0], state: population.seed.scattered, index: 0, of: 1, attempt: 0)
      } else {
        nil
      }
    self.root = root
    holders = plan.collections.enumerated().map { number, collection in
      let object = collection.tokens.dropLast().reduce(root) { scope, name in scope?.inner(name) }
      let state = RandomSource.state(in: population.seed, at: number)
      return Scope(in: object, state: state, index: 0, of: population.counts[number], attempt: nil)
    }
  }
}

// MARK: Objects and records

extension Drawer {
  /// Returns the scope of a record.
  ///
  /// - Parameter branch: The record's branch (default: determined by its index and chance).
  func record(at index: Int, of collection: Int, branch: Int? = nil, attempt: UInt64? = nil, from scope: Scope? = nil) -> Scope {
    let state = RandomSource.state(in: holders[collection].state, at: index)
    return Scope(
      in: holders[collection], plan.collections[collection].branches[branch ?? self.branch(of: index, in: collection)],
      state: state, index: index, of: population.counts[collection], attempt: attempt, depth: scope?.depth)
  }

  /// Returns the branch of a record.
  func branch(of index: Int, in number: Int) -> Int {
    if index < plan.collections[number].heads.count { return plan.collections[number].heads[index] }
    let state = RandomSource.state(in: holders[number].state, at: index)
    return Self.chosen(of: plan.collections[number].branches, among: plan.collections[number].body, state)
  }

  /// Returns the branch that a draw selects, by weight.
  fileprivate static func chosen(of branches: [Branch], among numbers: [Int], _ state: UInt64) -> Int {
    guard numbers.count > 1 else { return numbers.first ?? 0 }
    let total = numbers.reduce(0) { $0 + branches[$1].weight }
    guard total > 0 else { return numbers[0] }
    var random = RandomSource(state: state &+ 0xB4A2C)
    var place = random.below(total)
    for number in numbers {
      place -= branches[number].weight
      if place < 0 { return number }
    }
    return numbers[0]
  }

  /// Returns a member's value, or `nil` if the record lacks it.
  func draw(_ member: Branch.Member, in scope: Scope) -> Drawn? {
    let state = scope.state &+ member.salt
    if member.absent + member.null > 0, scope.attempt == nil {
      var random = RandomSource(state: state &+ 1)
      let draw = random.below(100)
      if draw < member.absent { return nil }
      if draw < member.absent + member.null { return .json(.null) }
    }
    return draw(member.recipe, in: scope, state)
  }

  func value(_ drawn: Drawn) -> JSONValue {
    switch drawn {
    case .json(let value): value
    case .array(let items): .list(items.map(value))
    case .object(let scope):
      .object(
        (scope.branch?.members ?? []).compactMap { member in draw(member, in: scope).map { .init(member.name, value($0)) } })
    case .number, .time, .uuid: drawn.scalar
    }
  }

  // MARK: Places

  /// Returns the value at a path of names, or `nil` if there is none. No other members are drawn.
  func draw(at path: ArraySlice<String>, in scope: Scope?) -> Drawn? {
    guard let scope, let name = path.first, let member = scope.branch?.members.first(where: { $0.name == name }) else {
      return nil
    }
    if path.count == 1 { return member.holdsRecords ? nil : draw(member, in: scope) }
    if case .object = member.recipe, let inner = scope.inner(name) { return draw(at: path.dropFirst(), in: inner) }
    return member.holdsRecords ? nil : draw(member, in: scope).flatMap { value($0).value(at: path.dropFirst()) }.map(Drawn.json)
  }

  func value(at path: ArraySlice<String>, in scope: Scope?) -> JSONValue? { draw(at: path, in: scope).map(value) }

  private func draw(at place: ValuePlace, from scope: Scope) -> Drawn? {
    draw(at: place.path[...], in: start(of: place, from: scope))
  }

  /// Returns the scope from which a place's path begins.
  private func start(of place: ValuePlace, from scope: Scope) -> Scope? { place.up.map { scope.up($0) } ?? root }
}

// MARK: Any value

extension Drawer {
  func draw(_ recipe: Recipe, in scope: Scope, _ state: UInt64) -> Drawn {
    guard circle == nil, scope.depth < Self.depthLimit else {
      if circle == nil, case .key(let key) = recipe {
        circle = (plan.collections[key.collection].tokens + ["*"] + key.field).pointer
      }
      circle = circle ?? ""
      return .json(.null)
    }
    var random = RandomSource(state: state)
    switch recipe {
    case .among(let values): return .json(random.element(of: values))
    case .distinct(let values): return .json(values[scope.index % values.count])
    case .number(let numbers):
      let number = number(numbers, in: scope, &random)
      guard let format = numbers.format, format != .decimal else {
        return .number(number, scale: numbers.scale, isString: numbers.format == .decimal)
      }
      return .time(number, format)
    case .uuid:
      // Distinct states give distinct UUIDs: all 64 bits of a bijection of the state are kept. The bits replaced by the version
      // move to the end of the low half.
      let unique = state.scattered
      return .uuid(unique, (unique ^ population.seed).scattered & ~0xF | unique >> 12 & 0xF)
    case .text(let parts): return .json(.string(text(parts, in: scope, &random)))
    case .key(let reference): return allowed(draw(at: reference.field[...], in: target(of: reference, in: scope)), in: scope)
    case .copy(let place, let prefix):
      let original = allowed(draw(at: place, from: scope), in: scope)
      guard let prefix, case .string(let text) = value(original) else { return original }
      return .json(.string(prefix + text))
    case .item(let place, let name):
      let items = items(at: place, from: scope)
      return items.isEmpty ? .json(.null) : allowed(Self.part(name, of: items[scope.index % items.count]), in: scope)
    case .object(let branches): return .object(scope.inner(branches, state))
    case .array(let prefix, let item, let count): return array(prefix, item, count, in: scope, state)
    // Records are written one by one.
    case .collection: return .array([])
    case .choice(let choices): return draw(random.element(of: choices), in: scope, state.scattered)
    case .count(let collection): return .number(Int64(population.counts[collection]), scale: 0, isString: false)
    case .sum(let place): return .json(.number(sum(at: place, from: scope)))
    case .fileSize(let number):
      return .number(Int64(file(number, ofRecord: scope.index).count), scale: 0, isString: false)
    case .fileDigest(let number):
      let digest = MessageDigest.text(of: file(number, ofRecord: scope.index), by: plan.files[number].entry.algorithm)
      return .json(.string(digest))
    }
  }

  /// Returns a copy of a value from elsewhere, or `null` if there is none that can be written here.
  private func allowed(_ drawn: Drawn?, in scope: Scope) -> Drawn {
    switch drawn {
    case .object?, .array?, .json?:
      let value = drawn.map(value) ?? .null
      return .json(value.depth + scope.depth <= JSONValue.writableDepth ? value : .null)
    case let drawn?: return drawn
    case nil: return .json(.null)
    }
  }

  private func text(_ parts: [TextPart], in scope: Scope, _ random: inout RandomSource) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .among(let texts): text += random.element(of: texts)
      case .number(let range): text += String(random.within(Int64(range.lowerBound), Int64(range.upperBound)))
      case .ordinal: text += String(scope.index + 1)
      case .rank(let isDescending):
        let rank = String(isDescending ? scope.count - 1 - scope.index : scope.index)
        text += String(repeating: "0", count: max(0, 8 - rank.utf8.count)) + rank
      }
    }
    return text
  }

  /// Returns the bytes of the file that a record names.
  func file(_ number: Int, ofRecord index: Int) -> [UInt8] {
    SyntheticPhoto.bytes(seed: population.seed, stream: plan.files[number].collection, index: index)
  }
}

// MARK: Arrays and references

extension Drawer {
  private func array(
    _ prefix: [Recipe], _ item: Recipe?, _ counts: ClosedRange<Int>, in scope: Scope, _ state: UInt64
  ) -> Drawn {
    var (low, high) = (counts.lowerBound, counts.upperBound)
    if scope.attempt != nil { low = max(low, min(2, high)) }
    // Every other record can be referred to: of two neighbours, at most one has a defect.
    if case .key(let reference)? = item { high = max(low, min(high, population.counts[reference.collection] / 2)) }
    func inner(_ index: Int, of count: Int) -> Scope {
      Scope(in: scope, state: state, index: index, of: count, attempt: scope.attempt)
    }
    var source: [JSONValue]?
    if case .item(let place, _)? = item {
      let items = items(at: place, from: inner(0, of: 0))
      (low, high, source) = (min(low, items.count), min(high, items.count), items)
    }
    var random = RandomSource(state: state)
    let count = Int(random.within(Int64(low), Int64(high)))
    let start = random.next() >> 33
    return .array(
      (0..<count).map { index in
        let scope = inner(index, of: count)
        let state = RandomSource.state(in: state, at: index)
        if index < prefix.count { return draw(prefix[index], in: scope, state) }
        switch item {
        // In order from a random start, so that none repeats before all are used.
        case .among(let values)?: return .json(values[(Int(start) + index) % values.count])
        case .item(_, let name)?: return allowed(source.map { Self.part(name, of: $0[index]) }, in: scope)
        case let item?: return draw(item, in: scope, state)
        case nil: return .json(.null)
        }
      })
  }

  private func items(at place: ValuePlace, from scope: Scope) -> [JSONValue] {
    guard let start = start(of: place, from: scope) else { return [] }
    if let known = start.items, known.path == place.path { return known.values }
    var values: [JSONValue] = []
    if case .array(let items)? = value(at: place.path[...], in: start) { values = items.map(\.value) }
    start.items = (place.path, values)
    return values
  }

  private static func part(_ name: String?, of item: JSONValue) -> Drawn {
    .json(name.map { item.value(at: [$0]) ?? .null } ?? item)
  }

  /// Chooses the target record of a reference, or `nil` if there are no records.
  private func target(of reference: Reference, in scope: Scope) -> Scope? {
    guard population.counts[reference.collection] > 0, let record = scope.up(reference.up) else { return nil }
    return self.record(at: target(of: reference, record, scope), of: reference.collection, from: scope)
  }

  private func target(of reference: Reference, _ record: Scope, _ item: Scope) -> Int {
    let collection = reference.collection
    let count = population.counts[collection]
    if reference.isOneToOne { return min(record.index, count - 1) }
    var random = RandomSource(state: record.state &+ reference.salt)
    if reference.isItem {
      // Every other record, or the one before it if it carries a defect.
      let start = random.below(max(1, count - 2 * max(1, item.count) + 1))
      return validIndex(min(start + 2 * item.index, count - 1), in: collection)
    }
    guard let condition = reference.condition else { return validIndex(random.below(count), in: collection) }
    let fitting = plan.collections[collection].fitting[condition] ?? []
    func isFit(_ index: Int) -> Bool {
      fitting.contains(branch(of: index, in: collection)) && !population.slots[collection].contains(index)
    }
    var index = random.below(count)
    for _ in 0..<8 where !isFit(index) { index = random.below(count) }
    while index > 0, !isFit(index) { index -= 1 }
    while index < count - 1, !isFit(index) { index += 1 }
    return index
  }

  /// Returns `index`, or the one before it if it carries a defect: neighbours never both do, and the first record never does.
  func validIndex(_ index: Int, in collection: Int) -> Int {
    population.slots[collection].contains(index) ? index - 1 : index
  }
}

// MARK: Numbers

extension Drawer {
  private func number(_ number: Numbers, in scope: Scope, _ random: inout RandomSource) -> Int64 {
    if number.ascends || number.isSequence { return ascending(number, in: scope, &random) }
    var (low, high) = (number.low, number.high)
    for bound in number.bounds {
      guard let value = draw(at: bound.place, from: scope), var limit = number.units(of: value, bound.comparison) else {
        continue
      }
      if let offset = bound.offset, limit.magnitude < 1_000_000_000_000 {
        limit = offset.added(to: Instant(seconds: limit)).seconds
      }
      if bound.comparison.isStrict, limit.magnitude < UInt64(Int64.max) { limit += bound.comparison.isLower ? 1 : -1 }
      if bound.comparison.isLower { low = max(low, limit) } else { high = min(high, limit) }
    }
    if low > high {
      // The bound is outside of the usual range, but within the allowed one.
      let width = number.high - number.low
      let hasUpper = number.bounds.contains { !$0.comparison.isLower }
      if hasUpper { low = max(number.hardLow, high - width) } else { high = min(number.hardHigh, low + width) }
    }
    low = low.roundedUp(to: number.step)
    guard low <= high else { return low }
    let value = low + random.within(0, (high - low) / number.step) * number.step
    guard number.isFraction, value % Int64.unit(scale: number.scale) == 0 else { return value }
    return value + number.step <= high ? value + number.step : value - number.step
  }

  /// Returns a number that grows with the record's index.
  private func ascending(_ number: Numbers, in scope: Scope, _ random: inout RandomSource) -> Int64 {
    let count = Int64(max(1, scope.count))
    let index = number.descends ? max(0, count - 1 - Int64(scope.index)) : Int64(scope.index)
    if number.isSequence {
      let place = index.multipliedSafely(by: number.stride) + Int64(random.below(Int(number.stride)))
      return number.low.addingSafely(place.multipliedSafely(by: number.step))
    }
    let span = number.high - number.low
    let step = span / count
    let start = number.low + Int64((Double(span) * (Double(index) / Double(count))).rounded(.down))
    let value = min(number.high, start + (step > 1 ? random.within(0, step - 1) : 0))
    return number.low + (value - number.low) / number.step * number.step
  }

  // MARK: Sums

  private func sum(at place: ValuePlace, from scope: Scope) -> String {
    var sum = Sum()
    if let start = start(of: place, from: scope) { add(place.path[...], in: start, to: &sum) }
    return sum.total.value?.description ?? "0"
  }

  /// Adds the numbers at a path; `*` is each item.
  private func add(_ path: ArraySlice<String>, in scope: Scope, to sum: inout Sum) {
    guard let name = path.first, let member = scope.branch?.members.first(where: { $0.name == name }) else { return }
    switch member.recipe {
    case .object: if let inner = scope.inner(name) { add(path.dropFirst(), in: inner, to: &sum) }
    case .collection(let number):
      guard path.dropFirst().first == "*" else { return }
      let path = path.dropFirst(2)
      for index in 0..<population.counts[number] {
        // The numbers are those of the document, with its defects. While one is planted that depends on the sum, it uses the sum
        // without defects.
        if !isPlanting, let variant = population.defect(at: index, of: number) {
          sum.add(planted(variant, at: index, of: number).value, at: path, isPlanted: true)
        } else {
          add(path, in: record(at: index, of: number, from: scope), to: &sum)
        }
      }
    default: if let drawn = draw(member, in: scope) { sum.add(value(drawn), at: path.dropFirst()) }
    }
  }
}

/// The sum of numbers, or of texts that are numbers.
private struct Sum {
  private(set) var total = ExactSum()
  /// True if the numbers are texts. A defect may put a text where a number belongs, which then doesn't count.
  private var areTexts = false

  mutating func add(_ value: JSONValue, at path: ArraySlice<String>, isPlanted: Bool = false) {
    switch (path.first, value) {
    case (nil, .number(let text)): ByteView.with(text) { total.add($0) }
    case (nil, .string(let text)):
      if !isPlanted { areTexts = true }
      if areTexts, ExactDecimal(text) != nil { ByteView.with(text) { total.add($0) } }
    case ("*", .array(let items)): for item in items { add(item.value, at: path.dropFirst(), isPlanted: isPlanted) }
    case (let name?, .object):
      if let member = value.value(at: [name]) { add(member, at: path.dropFirst(), isPlanted: isPlanted) }
    default: break
    }
  }
}
