import JSONEvents
import Rules

/// Plants defects in records: a record is generated with all of its members, then changed.
extension RecordWriter {
  /// Returns a record with its defect, as it is written in the document.
  ///
  /// - Returns: The record, and false if it has no place for the defect.
  mutating func planted(_ number: Int, at index: Int, of collection: Int) -> (tree: JSONTree, isPlanted: Bool) {
    isPlanting = true
    defer { isPlanting = false }
    let variant = allocation.variants[number]
    var random = RandomSource(state: RandomSource.mixed(population.seed &+ 0xDEFEC7) &+ UInt64(index))
    let option = variant.options[random.below(variant.options.count)]
    let start = buffer.count
    enter(collection, at: index, branch: option.branch, isFull: true)
    writeRecord()
    var tree = JSONTree(parsing: buffer.bytes(from: start))
    buffer.truncate(to: start)
    let planted = plant(variant, choice: option.choice, in: &tree, at: index, from: &random)
    return (tree, planted != nil)
  }

  /// - Returns: The new value of the changed place (`.some(nil)`: removed), or `nil` if the record has no such place.
  mutating func plant(
    _ variant: DefectVariant, choice: Int, in tree: inout JSONTree, at index: Int?, from random: inout RandomSource
  ) -> JSONTree?? {
    let isSorted = plan.isSorted
    let current = tree.value(at: variant.path)
    func put(_ value: JSONTree?) -> JSONTree?? { tree.set(value, at: variant.path, sorted: isSorted) ? .some(value) : nil }
    switch variant.change {
    case .remove: return current == nil ? nil : put(nil)
    case .removeAll(let paths):
      guard paths.allSatisfy({ tree.value(at: $0) == nil || tree.set(nil, at: $0, sorted: isSorted) }) else { return nil }
      return .some(nil)
    case .replace(let values): return put(values[choice])
    case .future(let format):
      return put(Self.time(3_786_912_000 + random.within(0, 315_000_000), format))
    case .otherDigest:
      guard case .string(let text)? = current, let first = text.first else { return nil }
      return put(.string((first == "0" ? "1" : "0") + text.dropFirst()))
    case .omit: return current == nil ? nil : .some(current)
    case .stray: return nil
    case .differ: return current.flatMap { Self.other(than: $0, from: &random) }.flatMap { put($0) }
    case .beyond(let data, let comparison, let format):
      guard let anchor = anchor(of: data, variant, tree, index) else { return nil }
      return Self.value(on: comparison.opposite, of: anchor, plus: data.plus, format, from: &random).flatMap { put($0) }
    case .misplace(let isDescending):
      guard let index, index > 0, case .collection(let collection) = variant.site,
        let anchor = record(at: index - 1, of: collection).value(at: variant.path)
      else { return nil }
      return Self.value(isDescending ? .moreThan : .lessThan, anchor, from: &random).flatMap { put($0) }
    case .key(let fields):
      guard let index, case .collection(let collection) = variant.site else { return nil }
      let original = record(at: validIndex(index / 2, in: collection), of: collection)
      for field in fields {
        guard let value = original.value(at: field), tree.set(value, at: field, sorted: isSorted) else { return nil }
      }
      return .some(fields.first.flatMap { original.value(at: $0) })
    case .itemKey(let fields):
      for field in fields {
        guard let value = tree.value(at: variant.path + ["0"] + field),
          tree.set(value, at: variant.path + ["1"] + field, sorted: isSorted)
        else { return nil }
      }
      return .some(fields.first.flatMap { tree.value(at: variant.path + ["0"] + $0) })
    case .dangling(let collection, let field):
      guard let current else { return nil }
      return unknownKey(like: current, collection, field, from: &random).flatMap { put($0) }
    case .misfit(let collection, let branches, let fields, let targets):
      guard let index = self.index(of: collection, among: branches, from: &random) else { return nil }
      let other = record(at: index, of: collection)
      for (field, target) in zip(fields, targets) {
        guard let value = other.value(at: target), tree.set(value, at: field, sorted: isSorted) else { return nil }
      }
      return .some(tree.value(at: variant.path))
    case .mismatch(let collection, let field):
      let count = population.counts[collection]
      let start = random.below(count)
      for step in 0..<min(count, 8) {
        let index = validIndex((start + step) % count, in: collection)
        if let value = record(at: index, of: collection).value(at: field), value != current { return put(value) }
      }
      return nil
    }
  }

  // MARK: Other records

  mutating func record(at index: Int, of collection: Int) -> JSONTree {
    let start = buffer.count
    enter(collection, at: index)
    writeRecord()
    leave()
    defer { buffer.truncate(to: start) }
    return JSONTree(parsing: buffer.bytes(from: start))
  }

  /// Returns the index of a record without a defect that has one of these branches.
  private func index(of collection: Int, among branches: UInt64, from random: inout RandomSource) -> Int? {
    let count = population.counts[collection]
    guard count > 0 else { return nil }
    let start = random.below(count)
    for step in 0..<min(count, 4096) {
      let index = (start + step) % count
      if branches >> UInt64(branch(of: index, in: collection)) & 1 == 1, !population.slots[collection].contains(index) {
        return index
      }
    }
    return nil
  }

  /// Returns a key that no record of the collection has.
  private mutating func unknownKey(
    like value: JSONTree, _ collection: Int, _ field: [String], from random: inout RandomSource
  ) -> JSONTree? {
    switch value {
    case .number(let text):
      guard ExactDecimal(text)?.isInteger == true else { return nil }
      // Sequences ascend: no record has a key beyond the last record's.
      guard case .number(let last)? = record(at: max(0, population.counts[collection] - 1), of: collection).value(at: field),
        let highest = Int64(last)
      else { return nil }
      let own = Int64(text) ?? 0
      return .number(String(max(highest, own) + 1000 + random.within(1, 1_000_000)))
    case .string(let text):
      if text.utf8.count == 36, text.utf8.count(where: { $0 == UInt8(ascii: "-") }) == 4 {
        return .string(Self.uuid(random.next(), random.next()))
      }
      return .string(text + " (gone)")
    default: return nil
    }
  }

  private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(uuid: high & ~0xF000 | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    return String(decoding: buffer.bytes(from: 0), as: UTF8.self)
  }

  /// Returns the envelope's value at a path.
  mutating func envelopeValue(at tokens: [String]) -> JSONTree? {
    leave()
    guard !tokens.isEmpty else { return nil }
    for (depth, name) in tokens.enumerated() {
      guard
        let number = plan.branches[Int(innermost.branch)].members.first(where: {
          plan.names[Int(plan.members[Int($0)].name)] == name
        })
      else {
        break
      }
      let member = plan.members[Int(number)]
      if case .object(let object) = plan.generators[Int(member.generator)], plan.objects[Int(object)].holdsCollections,
        depth < tokens.count - 1
      {
        enterMember(named: name)
        continue
      }
      let start = buffer.count
      writeValue(of: member)
      leave()
      defer { buffer.truncate(to: start) }
      return JSONTree(parsing: buffer.bytes(from: start)).value(at: tokens.dropFirst(depth + 1))
    }
    leave()
    return nil
  }

  // MARK: Values

  /// Returns the value that bounds the changed one.
  private mutating func anchor(of data: Schema.DataReference, _ variant: DefectVariant, _ tree: JSONTree, _ index: Int?)
    -> JSONTree?
  {
    switch data.origin {
    case .root(let tokens):
      if case .envelope(let site) = variant.site, tokens.starts(with: site) {
        return tree.value(at: tokens.dropFirst(site.count))
      }
      return envelopeValue(at: tokens)
    case .ancestor(let levels, let field):
      if levels <= variant.path.count { return tree.value(at: variant.path.dropLast(levels) + [field]) }
      var around: [String]
      switch variant.site {
      case .collection(let number): around = plan.collections[number].tokens + [String(index ?? 0)]
      case .envelope(let site): around = site
      case .archive: return nil
      }
      let rest = levels - variant.path.count
      guard rest <= around.count else { return nil }
      around.removeLast(rest)
      return envelopeValue(at: around + [field])
    }
  }

  /// Returns a value on a side of another one, for a field whose format is unknown.
  private static func value(_ side: Comparison, _ anchor: JSONTree, from random: inout RandomSource) -> JSONTree? {
    guard case .string(let text) = anchor else { return value(on: side, of: anchor, plus: nil, nil, from: &random) }
    if Instant(text) != nil {
      return value(on: side, of: anchor, plus: nil, text.utf8.count == 10 ? .date : .dateTime, from: &random)
    }
    return .string((side == .lessThan ? "!" : "~") + text)
  }

  private static func value(
    on side: Comparison, of anchor: JSONTree, plus: CalendarDuration?, _ format: StringFormat?, from random: inout RandomSource
  ) -> JSONTree? {
    let isBelow = side == .lessThan || side == .atMost
    guard let format, format.isTemporal else {
      guard case .number(let text) = anchor, let number = ExactDecimal(text) else { return nil }
      let scale = number.isInteger ? 0 : 2
      let units = number.units(scale: scale, roundingUp: !isBelow, isExclusive: false)
      let shift = random.within(1, min(900, max(1, abs(units) / 2)))
      return .number(Self.text(of: isBelow ? units - shift : units + shift, scale: scale))
    }
    guard var seconds = Self.seconds(of: anchor, format) else { return nil }
    if let plus { seconds = plus.added(to: Instant(seconds: seconds)).seconds }
    let shift = random.within(86_400, 30 * 86_400)
    return Self.time(isBelow ? seconds - shift : seconds + shift, format)
  }

  private static func seconds(of value: JSONTree, _ format: StringFormat) -> Int64? {
    switch value {
    case .string(let text), .number(let text):
      if let instant = ByteView.with(text, { format.instant($0) }) { return instant.seconds }
      return Instant(text)?.seconds
    default: return nil
    }
  }

  static func time(_ seconds: Int64, _ format: StringFormat) -> JSONTree {
    switch format {
    case .unixTime: return .number(String(seconds))
    case .unixTimeMilliseconds: return .number(String(seconds * 1000))
    case .appleReferenceTime: return .number(String(seconds - 978_307_200))
    default:
      var buffer = ByteBuffer(capacity: 64)
      if format != .time { buffer.append(dayAt: seconds) }
      if format != .time && format != .date { buffer.append(UInt8(ascii: "T")) }
      if format != .date { buffer.append(timeAt: seconds) }
      return .string(String(decoding: buffer.bytes(from: 0), as: UTF8.self))
    }
  }

  private static func text(of units: Int64, scale: Int) -> String {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(units, scale: scale)
    return String(decoding: buffer.bytes(from: 0), as: UTF8.self)
  }

  private static func other(than value: JSONTree, from random: inout RandomSource) -> JSONTree? {
    switch value {
    case .number(let text):
      guard let number = ExactDecimal(text) else { return nil }
      let scale = number.isInteger ? 0 : 2
      let unit: Int64 = scale == 0 ? 1 : 100
      return .number(
        Self.text(of: number.units(scale: scale, roundingUp: true, isExclusive: false) + unit * random.within(1, 9), scale: scale)
      )
    case .string(let text): return .string(text + "?")
    case .boolean(let value): return .boolean(!value)
    default: return nil
    }
  }
}
