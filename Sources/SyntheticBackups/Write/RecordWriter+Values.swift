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
