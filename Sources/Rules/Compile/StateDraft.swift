import JSONEvents

/// A state while it is being compiled. The compiler owns all of them: they lead to each other in circles.
final class StateDraft {
  /// What makes a state: one schema asks different things of a value where the value stands in a place that others refer to, is a record
  /// with keys, or was come to by a way on which a `$dynamicRef` means something else.
  struct Key: Hashable {
    /// -1: the schema `true`.
    var schema: Int
    /// A node of the location tree, or -1.
    var location: Int
    /// The plan that this value is a record of, or -1.
    var recordPlan: Int
    /// Whether a failure here may leave the document valid.
    var isConditional: Bool
    /// What dynamic references mean here: see `DynamicScopes`.
    var scope: Int
  }

  /// A child state and the slot of its parent that its failures count in; in `parents`, the parent and that slot.
  struct Child {
    /// Not owned: recursive rules and the ways back to parents are circles, which nothing would ever free.
    unowned let state: StateDraft
    let slot: UInt16
  }

  let index: Int
  let key: Key
  var slots = [RuleProgram.Slot(parent: 0, isMute: false)]
  /// By kind of value, in the order of `ValueKind`.
  var checks: [[RuleProgram.Check]] = Array(repeating: [], count: 6)
  var closers: [RuleProgram.Closer] = []
  var resolutions: [RuleProgram.Resolution] = []
  var requiredNames: [String] = []
  private var requiredBits: [ExactText: Int32] = [:]

  /// `properties` with their patterns and `additionalProperties`, of each schema object in this state.
  var memberRules: [MemberRule] = []
  /// Those rules by the names that they know, and those that may ask something of any name. Asked for when all are there.
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
  var uniqueItems: [(slot: UInt16, keyword: Schema.Keyword)] = []
  /// Whether the members are to be counted.
  var countsMembers = false
  /// Whether an array or object is compared with others as a whole.
  var comparesContainers = false
  /// Keys of the array's records, as the array's schema asks for them.
  var keyRules: [Schema.Keyword] = []

  /// Names in the order in which they were first met, so that programs come out the same every time.
  private(set) var memberNames: [String] = []
  private var knownNames: Set<ExactText> = []
  private var memberChildren: [ExactText: [Child]] = [:]
  /// Of members whose names nobody knows, if there are no patterns.
  var otherChildren: [Child] = []
  var nameChildren: [Child] = []
  /// Of the first items, and last those of all others.
  var itemChildren: [[Child]] = [[]]
  var itemCovers: [RuleProgram.ItemCover] = []
  /// The patterns that names are tried by, and what they decide.
  var patterns: [Pattern] = []
  var patternRows: [(group: Int32, pattern: Int32, child: Child?)] = []
  var patternCovers: [PatternCover] = []
  /// The record's own fields that are captured, each with the capture's number.
  var captures: [ExactText: Int] = [:]
  var captureCount = 0
  var cells: [String] = []
  var globalCells: [ExactText: Int] = [:]
  /// Trees of places that are counted from this value.
  var roots: [Int] = []
  /// What is gathered for those who ask below.
  var gatherings: [Int] = []
  var plan: Int?
  var uniqueSteps: [Int] = []
  var countIndex: Int?
  var completion: RuleProgram.PlaceAction?
  var isShareable = true
  /// Where this state is a child.
  var parents: [Child] = []
  /// Checks that look at fields around the value: they have the state's ancestors keep them.
  var gatheringLookups: [(levels: Int, number: Int, slot: UInt16, keyword: Schema.Keyword)] = []
  /// Trees that keys of this array's records look into, by how many containers above a field they begin.
  var keyLookups: [(levels: Int, root: Int, keyword: Schema.Keyword)] = []
  var dataLookups: [(reference: Schema.DataReference, slot: UInt16, keyword: Schema.Keyword)] = []

  init(index: Int, key: Key) {
    self.index = index
    self.key = key
  }

  /// - Returns: whether the name is new.
  @discardableResult
  func addName(_ name: String) -> Bool {
    guard knownNames.insert(ExactText(name)).inserted else { return false }
    memberNames.append(name)
    return true
  }

  /// The member rules that may ask something of a member of that name, in order: looking at all of them for each name would take
  /// minutes where thousands of branches know a name each.
  func memberRules(concerning name: String) -> [Int] {
    guard let named = rulesByName[ExactText(name)] else { return rulesOfAnyName }
    return rulesOfAnyName.isEmpty ? named : Set(named).union(rulesOfAnyName).sorted()
  }

  func setChildren(_ children: [Child], named name: String) { memberChildren[ExactText(name)] = children }

  func children(named name: String) -> [Child] { memberChildren[ExactText(name)] ?? [] }

  func addSlot(parent: UInt16, isMute: Bool, isAlternative: Bool = false) -> UInt16 {
    slots.append(RuleProgram.Slot(parent: parent, isMute: isMute, isAlternative: isAlternative))
    return UInt16(slots.count - 1)
  }

  /// The slots, each with the end of its parts. Parts that don't directly follow it aren't included.
  var slotsWithEnds: [RuleProgram.Slot] {
    var slots = slots
    for index in slots.indices.reversed() {
      var end = index + 1
      while end < slots.count, slots[end].parent == index { end = Int(slots[end].end) }
      slots[index].end = UInt16(end)
    }
    return slots
  }

  /// Whether failures in a slot are never shown.
  func isMute(_ slot: UInt16) -> Bool {
    var slot = slot
    while slot != 0 {
      if slots[Int(slot)].isMute { return true }
      slot = slots[Int(slot)].parent
    }
    return false
  }

  /// Whether it looks at what stands around the value, or notes the value for others.
  var dependsOnPlace: Bool {
    key.location >= 0 || key.recordPlan >= 0 || plan != nil || !roots.isEmpty || !gatherings.isEmpty
      || !uniqueSteps.allSatisfy { $0 < 0 }
      || !gatheringLookups.isEmpty || !dataLookups.isEmpty || checks.joined().contains(where: \.dependsOnPlace)
  }

  /// Whether a scalar of that kind has something to pass here.
  func tests(_ kind: ValueKind) -> Bool { slots.count > 1 || !checks[kind.rawValue].isEmpty }

  /// The bit of a required name.
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

    /// The schemas that a member of that name is under.
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
    /// The slot that an item fails that doesn't match.
    let counted: UInt16
    /// The slot that `contains` stands in.
    let slot: UInt16
    let evaluates: Bool
    let rule: ItemRule
    /// The row of the program's rules that says where it stands.
    let ruleRow: Int32
  }

  /// Something that evaluates members or items, for the `unevaluated…` around it: an index of one of the lists above.
  enum Cover: Hashable {
    case members(Int), items(Int), contains(Int), unevaluated(Int)
  }

  struct UnevaluatedRule {
    let slot: UInt16
    let scope: Int
    let schema: Int
    let concernsItems: Bool
    /// What the schema around it evaluates, itself or by its subschemas in place.
    let covers: Set<Cover>
    let keyword: Schema.Keyword
    /// The slots that members and items fail which it concerns only if certain branches fail: by those branches' slots.
    var uncovered: [(covers: [UInt16], slot: UInt16)] = []
  }
}

extension StateDraft {
  struct PatternCover {
    let child: Child
    let always: RuleProgram.Range32
    let bits: RuleProgram.Range32
    let slots: RuleProgram.Range32
  }
}

extension Pattern {
  fileprivate func matches(_ name: String, _ matcher: Matcher) -> Bool {
    ByteView.with(name) { matcher.match(self, in: $0) == .match }
  }
}

/// The kinds of value that checks are sorted by.
package enum ValueKind: Int, CaseIterable, Sendable {
  case null, boolean, number, string, array, object

  var type: TypeSet {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }
}
