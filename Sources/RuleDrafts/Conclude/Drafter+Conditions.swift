import Findings
import JSONEvents
import Rules

/// A rule about members that records have if another member, the kind, has some values, and lack if it has others.
///
///     kind: "card" ─▶ card is present        kind: "cash", "transfer" ─▶ card is missing, or null
struct MemberCondition: Sendable {
  struct Member: Sendable {
    let name: String
    /// The types of its values but null, if it can be null.
    let types: [String]?
    /// False if all records have it, then with null.
    let canBeMissing: Bool
  }

  let kind: String
  /// The values of the kind with which the members are present, and those with which they are missing.
  let present: [JSONValue.Located]
  let missing: [JSONValue.Located]
  /// True if the kind has no other values.
  let isExhaustive: Bool
  var members: [Member]

  /// `kind "card" or "debit"`
  var words: String { words(of: present.isEmpty ? missing : present) }

  func words(of values: [JSONValue.Located]) -> String {
    let names = values.prefix(3).map(\.text) + (values.count > 3 ? ["another one"] : [])
    return "\(kind) \(names.joined(separator: " or "))"
  }
}

/// Conditions: the observation counts how many records with each value of a kind have each member.
extension Drafter {
  private static let conditionLimit = 8

  /// A kind and its values.
  private struct Kind {
    let index: Int
    let name: String
    let rows: [(value: JSONValue.Located, objects: Int, row: ObjectStatistics.Row)]
  }

  /// Which conditions are looked for. Those before explain a member better.
  private enum Search: CaseIterable {
    /// All values of the kind decide, and the names suggest it.
    case named
    /// All values of the kind decide.
    case whole
    /// Some values decide.
    case parts
  }

  private typealias Known = (condition: MemberCondition, evidence: String, count: Int)

  mutating func proposeConditions(of object: Int) {
    guard !map.single.contains(object) else { return }
    if places[object].whole.isOver {
      note(object, "no members by kind: not tried for objects with more than \(ObjectStatistics.memberLimit) members")
    }
    let kinds = places[object].members.indices.compactMap { kind(at: $0, in: object) }
    let byName = kinds.filter { NameWords($0.name).isKind } + kinds.filter { !NameWords($0.name).isKind }
    var conditions: [Known] = []
    var explained: Set<Int> = []
    for search in Search.allCases {
      for kind in byName { conclude(kind, in: object, search, &conditions, &explained) }
    }
    for (number, known) in conditions.enumerated() {
      let name = "condition of \(known.condition.members.map(\.name).joined(separator: ", ")) by \(known.condition.kind)"
      guard number < Self.conditionLimit else {
        note(object, "no \(name): only \(Self.conditionLimit) are tried")
        continue
      }
      add(.condition(object: object, number: number, known.condition), at: object, name, known.evidence, count: known.count)
    }
  }

  /// Returns a member if it is true or false, or has a short list of values.
  private mutating func kind(at index: Int, in object: Int) -> Kind? {
    let member = places[object].members[index]
    let place = places[member.place]
    let isFlag = place.count > 0 && place.falses + place.trues == place.count
    // An enum refuses other values, of which nothing is known.
    guard isFlag || enums[member.place] != nil, !member.string.isEmpty, !places[object].whole.isOver else { return nil }
    if places[object].whole.isOver(index) {
      note(member.place, "no members by its values: not tried for more than \(ObjectStatistics.valueLimit)")
      return nil
    }
    var rows: [(order: Int, value: JSONValue.Located, row: ObjectStatistics.Row)] = []
    for row in places[object].whole.rows(of: index) {
      if isFlag {
        rows.append((Int(row.value), .boolean(row.value == 1), row))
      } else if let order = place.tally.index(ofHash: row.value) {
        let value = place.tally.values[order]
        rows.append((order, value.isText ? .text(value.string) : .number(value.string), row))
      }
    }
    guard rows.count >= 2, rows.reduce(0, { $0 + $1.row.objects }) == places[object].objects else { return nil }
    rows.sort { $0.order < $1.order }
    return Kind(index: index, name: member.string, rows: rows.map { ($0.value, $0.row.objects, $0.row) })
  }

  /// Adds the conditions of a kind.
  ///
  /// - Parameter explained: the members for which all values of a kind decide.
  private mutating func conclude(
    _ kind: Kind, in object: Int, _ search: Search, _ conditions: inout [Known], _ explained: inout Set<Int>
  ) {
    let objects = places[object].objects
    for (index, member) in places[object].members.enumerated()
    where index != kind.index && !explained.contains(index) && !member.string.isEmpty {
      let counts = kind.rows.map { places[object].whole.count(of: index, in: $0.row) }
      let total = counts.reduce(0, +)
      guard total > 0, total < objects else { continue }
      let decided = kind.rows.indices.filter { counts[$0] == 0 || counts[$0] == kind.rows[$0].objects }
      let (isWhole, isNamed) = (decided.count == kind.rows.count, suggests(kind, member))
      guard isWhole == (search != .parts), isNamed || search != .named else { continue }
      // The probability that the member has nothing to do with the kind.
      let rate = Double(total) / Double(objects)
      func chance(_ row: Int) -> Double {
        (0..<min(kind.rows[row].objects, 400)).reduce(1) { chance, _ in chance * (counts[row] == 0 ? 1 - rate : rate) }
      }
      let limit: (chance: Double, records: Int) =
        switch strictness {
        case .loose: (isNamed ? 1e-6 : 1e-9, 10)
        case .normal: (isNamed ? 1e-3 : 1e-6, 3)
        case .tight: (isNamed ? 0.1 : 1e-3, 1)
        }
      if isWhole {
        explained.insert(index)
        if decided.reduce(1, { $0 * chance($1) }) >= limit.chance {
          note(
            member.place, "no condition by \(kind.name), though it decides: \(objects.counted("record")) are weak evidence")
          continue
        }
      }
      let rows = decided.filter { kind.rows[$0].objects >= limit.records && (isWhole || chance($0) < limit.chance) }
      if !rows.isEmpty { add(member, to: &conditions, kind, rows, counts, in: object) }
    }
  }

  private func add(
    _ member: ValueStatistics.Member, to conditions: inout [Known], _ kind: Kind, _ rows: [Int], _ counts: [Int], in object: Int
  ) {
    let place = places[member.place]
    let known = MemberCondition.Member(
      name: member.string, types: place.nulls > 0 ? place.typeNames.filter { $0 != "null" } : nil,
      canBeMissing: member.presence < places[object].objects)
    let (present, missing) = (rows.filter { counts[$0] > 0 }, rows.filter { counts[$0] == 0 })
    let condition = MemberCondition(
      kind: kind.name, present: present.map { kind.rows[$0].value }, missing: missing.map { kind.rows[$0].value },
      isExhaustive: rows.count == kind.rows.count, members: [known])
    let index = conditions.firstIndex {
      $0.condition.kind == condition.kind && $0.condition.present.map(\.text) == condition.present.map(\.text)
        && $0.condition.missing.map(\.text) == condition.missing.map(\.text)
    }
    if let index { return conditions[index].condition.members.append(known) }
    func count(_ rows: [Int]) -> Int { rows.reduce(0) { $0 + kind.rows[$1].objects } }
    let parts = [
      present.isEmpty ? nil : "\(count(present).counted("record")) with \(condition.words(of: condition.present)) have it",
      missing.isEmpty ? nil : "\(count(missing).counted("record")) with \(condition.words(of: condition.missing)) lack it",
    ]
    conditions.append(
      (
        condition, parts.compactMap(\.self).joined(separator: ", "),
        [present, missing].filter { !$0.isEmpty }.map(count).min() ?? 0
      ))
  }

  /// True if a member is named like a value of the kind, or like a flag: `card` and `cardNumber`, `isPaid` and `paidAt`.
  private func suggests(_ kind: Kind, _ member: ValueStatistics.Member) -> Bool {
    let words = NameWords(member.string)
    let names = kind.rows.map { $0.value.string ?? "" } + (kind.rows[0].value.boolean == nil ? [] : [kind.name])
    return names.contains { words.shares(NameWords($0).words.filter { !["has", "is", "was"].contains($0) }) }
  }
}

extension SchemaWriter {
  /// Returns the rules about which members the objects at a place have.
  func conditions(of object: Int) -> [JSONValue.Located] {
    proposals.flatMap { number, proposal -> [JSONValue.Located] in
      guard case .condition(object, _, let condition) = proposal.kind else { return [] }
      let code = code(number) ?? .text("consistency")
      let present = presence(condition, code)
      let missing = absence(condition, code)
      if condition.isExhaustive, present != nil, missing != nil {
        let test = test(condition.kind, condition.present)
        return [.object(["$comment": comment(of: proposal), "if": test, "then": present, "else": missing])]
      }
      return [(condition.present, present), (condition.missing, missing)].compactMap { values, rules in
        rules.map { .object(["$comment": comment(of: proposal), "if": test(condition.kind, values), "then": $0]) }
      }
    }
  }

  private func test(_ kind: String, _ values: [JSONValue.Located]) -> JSONValue.Located {
    let value: JSONValue.Located = values.count == 1 ? .object(["const": values[0]]) : .object(["enum": .list(values)])
    return .object(["required": .texts([kind]), "properties": .object([kind: value])])
  }

  private func presence(_ condition: MemberCondition, _ code: JSONValue.Located) -> JSONValue.Located? {
    if condition.present.isEmpty { return nil }
    let message: JSONValue.Located = .text("records with \(condition.words(of: condition.present)) have this member")
    let missing = condition.members.filter(\.canBeMissing).map(\.name)
    var properties: DraftMembers = [:]
    for member in condition.members {
      guard let types = member.types else { continue }
      let type: JSONValue.Located = types.count == 1 ? .text(types[0]) : .texts(types)
      properties.add(member.name, .object(["type": type, "code": code, "errorMessage": message]))
    }
    return .object([
      "required": missing.isEmpty ? nil : .texts(missing), "properties": properties.isEmpty ? nil : properties.object,
      "code": missing.isEmpty ? nil : code, "errorMessage": missing.isEmpty ? nil : message,
    ])
  }

  private func absence(_ condition: MemberCondition, _ code: JSONValue.Located) -> JSONValue.Located? {
    if condition.missing.isEmpty { return nil }
    let message =
      condition.isExhaustive && !condition.present.isEmpty
      ? "only records with \(condition.words(of: condition.present)) have this member"
      : "records with \(condition.words(of: condition.missing)) lack this member"
    var properties: DraftMembers = [:]
    for member in condition.members {
      properties.add(member.name, .object(["type": .text("null"), "code": code, "errorMessage": .text(message)]))
    }
    return .object(["properties": properties.object])
  }
}
