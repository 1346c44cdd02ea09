public import Findings
public import Rules

/// How much of what could go wrong some rules find.
public struct RuleScore: Sendable {
  /// What was planted in one field.
  public struct Cell: Sendable, Hashable {
    /// The JSON Pointer of the field, with `*` for any record.
    public let field: String
    public let kind: MutationKind
    public internal(set) var caught = 0
    public internal(set) var missed = 0
    /// The number of defects that no rule that the backups support would find. They don't count.
    public internal(set) var allowed = 0
    /// The keyword that would find those that are missed.
    public internal(set) var keyword: String?
    /// The values before and after one of them; the first one that was caught if none is missed.
    public internal(set) var before: String?
    public internal(set) var after: String?
    /// The places, in the draft, of the keywords.
    var locations: [String] = []

    init(field: String, kind: MutationKind) { (self.field, self.kind) = (field, kind) }
  }

  public let rules: String
  public let files: [String]
  /// What the result depends on.
  public let seed: UInt64
  public let budget: Int
  public let now: Instant
  /// The number of backups that gave samples.
  public let samples: Int
  /// What the rules find in the backups as they are.
  public internal(set) var findings = FindingCounts()
  /// The number of fields without defects, because the rules find something wherever they are.
  public let fieldsWithFindings: Int
  /// The number of fields without defects, because the samples lack them: few records of a large backup have them.
  public let fieldsNotSampled: Int
  /// True if the budget left defects out.
  public internal(set) var isCutShort = false
  /// What was planted: the fields in the order of the documents; of each, the kinds of defects.
  public private(set) var cells: [Cell] = []
  private var numbers: [String: Int] = [:]
  /// The rules that the backups support.
  let draft: RuleDraft

  /// Leaves the values out.
  public var redacted: RuleScore {
    var score = self
    for index in score.cells.indices { (score.cells[index].before, score.cells[index].after) = (nil, nil) }
    return score
  }

  public var caught: Int { cells.reduce(0) { $0 + $1.caught } }
  public var missed: Int { cells.reduce(0) { $0 + $1.missed } }
  public var allowed: Int { cells.reduce(0) { $0 + $1.allowed } }

  /// The share of the defects that are caught, of those that are caught or missed; `nil` if there are none.
  public var score: Double? { caught + missed == 0 ? nil : Double(caught) / Double(caught + missed) }

  /// The cells with missed defects, worst first: the largest share, then the gravest kind.
  public var gaps: [Cell] {
    func share(_ cell: Cell) -> Double { Double(cell.missed) / Double(cell.caught + cell.missed) }
    return cells.enumerated().filter { $0.element.missed > 0 }.sorted { a, b in
      let (x, y) = (a.element, b.element)
      if share(x) != share(y) { return share(x) > share(y) }
      if x.kind != y.kind { return x.kind.gravity < y.kind.gravity }
      return a.offset < b.offset
    }.map(\.element)
  }

  init(
    rules: String, files: [String], options: RuleScorer.Options, samples: Int, fieldsWithFindings: Int, fieldsNotSampled: Int,
    draft: RuleDraft
  ) {
    (self.fieldsNotSampled, self.draft) = (fieldsNotSampled, draft)
    (self.rules, self.files, self.samples, self.fieldsWithFindings) = (rules, files, samples, fieldsWithFindings)
    (seed, budget, now) = (options.seed, options.budget, options.validation.now)
  }

  mutating func add(_ mutation: Mutation, of field: String, _ outcome: MutationOutcome) {
    let key = "\(mutation.kind.rawValue) \(field)"
    let number = numbers[key] ?? cells.count
    if number == cells.count {
      numbers[key] = number
      cells.append(Cell(field: field, kind: mutation.kind))
    }
    var isShown = cells[number].before == nil
    switch outcome {
    case .caught: cells[number].caught += 1
    case .allowed: cells[number].allowed += 1
    case .missed(let keyword, let location):
      if cells[number].missed == 0 { (cells[number].keyword, isShown) = (keyword, true) }
      if !cells[number].locations.contains(location) { cells[number].locations.append(location) }
      cells[number].missed += 1
    }
    if isShown { (cells[number].before, cells[number].after) = (mutation.before, mutation.after) }
  }

  /// Brings the cells of a field together.
  mutating func sort() {
    var order: [String: Int] = [:]
    for cell in cells where order[cell.field] == nil { order[cell.field] = order.count }
    let kinds = Dictionary(uniqueKeysWithValues: MutationKind.allCases.enumerated().map { ($1, $0) })
    cells.sort { (order[$0.field] ?? 0, kinds[$0.kind] ?? 0) < (order[$1.field] ?? 0, kinds[$1.kind] ?? 0) }
    numbers = [:]
  }
}

/// What rules make of a defect.
enum MutationOutcome: Sendable {
  case caught
  /// - Parameters:
  ///   - keyword: what would have found it.
  ///   - location: its place in the draft.
  case missed(keyword: String, location: String)
  case allowed
}

extension MutationKind {
  /// The order of kinds in a list of what is missed: first what breaks an import.
  fileprivate var gravity: Int {
    let order: [MutationKind] = [
      .reference, .duplicate, .missing, .type, .null, .total, .omission, .repetition, .order, .format, .future, .value, .range,
      .unit, .exchange, .text, .unknown,
    ]
    return order.firstIndex(of: self) ?? order.count
  }
}

/// The score in a report:
///
///     {"rules": "swiff", "files": ["export.json"], "seed": 0, "score": 0.97, "caught": 1204, "missed": 37, "allowed": 911, …,
///       "defects": [{"field": "/cars/*/id", "kind": "type", "caught": 3, "missed": 0, "allowed": 0, …}, …]}
extension RuleScore: Encodable {
  private enum CodingKeys: CodingKey {
    case rules, files, samples, seed, budget, now, findings, score, caught, missed, allowed, isCutShort, fieldsWithFindings,
      fieldsNotSampled,
      defects
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(rules, forKey: .rules)
    try container.encode(files, forKey: .files)
    try container.encode(samples, forKey: .samples)
    try container.encode(seed, forKey: .seed)
    try container.encode(budget, forKey: .budget)
    try container.encode("\(now)", forKey: .now)
    try container.encode(findings, forKey: .findings)
    try container.encodeIfPresent(score, forKey: .score)
    try container.encode(caught, forKey: .caught)
    try container.encode(missed, forKey: .missed)
    try container.encode(allowed, forKey: .allowed)
    try container.encode(isCutShort, forKey: .isCutShort)
    try container.encode(fieldsWithFindings, forKey: .fieldsWithFindings)
    try container.encode(fieldsNotSampled, forKey: .fieldsNotSampled)
    try container.encode(cells, forKey: .defects)
  }
}

extension RuleScore.Cell: Encodable {
  private enum CodingKeys: CodingKey { case field, kind, caught, missed, allowed, keyword, before, after }
}
