import Findings
import JSONEvents
import Rules

/// Writes the schema of each place, with the proposals that hold.
struct SchemaWriter {
  let drafter: Drafter
  let proposals: [(number: Int, proposal: Proposal)]
  /// True for the rules of the second reading: proposals have codes, and nothing is for people.
  let isProvisional: Bool
  private(set) var notes: [DraftNote]
  /// The pointers of the values that refer to a collection.
  private let referring: Set<String>
  /// True if a schema refers to the definition of unknown members.
  private var hasUnknown = false

  init(_ drafter: Drafter, proposals: [(Int, Proposal)], isProvisional: Bool) {
    self.drafter = drafter
    self.proposals = proposals
    self.isProvisional = isProvisional
    notes = drafter.valueNotes
    referring = Set(
      proposals.compactMap { _, proposal in
        if case .reference = proposal.kind, !isProvisional { proposal.pointer } else { nil }
      })
  }

  var places: ContiguousArray<ValueStatistics> { drafter.places }
  var map: PlaceMap { drafter.map }
  var formats: [Int: StringFormat] { drafter.formats }
  private var options: DraftOptions { drafter.options }

  mutating func note(_ place: Int, _ message: String) {
    notes.append(DraftNote(pointer: map.pointer(of: place), message: message))
  }

  // MARK: Documents

  /// Returns the rules of the documents.
  mutating func document() -> JSONValue.Located {
    let title = isProvisional ? nil : options.name
    var members: DraftMembers = [
      "$schema": .text("urn:coffer:rules:1"), "title": places[0].objects > 0 ? title.map(JSONValue.Located.text) : nil,
      "$comment": isProvisional ? nil : .text(origin),
    ]
    if let title {
      if !isObject { note(0, "no detect: only the members of objects recognise a format") }
      members.add("backup", backup(named: title))
    }
    members.add(schema(of: 0))
    if hasUnknown {
      let unknown: JSONValue.Located = .object([
        "not": .object([:]), "severity": .text("note"), "code": .text("unknown-field"),
        "errorMessage": .text("no document had this member when the rules were drafted"),
      ])
      members.add("$defs", .object(["unknown": unknown]))
    }
    return members.object
  }

  private var origin: String {
    let (documents, bytes) = (drafter.observation.documentCount, drafter.observation.byteCount)
    let verb = documents == 1 ? "satisfies" : "satisfy"
    return "Drafted from \(documents.counted("document")) (\(bytes.counted("byte"))), which \(verb) these rules. "
      + "Check whether other documents must."
  }

  /// Returns the rules of a place and everything in it. Provisional ones refer to nothing outside.
  mutating func rules(of place: Int) -> JSONValue.Located { schema(of: place).object }

  // MARK: Schemas

  private mutating func schema(of index: Int) -> DraftMembers {
    let place = places[index]
    let relation = relation(of: index)
    let evidence =
      isProvisional || index == 0 ? nil : place.evidence(in: drafter.observation.documentCount, with: relation.evidence)
    var members: DraftMembers = ["$comment": evidence.map(JSONValue.Located.text), "type": type(of: index)]
    if place.texts.count > 0 { members.add(textRules(of: index)) }
    if place.numbers.count > 0 { members.add(numberRules(of: index)) }
    members.add(relation.rules)
    if options.addsBounds { addBounds(of: index, to: &members) }
    if place.objects > 0 { members.add(objectRules(of: index)) }
    if place.arrays > 0 { members.add(arrayRules(of: index)) }
    return members
  }

  private mutating func type(of index: Int) -> JSONValue.Located? {
    var types = places[index].typeNames
    if let integer = types.firstIndex(of: "integer"), mayBeFraction(index) {
      types[integer] = "number"
      note(index, "no integers: the name and \(places[index].numbers.count.counted("value")) are weak evidence")
    }
    if types == ["null"] {
      let nulls = places[index].nulls
      note(index, "no type: \(nulls == 1 ? "the only value is" : "all \(nulls.grouped) values are") null")
      return nil
    }
    return types.isEmpty ? nil : types.count == 1 ? .text(types[0]) : .texts(types)
  }

  /// True for a few numbers of a quantity, such as a weight, which may be whole by chance.
  private func mayBeFraction(_ index: Int) -> Bool {
    let numbers = places[index].numbers
    let words = map.nameWords(of: index)
    return options.strictness != .tight && numbers.count < 20 && words.isVarying && !words.isCount && drafter.enums[index] == nil
  }

  // MARK: Objects and arrays

  private mutating func objectRules(of index: Int) -> DraftMembers {
    let place = places[index]
    let required = requiredMembers(of: index)
    var members: DraftMembers = ["required": required.isEmpty ? nil : .texts(required)]
    if !place.members.isEmpty {
      var properties: DraftMembers = [:]
      for member in place.orderedMembers { properties.add(member.string, schema(of: member.place).object) }
      members.add("properties", properties.object)
    }
    if place.others >= 0, place.otherCount > 0 {
      let count = place.otherCount.counted("member")
      note(
        index,
        place.members.isEmpty
          ? "no list of members: their names look like data (\(count))"
          : "no rules by name for \(count): their names are too long, or there are too many places")
      if map.isMap(index, places) { members.add(keyRules(of: place.others)) }
      members.add("additionalProperties", schema(of: place.others).object)
    } else if !place.members.isEmpty, place.otherCount == 0 {
      members.add("additionalProperties", unknownMembers)
    }
    let conditions = conditions(of: index)
    if !conditions.isEmpty { members.add("allOf", .list(conditions)) }
    return members
  }

  private mutating func requiredMembers(of index: Int) -> [String] {
    let objects = places[index].objects
    let isEnough = options.strictness != .loose || map.single.contains(index) || objects >= 20
    var required: [String] = []
    for member in places[index].orderedMembers {
      if member.presence < objects {
        let missing = objects - member.presence
        guard missing * 20 < objects else { continue }
        note(member.place, "not required: \(missing.grouped) of \(objects.counted("object")) lack\(missing == 1 ? "s" : "") it")
      } else if mayBeOpen(member, in: index) {
        note(member.place, "not required: \(objects.counted("object")) have it, but what goes on has no end yet")
      } else if isEnough {
        required.append(member.string)
      } else {
        note(member.place, "not required: \(objects.counted("object")) are too few, though all have it")
      }
    }
    return required
  }

  /// True for the end of something, of which few records have one: others may go on.
  private func mayBeOpen(_ member: ValueStatistics.Member, in index: Int) -> Bool {
    guard options.strictness != .tight, !map.single.contains(index), places[index].objects < 30 else { return false }
    let words = NameWords(member.string)
    let isTime = formats[member.place]?.isPointInTime == true || places[member.place].texts.dateSpelling != nil
    return isTime && words.isLater && !words.has(["changed", "modified", "updated"])
  }

  private var unknownMembers: JSONValue.Located? {
    mutating get {
      switch options.strictness {
      case .loose: return nil
      case .normal:
        // The findings would be notes, which refute no proposal.
        if isProvisional { return nil }
        hasUnknown = true
        return .object(["$ref": .text("#/$defs/unknown")])
      case .tight: return .boolean(false)
      }
    }
  }

  private mutating func arrayRules(of index: Int) -> DraftMembers {
    let place = places[index]
    guard place.items >= 0, places[place.items].count > 0 else {
      if place.maximumItems == 0 {
        note(index, "no items: \(place.arrays == 1 ? "the only array is" : "all \(place.arrays.grouped) arrays are") empty")
      }
      return [:]
    }
    var members = keyRules(of: place.items)
    let items = schema(of: place.items)
    if !items.isEmpty { members.add("items", items.object) }
    return members
  }
}

extension ValueStatistics {
  /// The names of the types of its values.
  var typeNames: [String] {
    var types: [String] = []
    if falses + trues > 0 { types.append("boolean") }
    if numbers.count > 0 { types.append(numbers.integerCount == numbers.count ? "integer" : "number") }
    if texts.count > 0 { types.append("string") }
    if arrays > 0 { types.append("array") }
    if objects > 0 { types.append("object") }
    if nulls > 0 { types.append("null") }
    return types
  }
}

/// The rules of strings and numbers.
extension SchemaWriter {
  func textRules(of index: Int) -> DraftMembers {
    ["format": formats[index].map { .text($0.name) }, "enum": enumeration(of: index, isText: true)]
  }

  func numberRules(of index: Int) -> DraftMembers {
    if places[index].texts.count > 0 { return [:] }
    if let format = formats[index] { return ["format": .text(format.name)] }
    return ["enum": enumeration(of: index, isText: false)]
  }

  private func enumeration(of index: Int, isText: Bool) -> JSONValue.Located? {
    // The collection that they refer to has the values.
    guard let known = drafter.enums[index], !referring.contains(map.pointer(of: index)) else { return nil }
    var values = known.map { isText ? JSONValue.Located.text($0) : .number($0) }
    if places[index].nulls > 0 { values.append(JSONValue.Located(.null)) }
    return .list(values)
  }

  /// Adds the bounds of numbers and dates, where neither an enum nor a relation restricts them. A single value has no bounds.
  mutating func addBounds(of index: Int, to members: inout DraftMembers) {
    let place = places[index]
    if members.has("enum") { return }
    if place.numbers.count > 0, let range = place.numbers.range {
      if range.minimum == range.maximum { return noteNoBounds(index, place.numbers.count, range.minimum) }
      if !members.has("minimum") { members.add("minimum", .number(range.minimum)) }
      members.add("maximum", .number(range.maximum))
    } else if let format = formats[index], let range = place.texts.range(as: format) {
      // With an offset, the first and the last years can lie outside of RFC 3339.
      guard [range.earliest, range.latest].allSatisfy({ text in ByteView.with(text) { format.accepts($0) } }) else { return }
      if range.earliest == range.latest { return noteNoBounds(index, place.texts.count, range.earliest) }
      if !members.has("formatMinimum") { members.add("formatMinimum", .text(range.earliest)) }
      members.add("formatMaximum", .text(range.latest))
    }
  }

  private mutating func noteNoBounds(_ index: Int, _ count: Int, _ value: String) {
    note(index, "no bounds: \(count == 1 ? "there is one value" : "all values are \(value)")")
  }
}

/// The rules between values.
extension SchemaWriter {
  /// The fields of the primary keys, or of a unique key in their place, by record.
  var primaryKeys: [Int: String] {
    var keys: [Int: String] = [:]
    for case .unique(let record, let field, let isPrimary, _) in proposals.map(\.proposal.kind)
    where keys[record] == nil || isPrimary { keys[record] = field }
    return keys
  }

  /// Returns the keys, references and order of a collection's records.
  func keyRules(of record: Int) -> DraftMembers {
    var members: DraftMembers = [:]
    var keys: [JSONValue.Located] = []
    var references: [JSONValue.Located] = []
    var orders: [JSONValue.Located] = []
    for (number, proposal) in proposals {
      let comment = comment(of: proposal)
      switch proposal.kind {
      case .unique(record, let field, let isPrimary, let acrossArrays):
        var key: DraftMembers = [
          "$comment": comment, "fields": .text(field), "acrossArrays": acrossArrays ? .boolean(true) : nil,
        ]
        if isPrimary, !isProvisional, members.isEmpty {
          members.add("primaryKey", key.object)
        } else {
          key.add("code", code(number))
          keys.append(key.object)
        }
      case .reference(record, let fields, let targets):
        let resources = targets.map { target -> JSONValue.Located in
          .object(["resource": .text(target.resource), "fields": target.field.map(JSONValue.Located.text)])
        }
        references.append(
          .object([
            "$comment": comment, "fields": .text(fields), "reference": resources.count == 1 ? resources[0] : .list(resources),
            "code": code(number),
          ]))
      case .sorting(let array, let field, let isDescending, let comparesInstants) where places[array].items == record:
        let order: JSONValue.Located = .object([
          "field": .text(field), "order": isDescending ? .text("descending") : nil,
          "asInstants": comparesInstants ? .boolean(true) : nil,
        ])
        orders.append(
          .object([
            "$comment": comment, "sortedBy": isDescending || comparesInstants ? order : .text(field), "code": code(number),
            "severity": isProvisional || drafter.strictness == .tight ? nil : .text("warning"),
          ]))
      default: break
      }
    }
    if !orders.isEmpty { members.add("allOf", .list(orders)) }
    if !keys.isEmpty { members.add("uniqueKeys", .list(keys)) }
    if !references.isEmpty { members.add("foreignKeys", .list(references)) }
    return members
  }

  func code(_ number: Int) -> JSONValue.Located? { isProvisional ? .text(Proposal.code(number)) : nil }

  func comment(of proposal: Proposal) -> JSONValue.Located? { isProvisional ? nil : .text(proposal.evidence) }

  /// Returns the count, sum or order of a value, with its evidence; all that are proposed if they are to be proven.
  func relation(of index: Int) -> (rules: DraftMembers, evidence: String?) {
    var parts: [JSONValue.Located] = []
    for (number, proposal) in proposals {
      var rule: DraftMembers
      switch proposal.kind {
      case .count(index, let array): rule = ["countOf": .text(array)]
      case .sum(index, let values): rule = ["sumOf": .object(["values": .text(values), "tolerance": .text("0.01")])]
      case .order(index, let field, let format):
        let bound: JSONValue.Located = .object(["$data": .text("1/\(field.pointerToken)")])
        rule = [format == nil ? "minimum" : "formatMinimum": bound]
        // Beside another format, or in a part of `allOf`, the bound needs its own.
        if let format, isProvisional || format != formats[index] {
          rule = ["format": .text(format.name), "formatMinimum": bound]
          if !isProvisional { rule = ["allOf": .list([rule.object])] }
        }
      default: continue
      }
      if !isProvisional { return (rule, proposal.evidence) }
      rule.add("code", code(number))
      parts.append(rule.object)
    }
    return (["allOf": parts.isEmpty ? nil : .list(parts)], nil)
  }
}
