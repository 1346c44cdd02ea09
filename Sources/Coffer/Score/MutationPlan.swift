import ByteStreams
import Findings
import JSONEvents
import RuleDrafts
import Rules

/// Where rules find something in a sample: no defect is planted in these values, what is in them, and the records that hold them.
private struct RefusedPlaces {
  private var places: Set<String> = []
  private var records: Set<String> = []
  /// The values all of which are refused.
  private var whole: Set<String> = []

  /// The keywords whose findings say nothing about what is in a value.
  private static let outer: Set = [
    "minItems", "maxItems", "minProperties", "maxProperties", "contains", "minContains", "maxContains", "uniqueItems", "sortedBy",
    "required", "dependentRequired", "countOf", "sumOf",
  ]

  init(_ findings: [Finding]) {
    for finding in findings {
      places.insert(finding.place.pointer)
      if !Self.outer.contains(finding.keyword) { whole.insert(finding.place.pointer) }
      // One of its containers may be a record.
      records.formUnion(Self.containers(of: finding.place.pointer) + [finding.place.pointer])
    }
  }

  func covers(_ site: MutationSite) -> Bool {
    if places.contains(site.pointer) || !site.record.isEmpty && records.contains(site.record) { return true }
    return !whole.isEmpty && Self.containers(of: site.pointer).contains(where: whole.contains)
  }

  /// Returns the pointers of the values around one, from the outermost: the root, whose pointer is empty.
  private static func containers(of pointer: String) -> [String] {
    pointer.indices.filter { pointer[$0] == "/" }.map { String(pointer[..<$0]) }
  }
}

/// What mutations there are of some samples: each kind at each field, in several records.
struct MutationPlan: Sendable {
  struct Entry: Sendable {
    let field: Int
    let mutation: Mutation
  }

  private(set) var fields: [MutationField] = []
  /// The number of fields all of whose values are in records where the rules find something.
  private(set) var fieldsWithFindings = 0
  /// The number of fields that the backups have and the samples lack.
  private(set) var fieldsNotSampled = 0
  private var numbers: [String: Int] = [:]
  /// The fields of keys and references, which have no bounds and no unit.
  private let keys: Set<String>

  init(
    _ samples: [DocumentSample], _ baselines: [RuleJudge.Baseline], _ observation: DocumentObservation, draft: JSONValue.Located,
    now: Instant
  ) {
    keys = draft.keyFields
    for (number, sample) in samples.enumerated() {
      walk(
        MutationSite(sample: number, pointer: "", value: sample.root, holder: nil, index: 0, record: "", isRecord: false), "",
        isInRecord: false, observation)
    }
    fieldsNotSampled = observation.pointers.subtracting(fields.map(\.pointer)).count
    let refused = baselines.map { RefusedPlaces($0.findings) }
    for index in fields.indices {
      let all = fields[index].sites
      fields[index].sites = all.filter { !refused[$0.sample].covers($0) }
      if fields[index].sites.isEmpty { fieldsWithFindings += 1 }
      fields[index].isPast =
        all.allSatisfy { $0.time.map { $0 <= now } ?? true } && !draft.isLater(than: now, at: fields[index].pointer)
      fields[index].successors = Self.successors(of: fields[index])
      if fields[index].sites.count > MutationField.siteLimit {
        fields[index].sites = Array(fields[index].sites.prefix(MutationField.siteLimit))
      }
    }
  }

  private mutating func walk(
    _ site: MutationSite, _ field: String, isInRecord: Bool, _ observation: DocumentObservation
  ) {
    let number = numbers[field] ?? fields.count
    if number == fields.count {
      numbers[field] = number
      fields.append(MutationField(pointer: field))
    }
    fields[number].sites.append(site)
    let isCollection = site.value.array != nil || observation.isMap(at: site.pointer)
    for (index, child) in site.value.children.enumerated() {
      let token = child.name?.pointerToken ?? String(index)
      let pointer = "\(site.pointer)/\(token)"
      let below = MutationSite(
        sample: site.sample, pointer: pointer, value: child.value, holder: site.value, index: index,
        record: isInRecord ? site.record : isCollection ? pointer : "", isRecord: isCollection)
      walk(below, "\(field)/\(isCollection ? "*" : token)", isInRecord: isInRecord || isCollection, observation)
    }
  }

  /// Returns the members whose values are never below those of a field, and sometimes above.
  private static func successors(of field: MutationField) -> [String] {
    var names: [String: Bool] = [:]
    var isFirst = true
    for site in field.sites where !site.isRecord {
      guard let value = MutationOrder(site.value), let members = site.holder?.object else { continue }
      var seen: [String: Bool] = [:]
      for member in members where member.key != site.name {
        guard let other = MutationOrder(member.value), !(other < value) else { continue }
        seen[member.key] = value < other || names[member.key] == true
      }
      names = isFirst ? seen : seen.filter { names[$0.key] != nil }
      isFirst = false
    }
    return field.sites.count < 3 ? [] : names.filter(\.value).keys.sorted()
  }

  /// Returns the mutations, round by round, so that each field has one of each kind before any has a second.
  func mutations(rounds: Int, seed: UInt64) -> some IteratorProtocol<Entry> {
    (0..<rounds).lazy.flatMap { round in
      fields.indices.lazy.flatMap { field in
        MutationKind.allCases.lazy.flatMap { kind in
          mutations(kind, of: field, round, seed).lazy.map { Entry(field: field, mutation: $0) }
        }
      }
    }.makeIterator()
  }

  private func mutations(_ kind: MutationKind, of index: Int, _ round: Int, _ seed: UInt64) -> [Mutation] {
    let field = fields[index]
    let count = field.sites.count
    guard round < count else { return [] }
    if [.range, .unit, .total, .order].contains(kind), keys.contains(field.pointer) { return [] }
    let start = Int(SeededNumber.mix(seed, field.pointer + kind.rawValue, 0) % UInt64(count))
    // Rounds take records that are far from each other. Some can't have the defect: null, or equal values.
    let step = max(1, count / 3)
    for attempt in 0..<min(8, count) {
      let site = field.sites[(start + round * step + attempt) % count]
      let found = site.mutations(kind, in: field, seed: seed)
      if !found.isEmpty { return found }
    }
    return []
  }
}

extension JSONValue.Located {
  /// The fields of keys and references in drafted rules, as JSON Pointers with `*` for any record.
  fileprivate var keyFields: Set<String> {
    var fields: Set<String> = []
    addKeyFields(to: &fields, at: "")
    return fields
  }

  private func addKeyFields(to fields: inout Set<String>, at place: String) {
    let lists = ["uniqueKeys", "foreignKeys"].flatMap { self[$0]?.array ?? [] }
    for key in lists + [self["primaryKey"]].compactMap(\.self) {
      if let name = key["fields"]?.string { fields.insert("\(place)/*/\(name)") }
    }
    for member in self["properties"]?.object ?? [] {
      member.value.addKeyFields(to: &fields, at: "\(place)/\(member.key.pointerToken)")
    }
    for part in ["items", "additionalProperties"] { self[part]?.addKeyFields(to: &fields, at: place + "/*") }
  }

  /// True if the backups have a later time at a place.
  fileprivate func isLater(than now: Instant, at place: String) -> Bool {
    guard let schema = place.pointerTokens.flatMap({ schemaPath(of: $0) }).flatMap({ value(at: $0) }) else { return false }
    if let bound = schema["formatMaximum"] { return bound.instant.map { now < $0 } ?? false }
    guard let number = schema["maximum"]?.number.flatMap({ Double($0) }) else { return false }
    return number / (number > 100_000_000_000 ? 1000 : 1) > Double(now.seconds)
  }
}
