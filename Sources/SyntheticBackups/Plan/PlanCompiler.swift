import ByteStreams
import JSONEvents
import Rules

/// Compiles rules and hints into a plan.
final class PlanCompiler {
  let reader: ShapeReader
  let hints: GenerationHints
  /// The path of the declared version, and the current version.
  private let version: (tokens: [String], current: Int)?
  /// The path of the backup's creation time.
  let createdAt: [String]?
  var plan = Plan()
  /// The maximum number of distinct records of the current collection.
  var recordLimit = Int.max
  /// The number of values compiled so far.
  private var valueCount = 0
  /// A limit far above what real rules need. Schemas that refer to the same ones repeatedly can expand to any number.
  private static let valueLimit = 20_000
  /// The rules for members that name files; empty for a document without an archive.
  let files: FileSurvey
  var referencesByCollection: [[String]: [Schema.ForeignKey]] = [:]
  private var nameNumbers: [String: Int32] = [:]
  private var collectionNumbers: [[String]: Int32] = [:]
  /// The targets of foreign keys: a collection's fields, and the conditions on its records.
  var targets: [[String]: Target] = [:]
  /// Members that hold another record's key, by path.
  var assigned: [String: Assignment] = [:]
  /// The conditions that each branch of a collection satisfies.
  var branchMarks: [Int32: [(holds: Set<Int>, branch: Int)]] = [:]
  var openReferences: [(reference: Int32, condition: Int?, position: String)] = []
  /// The values that each value depends on, to prevent cycles.
  var measured: [[String]: Set<[String]>] = [:]

  /// A container around the current value.
  struct Container {
    var isArray: Bool
    var path: [String]
  }

  /// The context of a value.
  struct Context {
    var path: [String]
    var containers: [Container]
    /// True if no array encloses it.
    var isEnvelope: Bool
    var isUnique = false
    /// The order of the records, if it is by this value.
    var order: Schema.SortOrder?
    /// The hint of the record's variant.
    var hint: ValueHint?
    /// The minimum number of such values, given the minimum lengths of the arrays around it.
    var leastCount = 1

    func inner(_ token: String) -> Context {
      Context(path: path + [token], containers: containers, isEnvelope: isEnvelope, leastCount: leastCount)
    }

    var pointer: String { path.map { "/" + $0.pointerToken }.joined() }
  }

  init(_ rules: RuleDocument, hints: GenerationHints, namesFiles: Bool = false) {
    files = namesFiles ? FileSurvey(rules) : FileSurvey()
    let policy = rules.backup?["version"]
    if let tokens = policy?["pointer"]?.string?.pointerTokens, let current = policy?["current"]?.integer {
      version = (tokens, current)
    } else {
      version = nil
    }
    reader = ShapeReader(rules, version: version?.current)
    self.hints = hints
    createdAt = rules.backup?["createdAt"]?.string?.pointerTokens
    plan.isSorted = hints.isSorted
    plan.escapesSlashes = hints.escapesSlashes
  }

  func compile() throws(CofferError) -> Plan {
    noteTargets()
    var shape = reader.shape(of: reader.rules.root)
    if let version {
      for value in [JSONTree.number(String(version.current)), .string(String(version.current))] {
        let pinned = shape.and(Self.pin(value, at: version.tokens))
        if !pinned.isNothing {
          shape = pinned
          break
        }
      }
    }
    guard !reader.isTooDeep else { throw Self.tooDeep }
    let root = try generator(for: shape, Context(path: [], containers: [], isEnvelope: true))
    // Checked again: an optional member swallows its error, but endless rules must fail.
    try checkValueCount()
    guard let root else { throw .impossible("", "the rules allow no document") }
    plan.root = root.generator
    try settleReferences()
    return plan
  }

  private static let tooDeep = CofferError.impossible(
    "", "the rules nest values more than \(ShapeReader.levelLimit) levels deep, or chain too many references for one value")

  /// Counts a value. Called for each value that is compiled.
  func countValue(_ context: Context) throws(CofferError) {
    guard context.path.count <= ShapeReader.levelLimit else { throw Self.tooDeep }
    valueCount += 1
    try checkValueCount()
  }

  private func checkValueCount() throws(CofferError) {
    guard valueCount <= Self.valueLimit else {
      throw .impossible("", "the rules describe more than \(Self.valueLimit) kinds of values")
    }
  }

  private static func pin(_ value: JSONTree, at tokens: [String]) -> Shape {
    tokens.reversed().reduce(
      Shape {
        $0.values = [value]
        $0.types = value.type
      }
    ) { inner, token in
      Shape {
        $0.types = .object
        $0.required = [token]
        $0.members = [Conjunction.Member(name: token, shape: inner)]
      }
    }
  }

  // MARK: Tables

  func name(_ text: String) -> Int32 {
    if let number = nameNumbers[text] { return number }
    let number = Int32(plan.names.count)
    plan.names.append(text)
    nameNumbers[text] = number
    return number
  }

  func add(_ generator: Generator) -> Int32 {
    plan.generators.append(generator)
    return Int32(plan.generators.count - 1)
  }

  /// Adds a pool of values.
  ///
  /// - Parameter isDistinct: True if no two records may get the same value.
  func pool(_ values: [JSONTree], isDistinct: Bool = false) -> Int32 {
    var known: [JSONTree] = []
    if isDistinct { for value in values where !known.contains(where: { $0.equals(value) }) { known.append(value) } }
    let pieces = pieces((isDistinct ? known : values).map { $0.bytes(escapesSlashes: hints.escapesSlashes) })
    return add(isDistinct ? .distinct(pieces) : .pool(pieces))
  }

  /// Adds a pool of strings without their quotes.
  func textPool(_ texts: [String]) -> Plan.Slice {
    pieces(texts.map { Array(JSONTree.string($0).bytes(escapesSlashes: hints.escapesSlashes).dropFirst().dropLast()) })
  }

  private func pieces(_ texts: [[UInt8]]) -> Plan.Slice {
    let start = Int32(plan.pieces.count)
    for text in texts {
      plan.pieces.append(Plan.Piece(start: Int32(plan.text.count), count: Int32(text.count)))
      plan.text += text
    }
    return Plan.Slice(start, Int32(plan.pieces.count))
  }

  func pathSlice(_ tokens: [String]) -> Plan.Slice {
    let start = Int32(plan.paths.count)
    let numbers = tokens.map { $0 == "*" ? -1 : name($0) }
    plan.paths += numbers
    return Plan.Slice(start, Int32(plan.paths.count))
  }

  static func salt(_ text: String) -> UInt64 {
    RandomSource.mixed(text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
  }

  func collection(at tokens: [String]) -> Int32 {
    if let number = collectionNumbers[tokens] { return number }
    let number = Int32(plan.collections.count)
    collectionNumbers[tokens] = number
    plan.collections.append(
      CollectionPlan(
        pointer: tokens.map { "/" + $0.pointerToken }.joined(), tokens: tokens, array: -1, object: -1, heads: [], body: .max,
        share: 1,
        least: 1, most: .max, noMoreThan: []))
    return number
  }
}

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

/// Assigns branches to the records of a collection: those that rules or references require, and all others.
extension PlanCompiler {
  func note(_ branch: Conjunction, _ number: Int, of collection: Int32) {
    branchMarks[collection, default: []].append((branch.holds, number))
  }

  /// Determines the allowed target branches of each reference, and the branches of each collection's first records.
  func settleReferences() throws(CofferError) {
    for (number, condition, pointer) in openReferences {
      let collection = plan.references[Int(number)].collection
      guard plan.collections[Int(collection)].array >= 0 else {
        throw .impossible(
          pointer, "it refers to '\(plan.collections[Int(collection)].pointer)', but the rules describe no records there")
      }
      guard let condition else { continue }
      var branches: UInt64 = 0
      for mark in branchMarks[collection] ?? [] where mark.holds.contains(condition) { branches |= 1 << UInt64(mark.branch) }
      let body = plan.collections[Int(collection)].body & branches
      let heads = plan.collections[Int(collection)].heads
      if !heads.contains(where: { branches >> UInt64($0) & 1 == 1 }) {
        guard body != 0 else {
          throw .impossible(pointer, "no record of '\(plan.collections[Int(collection)].pointer)' satisfies its condition")
        }
        plan.collections[Int(collection)].heads.append(Int32(body.trailingZeroBitCount))
      }
      plan.references[Int(number)].branches = branches
    }
    for index in plan.collections.indices where plan.collections[index].array >= 0 {
      plan.collections[index].least = max(
        plan.collections[index].least, min(plan.collections[index].heads.count, plan.collections[index].most))
    }
    // A collection that no rule describes gets no records.
    for index in plan.collections.indices where plan.collections[index].array < 0 { plan.collections[index].most = 0 }
  }

  /// Puts required branches first. The other records get only branches whose number the rules don't limit.
  func settleHeads(_ items: ItemRules, _ branches: [Conjunction]) {
    var heads: [Int32] = []
    var body: UInt64 = 0
    for (number, branch) in branches.enumerated() where number < 64 {
      let isLimited = items.contains.indices.contains { branch.holds.contains(-1 - $0) && items.contains[$0].maximum != nil }
      if !isLimited { body |= 1 << UInt64(number) }
    }
    for (index, contains) in items.contains.enumerated() {
      let wanted = min(max(contains.minimum, contains.maximum == nil ? 0 : 1), contains.maximum ?? .max, 64)
      guard let branch = branches.firstIndex(where: { $0.holds.contains(-1 - index) }) else { continue }
      heads += Array(repeating: Int32(branch), count: wanted)
    }
    plan.collections[Int(items.collection)].heads = heads
    plan.collections[Int(items.collection)].body = body == 0 ? .max : body
  }
}
