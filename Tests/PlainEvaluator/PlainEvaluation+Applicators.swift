/// Keywords that apply other schemas: core, section 10.
extension PlainEvaluation {
  /// Applies schemas to the same place: section 10.2.
  mutating func applyInPlace(_ application: Application, _ outcome: inout PlainOutcome) throws(PlainError) {
    if let schemas = try schemas("allOf", of: application) {
      for schema in schemas { outcome.require(try apply(application.with(schema))) }
    }
    if let schemas = try schemas("anyOf", of: application) {
      let held = try those(of: schemas, thatHoldAt: application)
      outcome.isValid = outcome.isValid && !held.isEmpty
      for one in held { outcome.collect(one) }
    }
    if let schemas = try schemas("oneOf", of: application) {
      let held = try those(of: schemas, thatHoldAt: application)
      outcome.isValid = outcome.isValid && held.count == 1
      for one in held { outcome.collect(one) }
    }
    if let schema = try schema("not", of: application) {
      let inner = try apply(application.with(schema))
      outcome.isValid = outcome.isValid && !inner.isValid
    }
    if let schema = try schema("if", of: application) {
      let condition = try apply(application.with(schema))
      outcome.collect(condition)
      if let branch = try self.schema(condition.isValid ? "then" : "else", of: application) {
        outcome.require(try apply(application.with(branch)))
      }
    }
    try applyDependent(application, &outcome)
  }

  private mutating func those(
    of schemas: [PlainSchema], thatHoldAt application: Application
  ) throws(PlainError) -> [PlainOutcome] {
    var held: [PlainOutcome] = []
    for schema in schemas {
      let outcome = try apply(application.with(schema))
      if outcome.isValid { held.append(outcome) }
    }
    return held
  }

  /// Section 10.2.2.4, and `dependencies` of older drafts: validation, appendix A.
  private mutating func applyDependent(_ application: Application, _ outcome: inout PlainOutcome) throws(PlainError) {
    guard case .object(let members) = application.value else { return }
    for (name, schema) in try namedSchemas("dependentSchemas", of: application) where members[name] != nil {
      outcome.require(try apply(application.with(schema)))
    }
    for (name, schema) in try namedSchemas("dependencies", of: application) where members[name] != nil {
      if case .array(let names) = schema.value {
        outcome.isValid = outcome.isValid && names.allSatisfy { $0.text.map { members[$0] != nil } ?? false }
      } else {
        outcome.require(try apply(application.with(schema)))
      }
    }
  }

  /// Applies schemas to items: section 10.3.1.
  mutating func applyToItems(_ application: Application, _ outcome: inout PlainOutcome) throws(PlainError) {
    guard case .array(let items) = application.value else { return }
    let prefix = try schemas("prefixItems", of: application) ?? []
    for (position, (schema, item)) in zip(prefix, items).enumerated() {
      outcome.isValid = try apply(application.with(schema, item, at: .item(position))).isValid && outcome.isValid
      outcome.items.insert(position)
    }
    if let schema = try schema("items", of: application) {
      for (position, item) in items.enumerated().dropFirst(prefix.count) {
        outcome.isValid = try apply(application.with(schema, item, at: .item(position))).isValid && outcome.isValid
        outcome.items.insert(position)
      }
    }
    // `contains` with its bounds: section 10.3.1.3, validation, sections 6.4.4 and 6.4.5.
    if let schema = try schema("contains", of: application) {
      var count = 0
      for (position, item) in items.enumerated() {
        if try apply(application.with(schema, item, at: .item(position))).isValid {
          count += 1
          outcome.items.insert(position)
        }
      }
      let asserts = application.schema.uses("validation")
      let least = asserts ? try application.count("minContains") ?? 1 : 1
      let most = asserts ? try application.count("maxContains") ?? .max : .max
      outcome.isValid = outcome.isValid && count >= least && count <= most
    }
  }

  /// Applies schemas to members: section 10.3.2.
  mutating func applyToMembers(_ application: Application, _ outcome: inout PlainOutcome) throws(PlainError) {
    guard case .object(let members) = application.value else { return }
    var evaluated: Set<PlainText> = []
    for (name, schema) in try namedSchemas("properties", of: application) {
      guard let value = members[name] else { continue }
      outcome.isValid = try apply(application.with(schema, value, at: .member(name))).isValid && outcome.isValid
      evaluated.insert(name)
    }
    for (pattern, schema) in try namedSchemas("patternProperties", of: application) {
      for (name, value) in members where try name.matches(pattern) {
        outcome.isValid = try apply(application.with(schema, value, at: .member(name))).isValid && outcome.isValid
        evaluated.insert(name)
      }
    }
    if let schema = try schema("additionalProperties", of: application) {
      for (name, value) in members where !evaluated.contains(name) {
        outcome.isValid = try apply(application.with(schema, value, at: .member(name))).isValid && outcome.isValid
        evaluated.insert(name)
      }
    }
    outcome.members.formUnion(evaluated)
    if let schema = try schema("propertyNames", of: application) {
      for name in members.keys {
        outcome.isValid = try apply(application.with(schema, .string(name), at: .name(name))).isValid && outcome.isValid
      }
    }
  }

  /// Applies schemas to everything that no other schema was applied to, and therefore last: section 11.
  mutating func applyToUnevaluated(_ application: Application, _ outcome: inout PlainOutcome) throws(PlainError) {
    if case .array(let items) = application.value, let schema = try schema("unevaluatedItems", of: application) {
      for (position, item) in items.enumerated() where !outcome.items.contains(position) {
        outcome.isValid = try apply(application.with(schema, item, at: .item(position))).isValid && outcome.isValid
      }
      outcome.items.formUnion(items.indices)
    }
    if case .object(let members) = application.value, let schema = try schema("unevaluatedProperties", of: application) {
      for (name, value) in members where !outcome.members.contains(name) {
        outcome.isValid = try apply(application.with(schema, value, at: .member(name))).isValid && outcome.isValid
      }
      outcome.members.formUnion(members.keys)
    }
  }
}
