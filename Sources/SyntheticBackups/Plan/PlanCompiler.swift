import ByteStreams
import JSONEvents
import Rules

/// Compiles rules and hints into a plan.
final class PlanCompiler {
  let reader: ShapeReader
  let hints: GenerationHints
  /// The path of the declared version, and the current version.
  private let version: (tokens: [String], current: Int)?
  /// The path of the backup's creation time.
  let createdAt: [String]?
  var plan = Plan()
  /// The maximum number of distinct records of the current collection.
  var recordLimit = Int.max
  /// The number of values compiled so far.
  private var valueCount = 0
  /// A limit far above what real rules need. Schemas that refer to the same ones repeatedly can expand to any number.
  private static let valueLimit = 20_000
  /// The rules for members that name files; empty for a document without an archive.
  let files: FileSurvey
  var referencesByCollection: [[String]: [Schema.ForeignKey]] = [:]
  private var nameNumbers: [String: Int32] = [:]
  private var collectionNumbers: [[String]: Int32] = [:]
  /// The targets of foreign keys: a collection's fields, and the conditions on its records.
  var targets: [[String]: Target] = [:]
  /// Members that hold another record's key, by path.
  var assigned: [String: Assignment] = [:]
  /// The conditions that each branch of a collection satisfies.
  var branchMarks: [Int32: [(holds: Set<Int>, branch: Int)]] = [:]
  var openReferences: [(reference: Int32, condition: Int?, position: String)] = []
  /// The values that each value depends on, to prevent cycles.
  var measured: [[String]: Set<[String]>] = [:]

  /// A container around the current value.
  struct Container {
    var isArray: Bool
    var path: [String]
  }

  /// The context of a value.
  struct Context {
    var path: [String]
    var containers: [Container]
    /// True if no array encloses it.
    var isEnvelope: Bool
    var isUnique = false
    /// The order of the records, if it is by this value.
    var order: Schema.SortOrder?
    /// The hint of the record's variant.
    var hint: ValueHint?
    /// The minimum number of such values, given the minimum lengths of the arrays around it.
    var leastCount = 1

    func inner(_ token: String) -> Context {
      Context(path: path + [token], containers: containers, isEnvelope: isEnvelope, leastCount: leastCount)
    }

    var pointer: String { path.map { "/" + $0.pointerToken }.joined() }
  }

  init(_ rules: RuleDocument, hints: GenerationHints, namesFiles: Bool = false) {
    files = namesFiles ? FileSurvey(rules) : FileSurvey()
    let policy = rules.backup?["version"]
    if let tokens = policy?["pointer"]?.string?.pointerTokens, let current = policy?["current"]?.integer {
      version = (tokens, current)
    } else {
      version = nil
    }
    reader = ShapeReader(rules, version: version?.current)
    self.hints = hints
    createdAt = rules.backup?["createdAt"]?.string?.pointerTokens
    plan.isSorted = hints.isSorted
    plan.escapesSlashes = hints.escapesSlashes
  }

  func compile() throws(CofferError) -> Plan {
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
    let root = try generator(for: shape, Context(path: [], containers: [], isEnvelope: true))
    // Checked again: an optional member swallows its error, but endless rules must fail.
    try checkValueCount()
    guard let root else { throw .impossible("", "the rules allow no document") }
    plan.root = root.generator
    try settleReferences()
    return plan
  }

  private static let tooDeep = CofferError.impossible(
    "", "the rules nest values more than \(ShapeReader.levelLimit) levels deep, or chain too many references for one value")

  /// Counts a value. Called for each value that is compiled.
  func countValue(_ context: Context) throws(CofferError) {
    guard context.path.count <= ShapeReader.levelLimit else { throw Self.tooDeep }
    valueCount += 1
    try checkValueCount()
  }

  private func checkValueCount() throws(CofferError) {
    guard valueCount <= Self.valueLimit else {
      throw .impossible("", "the rules describe more than \(Self.valueLimit) kinds of values")
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

  /// Adds a pool of values.
  ///
  /// - Parameter isDistinct: True if no two records may get the same value.
  func pool(_ values: [JSONTree], isDistinct: Bool = false) -> Int32 {
    var known: [JSONTree] = []
    if isDistinct { for value in values where !known.contains(where: { $0.equals(value) }) { known.append(value) } }
    let pieces = pieces((isDistinct ? known : values).map { $0.bytes(escapesSlashes: hints.escapesSlashes) })
    return add(isDistinct ? .distinct(pieces) : .pool(pieces))
  }

  /// Adds a pool of strings without their quotes.
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
