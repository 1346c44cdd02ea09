/// A state while it is being compiled.
final class StateDraft {
  /// What makes a state: one schema asks different things of a value where the value stands in a place that others refer to, or is a record with keys.
  struct Key: Hashable {
    /// -1: the schema `true`.
    var schema: Int
    /// A node of the location tree, or -1.
    var location: Int
    /// The plan that this value is a record of, or -1.
    var recordPlan: Int
    /// Whether a failure here may leave the document valid.
    var isConditional: Bool
  }

  typealias Child = (state: StateDraft, slot: UInt16)

  let index: Int
  let key: Key
  var slots = [RuleProgram.Slot(parent: 0, isMute: false)]
  /// By kind of value, in the order of `ValueKind`.
  var checks: [[RuleProgram.Check]] = Array(repeating: [], count: 6)
  var closers: [RuleProgram.Closer] = []
  var resolutions: [RuleProgram.Resolution] = []
  var contains: [RuleProgram.ContainsCount] = []
  var requiredNames: [String] = []
  private var requiredBits: [String: Int32] = [:]

  /// `properties` with their `additionalProperties`, of each schema object in this state.
  var memberRules: [(slot: UInt16, schemas: [String: Int], names: [String], additional: Int?)] = []
  var itemRules: [(slot: UInt16, schema: Int)] = []
  /// Keys of the array's records, as the array's schema asks for them.
  var keyRules: [(keyword: Schema.Keyword, pointer: String)] = []

  /// Names in the order in which they were first met, so that programs come out the same every time.
  var memberNames: [String] = []
  var memberChildren: [String: [Child]] = [:]
  var otherChildren: [Child] = []
  var itemChildren: [Child] = []
  var captures: [String] = []
  var cells: [String] = []
  var globalCells: [String: Int] = [:]
  var plan: Int?
  var countIndex: Int?
  /// Where this state is a child.
  var parents: [(state: StateDraft, slot: UInt16)] = []
  /// Checks that look at fields around the value: they have the state's ancestors keep them.
  var dataLookups: [(reference: Schema.DataReference, slot: UInt16, keyword: Schema.Keyword)] = []

  init(index: Int, key: Key) {
    self.index = index
    self.key = key
  }

  func addName(_ name: String) {
    if memberChildren[name] == nil {
      memberChildren[name] = []
      memberNames.append(name)
    }
  }

  func addSlot(parent: UInt16, isMute: Bool) -> UInt16 {
    slots.append(RuleProgram.Slot(parent: parent, isMute: isMute))
    return UInt16(slots.count - 1)
  }

  /// Whether a scalar of that kind has something to pass here.
  func tests(_ kind: ValueKind) -> Bool { slots.count > 1 || !checks[kind.rawValue].isEmpty }

  /// The bit of a required name.
  func requiredBit(of name: String) -> Int32 {
    addName(name)
    if let bit = requiredBits[name] { return bit }
    requiredBits[name] = Int32(requiredNames.count)
    requiredNames.append(name)
    return Int32(requiredNames.count - 1)
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
