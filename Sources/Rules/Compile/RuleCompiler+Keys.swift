import ByteStreams
import JSONEvents

/// Plans for capturing an array's records.
extension RuleCompiler {
  func recordPlan(of draft: StateDraft, node: LocationTree.Node?) throws(CofferError) -> Int? {
    var plan = PlanDraft()
    var conditions: [Int: Int] = [:]
    var defined = node?.definitions ?? []
    var references: [(key: Schema.ForeignKey, step: Int)] = []
    for keyword in draft.keyRules {
      switch keyword.assertion {
      case .uniqueKey(let key):
        let fields = key.fields
        var step = PlanDraft.Step(
          kind: key.isPrimary ? .primaryKey : .uniqueKey,
          fields: plan.captures(of: fields, ignoringCase: key.ignoresCase, asInstants: key.comparesInstants),
          fieldNames: fields.map(\.fieldText),
          keySet: plan.scopedSetCount,
          isScoped: true)
        step.rule = builder.addRule(
          keyword, in: draft, place: "/*/" + step.fieldNames[0],
          expectation: "a unique " + (fields.count == 1 ? "value" : "combination of " + step.fieldNames.joined(separator: ", ")))
        step.findingCapture = plan.capture(of: fields[0])
        step.findingField = fields[0].fieldText
        // The set that references look into is reused if it belongs only to this array.
        if node?.isSingle == true, key.whenSchema == nil, !key.comparesInstants,
          let shared = defined.firstIndex(where: {
            $0.levels < 0 && $0.request == LocationTree.KeyRequest(fields: fields, ignoresCase: key.ignoresCase, whereSchema: nil)
          })
        {
          step.keySet = defined[shared].keySet
          step.isScoped = false
          defined.remove(at: shared)
        } else if key.spansArrays {
          step.keySet = commonKeySet(of: keyword)
          step.isScoped = false
          step.levels = locations.documentLevels
        } else {
          plan.scopedSetCount += 1
        }
        step.ifEqual = key.ifEqual
        if let schema = key.whenSchema { conditions[plan.steps.count] = schema }
        plan.steps.append(step)
        if key.ifEqual != nil {
          if let schema = key.whenSchema { conditions[plan.steps.count] = schema }
          plan.steps.append(equalRecords(of: step, keyword, &plan))
        }
      case .foreignKey(let key):
        let step = try reference(key, keyword, draft, &plan)
        plan.steps[step].base = references.last { key.refines($0.key) }?.step ?? -1
        if let schema = key.whenSchema { conditions[step] = schema }
        references.append((key, step))
      default: preconditionFailure("not a rule about keys")
      }
    }
    for definition in defined {
      let fields = definition.request.fields
      var step = PlanDraft.Step(
        kind: .definition, fields: plan.captures(of: fields, ignoringCase: definition.request.ignoresCase),
        fieldNames: fields.map(\.fieldText), keySet: definition.keySet, isScoped: false)
      step.levels = definition.levels
      if let schema = definition.request.whereSchema { conditions[plan.steps.count] = schema }
      plan.steps.append(step)
    }
    addUniqueItems(of: draft, to: &plan)
    for (index, capture) in plan.captures.enumerated() where !capture.isPlain {
      let action = RuleProgram.PlaceAction(
        kind: .capture, levels: Int32(capture.path.count - 1), index: Int32(index), ignoresCase: capture.ignoresCase,
        comparesInstants: capture.comparesInstants)
      add(action, at: capture.path.map(\.text), in: &plan)
    }
    if plan.steps.isEmpty { return nil }
    builder.plans.append(plan)
    planConditions[builder.plans.count - 1] = conditions
    return builder.plans.count - 1
  }

  /// Returns the step that claims whole records, in addition to the step that claims their keys.
  private func equalRecords(of key: PlanDraft.Step, _ keyword: Schema.Keyword, _ plan: inout PlanDraft) -> PlanDraft.Step {
    var step = key
    step.kind = .equalRecord
    step.keySet = key.isScoped ? plan.scopedSetCount : commonKeySet(of: keyword, suffix: "/ifEqual")
    if key.isScoped { plan.scopedSetCount += 1 }
    return step
  }

  /// Returns the set for the keys of all arrays that a rule applies to, in any state.
  private func commonKeySet(of keyword: Schema.Keyword, suffix: String = "") -> Int {
    let name = keyword.origin.location + suffix
    if let known = commonKeySets[name] { return known }
    let keySet = locations.newKeySet()
    commonKeySets[name] = keySet
    return keySet
  }

  /// Adds the step of a foreign key as the plan's last step, and returns its number.
  private func reference(
    _ key: Schema.ForeignKey, _ keyword: Schema.Keyword, _ draft: StateDraft, _ plan: inout PlanDraft
  ) throws(CofferError) -> Int {
    let keySet = locations.keySet(of: key)
    var step = PlanDraft.Step(
      kind: .reference, fields: [], fieldNames: key.fields.map(\.fieldText), keySet: keySet, isScoped: false)
    step.resource = key.targets.map(\.resource.text).joined(separator: " or ")
    step.rule = builder.addRule(
      keyword, in: draft, place: "/*/" + step.fieldNames[0],
      expectation: "the key of a record of " + (step.resource.isEmpty ? "the root" : step.resource))
    step.levels = try levels(of: key, keyword, draft, &plan)
    step.ifEmpty = key.ifEmpty
    step.list = key.list
    if key.ifEmpty != nil {
      guard step.levels < 0 else {
        throw keyword.origin.error(
          step.levels == locations.documentLevels
            ? "ifEmpty counts the records of the whole file: it can't be used in rules for each item of an array"
            : "ifEmpty is allowed only for resources relative to the root")
      }
      for case .root(let tokens) in key.targets.filter(\.gradesIfEmpty).map(\.resource) {
        step.emptyCounts.append(locations.countIndex(of: tokens))
      }
    }
    let number = plan.steps.count
    if let field = key.fields.first, let star = field.lastIndex(of: "*") {
      guard key.findingField == field else {
        throw keyword.origin.error(
          "at is not allowed here: each item of '\(field.fieldText)' has its own finding")
      }
      step.isMultivalued = true
      step.findingField = Array(field[(star + 1)...]).fieldText
      let action = RuleProgram.PlaceAction(
        kind: .reference, levels: Int32(field.count - 1), index: Int32(number), tail: Int32(field.count - 1 - star),
        ignoresCase: key.ignoresCase)
      add(action, at: field, in: &plan)
    } else {
      step.fields = plan.captures(of: key.fields, ignoringCase: key.ignoresCase)
      step.findingField = key.findingField.fieldText
      step.findingCapture = plan.capture(of: key.findingField)
    }
    plan.steps.append(step)
    return number
  }

  /// Returns the number of containers above a record that its references search, or -1 for the whole document.
  private func levels(
    of key: Schema.ForeignKey, _ keyword: Schema.Keyword, _ draft: StateDraft, _ plan: inout PlanDraft
  ) throws(CofferError) -> Int {
    var found: Set<Int> = []
    for target in key.targets {
      if case .relative(let levels, _) = target.resource {
        found.insert(levels - 1)
      } else {
        found.insert(locations.documentLevels)
      }
    }
    guard found.count == 1, let levels = found.first else {
      throw keyword.origin.error("the alternatives of a reference must all begin at the root, or all in the same container")
    }
    for root in locations.keyRoots[locations.keySet(of: key)] ?? [] {
      if levels == 0 { plan.keyRoots.append(root) } else { draft.keyLookups.append((levels + 1, root, keyword)) }
    }
    return levels
  }

  private func add(_ action: RuleProgram.PlaceAction, at field: Schema.FieldPath, in plan: inout PlanDraft) {
    let root = plan.root ?? locations.newRoot()
    plan.root = root
    locations.add(action, at: field, from: root)
  }

  /// Claims items like keys, to stay within the keys' memory. If a branch waits for the result, the evaluator compares the items
  /// instead.
  private func addUniqueItems(of draft: StateDraft, to plan: inout PlanDraft) {
    for unique in draft.uniqueItems {
      guard unique.slot == 0, !draft.key.isConditional else {
        draft.uniqueSteps.append(-1)
        continue
      }
      var step = PlanDraft.Step(kind: .uniqueItem, fields: [], fieldNames: [], keySet: plan.scopedSetCount, isScoped: true)
      step.rule = builder.addRule(unique.keyword, in: draft, place: "/*", expectation: "a unique item")
      draft.uniqueSteps.append(plan.steps.count)
      plan.steps.append(step)
      plan.scopedSetCount += 1
    }
  }
}

extension Schema.ForeignKey {
  /// Returns true if this key requires more of a record than `other`, which already requires it to exist: then it reports nothing
  /// if that one fails.
  ///
  /// That is so if it requires more of the same record, or if it requires the same fields to refer to another record, too.
  fileprivate func refines(_ other: Schema.ForeignKey) -> Bool {
    guard other.whenSchema == nil, ignoresCase == other.ignoresCase, other.targets.allSatisfy({ $0.whereSchema == nil }) else {
      return false
    }
    if fields == other.fields { return true }
    guard targets.count == 1, other.targets.count == 1 else { return false }
    let (target, base) = (targets[0], other.targets[0])
    return target.resource == base.resource && !base.fields.isEmpty
      && zip(other.fields, base.fields).allSatisfy { pair in zip(fields, target.fields).contains { $0 == pair } }
  }

  /// The list around the field whose items are the keys.
  fileprivate var list: RuleProgram.StepLabel.List? {
    guard targets.count == 1, targets[0].fields.isEmpty, case .relative(let levels, let tokens) = targets[0].resource,
      !tokens.contains("*")
    else { return nil }
    let star = fields.first?.lastIndex(of: "*") ?? 0
    return RuleProgram.StepLabel.List(levels: star + levels - 1, tokens: tokens)
  }
}
