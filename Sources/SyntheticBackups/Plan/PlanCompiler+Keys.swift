import ByteStreams
import JSONEvents
import Rules

/// Chooses the fields that are unique in every record.
extension PlanCompiler {
  /// The rules of a collection about its records.
  struct ItemRules {
    var keys: [Schema.UniqueKey] = []
    var references: [Schema.ForeignKey] = []
    var orders: [Schema.SortOrder] = []
    var collection: Int32 = -1
    /// The minimum and maximum counts of the array's `contains` alternatives.
    var contains: [(minimum: Int, maximum: Int?)] = []
  }

  /// Returns the fields to make unique: for each key, the field for which that is easiest.
  func uniqueFields(of branch: Conjunction, _ items: ItemRules) -> Set<String> {
    var unique: Set<String> = []
    let referring = Set(items.references.flatMap { $0.fields.map(\.fieldText) })
    for key in items.keys where !key.fields.contains(where: { unique.contains($0.fieldText) }) {
      let best = key.fields.filter { $0.count == 1 }.max { ease($0[0], branch, referring) < ease($1[0], branch, referring) }
      if let best { unique.insert(best[0]) }
    }
    return unique
  }

  private func ease(_ field: String, _ branch: Conjunction, _ referring: Set<String>) -> Int {
    guard let alternative = branch.shape(ofMember: field).alternatives.first(where: { $0.types != .null }) else { return 0 }
    if referring.contains(field) { return 1 }
    if alternative.values != nil || alternative.types == .boolean { return 0 }
    if alternative.formats.contains(.uuid) { return 5 }
    if alternative.formats.contains(where: \.isTemporal) { return 3 }
    if alternative.types.contains(.number) { return 4 }
    return 2
  }

  /// Returns the number of distinct values of a generator for a unique field.
  func capacity(of generator: Int32) -> Int {
    switch plan.generators[Int(generator)] {
    case .distinct(let pool): return pool.count
    case .number(let index):
      let number = plan.numbers[Int(index)]
      let span = Int(number.isSequence ? (number.hardHigh - number.low) / number.step / number.stride : number.high - number.low)
      return max(1, span + (number.isSequence && number.stride == 1 ? 1 : 0))
    case .choice(let choices): return choices.map { capacity(of: plan.choices[Int($0)]) }.min() ?? .max
    default: return .max
    }
  }
}

/// Finds the members that hold keys of other records, and their targets.
extension PlanCompiler {
  struct Target {
    var fields: Set<String> = []
    var conditions: [Int] = []
  }

  struct Assignment {
    var key: Schema.ForeignKey
    var position: Int
    var isOneToOne: Bool
    /// The number of containers around the record.
    var recordDepth: Int
    var salt: UInt64
    /// An additional condition, if two keys refer to the same records.
    var condition: Int?
  }

  func noteTargets() {
    for collection in reader.rules.collections {
      if let tokens = collection.pointer.pointerTokens { referencesByCollection[tokens] = collection.references.map(\.key) }
    }
    for schema in reader.rules.schemas {
      for keyword in schema.keywords {
        guard case .foreignKey(let key) = keyword.assertion else { continue }
        for target in key.targets {
          guard case .root(let tokens) = target.resource else { continue }
          targets[tokens, default: Target()].fields.formUnion(target.fields.map(\.fieldText))
          if let condition = target.whereSchema, targets[tokens]?.conditions.contains(condition) == false {
            targets[tokens]?.conditions.append(condition)
          }
        }
      }
    }
  }

  func isReferredTo(_ tokens: [String], field: String) -> Bool { targets[tokens]?.fields.contains(field) ?? false }

  /// Splits the items of a collection by every condition on them.
  func split(_ items: Shape, at tokens: [String], references: [Schema.ForeignKey]) -> Shape {
    var shape = items
    func split(by condition: Int) {
      let yes = shape.and(reader.shape(of: condition)).map { $0.holds.insert(condition) }
      let no = shape.and(reader.negation(of: condition)).map { $0.fails.insert(condition) }
      if !yes.isNothing || !no.isNothing { shape = yes.or(no) }
    }
    for condition in targets[tokens]?.conditions ?? [] { split(by: condition) }
    for condition in references.compactMap(\.whenSchema) { split(by: condition) }
    return shape
  }

  /// Assigns the fields of a branch to its foreign keys. Keys with more fields come first, because they constrain the others.
  func assign(
    _ references: [Schema.ForeignKey], in branch: Conjunction, _ context: Context, uniqueFields: Set<String>
  ) -> [String: Assignment] {
    var result: [String: Assignment] = [:]
    let active = references.filter { $0.whenSchema.map { !branch.fails.contains($0) } ?? true }
    // Of keys with equally many fields, relative ones come first: they choose among the few items of the same record.
    func weight(_ key: Schema.ForeignKey) -> Int {
      if case .relative? = key.targets.first?.resource { 2 * key.fields.count + 1 } else { 2 * key.fields.count }
    }
    for key in active.sorted(by: { weight($0) > weight($1) }) where !isSettledElsewhere(key, at: context.path) {
      let paths = key.fields.map { (context.path + $0).map { "/" + $0.pointerToken }.joined() }
      let salt = Self.salt(paths.joined(separator: " "))
      for (position, path) in paths.enumerated() {
        if let earlier = result[path] {
          // The other key's record must also satisfy this key's condition.
          if earlier.condition == nil, earlier.key.fields.count == 1, Self.isSameTarget(earlier.key, key) {
            result[path]?.condition = key.targets[0].whereSchema
          }
          continue
        }
        result[path] = Assignment(
          key: key, position: position, isOneToOne: key.fields.contains { uniqueFields.contains($0.fieldText) },
          recordDepth: context.containers.count, salt: salt, condition: key.targets[0].whereSchema)
      }
    }
    return result
  }

  private static func isSameTarget(_ a: Schema.ForeignKey, _ b: Schema.ForeignKey) -> Bool {
    a.targets.count == 1 && b.targets.count == 1 && a.targets[0].resource == b.targets[0].resource
      && a.targets[0].fields == b.targets[0].fields
  }

  /// Returns true if two collections refer to each other by the same fields, and the other key takes precedence because it has
  /// more fields. This key's collection then gets as many records as the other, so that the other's references already match.
  private func isSettledElsewhere(_ key: Schema.ForeignKey, at path: [String]) -> Bool {
    let path = path.last == "*" ? Array(path.dropLast()) : path
    return key.targets.contains { target in
      guard case .root(let tokens) = target.resource else { return false }
      let back = (referencesByCollection[tokens] ?? []).filter { other in
        other.targets.contains { back in
          guard case .root(path) = back.resource else { return false }
          return zip(other.fields, back.fields).contains { pair in
            zip(key.fields, target.fields).contains { $0.0 == pair.1 && $0.1 == pair.0 }
          }
        }
      }
      return back.contains { $0.fields.count > key.fields.count }
    }
  }

  func settledElsewhere(_ references: [Schema.ForeignKey], at path: [String]) -> [Int32] {
    references.filter { isSettledElsewhere($0, at: path) }.flatMap { key in
      key.targets.compactMap { target in
        if case .root(let tokens) = target.resource { collection(at: tokens) } else { nil }
      }
    }
  }

  func withAssignments<Result>(
    _ assignments: [String: Assignment], _ body: () throws(CofferError) -> Result
  ) throws(CofferError) -> Result {
    let before = assigned
    assigned.merge(assignments) { $1 }
    defer { assigned = before }
    return try body()
  }

  /// Returns the generator of a value that is another record's key, or `nil` if it isn't one.
  func referenceGenerator(_ context: Context) throws(CofferError) -> Int32? {
    guard let assignment = assigned[context.pointer] else { return nil }
    let inner = context.containers.dropFirst(assignment.recordDepth + 1)
    let up = Int32(inner.reduce(0) { $0 + ($1.isArray ? 0 : 1) })
    let isItem = assignment.key.fields[assignment.position].contains("*")
    var generators: [Int32] = []
    for target in assignment.key.targets {
      let field = target.field(assignment.position)
      switch target.resource {
      case .root(let tokens):
        guard !tokens.contains("*") else { continue }
        let collection = collection(at: tokens)
        let path = pathSlice(field)
        plan.references.append(
          ReferencePlan(
            collection: collection, path: path, branches: .max, salt: assignment.salt, up: up,
            isOneToOne: assignment.isOneToOne && !isItem, isItem: isItem))
        let number = Int32(plan.references.count - 1)
        openReferences.append((number, assignment.condition, context.pointer))
        generators.append(add(.reference(number)))
      case .relative(let levels, let tokens):
        // Levels count from the record, which is level 1.
        let around = context.containers.prefix(assignment.recordDepth + 1)
        guard levels <= around.count, let place = place(from: Array(around), level: levels, tokens, context) else { continue }
        generators.append(add(.item(place: place, name: field.last.map { name($0) } ?? -1)))
      }
    }
    guard let first = generators.first else {
      throw .hintNeeded(context.pointer, "it refers to records that the generator can't choose from")
    }
    if generators.count == 1 { return first }
    let start = Int32(plan.choices.count)
    plan.choices += generators
    return add(.choice(Plan.Slice(start, Int32(plan.choices.count))))
  }
}
