import ByteStreams
import JSONEvents
import Rules

/// Chooses the fields that are unique in every record.
extension RecipeBuilder {
  /// Returns the fields to make unique: for each key, the field for which that is easiest.
  func uniqueFields(of branch: Conjunction, in array: Conjunction) -> Set<String> {
    var unique: Set<String> = []
    let referring = Set(array.references.flatMap { $0.fields.map(\.fieldText) })
    if array.isMap { unique.insert(Schema.recordName) }
    for key in array.keys where !key.fields.contains(where: { unique.contains($0.fieldText) }) {
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
    return alternative.types.contains(.number) ? 4 : 2
  }

  /// Returns the number of distinct values of a recipe for a unique field.
  static func capacity(of recipe: Recipe) -> Int {
    switch recipe {
    case .distinct(let values): return values.count
    case .number(let number):
      guard number.isSequence else { return max(1, Int(number.high - number.low)) }
      return max(1, Int((number.hardHigh - number.low) / number.step / number.stride) + (number.stride == 1 ? 1 : 0))
    case .choice(let choices): return choices.map(capacity).min() ?? .max
    default: return .max
    }
  }
}

/// Finds the members that hold keys of other records, and their targets.
extension RecipeBuilder {
  func noteTargets() {
    for collection in reader.rules.collections {
      if let tokens = collection.pointer.pointerTokens { referencesByCollection[tokens] = collection.references.map(\.key) }
    }
    for keyword in reader.rules.schemas.flatMap(\.keywords) {
      guard case .foreignKey(let key) = keyword.assertion else { continue }
      for target in key.targets {
        guard case .root(let tokens) = target.resource else { continue }
        targetFields[tokens, default: []].formUnion(target.fields.map(\.fieldText))
        if let condition = target.whereSchema, targetConditions[tokens]?.contains(condition) != true {
          targetConditions[tokens, default: []].append(condition)
        }
      }
    }
  }

  func isReferredTo(_ collection: Int, field: String) -> Bool {
    targetFields[plan.collections[collection].tokens]?.contains(field) ?? false
  }

  /// Splits the items of a collection by every condition on them.
  func split(_ items: Shape, at tokens: [String], references: [Schema.ForeignKey]) -> Shape {
    var shape = items
    for condition in (targetConditions[tokens] ?? []) + references.compactMap(\.whenSchema) {
      let yes = shape.and(reader.shape(of: condition)).map { $0.holds.insert(condition) }
      let no = shape.and(reader.negation(of: condition)).map { $0.fails.insert(condition) }
      if !yes.isNothing || !no.isNothing { shape = yes.or(no) }
    }
    return shape
  }

  /// Assigns the fields of a branch to its foreign keys. Keys with more fields come first, because they constrain the others.
  func assign(
    _ references: [Schema.ForeignKey], in branch: Conjunction, _ context: Context, uniqueFields: Set<String>
  ) -> [[String]: [Recipe]] {
    var result: [[String]: [Recipe]] = [:]
    let active = references.filter { $0.whenSchema.map { !branch.fails.contains($0) } ?? true }
    // Of keys with equally many fields, relative ones come first: they choose among the few items of the same record.
    func weight(_ key: Schema.ForeignKey) -> Int {
      if case .relative? = key.targets.first?.resource { 2 * key.fields.count + 1 } else { 2 * key.fields.count }
    }
    for key in active.sorted(by: { weight($0) > weight($1) }) where settledElsewhere(key, at: context.path).isEmpty {
      let paths = key.fields.map { context.path + $0 }
      let salt = RandomSource.salt(paths.map(\.pointer).joined(separator: " "))
      let isOneToOne =
        key.fields.contains { uniqueFields.contains($0.fieldText) }
        || mutual(key, at: context.path).contains { $0.other.fields.count == key.fields.count }
      for (position, path) in paths.enumerated() {
        let recipes = key.targets.compactMap { recipe(of: key, $0, position, context, salt: salt, isOneToOne: isOneToOne) }
        if let earlier = result[path] {
          // The record of another key, which has no other field, must also satisfy this key's condition.
          if case .key(var reference)? = earlier.first, case .key(let other)? = recipes.first, earlier.count == 1,
            recipes.count == 1, reference.condition == nil, reference.salt == RandomSource.salt(path.pointer),
            reference.collection == other.collection, reference.field == other.field
          {
            reference.condition = other.condition
            result[path] = [.key(reference)]
          }
        } else {
          result[path] = recipes
        }
      }
    }
    return result
  }

  /// Returns the recipe of a field of a foreign key, or `nil` if the generator can't choose from these records.
  private func recipe(
    of key: Schema.ForeignKey, _ target: Schema.ForeignKey.Target, _ position: Int, _ context: Context, salt: UInt64,
    isOneToOne: Bool
  ) -> Recipe? {
    let field = key.fields[position]
    var targetField = target.field(position)
    switch target.resource {
    case .root(let tokens):
      if targetField.isEmpty, reader.isMap(at: tokens) { targetField = [Schema.recordName] }
      guard !tokens.contains("*") else { return nil }
      let isItem = field.contains("*")
      return .key(
        Reference(
          collection: collection(at: tokens), field: targetField, condition: key.targets[0].whereSchema, salt: salt,
          up: field.count - 1, isOneToOne: isOneToOne && !isItem, isItem: isItem))
    case .relative(let levels, let tokens):
      // Levels count from the record, which is level 1; a field of several names is in containers inside it.
      var inner = context
      for name in field { inner = inner.inner(name, ofArray: name == "*") }
      return place(of: inner, level: levels, from: context.containers.count + 1, tokens).map {
        .item($0, member: targetField.last)
      }
    }
  }

  /// Returns the collections that a key refers to, each with a key that refers back by the same fields.
  private func mutual(_ key: Schema.ForeignKey, at path: [String]) -> [(tokens: [String], other: Schema.ForeignKey)] {
    let path = Self.records(at: path)
    return key.targets.flatMap { target -> [(tokens: [String], other: Schema.ForeignKey)] in
      guard case .root(let tokens) = target.resource, tokens != path else { return [] }
      let others = (referencesByCollection[tokens] ?? []).filter { other in
        other.targets.contains { back in
          guard case .root(path) = back.resource else { return false }
          return zip(other.fields, back.fields).contains { pair in
            zip(key.fields, target.fields).contains { $0.0 == pair.1 && $0.1 == pair.0 }
          }
        }
      }
      return others.map { (tokens, $0) }
    }
  }

  private static func records(at path: [String]) -> [String] { path.last == "*" ? Array(path.dropLast()) : path }

  /// Returns the collections that refer back by the same fields with a key that takes precedence, because it has more fields or
  /// comes first. This key's collection then gets as many records as they have, so that their references already match.
  private func settledElsewhere(_ key: Schema.ForeignKey, at path: [String]) -> [Int] {
    mutual(key, at: path).filter { tokens, other in
      other.fields.count > key.fields.count
        || other.fields.count == key.fields.count && tokens.pointer < Self.records(at: path).pointer
    }.map { collection(at: $0.tokens) }
  }

  func settledElsewhere(_ references: [Schema.ForeignKey], at path: [String]) -> [Int] {
    references.flatMap { settledElsewhere($0, at: path) }
  }

  /// Returns the recipe of a value that is another record's key, or `nil` if it isn't one.
  func reference(_ context: Context) throws(CofferError) -> Recipe? {
    guard let recipes = assigned[context.path] else { return nil }
    guard let first = recipes.first else {
      throw .hintNeeded(context.pointer, "it refers to records that the generator can't choose from")
    }
    for case .key(let reference) in recipes {
      openReferences.append((reference.collection, reference.condition, context.pointer))
    }
    return recipes.count == 1 ? first : .choice(recipes)
  }
}

/// Assigns branches to the records of a collection: those that rules or references require, and all others.
extension RecipeBuilder {
  /// Puts required branches first. The other records get only branches whose number the rules don't limit.
  func settleBranches(of collection: Int, _ array: Conjunction, _ branches: [Conjunction]) {
    for (number, branch) in branches.enumerated() {
      for condition in branch.holds where condition >= 0 {
        plan.collections[collection].fitting[condition, default: []].insert(number)
      }
    }
    let limited = array.contains.indices.filter { array.contains[$0].maximum != nil }
    let body = branches.indices.filter { number in !limited.contains { branches[number].holds.contains(-1 - $0) } }
    plan.collections[collection].body = body.isEmpty ? Array(branches.indices) : body
    plan.collections[collection].heads = array.contains.enumerated().flatMap { index, contains in
      let wanted = min(max(contains.minimum, contains.maximum == nil ? 0 : 1), contains.maximum ?? .max, 64)
      let branch = branches.firstIndex { $0.holds.contains(-1 - index) }
      return branch.map { Array(repeating: $0, count: wanted) } ?? []
    }
  }

  /// Makes sure that each reference has a target that satisfies its condition.
  func settleReferences() throws(CofferError) {
    for (number, condition, pointer) in openReferences {
      let collection = plan.collections[number]
      guard collection.isDescribed else {
        throw .impossible(pointer, "it refers to '\(collection.pointer)', but the rules describe no records there")
      }
      guard let condition else { continue }
      let fitting = collection.fitting[condition] ?? []
      if collection.heads.contains(where: fitting.contains) { continue }
      guard let branch = collection.body.first(where: fitting.contains) else {
        throw .impossible(pointer, "no record of '\(collection.pointer)' satisfies its condition")
      }
      plan.collections[number].heads.append(branch)
    }
    for (index, collection) in plan.collections.enumerated() {
      plan.collections[index].least = max(collection.least, min(collection.heads.count, collection.most))
      // A collection that no rule describes gets no records.
      if !collection.isDescribed { plan.collections[index].most = 0 }
    }
  }
}

/// Locates the values that other values depend on.
extension RecipeBuilder {
  /// Returns the place of a data reference, or `nil` if the value would depend on itself.
  func place(of data: Schema.DataReference, _ context: Context) -> ValuePlace? {
    switch data.origin {
    case .root(let tokens): place(of: .root(tokens), context)
    case .ancestor(let levels, let field): place(of: .relative(levels: levels, [field]), context)
    }
  }

  /// Returns the place of other values, or `nil` if the value would depend on itself.
  func place(of resource: Schema.Resource, _ context: Context) -> ValuePlace? {
    switch resource {
    case .root(let tokens): return isIndependent(context.path, of: tokens) ? ValuePlace(up: nil, path: tokens) : nil
    case .relative(let levels, let tokens):
      let around = context.containers
      guard levels <= around.count, isIndependent(context.path, of: around[around.count - levels].path + tokens) else {
        return nil
      }
      return place(of: context, level: levels, from: around.count, tokens)
    }
  }

  /// Returns a place relative to one of the first `count` containers around a value. The last of them is level 1.
  private func place(of context: Context, level: Int, from count: Int, _ tokens: [String]) -> ValuePlace? {
    guard level >= 1, level <= count, count <= context.containers.count else { return nil }
    let container = context.containers[count - level]
    // The path to an array starts from the object around it.
    guard let object = context.containers[...(count - level)].lastIndex(where: { !$0.isArray }) else { return nil }
    let path = container.path.dropFirst(context.containers[object].path.count) + tokens
    return ValuePlace(up: context.containers.count - 1 - object, path: Array(path))
  }

  /// Notes that a value depends on another one.
  ///
  /// - Returns: False if the other already depends on it: that would be a cycle.
  private func isIndependent(_ value: [String], of other: [String]) -> Bool {
    var seen: Set<[String]> = [other]
    guard !follows(other, from: value, &seen) else { return false }
    measured[value, default: []].insert(other)
    return true
  }

  /// Returns true if a value equals another, contains it, is part of it, or depends on a value that does.
  private func follows(_ value: [String], from other: [String], _ seen: inout Set<[String]>) -> Bool {
    if Self.overlap(value, other) { return true }
    for (measured, measures) in measured where Self.overlap(measured, value) {
      for measure in measures where seen.insert(measure).inserted {
        if follows(measure, from: other, &seen) { return true }
      }
    }
    return false
  }

  private static func overlap(_ a: [String], _ b: [String]) -> Bool { a.starts(with: b) || b.starts(with: a) }
}
