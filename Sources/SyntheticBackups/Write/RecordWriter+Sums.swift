import JSONEvents
import Rules

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
