import BackupFormats
import JSONEvents
import Rules

/// Inspects one document: its envelope here, the records of its collections slice by slice.
struct InspectionConsumer: DocumentConsumer {
  let plan: InspectionPlan
  private let limits: ReaderLimits
  private var depth = 0
  private var pointers: PointerTree
  private let matcher = Pattern.Matcher()

  private(set) var root: Inspection.ValueKind?
  /// The plan's collections in plan order, then other arrays in document order.
  private(set) var collections: [Collection]
  /// The root's other members.
  private(set) var members: [Inspection.Member] = []
  private(set) var furtherMembers = 0
  /// Members that are unknown to the rules: the root's, and those of its object members, by index in `members`.
  private(set) var unknown = NameTally()
  private(set) var unknownInside: [Int: NameTally] = [:]
  /// The values found at the plan's pointers.
  private(set) var found: [Found?]
  /// The document's version, if the plan asks for it.
  private(set) var declaredVersion = FormatVersion.absent
  private(set) var isComplete = false

  /// The name of the root's next or current member.
  private var name = ""
  /// The collection that is open, and the member that is an open object.
  private var openCollection: Int?
  private var openMember: Int?
  private static let memberLimit = 64

  /// The value at one of the plan's pointers; the last one if there are several.
  struct Found {
    var kind: Inspection.ValueKind
    /// The start of a scalar.
    var text: String
  }

  /// An array of records.
  struct Collection {
    let plan: CollectionPlan
    var survey: RecordSurvey
    var isPresent = false
    /// The value's kind, if it isn't an array.
    var otherKind: Inspection.ValueKind?
    var start = 0
    var bytes: Int?

    init(_ plan: CollectionPlan) {
      self.plan = plan
      survey = RecordSurvey(plan)
    }
  }

  init(_ plan: InspectionPlan, limits: ReaderLimits) {
    self.plan = plan
    self.limits = limits
    collections = plan.collections.map(Collection.init)
    pointers = PointerTree(plan.pointers.map(\.tokens))
    found = Array(repeating: nil, count: plan.pointers.count)
  }

  // MARK: Envelope

  mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    var index = 0
    while index < batch.count {
      if let number = openCollection {
        index = collections[number].survey.take(batch, from: index)
        guard index < batch.count else { return }
      }
      take(batch[index], batch)
      index += 1
    }
  }

  private mutating func take(_ event: Event, _ batch: EventBatch) {
    for number in pointers.follow(event, of: batch) { note(event, at: number, batch) }
    switch event.kind {
    case .key:
      if depth == 1 { beginMember(batch.text(of: event)) }
      if depth == 2, let openMember { addName(batch.text(of: event), to: openMember) }
    case .objectStart, .arrayStart:
      begin(event, batch)
      depth += 1
    case .objectEnd, .arrayEnd:
      depth -= 1
      end(event, batch)
    case .null, .false, .true, .number, .string: begin(event, batch)
    }
  }

  /// Handles a value at one of the plan's pointers.
  private mutating func note(_ event: Event, at number: Int, _ batch: EventBatch) {
    let kind = Inspection.ValueKind(event.kind)
    switch plan.pointers[number].place {
    case .version, .versionHolder:
      if found[number] != nil { declaredVersion = .several }
      guard plan.pointers[number].place == .version, declaredVersion != .several, let policy = plan.version else { break }
      declaredVersion = batch.withScalar(event) { FormatVersion(kind, $0, by: policy) }
    case .createdAt, .app, .device, .settings, .count: break
    }
    if found[number] == nil || kind != .null { found[number] = Found(kind: kind, text: batch.shortText(of: event)) }
  }

  /// Handles the start of a value: the root, one of its members, or any other.
  private mutating func begin(_ event: Event, _ batch: EventBatch) {
    let kind = Inspection.ValueKind(event.kind)
    if depth == 0 {
      root = kind
      if kind == .array { beginCollection(named: nil, at: batch.offset(of: event)) }
    } else if depth == 1 {
      if kind == .array { beginCollection(named: name, at: batch.offset(of: event)) } else { add(kind) }
    }
  }

  /// Handles a closing bracket.
  private mutating func end(_ event: Event, _ batch: EventBatch) {
    guard depth <= 1 else { return }
    openMember = nil
    guard let number = openCollection else { return }
    // The size of the whole document is measured elsewhere, and the brackets of JSON Lines are not in the text.
    if depth == 1 {
      collections[number].bytes = (collections[number].bytes ?? 0) + batch.offset(of: event) + 1 - collections[number].start
    }
    openCollection = nil
  }

  // MARK: Members

  private mutating func beginMember(_ text: ByteView) {
    name = text.prefix(256).string
    if isUnknown(name, by: plan.root) { unknown.count(at: unknown.place(of: name)) }
  }

  private mutating func addName(_ text: ByteView, to member: Int) {
    members[member].count = (members[member].count ?? 0) + 1
    guard let shape = plan.objects[members[member].name] else { return }
    let name = text.prefix(256).string
    guard isUnknown(name, by: shape) else { return }
    var tally = unknownInside[member] ?? NameTally()
    tally.count(at: tally.place(of: name))
    unknownInside[member] = tally
  }

  private func isUnknown(_ name: String, by shape: RuleDocument.ObjectShape) -> Bool {
    guard shape.isClosed, !shape.members.contains(where: { $0.name == name }) else { return false }
    return !shape.patterns.contains { pattern in ByteView.with(name) { matcher.match(pattern, in: $0) == .match } }
  }

  private mutating func add(_ kind: Inspection.ValueKind) {
    if let number = knownCollection(named: name) { collections[number].otherKind = kind }
    guard members.count < Self.memberLimit else { return furtherMembers += 1 }
    if kind == .object { openMember = members.count }
    members.append(Inspection.Member(name: name, kind: kind, count: kind == .object ? 0 : nil))
  }

  // MARK: Collections

  private func knownCollection(named name: String?) -> Int? {
    let pointer = name.map { "/" + $0.pointerToken } ?? ""
    return collections.firstIndex { $0.plan.pointer == pointer }
  }

  private mutating func beginCollection(named name: String?, at offset: Int) {
    let known = knownCollection(named: name)
    if known == nil {
      guard collections.count - plan.collections.count < Self.memberLimit else { return furtherMembers += 1 }
      collections.append(Collection(CollectionPlan(unknown: name)))
    }
    let number = known ?? collections.count - 1
    collections[number].isPresent = true
    collections[number].start = offset
    openCollection = number
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> SurveyWorker)? {
    { [recordPlan, limits] in SurveyWorker(recordPlan, depth: depth, limits: limits) }
  }

  /// The plan for the items of the innermost open array.
  var recordPlan: CollectionPlan {
    if let openCollection, collections[openCollection].survey.depth == 0 { return collections[openCollection].plan }
    return CollectionPlan(unknown: nil)
  }

  var workerContext: Void { () }

  mutating func merge(_ partial: RecordTally, of slice: Slice) {
    if let number = openCollection { collections[number].survey.merge(partial) }
  }

  mutating func finish() { isComplete = true }
}

extension EventBatch {
  /// Returns the start of a scalar's text.
  fileprivate func shortText(of event: Event) -> String { withScalar(event) { $0.prefix(256).string } }

  /// Passes a scalar's text to `body`; for a bracket, an empty text.
  fileprivate func withScalar<R>(_ event: Event, _ body: (ByteView) -> R) -> R {
    switch event.kind {
    case .objectStart, .arrayStart, .objectEnd, .arrayEnd: ByteView.with("", body)
    case .null, .true, .false, .number, .string, .key: body(text(of: event))
    }
  }
}
