import ByteStreams
import JSONEvents
import Rules

/// Resolves rules and hints into a plan: chooses how each value of a shape is drawn.
final class RecipeBuilder {
  let reader: ShapeReader
  let hints: GenerationHints
  /// The path of the declared version, and the current version.
  private let version: (tokens: [String], current: Int)?
  /// The path of the backup's creation time.
  let createdAt: [String]?
  var plan: Plan
  /// The archive around the document, or `nil` if there is none.
  let archive: ArchivePlan?
  /// The maximum number of distinct records of the current collection.
  private var recordLimit = Int.max
  /// The number of values resolved so far.
  private var valueCount = 0
  /// The foreign keys of each collection, the fields of it that others refer to, and their conditions on its records.
  var referencesByCollection: [[String]: [Schema.ForeignKey]] = [:]
  var targetFields: [[String]: Set<String>] = [:]
  var targetConditions: [[String]: [Int]] = [:]
  /// Members that hold another record's key, by path, with the recipes of all targets.
  var assigned: [[String]: [Recipe]] = [:]
  /// References that need a target, with their condition and pointer.
  var openReferences: [(collection: Int, condition: Int?, pointer: String)] = []
  /// The values that each value depends on, to prevent cycles.
  var measured: [[String]: Set<[String]>] = [:]

  /// A limit far above what real rules need. Schemas that refer to the same ones repeatedly can expand to any number.
  private static let valueLimit = 20_000
  /// Limits required items: samples contain all of them and are built in memory.
  private static let leastCountLimit = 1_000_000
  /// The maximum number of branches of an object.
  private static let branchLimit = 64
  /// The default percentages of records in which an optional member is missing and a nullable one is `null`.
  private static let usuallyAbsent = 20
  private static let usuallyNull = 3

  /// The context of a value.
  struct Context {
    var path: [String] = []
    var containers: [(isArray: Bool, path: [String])] = []
    /// True if no array encloses it.
    var isEnvelope = true
    var isUnique = false
    /// The order of the records, if it is by this value.
    var order: Schema.SortOrder?
    /// The hint of the record's variant.
    var hint: ValueHint?
    /// The minimum number of such values, given the minimum lengths of the arrays around it.
    var leastCount = 1
    /// The number of the file that the value names.
    var file: Int?

    /// Returns the context of a member or an item of this value, which is a container.
    func inner(_ token: String, ofArray isArray: Bool = false) -> Context {
      Context(
        path: path + [token], containers: containers + [(isArray, path)],
        isEnvelope: isEnvelope && !isArray, leastCount: leastCount)
    }

    var pointer: String { path.pointer }
  }

  /// The recipe of a value, and whether `null` is allowed beside it.
  typealias Resolved = (recipe: Recipe, isNullable: Bool)

  init(_ rules: RuleDocument, hints: GenerationHints, archive: ArchivePlan?) {
    let policy = rules.backup?["version"]
    if let tokens = policy?["pointer"]?.string?.pointerTokens, let current = policy?["current"]?.integer {
      version = (tokens, current)
    } else {
      version = nil
    }
    reader = ShapeReader(rules, version: version?.current)
    self.hints = hints
    self.archive = archive
    createdAt = rules.backup?["createdAt"]?.string?.pointerTokens
    plan = Plan(isSorted: hints.isSorted, escapesSlashes: hints.escapesSlashes)
  }

  func build() throws(CofferError) -> Plan {
    noteTargets()
    var shape = reader.shape(of: reader.rules.root)
    if let version {
      let pinned = [JSONValue.number(String(version.current)), .string(String(version.current))].lazy
        .map { shape.and(Self.pin($0, at: version.tokens)) }.first { !$0.isNothing }
      shape = pinned ?? shape
    }
    guard !reader.isTooDeep else { throw Self.tooDeep }
    let root = try resolve(shape, Context())
    // Checked again: an optional member swallows its error, but endless rules must fail.
    try checkValueCount()
    guard let root else { throw .impossible("", "the rules allow no document") }
    plan.root = root.recipe
    try settleReferences()
    return plan
  }

  private static let tooDeep = CofferError.impossible(
    "", "the rules nest values more than \(ShapeReader.levelLimit) levels deep, or chain too many references for one value")

  private func checkValueCount() throws(CofferError) {
    guard valueCount <= Self.valueLimit else {
      throw .impossible("", "the rules describe more than \(Self.valueLimit) kinds of values")
    }
  }

  private static func pin(_ value: JSONValue, at tokens: [String]) -> Shape {
    tokens.reversed().reduce(Shape(only: value)) { inner, token in
      Shape {
        $0.types = .object
        $0.required = [token]
        $0.members = [(token, inner)]
      }
    }
  }

  func collection(at tokens: [String]) -> Int {
    if let number = plan.collections.firstIndex(where: { $0.tokens == tokens }) { return number }
    plan.collections.append(CollectionPlan(tokens: tokens))
    return plan.collections.count - 1
  }

  /// Returns the recipe for some values.
  ///
  /// - Parameter isDistinct: True if no two records may get the same value.
  func pool(_ values: [JSONValue], _ context: Context, isDistinct: Bool = false) throws(CofferError) -> Recipe {
    guard values.allSatisfy({ context.path.count + $0.depth <= ShapeReader.levelLimit }) else { throw Self.tooDeep }
    return isDistinct ? .distinct(Self.distinct(values)) : .among(values)
  }

  private static func distinct(_ values: [JSONValue]) -> [JSONValue] {
    values.enumerated().filter { index, value in !values[..<index].contains { $0.equals(value) } }.map(\.element)
  }

  func hint(_ context: Context) -> ValueHint? { context.hint ?? hints.values[context.pointer] }
}

// MARK: Any value

extension RecipeBuilder {
  /// Returns the recipe of a value, or `nil` if no value is allowed.
  func resolve(_ shape: Shape, _ context: Context) throws(CofferError) -> Resolved? {
    guard context.path.count <= ShapeReader.levelLimit else { throw Self.tooDeep }
    valueCount += 1
    try checkValueCount()
    let isNullable = shape.alternatives.contains { $0.accepts(.null) }
    let null: Resolved? = isNullable ? (.null, false) : nil
    var alternatives: [Conjunction] = []
    for var alternative in shape.alternatives {
      alternative.types.remove(.null)
      alternative.values?.removeAll { $0.kind == .null }
      if !alternative.types.isEmpty, alternative.values?.isEmpty != true { alternatives.append(alternative) }
    }
    guard !alternatives.isEmpty else { return null }
    if let key = try reference(context) { return (key, isNullable) }
    let isMap = reader.isMap(at: context.path)
    let arrays = alternatives.map { isMap || $0.hasRulesOfRecords ? $0.mapAsArray ?? $0 : $0 }
    if context.isEnvelope, let array = arrays.first(where: Self.isCollection) {
      return try self.array(array, context).map { ($0, isNullable) }
    }
    var recipes: [Recipe] = []
    var failure: CofferError?
    func attempt(_ resolve: () throws(CofferError) -> Recipe?) {
      do throws(CofferError) {
        if let recipe = try resolve() { recipes.append(recipe) }
      } catch {
        failure = failure ?? error
      }
    }
    let objects = alternatives.filter { kind(of: $0, context) == .object }
    if !objects.isEmpty {
      attempt { () throws(CofferError) in try object(objects, context).map(Recipe.object) }
    }
    if !context.isEnvelope || recipes.isEmpty {
      for alternative in alternatives where kind(of: alternative, context) != .object && recipes.count < 8 {
        attempt { () throws(CofferError) in try recipe(of: alternative, context) }
      }
    }
    if recipes.isEmpty, let failure { throw failure }
    guard let first = recipes.first else { return null }
    return (recipes.count == 1 ? first : .choice(recipes), isNullable)
  }

  /// Returns true if this is an array of records, which in the envelope is a collection.
  private static func isCollection(_ alternative: Conjunction) -> Bool {
    alternative.types.contains(.array) && alternative.holdsRecords && alternative.prefix.isEmpty && alternative.values == nil
  }

  private func recipe(of alternative: Conjunction, _ context: Context) throws(CofferError) -> Recipe? {
    func place(_ found: ValuePlace?, or reason: String) throws(CofferError) -> ValuePlace {
      guard let found else { throw .hintNeeded(context.pointer, reason) }
      return found
    }
    if let data = alternative.equals {
      return .copy(
        try place(self.place(of: data, context), or: "it must equal a value that isn't known yet"), prefix: data.prefix)
    }
    if let data = alternative.among {
      return .item(
        try place(self.place(of: data, context), or: "it must be one of values that aren't known yet"), member: nil)
    }
    if let tokens = alternative.counted { return .count(collection(at: tokens)) }
    if let sum = alternative.sum {
      let reason = "the generator can't find the summands, or they depend on the sum"
      return .sum(try place(self.place(of: sum.values, context), or: reason))
    }
    if context.order != nil, let recipe = try sorted(alternative, context) { return recipe }
    if case .among(let values)? = hint(context)?.content {
      let fitting = values.filter { alternative.accepts($0) }
      if !fitting.isEmpty { return try pool(fitting, context, isDistinct: context.isUnique) }
    }
    if let values = alternative.values { return try pool(values, context, isDistinct: context.isUnique) }
    switch kind(of: alternative, context) {
    case .string: return try string(alternative, context)
    case .number: return try number(alternative, context)
    case .boolean:
      return try pool(
        [.boolean(false), .boolean(true)].filter { alternative.accepts($0) }, context, isDistinct: context.isUnique)
    case .array: return try array(alternative, context)
    default: return nil
    }
  }

  /// Returns the one of a value's allowed types that the rules constrain most.
  func kind(of alternative: Conjunction, _ context: Context) -> TypeSet {
    let types = alternative.types
    if types.rawValue.nonzeroBitCount == 1 { return types }
    if case .among(let values)? = hint(context)?.content, let value = values.first(where: { alternative.accepts($0) }) {
      return value.kind.type
    }
    if let value = alternative.values?.first { return value.kind.type }
    let isNumeric = alternative.isAboutNumbers || alternative.formats.contains(where: \.appliesToNumbers)
    let isTextual = alternative.isAboutTexts || alternative.formats.contains { !$0.appliesToNumbers }
    let isList =
      alternative.rest != nil || !alternative.prefix.isEmpty || !alternative.contains.isEmpty
      || !alternative.recordFields.isEmpty
    let constrained: [(TypeSet, Bool)] = [
      (.object, alternative.isAboutObjects), (.array, isList), (.string, isTextual), (.number, isNumeric),
    ]
    return constrained.first { types.contains($0.0) && $0.1 }?.0
      ?? [.string, .number, .boolean, .object, .array].first { types.contains($0) } ?? types
  }
}

// MARK: Objects

extension RecipeBuilder {
  /// Returns the branches of an object, or `nil` if none is possible.
  ///
  /// - Parameters:
  ///   - array: the array of which it is an item.
  ///   - collection: The number of that array's collection.
  private func object(
    _ alternatives: [Conjunction], _ context: Context, in array: Conjunction? = nil, collection: Int? = nil
  ) throws(CofferError) -> [Branch]? {
    var candidates: [(branch: Conjunction, variant: GenerationHints.Variant?, weight: Int)] = []
    let records = context.path.last == "*" ? Array(context.path.dropLast()) : context.path
    let variants = hints.variants[records.pointer] ?? []
    for variant in variants {
      let fixed = Shape {
        $0.required = variant.constants.map(\.name) + variant.members
        $0.members = variant.constants.map { ($0.name, Shape(only: $0.value)) }
      }
      let branches = Shape(alternatives).and(fixed).alternatives
      for branch in branches { candidates.append((branch, variant, max(1, variant.weight * 60 / max(1, branches.count)))) }
    }
    // Adds the alternatives that no variant covers, because references and rules may require them.
    for alternative in alternatives
    where !candidates.contains(where: { $0.branch.holds == alternative.holds && $0.branch.fails == alternative.fails }) {
      candidates.append((alternative, nil, variants.isEmpty ? 60 : 0))
    }
    if context.isEnvelope {
      // Takes the widest alternative: a document has one envelope.
      func width(_ branch: Conjunction) -> Int { branch.members.count { !$0.shape.isNothing } + branch.required.count }
      let widest = candidates.map { width($0.branch) }.max()
      candidates = candidates.first { width($0.branch) == widest }.map { [$0] } ?? []
    }
    var branches: [Branch] = []
    var resolved: [Conjunction] = []
    var failure: CofferError?
    for candidate in candidates.prefix(Self.branchLimit) {
      do throws(CofferError) {
        guard let members = try members(of: candidate.branch, candidate.variant, context, array, collection) else { continue }
        branches.append(Branch(members: members, weight: candidate.weight))
        resolved.append(candidate.branch)
      } catch {
        failure = failure ?? error
      }
    }
    if branches.isEmpty, let failure { throw failure }
    if let collection, let array { settleBranches(of: collection, array, resolved) }
    return branches.isEmpty ? nil : branches
  }

  private func members(
    of branch: Conjunction, _ variant: GenerationHints.Variant?, _ context: Context, _ array: Conjunction?, _ collection: Int?
  ) throws(CofferError) -> [Branch.Member]? {
    let files = collection.map { fileNumbers(of: branch, $0) } ?? []
    // File names are unique in every record.
    let unique = (array.map { uniqueFields(of: branch, in: $0) } ?? []).union(files.map { plan.files[$0].field })
    let outer = assigned
    if let array { assigned.merge(assign(array.references, in: branch, context, uniqueFields: unique)) { $1 } }
    defer { assigned = outer }
    var found: [Branch.Member] = []
    for name in branch.members.map(\.name) + branch.required.filter({ name in !branch.members.contains { $0.name == name } }) {
      let isRequired = branch.required.contains(name)
      var inner = context.inner(name)
      inner.isUnique = unique.contains(name)
      inner.order = array?.orders.first { $0.field == [name] }
      inner.hint = variant?.hints[name]
      inner.file = files.first { plan.files[$0].field == name }
      let resolved: Resolved?
      do throws(CofferError) {
        resolved = try branch.allows(name: name) ? resolve(branch.shape(ofMember: name), inner) : nil
      } catch {
        if isRequired { throw error }
        continue
      }
      guard let resolved else {
        if isRequired { return nil }
        continue
      }
      if inner.isUnique { recordLimit = min(recordLimit, Self.capacity(of: resolved.recipe)) }
      // An optional member that can only be null is left out.
      if resolved.recipe.isNull, !isRequired { continue }
      let detail = detail(of: files, name)
      var member = Branch.Member(
        name, at: inner.path, detail ?? resolved.recipe, absent: isRequired ? 0 : hint(inner)?.absent ?? Self.usuallyAbsent,
        null: resolved.isNullable ? hint(inner)?.null ?? Self.usuallyNull : 0)
      let isPrimary = array?.keys.contains { $0.isPrimary && $0.fields.contains([name]) } ?? false
      let isKey = isPrimary || unique.contains(name) || collection.map { isReferredTo($0, field: name) } ?? false
      // A record in the wrong order needs an earlier one with a value.
      if isKey || inner.order != nil || member.holdsRecords || detail != nil { (member.absent, member.null) = (0, 0) }
      found.append(member)
    }
    return fit(found, to: branch, context)
  }

  /// Adjusts the members to the member count that the rules require, and sorts them. Returns `nil` if that isn't possible.
  private func fit(_ members: [Branch.Member], to branch: Conjunction, _ context: Context) -> [Branch.Member]? {
    var members = members
    let counts = branch.memberCount
    while members.count >= counts.upperBound, let index = members.lastIndex(where: { !branch.required.contains($0.name) }) {
      members.remove(at: index)
    }
    for index in members.indices where members.count(where: { $0.absent == 0 }) < counts.lowerBound { members[index].absent = 0 }
    for name in (1..<40).map({ "extra\($0)" }) where members.count < counts.lowerBound && branch.allows(name: name) {
      let inner = context.inner(name)
      guard !branch.members.contains(where: { $0.name == name }), let resolved = try? resolve(branch.shape(ofMember: name), inner)
      else { continue }
      members.append(Branch.Member(name, at: inner.path, resolved.recipe))
    }
    guard counts.contains(members.count) else { return nil }
    return hints.isSorted ? members.sorted { $0.name < $1.name } : members
  }

  // MARK: Files

  /// Returns the numbers of the files that a record's members name.
  private func fileNumbers(of branch: Conjunction, _ collection: Int) -> [Int] {
    guard let archive else { return [] }
    return branch.members.compactMap { member in
      guard let keyword = member.shape.alternatives.lazy.compactMap(\.fileRule?.keyword).first,
        case .containerEntry(let entry) = keyword.assertion
      else { return nil }
      if let known = plan.files.firstIndex(where: { $0.collection == collection && $0.field == member.name }) { return known }
      if let fileLimit = archive.fileLimit {
        plan.collections[collection].most = min(plan.collections[collection].most, max(2, fileLimit))
      }
      plan.files.append(
        FilePlan(
          collection: collection, field: member.name, entry: entry, code: keyword.grading.code ?? "file-missing",
          location: keyword.origin.location))
      return plan.files.count - 1
    }
  }

  /// Returns the recipe of a member that describes a file.
  private func detail(of files: [Int], _ name: String) -> Recipe? {
    files.lazy.compactMap { number in
      let entry = self.plan.files[number].entry
      return entry.size?.name == name ? .fileSize(number) : entry.digest?.name == name ? .fileDigest(number) : nil
    }.first
  }
}

// MARK: Arrays

extension RecipeBuilder {
  private func array(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Recipe? {
    let outerLimit = recordLimit
    recordLimit = .max
    defer { recordLimit = outerLimit }
    let (least, overflows) = context.leastCount.multipliedReportingOverflow(by: max(1, alternative.itemCount.lowerBound))
    guard !overflows, least <= Self.leastCountLimit else {
      throw .impossible(context.pointer, "it would need more than \(Self.leastCountLimit) items")
    }
    var context = context
    context.leastCount = least
    context.hint = hint(context)
    return try context.isEnvelope && Self.isCollection(alternative)
      ? collection(alternative, context) : list(alternative, context)
  }

  private func collection(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Recipe? {
    let number = collection(at: context.path)
    let fields = alternative.recordFields
    var shape = (alternative.rest ?? .anything).map { $0.mention(fields) }
    shape = split(shape, at: context.path, references: alternative.references)
    for (index, contains) in alternative.contains.enumerated() {
      let yes = shape.and(contains.matching).map { $0.holds.insert(-1 - index) }
      let no = shape.and(contains.other).map { $0.fails.insert(-1 - index) }
      shape = no.or(yes)
    }
    let objects = shape.alternatives.filter { $0.types.contains(.object) }
    let item = context.inner("*", ofArray: true)
    guard let branches = try object(objects, item, in: alternative, collection: number) else { return nil }
    let counts = try limited(alternative.itemCount, context)
    let hint = hints.collections[context.pointer]
    // One-to-one references need a record each.
    let others = branches.flatMap(\.members).compactMap { member in
      if case .key(let reference) = member.recipe, reference.isOneToOne { reference.collection } else { nil }
    }
    plan.collections[number].isMap = alternative.isMap
    plan.collections[number].branches = branches
    plan.collections[number].share = hint?.share ?? 1
    plan.collections[number].least = max(counts.lowerBound, min(counts.upperBound - 1, hint?.least ?? 3))
    plan.collections[number].most = min(plan.collections[number].most, counts.upperBound - 1)
    plan.collections[number].noMoreThan = others + settledElsewhere(alternative.references, at: context.path)
    return .collection(number)
  }

  /// Returns the counts that the number of distinct keys allows.
  private func limited(_ counts: Range<Int>, _ context: Context) throws(CofferError) -> Range<Int> {
    guard recordLimit < counts.upperBound - 1 else { return counts }
    guard counts.lowerBound <= recordLimit else {
      throw .impossible(context.pointer, "it needs \(counts.lowerBound) distinct keys, but only \(recordLimit) are possible")
    }
    return counts.lowerBound..<recordLimit + 1
  }

  private func list(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Recipe? {
    let itemContext = context.inner("*", ofArray: true)
    var prefix: [Recipe] = []
    for (place, shape) in alternative.prefix.enumerated() {
      guard let resolved = try resolve(shape, context.inner(String(place), ofArray: true)) else { break }
      prefix.append(resolved.recipe)
    }
    let isCut = prefix.count < alternative.prefix.count
    var shape = split(alternative.rest ?? .anything, at: context.path, references: alternative.references)
    for contains in alternative.contains where contains.maximum != nil { shape = shape.and(contains.other) }
    var item: Recipe?
    if shape.alternatives.contains(where: \.isAboutObjects) {
      let objects = shape.alternatives.filter { $0.types.contains(.object) }
      item = try object(objects, itemContext, in: alternative).map(Recipe.object)
    } else if !shape.isNothing {
      item = try resolve(shape, itemContext)?.recipe
    }
    var counts = try limited(alternative.itemCount, context)
    for contains in alternative.contains where contains.minimum > 0 {
      let matching = alternative.shape(ofItem: prefix.count).and(contains.matching)
      guard let resolved = try resolve(matching, itemContext) else { return nil }
      prefix += Array(repeating: resolved.recipe, count: min(contains.minimum, 16))
    }
    if isCut || item == nil {
      guard counts.lowerBound <= prefix.count else { return nil }
      counts = counts.lowerBound..<min(counts.upperBound, prefix.count + 1)
    }
    let most = counts.upperBound - 1
    var low = max(counts.lowerBound, alternative.contains.isEmpty ? 0 : min(prefix.count, most))
    var high = min(most, max(low, prefix.count) + (item == nil ? 0 : 4))
    if case .items(let range)? = context.hint?.content {
      low = min(max(range.lowerBound, low), most)
      high = max(low, min(range.upperBound, most))
    }
    if alternative.hasUniqueItems {
      switch item {
      case .among(let values)?:
        let values = Self.distinct(values)
        item = .among(values)
        high = max(low, min(high, values.count))
      case .number(var numbers)?:
        numbers.isSequence = true
        item = .number(numbers)
      default: break
      }
    }
    return .array(prefix: prefix, item: item, count: min(low, 10_000)...min(max(low, high), 10_000))
  }
}

extension Recipe {
  fileprivate static let null = Recipe.among([.null])
  fileprivate var isNull: Bool { if case .among(let values) = self { values.allSatisfy { $0.kind == .null } } else { false } }
}
