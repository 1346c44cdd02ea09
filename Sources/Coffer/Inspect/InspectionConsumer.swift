import BackupFormats
import JSONEvents
import Rules

/// Inspects one document: its envelope here, the records of its collections slice by slice.
struct InspectionConsumer: DocumentConsumer, ValidationObserver {
  private(set) var plan: InspectionPlan
  private let limits: ReaderLimits
  private var depth = 0
  private var pointers: PointerTree
  private let matcher = Pattern.Matcher()

  private(set) var root: JSONKind?
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
    var kind: JSONKind
    /// The start of a scalar.
    var text: String
  }

  /// An array or an object of records.
  struct Collection {
    let plan: CollectionPlan
    var survey: RecordSurvey
    var isPresent = false
    /// The value's kind, if it holds no records.
    var otherKind: JSONKind?
    var start = 0
    var bytes: Int?

    init(_ plan: CollectionPlan) {
      self.plan = plan
      survey = RecordSurvey(plan)
    }
  }

  init(_ plan: InspectionPlan = InspectionPlan(), limits: ReaderLimits) {
    self.limits = limits
    self.plan = plan
    collections = plan.collections.map(Collection.init)
    pointers = PointerTree(plan.pointers.map(\.tokens))
    found = Array(repeating: nil, count: plan.pointers.count)
  }

  mutating func begin(_ document: ValidatedDocument, in container: BackupFormat.Container) {
    guard let identity = document.identity else { return }
    self = InspectionConsumer(InspectionPlan(identity, in: container, prefix: document.prefix), limits: limits)
  }

  // MARK: Envelope

  mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    var index = 0
    while index < batch.count {
      if let number = openCollection {
        index = collections[number].survey.consume(batch, from: index)
        guard index < batch.count else { return }
      }
      consume(batch[index], batch)
      index += 1
    }
  }

  private mutating func consume(_ event: Event, _ batch: EventBatch) {
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
    let kind = JSONKind(event.kind)
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
    let kind = JSONKind(event.kind)
    if depth == 0 {
      root = kind
      if kind == .array { beginCollection(named: nil, at: batch.offset(of: event)) }
    } else if depth == 1 {
      let isCollection = kind == .array || kind == .object && isObjectOfRecords(name)
      if isCollection { beginCollection(named: name, at: batch.offset(of: event)) } else { add(kind) }
    }
  }

  /// Returns true if the rules describe an object of records there. They also tell which objects are none.
  private func isObjectOfRecords(_ name: String) -> Bool {
    knownCollection(named: name).map { collections[$0].plan.kind == .object } ?? false
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
    if isUnknown(name, by: plan.root) { unknown.count(name) }
  }

  private mutating func addName(_ text: ByteView, to member: Int) {
    members[member].count = (members[member].count ?? 0) + 1
    guard let shape = plan.objects[members[member].name] else { return }
    let name = text.prefix(256).string
    if isUnknown(name, by: shape) { unknownInside[member, default: NameTally()].count(name) }
  }

  private func isUnknown(_ name: String, by shape: RuleDocument.ObjectShape) -> Bool {
    guard shape.isClosed, !shape.members.contains(where: { $0.name == name }) else { return false }
    return !shape.patterns.contains { pattern in ByteView.with(name) { matcher.match(pattern, in: $0) == .match } }
  }

  private mutating func add(_ kind: JSONKind) {
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

  static var takesObjects: Bool { true }

  /// Only a collection itself is sliced: other members may be among the plan's pointers.
  var slicesObject: Bool { openCollection.map { collections[$0].survey.depth == 0 } ?? false }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> RecordTally?)? {
    { [recordPlan, limits] in
      var survey = RecordSurvey(slicesOf: recordPlan)
      return { slice, _ in
        survey.begin(slice)
        return slice.read(depth: depth, limits: limits) { survey.consume($0) } ? survey.end() : nil
      }
    }
  }

  func slices(recordsBefore: Int) -> (@Sendable () -> RecordSurvey)? { { [recordPlan] in RecordSurvey(slicesOf: recordPlan) } }

  /// The plan for the items of the innermost open array.
  private var recordPlan: CollectionPlan {
    if let openCollection, collections[openCollection].survey.depth == 0 { return collections[openCollection].plan }
    return CollectionPlan(unknown: nil)
  }

  mutating func merge(_ partial: RecordTally, of slice: Slice) {
    if let number = openCollection { collections[number].survey.merge(partial) }
  }

  mutating func finish() { isComplete = true }

  /// The container entries that records name.
  var entries: Set<String> { collections.reduce(into: []) { $0.formUnion($1.survey.tally.entries) } }
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

/// Describes the document after its end, or after it broke off.
extension InspectionConsumer {
  func describe(in inspection: inout Inspection, now: Instant) {
    inspection.root = root
    inspection.collections = collections.map(\.description)
    inspection.members = members
    let reported = plan.pointers.filter { $0.tokens.count == 1 && $0.place.isValue }.map { $0.tokens[0] }
    for index in inspection.members.indices where reported.contains(inspection.members[index].name) {
      inspection.members[index].isReported = inspection.members[index].count == nil
    }
    for (number, tally) in unknownInside { inspection.members[number].unknownFields = tally.result }
    inspection.furtherMembers = furtherMembers
    inspection.unknownFields = unknown.result
    inspection.app = text(at: .app)
    inspection.device = text(at: .device)
    inspection.createdAt = createdAt
    inspection.version = version
    inspection.migration = migration(from: inspection.version)
    if plan.settings != nil {
      inspection.hasSettings = found(at: .settings) != nil
    }
    inspection.importability = importability(of: inspection)
    inspection.warnings =
      versionWarnings(inspection) + dateWarnings(inspection, now) + collectionWarnings(inspection) + countWarnings
    inspection.warnings += unknownWarnings(inspection)
  }

  private func text(at place: InspectionPlan.Place) -> String? {
    found(at: place).flatMap { $0.kind == .object || $0.kind == .array ? nil : $0.text }
  }

  /// Returns the value at a place, or `nil` if it is missing or null.
  private func found(at place: InspectionPlan.Place) -> Found? {
    guard let number = plan.pointers.firstIndex(where: { $0.place == place }), let found = self.found[number] else { return nil }
    return found.kind == .null ? nil : found
  }

  private var createdAt: Inspection.Moment? {
    guard let found = found(at: .createdAt) else { return nil }
    let (kind, text) = (found.kind, found.text)
    let format = plan.createdAtFormat ?? .dateTime
    let isOfKind = kind == (format.appliesToNumbers ? .number : .string)
    return Inspection.Moment(text: text, instant: isOfKind ? ByteView.with(text) { format.instant($0) } : nil)
  }

  private var version: Inspection.Version? {
    guard let policy = plan.version else { return nil }
    return Inspection.Version(
      found: text(at: .version), number: declaredVersion.number(ifAbsent: plan.versionIfAbsent), oldestKnown: policy.oldest,
      current: policy.current)
  }

  /// Returns the result of migrating a document of that version.
  private func migration(from version: Inspection.Version?) -> Inspection.Migration? {
    // Newer and too old versions are unknown.
    if let version, version.number.map({ $0 < version.oldestKnown || $0 > version.current }) ?? true { return nil }
    var result: Inspection.Migration?
    for next in plan.migrations {
      if let number = version?.number, next.format == nil, let to = next.version, to <= number { continue }
      result = Inspection.Migration(format: next.format ?? result?.format, version: next.version ?? result?.version)
      if next.format != nil { break }
    }
    return result == Inspection.Migration(format: nil, version: nil) ? nil : result
  }

  private func importability(of inspection: Inspection) -> Inspection.Importability {
    if inspection.error != nil { return .unreadable }
    if case .ambiguous = inspection.format { return .ambiguousFormat }
    guard let format = plan.format else { return .unknownFormat }
    return Inspection.Importability(of: declaredVersion, by: format, in: plan.container)
  }

  // MARK: Warnings

  private func versionWarnings(_ inspection: Inspection) -> [Inspection.Warning] {
    guard let policy = plan.version, let version = inspection.version else {
      guard let format = inspection.migration?.format else { return [] }
      return [Inspection.Warning(code: "older-format", message: "its format has been replaced by \(format)")]
    }
    let message: String
    let code: String
    switch version.number {
    case nil:
      code = "version"
      switch declaredVersion {
      case .absent, .number:
        // In a document that broke off, the version may have come later.
        guard isComplete else { return [] }
        message = "the document doesn't declare its version"
      case .other(let kind): message = "the version is \(kind)"
      case .several: message = "the document declares several versions"
      }
    case let number? where number > version.current:
      (code, message) = ("newer-version", "version \(number) is newer than \(version.current), the newest that Coffer knows")
    case let number? where number < version.oldestKnown:
      (code, message) = ("older-version", "version \(number) is older than \(version.oldestKnown), the oldest that Coffer knows")
    case let number? where number < version.current:
      (code, message) = ("older-version", "version \(number) is older than the current version \(version.current)")
    default: return []
    }
    return [Inspection.Warning(code: code, message: message, pointer: policy.pointer)]
  }

  private func dateWarnings(_ inspection: Inspection, _ now: Instant) -> [Inspection.Warning] {
    guard let moment = inspection.createdAt else { return [] }
    let pointer = plan.pointers.first { $0.place == .createdAt }?.tokens.pointer
    guard let instant = moment.instant else {
      return [Inspection.Warning(code: "created-at", message: "the creation date is not valid in its format", pointer: pointer)]
    }
    // A phone's clock may be off by a wrong time zone.
    guard instant.seconds > now.seconds, instant.seconds - now.seconds > 86400 else { return [] }
    return [Inspection.Warning(code: "created-in-future", message: "the creation date is in the future", pointer: pointer)]
  }

  private func collectionWarnings(_ inspection: Inspection) -> [Inspection.Warning] {
    var warnings: [Inspection.Warning] = []
    for collection in collections where collection.plan.isKnown && !collection.isPresent {
      let pointer = collection.plan.pointer
      if let kind = collection.otherKind, kind != .null {
        warnings.append(
          Inspection.Warning(
            code: "not-an-array", message: "\(collection.plan.title) must be an array, but is \(kind.phrase)", pointer: pointer)
        )
      } else if isComplete, collection.otherKind == nil, plan.root.required.contains(pointer.pointerTokens?.last ?? "") {
        warnings.append(
          Inspection.Warning(
            code: "missing-collection", message: "\(collection.plan.title) is missing", pointer: pointer))
      }
    }
    return warnings
  }

  private var countWarnings: [Inspection.Warning] {
    // A document that broke off may have had more.
    guard isComplete else { return [] }
    return zip(plan.pointers, found).compactMap { pointer, found in
      guard case .count(let number) = pointer.place, let found, found.kind == .number else { return nil }
      let count = plan.counts[number]
      let pointer = count.collection.pointer
      guard let collection = collections.first(where: { $0.plan.pointer == pointer }) else { return nil }
      let declared = ByteView.with(found.text) { ExactDecimal($0) }
      let actual = ByteView.with(String(collection.survey.tally.count)) { ExactDecimal($0) }
      guard declared != actual else { return nil }
      let place = count.path.pointer
      return Inspection.Warning(
        code: "count-of",
        message: "\(place) declares \(found.text) \(collection.plan.title), but there are \(collection.survey.tally.count)",
        pointer: place)
    }
  }

  private func unknownWarnings(_ inspection: Inspection) -> [Inspection.Warning] {
    func warning(_ fields: Inspection.UnknownFields, _ place: String, _ pointer: String) -> Inspection.Warning? {
      fields.total == 0
        ? nil
        : Inspection.Warning(
          code: "unknown-fields", message: "\(place) members that the format doesn't know: \(fields.list)", pointer: pointer)
    }
    var warnings = [warning(inspection.unknownFields, "the document has", "")]
    for member in inspection.members {
      warnings.append(warning(member.unknownFields, "\(member.name) has", "/" + member.name.pointerToken))
    }
    for collection in inspection.collections {
      warnings.append(warning(collection.unknownFields, "records of \(collection.title) have", collection.pointer))
    }
    return warnings.compactMap(\.self)
  }
}

extension InspectionConsumer.Collection {
  fileprivate var description: Inspection.Collection {
    let tally = survey.tally
    var result = Inspection.Collection(pointer: plan.pointer, title: plan.title, isKnown: plan.isKnown)
    result.isPresent = isPresent
    result.count = tally.count
    result.kinds = JSONKind.kinds(tally.kinds)
    result.date = plan.date
    result.earliest = tally.earliest
    result.latest = tally.latest
    result.undated = plan.date == nil ? 0 : tally.count - tally.dated
    result.nested = zip(plan.nested, tally.nested).map { Inspection.Collection.Nested(name: $0, count: $1) }
    result.bytes = bytes
    result.unknownFields = tally.unknown.result
    return result
  }
}

extension InspectionPlan.Place {
  /// True if the value itself is reported.
  fileprivate var isValue: Bool {
    switch self {
    case .version, .createdAt, .app, .device: true
    case .versionHolder, .settings, .count: false
    }
  }
}

extension Inspection.UnknownFields {
  /// `colour (3), size (1) and 7 more`
  fileprivate var list: String {
    let shown = fields.prefix(8).map { "\($0.name) (\($0.count))" }.joined(separator: ", ")
    let rest = fields.dropFirst(8).reduce(others) { $0 + $1.count }
    return rest == 0 ? shown : "\(shown) and \(rest) more"
  }
}
