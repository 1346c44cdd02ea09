import ByteStreams
import JSONEvents
import Rules

/// Compiles arrays, including collections.
extension PlanCompiler {
  /// Limits required items: samples contain all of them and are built in memory.
  private static let leastCountLimit = 1_000_000

  func array(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Int32? {
    let outerLimit = recordLimit
    recordLimit = .max
    defer { recordLimit = outerLimit }
    let isCollection = context.isEnvelope && alternative.holdsRecords
    var array: Int32?
    // Discards a collection that can't be generated.
    defer { if isCollection, array == nil { plan.collections[Int(collection(at: context.path))].array = -1 } }
    array = try self.array(alternative, context, isCollection: isCollection)
    return array
  }

  private func array(
    _ alternative: Conjunction, _ context: Context, isCollection: Bool
  ) throws(CofferError) -> Int32? {
    var inner = context
    inner.containers.append(Container(isArray: true, path: context.path))
    inner.hint = nil
    inner.isUnique = false
    let depth = inner.containers.count
    inner.isEnvelope = false
    let (least, overflows) = context.leastCount.multipliedReportingOverflow(by: max(1, alternative.itemCount.lowerBound))
    guard !overflows, least <= Self.leastCountLimit else {
      throw .impossible(context.pointer, "it would need more than \(Self.leastCountLimit) items")
    }
    inner.leastCount = least
    var items = ItemRules(keys: alternative.keys, references: alternative.references, orders: alternative.orders)
    var shape = alternative.rest ?? .anything
    if isCollection {
      let names = alternative.recordFields
      shape = shape.map { $0.mention(names) }
    }
    shape = split(shape, at: context.path, references: alternative.references)
    for (index, contains) in alternative.contains.enumerated() {
      let yes = shape.and(contains.matching).map { $0.holds.insert(-1 - index) }
      let no = shape.and(contains.other).map { $0.fails.insert(-1 - index) }
      shape = no.or(yes)
      items.contains.append((contains.minimum, contains.maximum))
    }
    var number: Int32 = -1
    if isCollection {
      number = collection(at: context.path)
      items.collection = number
      plan.collections[Int(number)].array = Int32(plan.arrays.count)
    }
    // Reserves its index before its items are compiled: they may refer to it.
    let index = plan.arrays.count
    plan.arrays.append(
      ArrayPlan(
        prefix: Plan.Slice(0, 0), item: -1, low: 0, high: 0, collection: number, referred: -1, source: -1, depth: Int32(depth)))

    var counts = alternative.itemCount
    let itemContext = inner.inner("*")
    var prefix: [Int32] = []
    for place in alternative.prefix.indices {
      guard let compiled = try generator(for: alternative.shape(ofItem: place), inner.inner(String(place))) else { break }
      prefix.append(compiled.generator)
    }
    if prefix.count < alternative.prefix.count { counts = 0...prefix.count }
    var item: Int32?
    if isCollection || shape.alternatives.contains(where: \.isAboutObjects) {
      let objects = shape.alternatives.filter { $0.types.contains(.object) }
      item = try object(objects, itemContext, items: items).map { add(.object($0)) }
    } else if !shape.isNothing {
      item = try self.item(shape, alternative, itemContext)
    }
    if recordLimit < counts.upperBound {
      guard counts.lowerBound <= recordLimit else {
        throw .impossible(context.pointer, "it needs \(counts.lowerBound) distinct keys, but only \(recordLimit) are possible")
      }
      counts = counts.lowerBound...recordLimit
    }
    for contains in alternative.contains where !isCollection && contains.minimum > 0 {
      guard let compiled = try generator(for: alternative.shape(ofItem: prefix.count).and(contains.matching), itemContext) else {
        return nil
      }
      for _ in 0..<min(contains.minimum, 16) { prefix.append(compiled.generator) }
    }
    if item == nil, !isCollection {
      guard counts.lowerBound <= prefix.count else { return nil }
      counts = counts.lowerBound...min(counts.upperBound, prefix.count)
    }
    let prefixStart = Int32(plan.choices.count)
    plan.choices += prefix
    plan.arrays[index].prefix = Plan.Slice(prefixStart, Int32(plan.choices.count))
    plan.arrays[index].item = item ?? -1
    var low = max(counts.lowerBound, alternative.contains.isEmpty ? 0 : min(prefix.count, counts.upperBound))
    var high = min(counts.upperBound, max(low, prefix.count) + (item == nil ? 0 : 4))
    if case .items(let range)? = hint(context)?.content {
      low = min(max(range.lowerBound, low), counts.upperBound)
      high = max(low, min(range.upperBound, counts.upperBound))
    }
    plan.arrays[index].low = Int32(clamping: min(low, 10_000))
    plan.arrays[index].high = Int32(clamping: min(max(low, high), 10_000))
    if let item { settle(index, item, hasUniqueItems: alternative.hasUniqueItems) }
    if isCollection {
      guard let item, case .object(let object) = plan.generators[Int(item)] else { return nil }
      plan.collections[Int(number)].object = object
      let hint = hints.collections[context.pointer]
      plan.collections[Int(number)].share = hint?.share ?? 1
      plan.collections[Int(number)].least = max(counts.lowerBound, min(counts.upperBound, hint?.least ?? 3))
      plan.collections[Int(number)].most = counts.upperBound
      let others = settledElsewhere(alternative.references, at: context.path)
      plan.collections[Int(number)].noMoreThan += others
      limit(number, object)
    }
    return add(.array(Int32(index)))
  }

  private func item(_ shape: Shape, _ array: Conjunction, _ context: Context) throws(CofferError) -> Int32? {
    var item = context
    item.isUnique = false
    var shape = shape
    if array.contains.contains(where: { $0.maximum != nil }) {
      shape = Shape(
        shape.alternatives.filter { alternative in !array.contains.indices.contains { alternative.holds.contains(-1 - $0) } })
    }
    return try generator(for: shape, item)?.generator
  }

  /// Limits an array of references to the number of records, and an array of unique items to the number of values.
  private func settle(_ index: Int, _ item: Int32, hasUniqueItems: Bool) {
    let array = plan.arrays[index]
    switch plan.generators[Int(item)] {
    case .reference(let reference): plan.arrays[index].referred = plan.references[Int(reference)].collection
    case .item(let place, _): plan.arrays[index].source = place
    case .pool(let pool) where hasUniqueItems: plan.arrays[index].high = max(array.low, min(array.high, Int32(pool.count)))
    case .number(let number) where hasUniqueItems: plan.numbers[Int(number)].isSequence = true
    default: break
    }
  }

  /// Limits records with one-to-one references to the number of records that they refer to.
  private func limit(_ collection: Int32, _ object: Int32) {
    for branch in plan.objects[Int(object)].branches {
      for member in plan.branches[Int(branch)].members {
        if case .reference(let number) = plan.generators[Int(plan.members[Int(member)].generator)],
          plan.references[Int(number)].isOneToOne
        {
          plan.collections[Int(collection)].noMoreThan.append(plan.references[Int(number)].collection)
        }
      }
    }
  }
}
