import Findings
import JSONEvents
import Rules

/// Writes the schema of each place, with the proposals that hold.
struct SchemaWriter {
  let places: ContiguousArray<Place>
  let map: PlaceMap
  let options: DraftOptions
  let proposals: [(number: Int, proposal: Proposal)]
  /// True for the rules of the second reading: proposals have codes, and nothing is for people.
  let isProvisional: Bool
  let formats: [Int: StringFormat]
  let enums: [Int: [String]]
  private let documentCount: Int
  private let byteCount: Int
  private(set) var notes: [DraftNote]
  /// True if a schema refers to the definition of unknown members.
  private var hasUnknown = false

  init(_ drafter: Drafter, proposals: [(Int, Proposal)], isProvisional: Bool) {
    places = drafter.places
    map = drafter.map
    options = drafter.options
    documentCount = drafter.observation.documentCount
    byteCount = drafter.observation.byteCount
    self.proposals = proposals
    self.isProvisional = isProvisional
    formats = drafter.formats.formats
    enums = drafter.enums.values
    notes = drafter.formats.notes + drafter.enums.notes
  }

  mutating func note(_ place: Int, _ message: String) {
    notes.append(DraftNote(pointer: map.pointer(of: place), message: message))
  }

  // MARK: Documents

  /// Returns the rules of the documents.
  mutating func document() -> JSONValue.Located {
    var members = DraftMembers()
    members.add("$schema", .text("urn:coffer:rules:1"))
    if !isProvisional {
      if let name = options.name, places[0].objects > 0 { members.add("title", .text(name)) }
      members.add("$comment", .text(origin))
      if let name = options.name {
        let descriptor = DescriptorDraft(places, map, keys: primaryKeys, formats: formats, archive: options.archive)
        let backup = descriptor.backup(named: name)
        if backup == nil { note(0, "no backup: formats are drafted only for documents that are objects") }
        members.add("backup", backup)
      }
    }
    members.add(schema(of: 0))
    if hasUnknown {
      let unknown: JSONValue.Located = .object([
        ("not", .object([])), ("severity", .text("note")), ("code", .text("unknown-field")),
        ("errorMessage", .text("no document had this member when the rules were drafted")),
      ])
      members.add("$defs", .object([("unknown", unknown)]))
    }
    return members.object
  }

  private var origin: String {
    "Drafted from \(documentCount.counted("document")) (\(byteCount.counted("byte"))), which \(documentCount == 1 ? "satisfies" : "satisfy") these rules. Check whether other documents must."
  }

  /// Returns the rules of a place and everything in it. Provisional ones refer to nothing outside.
  mutating func rules(of place: Int) -> JSONValue.Located { schema(of: place).object }

  // MARK: Schemas

  private mutating func schema(of index: Int) -> DraftMembers {
    let place = places[index]
    let relation = relation(of: index)
    var members = DraftMembers()
    if !isProvisional, index > 0 {
      let comment = PlaceEvidence(place, documentCount: documentCount).comment(with: relation.evidence)
      members.add("$comment", comment.map(JSONValue.Located.text))
    }
    let types = types(of: index)
    if types.count == 1 { members.add("type", .text(types[0])) } else if types.count > 1 { members.add("type", .texts(types)) }
    if place.texts.count > 0 { members.add(textRules(of: index)) }
    if place.numbers.count > 0 { members.add(numberRules(of: index)) }
    members.add(relation.rules)
    if options.addsBounds { addBounds(of: index, to: &members) }
    if place.objects > 0 { members.add(objectRules(of: index)) }
    if place.arrays > 0 { members.add(arrayRules(of: index)) }
    return members
  }

  private mutating func types(of index: Int) -> [String] {
    let types = places[index].typeNames
    guard types == ["null"] else { return types }
    note(
      index, "no type: \(places[index].nulls == 1 ? "the only value is" : "all \(places[index].nulls.grouped) values are") null")
    return []
  }

  // MARK: Objects and arrays

  private mutating func objectRules(of index: Int) -> DraftMembers {
    let place = places[index]
    var members = DraftMembers()
    let required = requiredMembers(of: index)
    if !required.isEmpty { members.add("required", .texts(required)) }
    if !place.members.isEmpty {
      var properties = DraftMembers()
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
      members.add("additionalProperties", schema(of: place.others).object)
    } else if !place.members.isEmpty, place.otherCount == 0 {
      members.add("additionalProperties", unknownMembers)
    }
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
      } else if isEnough {
        required.append(member.string)
      } else {
        note(member.place, "not required: \(objects.counted("object")) are too few, though all have it")
      }
    }
    return required
  }

  private var unknownMembers: JSONValue.Located? {
    mutating get {
      switch options.strictness {
      case .loose: return nil
      case .normal:
        // The findings would be notes, which refute no proposal.
        if isProvisional { return nil }
        hasUnknown = true
        return .object([("$ref", .text("#/$defs/unknown"))])
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
      return DraftMembers()
    }
    var members = keyRules(of: place.items)
    let items = schema(of: place.items)
    if !items.isEmpty { members.add("items", items.object) }
    return members
  }
}

extension Place {
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
