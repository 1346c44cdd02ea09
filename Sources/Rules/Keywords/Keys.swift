import ByteStreams
package import Findings
import JSONEvents

// Keys of the records of a collection, and references to them: `primaryKey`, `uniqueKeys`, `foreignKeys`, `uniqueItems`. A
// collection is an array of records, or an object of records, whose names are the field `0#`.
//
//     keyword ─▶ Schema.UniqueKey, ForeignKey ─▶ PlanDraft.Step of the collection's plan, LocationTree ─▶ KeyLog ─▶ KeyIndex
//
// Each record that ends adds its keys to the log of its slice. The document's index gets all logs in order, and decides.

extension Keyword {
  static let uniqueItems = Keyword("uniqueItems", .validation) { _, member, _ throws(CofferError) in
    try member.value.expectBoolean() ? .uniqueItems(ignoresCase: false) : nil
  }

  static let keys: [Keyword] = [
    Keyword("primaryKey", .coffer) { schemas, member, reader throws(CofferError) in
      .uniqueKey(try schemas.uniqueKey(member.value, reader, isPrimary: true))
    },
    Keyword("uniqueKeys", .coffer, code: "unique-key", subschemas: keySchemas) { schemas, member, reader throws(CofferError) in
      try schemas.entries(member.value, "uniqueKeys", reader)
    },
    Keyword("foreignKeys", .coffer, code: "foreign-key", subschemas: keySchemas) {
      schemas, member, reader throws(CofferError) in
      try schemas.entries(member.value, "foreignKeys", reader)
    },
  ]

  private static let keySchemas: Subschemas = { value in
    (value.array ?? []).enumerated().flatMap { index, entry -> [(tokens: [String], schema: JSONValue.Located)] in
      var schemas: [(tokens: [String], schema: JSONValue.Located)] = []
      if let schema = entry["when"] { schemas.append(([String(index), "when"], schema)) }
      let path = [String(index), "reference"]
      if let schema = entry["reference"]?["where"] { schemas.append((path + ["where"], schema)) }
      for (number, alternative) in (entry["reference"]?.array ?? []).enumerated() {
        if let schema = alternative["where"] { schemas.append((path + [String(number), "where"], schema)) }
      }
      return schemas
    }
  }
}

extension Schema {
  /// The grading of a finding in a less serious case.
  package enum Leniency: Sendable, Equatable {
    case graded(Severity)
    /// No finding.
    case passed

    init?(name: String) {
      if name == "none" {
        self = .passed
      } else if let severity = Severity(rawValue: name) {
        self = .graded(severity)
      } else {
        return nil
      }
    }
  }

  package struct UniqueKey: Sendable {
    package var fields: [FieldPath]
    /// True to compare strings in lowercase.
    package var ignoresCase = false
    package var isPrimary = false
    /// True if the records of all arrays at this place count together.
    var spansArrays = false
    /// True if dates and times of the same instant are equal.
    var comparesInstants = false
    /// The schema that a record must satisfy for its key to count.
    package var whenSchema: Int?
    /// The grading of a duplicate whose record equals an earlier one with the same key. If `nil`, it is graded like other
    /// duplicates.
    package var ifEqual: Leniency?
  }

  package struct ForeignKey: Sendable {
    package var fields: [FieldPath]
    /// True to compare strings in lowercase.
    package var ignoresCase = false
    /// The collections that may define the key: at least one must.
    package var targets: [Target]
    /// The schema that the referencing record must satisfy for the key to be checked.
    package var whenSchema: Int?
    /// The grading of dangling references if one of the collections with this option is empty. If `nil`, they are graded like
    /// others.
    package var ifEmpty: IfEmpty?
    /// The field that findings point at.
    package var findingField: FieldPath

    package struct IfEmpty: Sendable, Equatable {
      var leniency: Leniency
      /// Applies only to documents of versions before this one. If `nil`, it applies to all.
      package var before: Int?
    }

    package struct Target: Sendable {
      package var resource: Resource
      /// Empty: the items themselves are the keys.
      package var fields: [FieldPath]
      /// The schema that the referenced record must satisfy.
      package var whereSchema: Int?
      /// True if `ifEmpty` applies to this collection.
      var gradesIfEmpty = false
    }
  }
}

extension SchemaReader {
  /// Reads a list of rules, each with its own place and grading: they become the parts of an `allOf`.
  fileprivate mutating func entries(
    _ value: RuleValue, _ name: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion {
    var parts: [Int] = []
    for item in try value.expectItems(of: "keys") {
      var entry = reader
      entry.schema = item
      do throws(CofferError) {
        try entry.readGrading()
        let assertion = try name == "uniqueKeys" ? uniqueKeyOrItem(item, entry) : foreignKey(item, entry)
        parts.append(add(part(name, item, assertion, entry)))
      } catch {
        note(error, in: reader)
      }
    }
    return .allOf(parts)
  }

  /// Reads the fields of a unique key. An empty list of fields means that the items themselves are unique.
  private mutating func uniqueKeyOrItem(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    guard value.isObject, value["fields"]?.items?.isEmpty == true else { return .uniqueKey(try uniqueKey(value, reader)) }
    for name in Self.fieldMembers {
      if let member = value[name] { throw member.error("\(name) needs a field") }
    }
    try reader.checkMembers(value, known: Self.keyMembers)
    return .uniqueItems(ignoresCase: try value["ignoreCase"]?.expectBoolean() ?? false)
  }

  fileprivate mutating func uniqueKey(
    _ value: RuleValue, _ reader: KeywordReader, isPrimary: Bool = false
  ) throws(CofferError) -> Schema.UniqueKey {
    guard value.isObject else { return Schema.UniqueKey(fields: try reader.fields(value), isPrimary: isPrimary) }
    if isPrimary {
      try value.checkMembers(known: Self.keyMembers + ["acrossArrays"])
    } else {
      try reader.checkMembers(value, known: Self.keyMembers + Self.fieldMembers)
    }
    guard let fields = value["fields"] else { throw value.error("missing fields") }
    var key = Schema.UniqueKey(
      fields: try reader.fields(fields), ignoresCase: try value["ignoreCase"]?.expectBoolean() ?? false, isPrimary: isPrimary,
      spansArrays: try value["acrossArrays"]?.expectBoolean() ?? false,
      comparesInstants: try value["asInstants"]?.expectBoolean() ?? false)
    if let schema = value["when"] { key.whenSchema = inner(schema, "when", reader) }
    if let grade = value["ifEqual"] {
      guard let leniency = grade.string.flatMap(Schema.Leniency.init(name:)) else {
        throw grade.error("expected error, warning, note or none")
      }
      key.ifEqual = leniency
    }
    return key
  }

  private static let keyMembers = ["fields", "ignoreCase"]

  /// Further members of an entry with fields.
  private static let fieldMembers = ["acrossArrays", "asInstants", "when", "ifEqual"]

  private mutating func foreignKey(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    try reader.checkMembers(value, known: ["fields", "reference", "when", "at", "ignoreCase"])
    guard let fieldsValue = value["fields"], let reference = value["reference"] else {
      throw value.error("a foreign key needs fields and reference")
    }
    let fields = try reader.fields(fieldsValue, allowsItems: true)
    var key = Schema.ForeignKey(
      fields: fields, ignoresCase: try value["ignoreCase"]?.expectBoolean() ?? false, targets: [], findingField: fields[0])
    let alternatives = reference.items ?? [reference]
    if alternatives.isEmpty { throw reference.error("a reference needs a resource") }
    for alternative in alternatives { key.targets.append(try target(alternative, &key, reader)) }
    if let schema = value["when"] { key.whenSchema = inner(schema, "when", reader) }
    if let field = value["at"] {
      guard field.string != nil else { throw field.error("at must name a field") }
      key.findingField = try reader.fields(field)[0]
    }
    return .foreignKey(key)
  }

  /// Reads a grading, or one that applies to versions of the format before a given one.
  private func ifEmpty(_ value: RuleValue) throws(CofferError) -> Schema.ForeignKey.IfEmpty? {
    guard value.isObject else {
      return value.string.flatMap(Schema.Leniency.init(name:)).map { Schema.ForeignKey.IfEmpty(leniency: $0) }
    }
    try value.checkMembers(known: ["severity", "before"])
    guard let name = value["severity"]?.string, let leniency = Schema.Leniency(name: name), let before = value["before"]
    else { return nil }
    return Schema.ForeignKey.IfEmpty(leniency: leniency, before: try before.expectCount())
  }

  /// Reads one collection that a foreign key may refer to.
  private mutating func target(
    _ value: RuleValue, _ key: inout Schema.ForeignKey, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.ForeignKey.Target {
    try value.checkMembers(known: ["resource", "fields", "where", "ifEmpty"])
    guard let resource = value["resource"] else { throw value.error("a reference needs a resource") }
    var target = Schema.ForeignKey.Target(resource: try reader.keyResource(resource), fields: [])
    if let fields = value["fields"] { target.fields = try reader.fields(fields) }
    if case .relative(levels: 2, let tokens) = target.resource, tokens[0] != "*" {
      throw resource.error(
        "'\(target.resource.text)' begins at the array of the records, whose items are '*'; use 3 for the object around it")
    }
    guard key.fields.count == max(1, target.fields.count) else {
      throw value.error(
        "a foreign key needs as many fields as its reference, or one field if the items of the resource are the keys")
    }
    if let schema = value["where"] {
      if target.fields.isEmpty { throw schema.error("where applies only to records: it needs fields") }
      target.whereSchema = inner(schema, "where", reader)
    }
    if let grade = value["ifEmpty"] {
      guard let ifEmpty = try self.ifEmpty(grade) else { throw grade.error("expected error, warning, note or none") }
      guard key.ifEmpty == nil || key.ifEmpty == ifEmpty else {
        throw grade.error("all alternatives of a reference must have the same ifEmpty")
      }
      key.ifEmpty = ifEmpty
      target.gradesIfEmpty = true
    }
    return target
  }
}

extension Keyword.Rule {
  static func uniqueItems(ignoringCase ignoresCase: Bool) -> Keyword.Rule {
    Keyword.Rule(.array, words: { _ in "unique items" }) { adder, keyword, slot in
      adder.draft.uniqueItems.append((slot, ignoresCase, keyword))
    }
  }

  static func uniqueKey(_ key: Schema.UniqueKey) -> Keyword.Rule {
    Keyword.Rule(.collection, fields: key.fields, add: addKey)
  }

  static func foreignKey(_ key: Schema.ForeignKey) -> Keyword.Rule {
    Keyword.Rule(.collection, fields: key.fields, request: { $0.addKeySet(of: key, for: $1) }, add: addKey)
  }

  private static let addKey: Add = { adder, keyword, slot throws(CofferError) in
    try adder.refuseInBranches(keyword, slot)
    adder.draft.keyRules.append(keyword)
    adder.draft.recordKeywords.append((keyword, nil))
  }
}

/// Plans for capturing the records of a collection.
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
          names: fields.map(\.fieldText),
          keySet: plan.scopedSetCount,
          isScoped: true)
        step.row.rule = builder.addRule(
          keyword, in: draft, place: Self.place(of: fields[0]),
          expectation: "a unique " + (fields.count == 1 ? "value" : "combination of " + step.label.fields.joined(separator: ", "))
        )
        step.row.findingCapture = Int32(plan.capture(of: fields[0]))
        step.label.findingField = fields[0].findingText
        // The set that references look into is reused if it belongs only to this array.
        if node?.isSingle == true, key.whenSchema == nil, !key.comparesInstants, !fields.contains(where: \.endsInName),
          let shared = defined.firstIndex(where: {
            $0.levels < 0 && $0.request == LocationTree.KeyRequest(fields: fields, ignoresCase: key.ignoresCase, whereSchema: nil)
          })
        {
          step.row.keySet = Int32(defined[shared].keySet)
          step.row.isScoped = false
          defined.remove(at: shared)
        } else if key.spansArrays {
          step.row.keySet = Int32(commonKeySet(of: keyword))
          step.row.isScoped = false
          step.row.levels = Int32(locations.documentLevels)
        } else {
          plan.scopedSetCount += 1
        }
        step.label.ifEqual = key.ifEqual
        if let schema = key.whenSchema { conditions[plan.steps.count] = schema }
        plan.steps.append(step)
        if key.ifEqual != nil {
          if let schema = key.whenSchema { conditions[plan.steps.count] = schema }
          plan.steps.append(equalRecords(of: step, keyword, &plan))
        }
      case .foreignKey(let key):
        let step = try reference(key, keyword, draft, &plan)
        plan.steps[step].row.base = Int32(references.last { key.refines($0.key) }?.step ?? -1)
        if let schema = key.whenSchema { conditions[step] = schema }
        references.append((key, step))
      default: preconditionFailure("not a rule about keys")
      }
    }
    for definition in defined {
      let fields = definition.request.fields
      let request = definition.request
      let spelled = Dictionary(uniqueKeysWithValues: request.namePositions.map { ($0, RuleProgram.Numbers.spelled) })
      let names = fields.indices.filter { fields[$0].endsInName && spelled[$0] == nil }
      // A record's name that spells an integer also defines the key with that integer.
      for numbers in names.isEmpty ? [.kept] : [RuleProgram.Numbers.kept, .read] {
        var step = PlanDraft.Step(
          kind: .definition,
          fields: plan.captures(
            of: fields, ignoringCase: request.ignoresCase,
            numbers: names.reduce(into: spelled) { $0[$1] = numbers }),
          names: fields.map(\.fieldText), keySet: definition.keySet, isScoped: false)
        step.row.levels = Int32(definition.levels)
        if let schema = request.whereSchema { conditions[plan.steps.count] = schema }
        plan.steps.append(step)
      }
    }
    addUniqueItems(of: draft, to: &plan)
    var names: [RuleProgram.PlaceAction] = []
    for (index, capture) in plan.captures.enumerated() where !capture.isPlain {
      let action = RuleProgram.PlaceAction(
        kind: .capture, levels: Int32(capture.path.count - 1), index: Int32(index), isName: capture.isName,
        ignoresCase: capture.ignoresCase, comparesInstants: capture.comparesInstants, numbers: capture.numbers)
      if capture.isName { names.append(action) } else { add(action, at: capture.path.map(\.text), in: &plan) }
    }
    plan.names = ProgramBuilder.append(names, to: &builder.placeActions)
    if plan.steps.isEmpty { return nil }
    builder.plans.append(plan)
    planConditions[builder.plans.count - 1] = conditions
    return builder.plans.count - 1
  }

  /// Returns the step that claims whole records, in addition to the step that claims their keys.
  private func equalRecords(of key: PlanDraft.Step, _ keyword: Schema.Keyword, _ plan: inout PlanDraft) -> PlanDraft.Step {
    var step = key
    step.row.kind = .equalRecord
    step.row.keySet = Int32(key.row.isScoped ? plan.scopedSetCount : commonKeySet(of: keyword, suffix: "/ifEqual"))
    if key.row.isScoped { plan.scopedSetCount += 1 }
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
      kind: .reference, fields: [], names: key.fields.map(\.fieldText), keySet: keySet, isScoped: false)
    step.label.resource = key.targets.map(\.resource.text).joined(separator: " or ")
    step.row.rule = builder.addRule(
      keyword, in: draft, place: Self.place(of: key.fields[0]),
      expectation: "the key of a record of " + (step.label.resource.isEmpty ? "the root" : step.label.resource))
    step.row.levels = Int32(try levels(of: key, keyword, draft, &plan))
    step.label.ifEmpty = key.ifEmpty
    step.label.list = key.list
    if key.ifEmpty != nil {
      guard step.row.levels < 0 else {
        throw keyword.origin.error(
          Int(step.row.levels) == locations.documentLevels
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
      step.row.isMultivalued = true
      step.label.findingField = Array(field[(star + 1)...]).findingText
      let isName = field.endsInName
      let path = isName ? Array(field.dropLast()) : field
      let action = RuleProgram.PlaceAction(
        kind: .reference, levels: Int32(path.count - 1), index: Int32(number), tail: Int32(path.count - 1 - star), isName: isName,
        ignoresCase: key.ignoresCase)
      if isName {
        locations.add(action, forNamesAt: path.dropLast(), from: root(of: &plan))
      } else {
        add(action, at: path, in: &plan)
      }
    } else {
      step.fields = plan.captures(
        of: key.fields, ignoringCase: key.ignoresCase,
        numbers: Dictionary(
          uniqueKeysWithValues: key.fields.indices.filter { key.fields[$0].endsInName }.map { ($0, .spelled) }))
      step.label.findingField = key.findingField.findingText
      step.row.findingCapture = Int32(plan.capture(of: key.findingField))
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
    locations.add(action, at: field, from: root(of: &plan))
  }

  /// Returns the tree of the watched places in a record.
  private func root(of plan: inout PlanDraft) -> Int {
    let root = plan.root ?? locations.newRoot()
    plan.root = root
    return root
  }

  /// Returns the place of a field of any record, as a pointer from the collection.
  private static func place(of field: Schema.FieldPath) -> String {
    "/*" + (field.findingText.isEmpty ? "" : "/" + field.findingText)
  }

  /// Claims items like keys, to stay within the keys' memory. If a branch waits for the result, the evaluator compares the items
  /// instead.
  private func addUniqueItems(of draft: StateDraft, to plan: inout PlanDraft) {
    for unique in draft.uniqueItems {
      guard unique.slot == 0, !draft.key.isConditional else {
        draft.uniqueSteps.append(-1)
        continue
      }
      var step = PlanDraft.Step(kind: .uniqueItem, fields: [], names: [], keySet: plan.scopedSetCount, isScoped: true)
      step.row.rule = builder.addRule(unique.keyword, in: draft, place: "/*", expectation: "a unique item")
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
