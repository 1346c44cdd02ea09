import BackupFormats
import JSONEvents
import Rules

/// Surveys a collection's records, and examines only what the plan asks for.
///
///     [ { "id" : 7 , "date" : "…" , "parts" : [ {…} , {…} ] } , …
///       0            1              1           2                    open brackets around the record, its members, nested records
struct RecordSurvey {
  var tally: RecordTally
  /// The number of open brackets within the collection.
  private(set) var depth = 0
  private let plan: CollectionPlan
  private var fields: FieldTable
  private let looksAtKeys: Bool
  /// The entry of the last member's name; -1 at a record's start, and after an unknown name.
  private var lastField = -1
  /// The use of the next or the open value.
  private var role = FieldTable.Role.known
  private var date: Instant?
  private lazy var matcher = Pattern.Matcher()

  init(_ plan: CollectionPlan, unknownLimit: Int = NameTally.resultLimit) {
    self.plan = plan
    fields = plan.fields
    looksAtKeys = !plan.fields.isEmpty || plan.isClosed
    tally = RecordTally(plan, unknownLimit: unknownLimit)
  }

  /// The number of the nested array that is open, if its items are counted.
  private var nestedNumber: Int? { if depth == 2, case .nested(let number) = role { number } else { nil } }

  /// Adds the tally of the innermost open array's next items, which were surveyed elsewhere.
  mutating func merge(_ next: RecordTally) {
    if depth == 0 { return tally.merge(next) }
    if let nestedNumber { tally.nested[nestedNumber] += next.count }
  }

  /// Takes events up to the bracket that ends the collection.
  ///
  /// - Returns: the index of that bracket, which is not taken; if there is none, the number of events.
  mutating func consume(_ batch: EventBatch, from start: Int) -> Int {
    var index = start
    let end = batch.count
    while index < end {
      let event = batch[index]
      switch event.kind {
      case .key:
        if depth == 1, looksAtKeys { consumeName(batch.text(of: event)) }
      case .objectStart, .arrayStart:
        if depth <= 2 { open(event.kind) }
        depth += 1
      case .objectEnd, .arrayEnd:
        if depth == 0 { return index }
        depth -= 1
        if depth <= 1 { close() }
      case .null, .false, .true, .number, .string:
        if depth <= 2 { consumeScalar(event, batch) }
      }
      index += 1
    }
    return end
  }

  @inline(__always)
  private mutating func consumeName(_ name: ByteView) {
    let field = fields.find(name, after: lastField)
    if field >= 0 {
      lastField = field
      role = fields.role(at: field)
    } else {
      consumeUnknown(name)
    }
  }

  @inline(never)
  private mutating func consumeUnknown(_ name: ByteView) {
    role = .known
    guard plan.isClosed, !plan.patterns.contains(where: { matcher.match($0, in: name) == .match }) else { return }
    tally.unknown.count(name.prefix(256).string)
  }

  private mutating func open(_ kind: Event.Kind) {
    if depth == 0 {
      tally.kinds |= JSONKind(kind).bit
    } else if let nestedNumber {
      tally.nested[nestedNumber] += 1
    } else if depth == 1, kind == .objectStart, case .nested = role {
      // An object where an array of records was expected: its members are not items.
      role = .known
    }
  }

  /// Handles the end of a record, or of a record's member that is an array or an object.
  private mutating func close() {
    role = .known
    if depth == 0 { endRecord() }
  }

  private mutating func endRecord() {
    tally.count += 1
    if let instant = date { tally.add(instant) }
    date = nil
    lastField = -1
  }

  @inline(__always)
  private mutating func consumeScalar(_ event: Event, _ batch: EventBatch) {
    if depth == 1 {
      switch role {
      case .date: consumeDate(event, batch)
      case .entry(let number) where event.kind == .string:
        tally.entries.insert(plan.entryPrefixes[number] + batch.text(of: event).string)
      default: break
      }
    } else if depth == 0 {
      tally.kinds |= JSONKind(event.kind).bit
      tally.count += 1
    } else if let nestedNumber {
      tally.nested[nestedNumber] += 1
    }
  }

  private mutating func consumeDate(_ event: Event, _ batch: EventBatch) {
    let isOfKind = event.kind == (plan.dateFormat.appliesToNumbers ? .number : .string)
    date = isOfKind ? plan.dateFormat.instant(batch.text(of: event)) : nil
  }
}

/// One thread's part of an inspection: surveys one slice after another.
extension RecordSurvey: SliceObserver {
  // A slice keeps all names, because earlier slices may have had them too.
  init(slicesOf plan: CollectionPlan) { self.init(plan, unknownLimit: .max) }

  mutating func begin(_ slice: Slice) {
    (depth, lastField) = (0, -1)
    tally = RecordTally(plan, unknownLimit: .max)
  }

  mutating func consume(_ batch: EventBatch) { _ = consume(batch, from: 0) }

  func end() -> RecordTally { tally }
}

/// The number of records in a part of a collection, and their earliest and latest dates.
///
/// Tallies are merged in document order, and the result doesn't depend on the slicing.
struct RecordTally: Sendable {
  var count = 0
  /// The kinds of values, as bits in the order of `JSONKind.allCases`.
  var kinds: UInt8 = 0
  var dated = 0
  var earliest: Instant?
  var latest: Instant?
  /// The number of items, by nested array of the plan.
  var nested: [Int]
  var unknown: NameTally
  /// The container entries that records name.
  var entries: Set<String> = []

  init(_ plan: CollectionPlan, unknownLimit: Int) {
    nested = Array(repeating: 0, count: plan.nested.count)
    unknown = NameTally(limit: unknownLimit)
  }

  mutating func add(_ instant: Instant) {
    dated += 1
    if let earliest, earliest <= instant {} else { earliest = instant }
    if let latest, latest >= instant {} else { latest = instant }
  }

  mutating func merge(_ next: RecordTally) {
    count += next.count
    kinds |= next.kinds
    if let other = next.earliest { earliest = min(earliest ?? other, other) }
    if let other = next.latest { latest = max(latest ?? other, other) }
    dated += next.dated
    for index in nested.indices { nested[index] += next.nested[index] }
    unknown.merge(next.unknown)
    if !next.entries.isEmpty { entries.formUnion(next.entries) }
  }
}

extension JSONKind {
  /// The bit of the kind in `RecordTally.kinds`.
  var bit: UInt8 { 1 << UInt8(rawValue) }

  /// Returns the kinds whose bits are set.
  static func kinds(_ bits: UInt8) -> [JSONKind] { allCases.filter { bits & $0.bit != 0 } }
}

/// Counts names, in the order of their first occurrence.
///
/// Tallies of a document's parts, merged in document order, equal the tally of the whole: a part keeps all of its names, which
/// are few, and the whole keeps the first ones.
struct NameTally: Sendable {
  private(set) var result = Inspection.UnknownFields()
  private let limit: Int
  private var places: [String: Int] = [:]

  /// The maximum number of names in a result.
  static let resultLimit = 64

  init(limit: Int = NameTally.resultLimit) { self.limit = limit }

  mutating func count(_ name: String, _ count: Int = 1) {
    if let place = places[name] {
      result.fields[place].count += count
    } else if result.fields.count < limit {
      places[name] = result.fields.count
      result.fields.append(Inspection.UnknownFields.Field(name: name, count: count))
    } else {
      result.others += count
    }
  }

  mutating func merge(_ next: NameTally) {
    for field in next.result.fields { count(field.name, field.count) }
    result.others += next.result.others
  }
}
