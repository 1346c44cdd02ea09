import ByteStreams
import JSONEvents

/// Schemas that apply to the same value: all, one or none of them, or if another one holds.
extension Keyword {
  static let branches: [Keyword] = [
    Keyword("dependentSchemas", .applicator, since: .draft2019, subschemas: map) { schemas, member, reader throws(CofferError) in
      .dependentSchemas(try schemas.dependentSchemas(member.value, reader))
    },
    Keyword("allOf", .applicator, subschemas: list) { schemas, member, reader throws(CofferError) in
      .allOf(try schemas.inPlace(member, reader))
    },
    Keyword("anyOf", .applicator, subschemas: list) { schemas, member, reader throws(CofferError) in
      .anyOf(try schemas.inPlace(member, reader))
    },
    Keyword("oneOf", .applicator, subschemas: list) { schemas, member, reader throws(CofferError) in
      .oneOf(try schemas.inPlace(member, reader))
    },
    Keyword("not", .applicator, subschemas: one) { .not($0.inner($1.value, $1.key, $2, $2.grading.severity)) },
    Keyword("if", .applicator, since: .draft7, subschemas: one) { schemas, member, reader in
      let severity = reader.grading.severity
      return .condition(
        if: schemas.inner(member.value, "if", reader, severity),
        then: reader.schema["then"].map { schemas.inner($0, "then", reader, severity) },
        else: reader.schema["else"].map { schemas.inner($0, "else", reader, severity) })
    },
    Keyword("then", .applicator, since: .draft7, needs: "if", subschemas: one, read: branch),
    Keyword("else", .applicator, since: .draft7, needs: "if", subschemas: one, read: branch),
  ]

  /// 2019-09 split it into two keywords.
  static let dependencies = Keyword(
    "dependencies", .core, successor: ("use dependentRequired or dependentSchemas", draft7), subschemas: map
  ) { schemas, member, reader throws(CofferError) in try schemas.dependencies(member.value, reader) }

  /// It is read again with its `if`.
  private static let branch: Read = { schemas, member, reader in
    _ = schemas.inner(member.value, member.key, reader, reader.grading.severity)
    return nil
  }
}

extension SchemaReader {
  fileprivate mutating func inPlace(_ member: RuleValue.Member, _ reader: KeywordReader) throws(CofferError) -> [Int] {
    try schemas(member.value, member.key, reader, reader.grading.severity)
  }

  fileprivate mutating func dependentSchemas(
    _ value: RuleValue, _ reader: KeywordReader
  ) throws(CofferError) -> [(name: String, schema: Int)] {
    var dependencies: [(name: String, schema: Int)] = []
    for member in try value.expectMembers(of: "schemas") {
      dependencies.append((member.key, inner(member.value, "dependentSchemas", reader, reader.grading.severity)))
    }
    return dependencies
  }

  /// Reads `dependencies`: required names or schemas. 2019-09 split it into two keywords.
  fileprivate mutating func dependencies(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    var parts: [Int] = []
    for member in try value.expectMembers(of: "names or schemas") {
      let assertion: Schema.Assertion
      if member.value.isArray {
        assertion = .dependentRequired([(member.key, try member.value.expectNames())])
      } else {
        let schema = inner(member.value, "dependencies", reader, reader.grading.severity)
        assertion = .dependentSchemas([(member.key, schema)])
      }
      parts.append(add(part("dependencies", member.value, assertion, reader)))
    }
    return .allOf(parts)
  }
}

extension KeywordAdder {
  mutating func addAlternatives(
    _ kind: RuleProgram.Resolution.Kind, _ parts: [Int], _ expectation: String, _ keyword: Schema.Keyword, _ slot: UInt16,
    _ scope: Int
  ) throws(CofferError) -> Covers {
    var branches: [UInt16] = []
    var covers: Covers = []
    for part in parts {
      let branch = draft.addSlot(parent: slot, isMute: false, isAlternative: true)
      branches.append(branch)
      covers.formUnion(try add(schema: part, slot: branch, scope: scope))
    }
    let rule = rule(keyword, expectation)
    compiler.builder.ruleDetails[Int(rule)].alternatives = parts.prefix(Self.namedAlternatives).map { compiler.name(of: $0) }
    resolve(kind, branches, slot, rule)
    return covers
  }

  /// The most alternatives whose names are kept for messages.
  private static let namedAlternatives = 64

  mutating func addCondition(
    _ condition: Int, _ then: Int?, _ otherwise: Int?, _ keyword: Schema.Keyword, _ slot: UInt16, _ scope: Int
  ) throws(CofferError) -> Covers {
    // On its own, `if` validates nothing, but it may evaluate members and items.
    if then == nil, otherwise == nil, !compiler.tracksEvaluation { return [] }
    let test = draft.addSlot(parent: slot, isMute: true)
    var covers = try add(schema: condition, slot: test, scope: scope)
    var branches: [UInt16?] = []
    for (schema, isThen) in [(then, true), (otherwise, false)] {
      guard let schema else {
        branches.append(nil)
        continue
      }
      let branch = draft.addSlot(parent: slot, isMute: false)
      draft.slots[Int(branch)].test = test
      draft.slots[Int(branch)].isElse = !isThen
      if isThen { draft.slots[Int(test)].then = branch }
      branches.append(branch)
      covers.formUnion(try add(schema: schema, slot: branch, scope: scope))
    }
    resolve(.condition, [test, branches[0], branches[1]], slot, rule(keyword, "the condition"))
    return covers
  }

  /// Adds `if` the member is present, `then` the schema.
  mutating func addDependentSchemas(
    _ dependencies: [(name: String, schema: Int)], _ keyword: Schema.Keyword, _ slot: UInt16, _ scope: Int
  ) throws(CofferError) -> Covers {
    var covers: Covers = []
    for dependency in dependencies {
      let test = draft.addSlot(parent: slot, isMute: true)
      let rule = rule(keyword, "an object with '\(dependency.name)'")
      for kind in JSONKind.allCases where kind != .object {
        draft.checks[kind.rawValue].append(RuleProgram.Check(operation: .never, slot: test, rule: rule))
      }
      draft.endChecks.append(
        RuleProgram.EndCheck(kind: .required, slot: test, operand: draft.requiredBit(of: dependency.name), rule: rule))
      let branch = draft.addSlot(parent: slot, isMute: false)
      draft.slots[Int(branch)].test = test
      draft.slots[Int(test)].then = branch
      covers.formUnion(try add(schema: dependency.schema, slot: branch, scope: scope))
      resolve(.condition, [test, branch, nil], slot, rule)
    }
    return covers
  }
}

extension RuleCompiler {
  /// Returns the title of an alternative, or the last name in its reference; empty if it has neither.
  fileprivate func name(of schema: Int) -> String {
    if let title = schemas[schema].title { return title.shortened(to: 80) }
    for keyword in schemas[schema].keywords {
      guard case .reference(let target) = keyword.assertion else { continue }
      let name = schemas[target].title ?? schemas[target].origin.pointer.pointerTokens?.last ?? ""
      return name.shortened(to: 80)
    }
    return ""
  }
}
