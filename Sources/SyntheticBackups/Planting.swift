import ByteStreams
import JSONEvents
import Rules

/// Plants defects: a record is drawn with all of its members, then edited.
extension Drawer {
  private static let attemptLimit: UInt64 = 16

  /// Returns a record with its defect, as it is written in the document.
  ///
  /// - Returns: The record, and false if it has no place for the defect.
  func planted(_ number: Int, at index: Int, of collection: Int) -> (value: JSONValue, isPlanted: Bool) {
    isPlanting = true
    defer { isPlanting = false }
    let variant = population.allocation.variants[number]
    var random = RandomSource(state: (population.seed &+ 0xDEFEC7).scattered &+ UInt64(index))
    // Objects inside the record may have several branches, not all of which have the place.
    for attempt in 0..<Self.attemptLimit {
      let option = random.element(of: variant.options)
      var value = value(.object(record(at: index, of: collection, branch: option.branch, attempt: attempt)))
      if plant(variant, choice: option.choice, in: &value, at: index, from: &random) { return (value, true) }
    }
    return (value(.object(record(at: index, of: collection))), false)
  }

  /// Plants a defect in a value of the envelope.
  func plant(_ variant: DefectVariant, in value: inout JSONValue) -> Bool {
    var random = RandomSource(state: population.seed &+ UInt64(variant.order))
    let option = random.element(of: variant.options)
    return plant(variant, choice: option.choice, in: &value, at: 0, from: &random)
  }

  /// - Returns: False if the value has no place for the defect.
  private func plant(
    _ variant: DefectVariant, choice: Int, in value: inout JSONValue, at index: Int, from random: inout RandomSource
  ) -> Bool {
    let current = value.value(at: variant.path)
    func set(_ new: JSONValue?, at path: [String]) -> Bool {
      // Values of the plan have at most `levelLimit` names around them.
      (new?.depth ?? 0) <= JSONValue.writableDepth - ShapeReader.levelLimit
        && value.set(new, at: path[...], isSorted: plan.isSorted)
    }
    func put(_ new: JSONValue?) -> Bool { new.map { set($0, at: variant.path) } ?? false }
    switch variant.change {
    case .remove(let paths):
      let present = (paths ?? [variant.path]).filter { value.value(at: $0) != nil }
      return !present.isEmpty && present.allSatisfy { set(nil, at: $0) }
    case .replace(let values): return put(values[choice])
    case .beyond(let data, let comparison, let format):
      guard let anchor = anchor(of: data, variant, value, index) else { return false }
      return put(Self.value(on: comparison.opposite, of: anchor, plus: data?.plus, format, from: &random))
    case .future(let format): return put(format.value(of: 3_786_912_000 + random.within(0, 315_000_000)))
    case .copy(let paths, let collection, let branches, let fields):
      let end = variant.site == .collection(collection) ? index : population.counts[collection]
      let others = paths.map { value.value(at: $0) }
      let record = record(of: collection, branches, before: end, from: &random) { record in
        let values = fields.compactMap { record.value(at: $0) }
        return values.count == fields.count && zip(values, others).contains { new, old in old?.equals(new) != true }
      }
      return record.map { record in zip(paths, fields).allSatisfy { set(record.value(at: $1), at: $0) } } ?? false
    case .itemKey(let fields):
      return fields.allSatisfy { field in
        value.value(at: variant.path + ["0"] + field).map { set($0, at: variant.path + ["1"] + field) } ?? false
      }
    case .dangling(let collection, let field):
      return put(current.flatMap { unknownKey(like: $0, collection, field, from: &random) })
    case .differ: return put(current.flatMap { Self.other(than: $0, from: &random) })
    case .omit: return current != nil
    case .stray: return false
    }
  }
}

// MARK: Other records

extension Drawer {
  /// Returns a record without a defect that satisfies a condition.
  private func record(
    of collection: Int, _ branches: Set<Int>, before end: Int, from random: inout RandomSource, where isFit: (JSONValue) -> Bool
  ) -> JSONValue? {
    guard end > 0 else { return nil }
    let start = random.below(end)
    for index in (0..<min(end, 4096)).lazy.map({ (start + $0) % end })
    where branches.contains(branch(of: index, in: collection)) && !population.slots[collection].contains(index) {
      let record = value(.object(record(at: index, of: collection)))
      if isFit(record) { return record }
    }
    return nil
  }

  /// Returns a key that no record of the collection has.
  private func unknownKey(
    like value: JSONValue, _ collection: Int, _ field: [String], from random: inout RandomSource
  ) -> JSONValue? {
    switch value {
    case .number(let text):
      // Sequences ascend: no record has a key beyond the last record's.
      let last = record(at: max(0, population.counts[collection] - 1), of: collection)
      guard ExactDecimal(text)?.isInteger == true, case .number(let key)? = self.value(at: field[...], in: last),
        let highest = Int64(key)
      else { return nil }
      return .number(String(max(highest, Int64(text) ?? 0).addingSafely(1000 + random.within(1, 1_000_000))))
    case .string(let text):
      let isUUID = text.utf8.count == 36 && text.utf8.count { $0 == UInt8(ascii: "-") } == 4
      return isUUID ? Drawn.uuid(random.next(), random.next()).scalar : .string(text + " (gone)")
    default: return nil
    }
  }

  /// Returns the value that bounds the changed one.
  private func anchor(of data: Schema.DataReference?, _ variant: DefectVariant, _ value: JSONValue, _ index: Int) -> JSONValue? {
    let around: [String]
    switch variant.site {
    case .collection(let number):
      guard let data else { return index > 0 ? self.value(at: variant.path[...], in: record(at: index - 1, of: number)) : nil }
      if case .root(let tokens) = data.origin { return self.value(at: tokens[...], in: root) }
      around = plan.collections[number].tokens + [String(index)]
    case .envelope(let site): around = site
    case .archive: return nil
    }
    let place: [String]
    switch data?.origin {
    case .root(let tokens): place = tokens
    case .ancestor(let levels, let field):
      guard levels <= around.count + variant.path.count else { return nil }
      place = (around + variant.path).dropLast(levels) + [field]
    case nil: return nil
    }
    return place.starts(with: around) ? value.value(at: place.dropFirst(around.count)) : self.value(at: place[...], in: root)
  }
}

// MARK: Values

extension Drawer {
  private static func value(
    on side: Comparison, of anchor: JSONValue, plus: CalendarDuration?, _ format: StringFormat?, from random: inout RandomSource
  ) -> JSONValue? {
    let isBelow = !side.isLower
    switch anchor {
    case .number(let text) where format?.isTemporal != true:
      guard let number = ExactDecimal(text) else { return nil }
      let scale = number.isInteger ? 0 : 2
      let units = number.units(scale: scale, roundingUp: !isBelow)
      let shift = random.within(1, min(900, max(1, abs(units) / 2)))
      return .number((isBelow ? units - shift : units + shift).decimalText(scale: scale))
    case .string(let text), .number(let text):
      let instant = format.flatMap { format in ByteView.with(text) { format.instant($0) } } ?? Instant(text)
      // Without a format, a text that is no time is compared as text.
      guard let instant else { return format == nil ? .string((isBelow ? "!" : "~") + text) : nil }
      let seconds = plus.map { $0.added(to: instant).seconds } ?? instant.seconds
      let shift = random.within(86_400, 30 * 86_400)
      let format = format ?? (text.utf8.count == 10 ? .date : .dateTime)
      return format.value(of: isBelow ? seconds - shift : seconds + shift)
    default: return nil
    }
  }

  private static func other(than value: JSONValue, from random: inout RandomSource) -> JSONValue? {
    switch value {
    case .number(let text):
      guard let number = ExactDecimal(text) else { return nil }
      let scale = number.isInteger ? 0 : 2
      let units = number.units(scale: scale, roundingUp: true) + Int64.unit(scale: scale) * random.within(1, 9)
      return .number(units.decimalText(scale: scale))
    case .string(let text):
      // A digest keeps its form.
      let isDigest = text.utf8.count >= 32 && text.allSatisfy(\.isHexDigit)
      return .string(isDigest ? (text.hasPrefix("0") ? "1" : "0") + text.dropFirst() : text + "?")
    case .boolean(let value): return .boolean(!value)
    default: return nil
    }
  }
}
