import JSONEvents
import Rules

/// Turns rules and hints into a plan.
final class PlanCompiler {
  let reader: ShapeReader
  let hints: GenerationHints
  /// Where documents declare their version, and which one.
  private let version: (tokens: [String], current: Int)?
  /// Where the moment of the backup stands.
  let createdAt: [String]?
  var plan = Plan()
  /// How many records can differ as those must that are being looked at.
  var recordLimit = Int.max
  /// How many values have been looked at.
  private var valueCount = 0
  /// Far more than people write rules about. Schemas that refer to the same ones again and again can come to any number.
  private static let valueLimit = 20_000
  /// Rules by which records name files; none for a document that stands alone.
  let files: FileSurvey
  var referencesByCollection: [[String]: [Schema.ForeignKey]] = [:]
  private var nameNumbers: [String: Int32] = [:]
  private var collectionNumbers: [[String]: Int32] = [:]
  /// What foreign keys look for: the fields of a collection, and the conditions on its records.
  var targets: [[String]: Target] = [:]
  /// Members that are to hold another record's key, by their path.
  var assigned: [String: Assignment] = [:]
  /// Which of a collection's branches satisfy which conditions.
  var branchMarks: [Int32: [(holds: Set<Int>, branch: Int)]] = [:]
  var openReferences: [(reference: Int32, condition: Int?, position: String)] = []
  /// Which values are measured by which, so that none is measured by itself.
  var measured: [[String]: Set<[String]>] = [:]

  /// A container around the value at hand.
  struct Container {
    var isArray: Bool
    var path: [String]
  }

  /// What is known of a value from around it.
  struct Context {
    var path: [String]
    var containers: [Container]
    /// No array stands around it.
    var isSpine: Bool
    var isUnique = false
    /// Of the variant that the record is of.
    var hint: ValueHint?
    /// How many values like this one there are at the least: the arrays around it ask for so many items.
    var leastCount = 1

    func inner(_ token: String) -> Context {
      Context(path: path + [token], containers: containers, isSpine: isSpine, leastCount: leastCount)
    }

    var pointer: String { path.map { "/" + $0.pointerToken }.joined() }
  }

  init(_ rules: RuleDocument, hints: GenerationHints, namesFiles: Bool = false) {
    files = namesFiles ? FileSurvey(rules) : FileSurvey()
    let policy = rules.backup?["version"]
    if let tokens = policy?["pointer"]?.string?.pointerTokens, let current = policy?["current"]?.number.flatMap({ Int($0) }) {
      version = (tokens, current)
    } else {
      version = nil
    }
    reader = ShapeReader(rules, version: version?.current)
    self.hints = hints
    createdAt = rules.backup?["createdAt"]?.string?.pointerTokens
    plan.reference = hints.reference
    plan.isSorted = hints.isSorted
    plan.escapesSlashes = hints.escapesSlashes
  }

  func compile() throws(SyntheticBackupError) -> Plan {
    noteTargets()
    var shape = reader.shape(of: reader.rules.root)
    if let version {
      for value in [JSONTree.number(String(version.current)), .string(String(version.current))] {
        let pinned = shape.and(Self.pin(value, at: version.tokens))
        if !pinned.isNothing {
          shape = pinned
          break
        }
      }
    }
    guard !reader.isTooDeep else { throw Self.tooDeep }
    let root = try generator(for: shape, Context(path: [], containers: [], isSpine: true))
    // What is left out where it may be is no excuse for what would have had no end.
    try checkValueCount()
    guard let root else { throw .impossible("", "the rules allow no document") }
    plan.root = root.generator
    try settleReferences()
    return plan
  }

  private static let tooDeep = SyntheticBackupError.impossible(
    "", "the rules speak of values more than \(ShapeReader.levelLimit) levels deep, or refer on and on for one value")

  /// Called for each value that is looked at.
  func countValue(_ context: Context) throws(SyntheticBackupError) {
    guard context.path.count <= ShapeReader.levelLimit else { throw Self.tooDeep }
    valueCount += 1
    try checkValueCount()
  }

  private func checkValueCount() throws(SyntheticBackupError) {
    guard valueCount <= Self.valueLimit else {
      throw .impossible("", "the rules come to more than \(Self.valueLimit) kinds of values")
    }
  }

  private static func pin(_ value: JSONTree, at tokens: [String]) -> Shape {
    tokens.reversed().reduce(
      Shape {
        $0.values = [value]
        $0.types = value.type
      }
    ) { inner, token in
      Shape {
        $0.types = .object
        $0.required = [token]
        $0.members = [Conjunction.Member(name: token, shape: inner)]
      }
    }
  }

  // MARK: Tables

  func name(_ text: String) -> Int32 {
    if let number = nameNumbers[text] { return number }
    let number = Int32(plan.names.count)
    plan.names.append(text)
    nameNumbers[text] = number
    return number
  }

  func add(_ generator: Generator) -> Int32 {
    plan.generators.append(generator)
    return Int32(plan.generators.count - 1)
  }

  /// A pool of values.
  ///
  /// - Parameter isDistinct: whether no two records draw the same.
  func pool(_ values: [JSONTree], isDistinct: Bool = false) -> Int32 {
    var known: [JSONTree] = []
    if isDistinct { for value in values where !known.contains(where: { $0.equals(value) }) { known.append(value) } }
    let pieces = pieces((isDistinct ? known : values).map { $0.bytes(escapesSlashes: hints.escapesSlashes) })
    return add(isDistinct ? .distinct(pieces) : .pool(pieces))
  }

  /// A pool of the insides of strings.
  func textPool(_ texts: [String]) -> Plan.Slice {
    pieces(texts.map { Array(JSONTree.string($0).bytes(escapesSlashes: hints.escapesSlashes).dropFirst().dropLast()) })
  }

  private func pieces(_ texts: [[UInt8]]) -> Plan.Slice {
    let start = Int32(plan.pieces.count)
    for text in texts {
      plan.pieces.append(Plan.Piece(start: Int32(plan.text.count), count: Int32(text.count)))
      plan.text += text
    }
    return Plan.Slice(start, Int32(plan.pieces.count))
  }

  func pathSlice(_ tokens: [String]) -> Plan.Slice {
    let start = Int32(plan.paths.count)
    let numbers = tokens.map { $0 == "*" ? -1 : name($0) }
    plan.paths += numbers
    return Plan.Slice(start, Int32(plan.paths.count))
  }

  static func salt(_ text: String) -> UInt64 {
    RandomSource.mixed(text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
  }

  func collection(at tokens: [String]) -> Int32 {
    if let number = collectionNumbers[tokens] { return number }
    let number = Int32(plan.collections.count)
    collectionNumbers[tokens] = number
    plan.collections.append(
      CollectionPlan(
        pointer: tokens.map { "/" + $0.pointerToken }.joined(), tokens: tokens, array: -1, object: -1, heads: [], body: .max,
        share: 1,
        least: 1, most: .max, noMoreThan: []))
    return number
  }
}
