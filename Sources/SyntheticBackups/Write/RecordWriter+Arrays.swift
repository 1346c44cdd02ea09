import JSONEvents
import Rules

/// Writes arrays of values and of objects.
extension RecordWriter {
  func length(of array: ArrayPlan, _ random: inout RandomSource) -> Int {
    var (low, high) = (Int64(array.low), Int64(array.high))
    if frames[top].isFull { low = max(low, min(2, high)) }
    // Every other record can be referred to: of two neighbours, at most one has a defect.
    if array.referred >= 0 { high = max(low, min(high, Int64(population.counts[Int(array.referred)] / 2))) }
    if array.source >= 0 {
      let count = Int64(length(at: plan.places[Int(array.source)]))
      (low, high) = (min(low, count), min(high, count))
    }
    return Int(random.within(low, high))
  }

  mutating func writeArray(_ array: ArrayPlan, state: UInt64, _ random: inout RandomSource) {
    let count = length(of: array, &random)
    guard count > 0 else {
      buffer.append(UInt8(ascii: "["))
      buffer.append(UInt8(ascii: "]"))
      return
    }
    let (outerItem, outerCount) = (item, itemCount)
    buffer.append(UInt8(ascii: "["))
    for index in 0..<count {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      writeLineBreak(Int(array.depth))
      (item, itemCount) = (index, count)
      writeItem(index, of: array, state: state)
    }
    writeLineBreak(Int(array.depth) - 1)
    buffer.append(UInt8(ascii: "]"))
    (item, itemCount) = (outerItem, outerCount)
  }

  mutating func writeItem(_ index: Int, of array: ArrayPlan, state: UInt64) {
    let generator = index < array.prefix.count ? plan.choices[Int(array.prefix.lowerBound) + index] : array.item
    let itemState = RandomSource.mixed(state &+ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15)
    if generator >= 0 {
      var random = RandomSource(state: itemState)
      if growsWithPlace(generator) {
        // Numbers that grow with the record's index grow with the item's index here.
        let before = top
        var frame = frames[top]
        frame.index = index
        push(frame)
        write(generator, state: itemState, &random)
        top = before
        return
      }
      if array.referred < 0, array.source < 0, case .pool(let pool) = plan.generators[Int(generator)], pool.count > 1 {
        // Take the pieces in order from a random start, so that none repeats before all are used.
        let start = Int(RandomSource.mixed(state) >> 33) % pool.count
        let piece = pieces[Int(pool.lowerBound) + (start + index) % pool.count]
        buffer.append(text + Int(piece.start), count: Int(piece.count))
      } else {
        write(generator, state: itemState, &random)
      }
    } else {
      writeNull()
    }
  }

  private func growsWithPlace(_ generator: Int32) -> Bool {
    switch plan.generators[Int(generator)] {
    case .number(let number): plan.numbers[Int(number)].isSequence || plan.numbers[Int(number)].ascends
    default: false
    }
  }

  /// Writes an item of another array: equal item indices give the same item.
  mutating func writeItem(of place: DataPlace, _ name: Int32, _ random: inout RandomSource) {
    let count = length(at: place)
    let start = Int(random.next() >> 33)
    let index = count > 0 ? (itemCount > 0 ? item : start) % count : 0
    let before = top
    let path = enterPlace(place)
    guard count > 0, let member = member(path, from: top), case .array(let number) = plan.generators[Int(member.generator)] else {
      top = before
      return writeNull()
    }
    let array = plan.arrays[Int(number)]
    let state = frames[top].state &+ member.salt
    if name < 0 {
      let outer = (item, itemCount)
      (item, itemCount) = (index, count)
      writeItem(index, of: array, state: state)
      (item, itemCount) = outer
    } else if case .object(let object) = plan.generators[Int(array.item)] {
      enter(object, state: RandomSource.mixed(state &+ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15), index: index)
      if let member = find(name, in: frames[top].branch) {
        var random = RandomSource(state: frames[top].state &+ member.salt)
        _ = presence(of: member, &random, in: top)
        write(member.generator, state: frames[top].state &+ member.salt, &random)
      }
    }
    top = before
  }

  func length(at place: DataPlace) -> Int {
    // The enclosing frames may belong to another record, so only members of the frames on the stack are read.
    guard place.up >= 0, place.path.count == 1 else { return 0 }
    let frame = top - Int(place.up)
    guard frame >= 0, let member = find(plan.paths[Int(place.path.lowerBound)], in: frames[frame].branch),
      case .array(let number) = plan.generators[Int(member.generator)]
    else { return 0 }
    var random = RandomSource(state: frames[frame].state &+ member.salt)
    guard presence(of: member, &random, in: frame) == .value else { return 0 }
    return length(of: plan.arrays[Int(number)], &random)
  }
}
