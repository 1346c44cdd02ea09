import JSONEvents

/// A state during compilation. The compiler owns all states, because they refer to each other in cycles.
final class StateDraft {
  /// The identity of a state: one schema has different rules if its value is in a place that others refer to, is a record with
  /// keys, or was reached on a path where a `$dynamicRef` has another target.
  struct Key: Hashable {
    /// The schema, or -1 for `true`.
    var schema: Int
    /// A node of the location tree, or -1.
    var location: Int
    /// The plan that captures this value as a record, or -1.
    var recordPlan: Int
    /// True if a failure here may leave the document valid.
    var isConditional: Bool
    /// The dynamic scope: see `DynamicScopes`.
    var scope: Int
  }

  /// A child state and the slot of its parent that receives its failures; in `parents`, the parent and that slot.
  struct Child {
    /// The state is not owned: recursive rules and the links to parents form cycles, which would never be freed.
    unowned let state: StateDraft
    let slot: UInt16
  }

  let index: Int
  let key: Key
  var slots = [RuleProgram.Slot(parent: 0, isMute: false)]
  /// The checks by kind of value, in the order of `JSONKind`.
  var checks: [[RuleProgram.Check]] = Array(repeating: [], count: JSONKind.allCases.count)
  var endChecks: [RuleProgram.EndCheck] = []
  var resolutions: [RuleProgram.Resolution] = []
  var requiredNames: [String] = []
  private var requiredBits: [ExactText: Int32] = [:]

  /// `properties` with their patterns and `additionalProperties`, of each schema object in this state.
  var memberRules: [MemberRule] = []
  /// These rules by name, and the rules that may apply to any name. Used once all rules are added.
  private lazy var rulesByName = {
    var rules: [ExactText: [Int]] = [:]
    for (index, rule) in memberRules.enumerated() { for name in rule.named.keys { rules[name, default: []].append(index) } }
    return rules
  }()
  private lazy var rulesOfAnyName = memberRules.indices.filter {
    !memberRules[$0].patterns.isEmpty || memberRules[$0].additional != nil
  }
  var nameRules: [(slot: UInt16, scope: Int, schema: Int)] = []
  var itemRules: [ItemRule] = []
  var contains: [ContainsRule] = []
  var unevaluated: [UnevaluatedRule] = []
  var uniqueItems: [(slot: UInt16, ignoresCase: Bool, keyword: Schema.Keyword)] = []
  var countsMembers = false
  /// True if an array or object is compared with others as a whole.
  var comparesContainers = false
  /// The keys of the collection's records, as its schema requires them.
  var keyRules: [Schema.Keyword] = []
  /// The keywords about the collection's records, and the references that look for records here, with the fields that they look for.
  var recordKeywords: [(keyword: Schema.Keyword, target: String?)] = []

  /// Names in the order of their first use, so that compilation is deterministic.
  private(set) var memberNames: [String] = []
  private var knownNames: Set<ExactText> = []
  private var namedChildren: [ExactText: [Child]] = [:]
  /// Children for members with unknown names, if there are no patterns.
  var otherChildren: [Child] = []
  var nameChildren: [Child] = []
  /// The trees of the actions for the names themselves.
  var nameRoots: [Int] = []
  /// Children for the first items, then those for all others.
  var itemChildren: [[Child]] = [[]]
  var itemCovers: [RuleProgram.ItemCover] = []
  /// The patterns for names, and the rows that depend on them.
  var patterns: [Pattern] = []
  var patternRows: [(group: Int32, pattern: Int32, child: Child?)] = []
  var patternCovers: [(child: Child, row: RuleProgram.PatternCover)] = []
  /// The captured fields of the record itself, each with the capture's number.
  var captures: [ExactText: Int] = [:]
  var captureCount = 0
  var nameCaptures = 0
  var cells: [String] = []
  var globalCells: [ExactText: Int] = [:]
  /// The trees of places relative to this value.
  var roots: [Int] = []
  /// The aggregates for requests from below.
  var aggregates: [Int] = []
  var plan: Int?
  /// The plan if it is about the records themselves, or -1.
  var planOfRecords = -1
  var uniqueSteps: [Int] = []
  var countIndex: Int?
  var completion: RuleProgram.PlaceAction?
  var isShareable = true
  /// The places where this state is a child.
  var parents: [Child] = []
  /// The name of the member that has this state, `*` for others and for items; `nil` if there are several.
  private(set) var token: String?
  /// Checks that read fields around the value: the state's ancestors keep those fields.
  var aggregateLookups: [(levels: Int, number: Int, slot: UInt16, keyword: Schema.Keyword)] = []
  /// The trees that keys of this array's records look into, with the number of containers from a field up to their start.
  var keyLookups: [(levels: Int, root: Int, keyword: Schema.Keyword)] = []
  var dataLookups: [(reference: Schema.DataReference, slot: UInt16, keyword: Schema.Keyword)] = []

  init(index: Int, key: Key) {
    self.index = index
    self.key = key
  }

  /// Adds a place where this state is a child, of the member with that name.
  func addParent(_ parent: Child, token: String) {
    let isFirst = parents.isEmpty
    // The root is also where the document is.
    let isOnly = index > 0 && (isFirst || parents[0].state === parent.state && self.token == token)
    self.token = isOnly ? token : nil
    parents.append(parent)
  }

  /// - Returns: true if the name is new.
  @discardableResult
  func addName(_ name: String) -> Bool {
    guard knownNames.insert(ExactText(name)).inserted else { return false }
    memberNames.append(name)
    return true
  }

  /// Returns the member rules that may apply to a member of that name, in order. Visiting all rules for each name would take
  /// minutes if thousands of branches each have their own name.
  func memberRules(concerning name: String) -> [Int] {
    guard let named = rulesByName[ExactText(name)] else { return rulesOfAnyName }
    return rulesOfAnyName.isEmpty ? named : Set(named).union(rulesOfAnyName).sorted()
  }

  /// True if names are matched with no patterns.
  var hasNoPatterns: Bool { memberRules.allSatisfy(\.patterns.isEmpty) }

  /// Adds a child for each member that isn't named, whatever patterns match its name.
  func addPatternRow(_ child: Child) {
    patternRows.append((Int32(patternRows.last.map { $0.group + 1 } ?? 0), -1, child))
  }

  func setChildren(_ children: [Child], named name: String) { namedChildren[ExactText(name)] = children }

  /// The children for all members and their names.
  var memberChildren: [Child] {
    memberNames.flatMap { children(named: $0) } + otherChildren + patternRows.compactMap(\.child) + patternCovers.map(\.child)
      + nameChildren
  }

  func children(named name: String) -> [Child] { namedChildren[ExactText(name)] ?? [] }

  func addSlot(parent: UInt16, isMute: Bool, isAlternative: Bool = false) -> UInt16 {
    slots.append(RuleProgram.Slot(parent: parent, isMute: isMute, isAlternative: isAlternative))
    return UInt16(slots.count - 1)
  }

  /// The slots, each with the end of its parts. Parts that don't directly follow their slot aren't included.
  var slotsWithEnds: [RuleProgram.Slot] {
    var slots = slots
    for index in slots.indices.reversed() {
      var end = index + 1
      while end < slots.count, slots[end].parent == index { end = Int(slots[end].end) }
      slots[index].end = UInt16(end)
    }
    return slots
  }

  /// Returns true if failures in a slot are never shown.
  func isMute(_ slot: UInt16) -> Bool {
    var slot = slot
    while slot != 0 {
      if slots[Int(slot)].isMute { return true }
      slot = slots[Int(slot)].parent
    }
    return false
  }

  /// Returns true if a value of that kind has a finding of `type`.
  func refuses(_ kind: JSONKind) -> Bool {
    checks[kind.rawValue].contains { $0.isType && $0.slot == 0 && $0.operation == .never }
  }

  /// True if it reads the value's surroundings, or records the value for others.
  var dependsOnPlace: Bool {
    key.location >= 0 || key.recordPlan >= 0 || plan != nil || !roots.isEmpty || !aggregates.isEmpty
      || !uniqueSteps.allSatisfy { $0 < 0 }
      || !aggregateLookups.isEmpty || !dataLookups.isEmpty || checks.joined().contains(where: \.dependsOnPlace)
  }

  /// Returns true if scalars of that kind are checked here.
  func tests(_ kind: JSONKind) -> Bool { slots.count > 1 || !checks[kind.rawValue].isEmpty }

  /// Returns the bit of a required name.
  func requiredBit(of name: String) -> Int32 {
    addName(name)
    if let bit = requiredBits[ExactText(name)] { return bit }
    requiredBits[ExactText(name)] = Int32(requiredNames.count)
    requiredNames.append(name)
    return Int32(requiredNames.count - 1)
  }
}

extension StateDraft {
  struct MemberRule {
    let slot: UInt16
    let scope: Int
    let named: [ExactText: Int]
    let names: [String]
    let patterns: [(pattern: Pattern, schema: Int)]
    let additional: Int?

    init(_ members: Schema.Members, slot: UInt16, scope: Int) {
      self.slot = slot
      self.scope = scope
      named = Dictionary(members.named.map { (ExactText($0.name), $0.schema) }) { $1 }
      names = members.named.map(\.name)
      patterns = members.patterns
      additional = members.additional
    }

    /// Returns the schemas that apply to a member of that name.
    func schemas(for name: String, _ matcher: Pattern.Matcher) -> [Int] {
      var schemas = patterns.filter { $0.pattern.matches(name, matcher) }.map(\.schema)
      if let schema = named[ExactText(name)] { schemas.insert(schema, at: 0) }
      if schemas.isEmpty, let additional { schemas.append(additional) }
      return schemas
    }
  }

  struct ItemRule {
    let slot: UInt16
    let scope: Int
    let prefix: [Int]
    let rest: Int?

    func schema(at index: Int) -> Int? { index < prefix.count ? prefix[index] : rest }
  }

  struct ContainsRule {
    /// The slot that fails for an item that doesn't match.
    let counted: UInt16
    /// The slot that `contains` belongs to.
    let slot: UInt16
    let evaluates: Bool
    let rule: ItemRule
    /// The row of the program's rules with its place.
    let ruleRow: Int32
  }

  /// A keyword that evaluates members or items, for the `unevaluated…` around it: an index into one of the lists above.
  enum Cover: Hashable {
    case members(Int), items(Int), contains(Int), unevaluated(Int)
  }

  struct UnevaluatedRule {
    let slot: UInt16
    let scope: Int
    let schema: Int
    let concernsItems: Bool
    /// The values that the schema around the keyword evaluates, itself or through its in-place subschemas.
    let covers: Set<Cover>
    let keyword: Schema.Keyword
    /// The slots for members and items that it applies to only if certain branches fail: by those branches' slots.
    var uncovered: [(covers: [UInt16], slot: UInt16)] = []
  }
}

extension Pattern {
  func matches(_ name: String, _ matcher: Matcher) -> Bool {
    ByteView.with(name) { matcher.match(self, in: $0) == .match }
  }
}
