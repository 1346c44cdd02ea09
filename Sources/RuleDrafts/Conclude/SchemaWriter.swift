import JSONEvents
import Rules

/// Writes the schema of each place, with the proposals that hold.
struct SchemaWriter {
  private let places: ContiguousArray<Place>
  private let map: PlaceMap
  private let options: DraftOptions
  private let documentCount: Int
  private let byteCount: Int
  private let proposals: [(number: Int, proposal: Proposal)]
  /// True for the rules of the second reading: proposals have codes, and nothing is for people.
  private let isProvisional: Bool
  private let formats: [Int: StringFormat]
  private let enums: EnumConclusion
  private var numericTimes: [Int: StringFormat] = [:]
  private(set) var notes: [DraftNote] = []
  private var hasUnknown = false
  /// True if there are no definitions to refer to.
  private var isPart = false
  private var openDepth = 0

  init(_ drafter: Drafter, proposals: [(Int, Proposal)], isProvisional: Bool) {
    places = drafter.places
    map = drafter.map
    options = drafter.options
    documentCount = drafter.observation.documentCount
    byteCount = drafter.observation.byteCount
    self.proposals = proposals
    self.isProvisional = isProvisional
    let formats = FormatConclusion(places, map)
    self.formats = formats.formats
    enums = EnumConclusion(places, map, options.strictness, formats: formats.formats)
    notes = formats.notes + enums.notes
  }

  mutating func document() -> JSONValue.Located {
    var members = DraftMembers()
    members.add("$schema", .text("urn:coffer:rules:1"))
    if !isProvisional {
      if let name = options.name, places[0].objects > 0 { members.add("title", .text(name)) }
      members.add(
        "$comment",
        .text(
          "Drafted from \(documentCount.counted("document")) of \(byteCount.counted("byte")). They satisfy these rules; whether others must is for you to decide."
        ))
      let descriptor = DescriptorDraft(places, map, keys: primaryKeys)
      if let name = options.name { members.add("backup", descriptor.backup(named: name)) }
    }
    members.add(schema(of: 0))
    if hasUnknown {
      members.add(
        "$defs",
        .object([
          (
            "unknown",
            .object([
              ("not", .object([])), ("severity", .text("note")), ("code", .text("unknown-field")),
              ("errorMessage", .text("no document had this member when the rules were drafted")),
            ])
          )
        ]))
    }
    return members.object
  }

  private var primaryKeys: [Int: String] {
    var keys: [Int: String] = [:]
    for case .unique(let record, let field, let isPrimary, _) in proposals.map(\.proposal.kind)
    where keys[record] == nil || isPrimary { keys[record] = field }
    return keys
  }

  // MARK: Schemas

  /// Returns the rules of a place and everything in it, which refer to nothing outside.
  mutating func rules(of place: Int) -> JSONValue.Located {
    isPart = true
    return schema(of: place).object
  }

  private mutating func schema(of index: Int) -> DraftMembers {
    let place = places[index]
    openDepth += 1
    defer { openDepth -= 1 }
    var members = DraftMembers()
    let types = types(of: index)
    if !isProvisional, index > 0 { members.add("$comment", comment(on: index).map(JSONValue.Located.text)) }
    if types.count == 1 { members.add("type", .text(types[0])) } else if types.count > 1 { members.add("type", .texts(types)) }
    if place.texts.count > 0 { members.add(textRules(of: index)) }
    if place.numbers.count > 0 { members.add(numberRules(of: index)) }
    members.add(relationRules(of: index))
    if options.addsBounds { addBounds(of: index, to: &members) }
    if place.objects > 0 { members.add(objectRules(of: index)) }
    if place.arrays > 0 { members.add(arrayRules(of: index)) }
    return members
  }

  private func note(_ index: Int, _ message: String, into notes: inout [DraftNote]) {
    notes.append(DraftNote(pointer: map.pointer(of: index), message: message))
  }

  private mutating func note(_ index: Int, _ message: String) { note(index, message, into: &notes) }

  private mutating func types(of index: Int) -> [String] {
    let place = places[index]
    var types = place.typeNames
    if types == ["null"] { types = [] }
    if types.isEmpty {
      if place.nulls > 0 { note(index, "no type: all \(place.nulls.counted("value")) are null") }
      return []
    }
    return types
  }

  /// `1,204,331 values, 12 distinct, 3 to 90. Confidence: high.`
  private func comment(on index: Int) -> String? {
    let place = places[index]
    guard place.count > 0 else { return nil }
    // Objects and arrays show their evidence in their members.
    if place.objects + place.arrays == place.count, place.arrays == 0 { return place.count.counted("object") }
    var parts = [place.count.counted(place.arrays == place.count ? "array" : "value")]
    if place.nulls > 0 { parts.append("\(place.nulls.grouped) null") }
    if let distinct = distinctCount(of: place) { parts.append(distinct) }
    if place.numbers.count > 0, place.numbers.minimum < place.numbers.maximum, let range = place.numbers.range {
      parts.append("\(range.minimum) to \(range.maximum)")
    }
    if let first = place.texts.earliest, let last = place.texts.latest, first < last, !place.texts.formats.isEmpty,
      place.texts.formats[0].isPointInTime
    {
      parts.append("\(first) to \(last)")
    }
    if place.arrays > 0, place.maximumItems > 0 {
      parts.append(
        place.minimumItems == place.maximumItems
          ? place.maximumItems.counted("item") : "\(place.minimumItems.grouped) to \(place.maximumItems.counted("item"))")
    }
    let confidence = place.count >= 100 ? "high" : place.count >= 10 ? "medium" : "low"
    return parts.joined(separator: ", ") + ". Confidence: \(confidence)."
  }

  private func distinctCount(of place: Place) -> String? {
    if place.texts.count > 0, place.numbers.count == 0 {
      if !place.texts.tally.isOver { return "\(place.texts.tally.values.count.grouped) distinct" }
    } else if place.numbers.count > 0, place.texts.count == 0 {
      if !place.numbers.tally.isOver { return "\(place.numbers.tally.values.count.grouped) distinct" }
    } else {
      return nil
    }
    let column = place.column
    if column.documents == 0 || column.hasOthers { return nil }
    let isExact = column.largestDistinctCount <= ValueSketch.size
    if documentCount == 1 { return "\(isExact ? "" : "about ")\(column.largestDistinctCount.grouped) distinct" }
    return "up to \(column.largestDistinctCount.grouped) distinct in a document"
  }

  // MARK: Strings and numbers

  private mutating func textRules(of index: Int) -> DraftMembers {
    let place = places[index]
    var members = DraftMembers()
    let format = formats[index]
    if let format { members.add("format", .text(format.name)) }
    let values = enumeration(of: index, isText: true)
    members.add("enum", values)
    if format == nil, values == nil { addPattern(of: index, place.texts, to: &members) }
    return members
  }

  /// Adds the bounds of numbers and dates, where no relation has set them.
  private func addBounds(of index: Int, to members: inout DraftMembers) {
    let place = places[index]
    if members.has("enum") { return }
    let format = place.numbers.count > 0 ? numericTimes[index] : formats[index]
    if let format {
      guard format.isPointInTime, format != .date, let first = place.texts.earliest, let last = place.texts.latest else { return }
      if !members.has("formatMinimum") { members.add("formatMinimum", .text("\(first)")) }
      members.add("formatMaximum", .text("\(last)"))
    } else if place.numbers.count > 0, let range = place.numbers.range {
      if !members.has("minimum") { members.add("minimum", .number(range.minimum)) }
      members.add("maximum", .number(range.maximum))
    }
  }

  private func enumeration(of index: Int, isText: Bool) -> JSONValue.Located? {
    guard let known = enums.values[index] else { return nil }
    var values = known.map { isText ? JSONValue.Located.text($0) : .number($0) }
    if places[index].nulls > 0 { values.append(JSONValue.Located(.null)) }
    return .list(values)
  }

  /// Adds the common pattern of ids such as `INV-000123`.
  private mutating func addPattern(of index: Int, _ texts: TextStatistics, to members: inout DraftMembers) {
    guard options.strictness != .loose, let runs = texts.shape.runs, !texts.shape.isBroken else { return }
    let distinct = texts.tally.isOver ? ValueTally.limit : texts.tally.values.count
    let needed = options.strictness == .tight ? 5 : 20
    let hasDigits = runs.contains { $0.kinds & TextShape.Run.digit != 0 }
    guard hasDigits, runs.contains(where: { !$0.isConstant }), runs.count > 1 || runs[0].minimum == runs[0].maximum,
      runs.count > 1 || runs[0].minimum >= 6
    else { return }
    guard distinct >= needed else {
      return note(index, "no pattern, though all values have the same shape: only \(distinct.counted("distinct value"))")
    }
    members.add("pattern", .text(TextShape.pattern(of: runs)))
  }

  private mutating func numberRules(of index: Int) -> DraftMembers {
    let place = places[index]
    let numbers = place.numbers
    let words = map.nameWords(of: index)
    var members = DraftMembers()
    let isTime = addNumericTime(of: index, numbers, words, to: &members)
    if !isTime, place.texts.count == 0 { members.add("enum", enumeration(of: index, isText: false)) }
    return members
  }

  /// Adds the format of numbers that are plausible as times.
  private mutating func addNumericTime(
    of index: Int, _ numbers: NumberStatistics, _ words: NameWords, to members: inout DraftMembers
  ) -> Bool {
    guard words.isTime, places[index].texts.count == 0 else { return false }
    // 2001 to 2100; seconds since 2001 are plausible from 2007 on.
    let format: StringFormat? =
      switch (numbers.minimum, numbers.maximum) {
      case (978_307_200_000...4_102_444_800_000, ...4_102_444_800_000): .unixTimeMilliseconds
      case (978_307_200...4_102_444_800, ...4_102_444_800): .unixTime
      case (189_000_000...978_307_200, ...978_307_200): .appleReferenceTime
      default: nil
      }
    guard let format else {
      note(index, "no time format: the numbers are outside of 2001 to 2100")
      return false
    }
    members.add("format", .text(format.name))
    numericTimes[index] = format
    return true
  }

  // MARK: Objects and arrays

  private mutating func objectRules(of index: Int) -> DraftMembers {
    let place = places[index]
    var members = DraftMembers()
    let ordered = place.orderedMembers
    var required: [String] = []
    for member in ordered {
      if member.presence == place.objects {
        if isEnoughToRequire(index) {
          required.append(member.string)
        } else {
          note(member.place, "not required: only \(place.objects.counted("object")), which all have it")
        }
      } else {
        let share = Double(member.presence) / Double(max(1, place.objects))
        if share > 0.95 {
          note(
            member.place,
            "not required: \((place.objects - member.presence).grouped) of \(place.objects.counted("object")) lack it")
        }
      }
    }
    if !required.isEmpty { members.add("required", .texts(required)) }
    if !ordered.isEmpty {
      var properties = DraftMembers()
      for member in ordered { properties.add(member.string, schema(of: member.place).object) }
      members.add("properties", properties.object)
    }
    if place.others >= 0, place.otherCount > 0 {
      note(index, "no list of members: the names look like data (\(place.otherCount.counted("member")))")
      members.add("additionalProperties", schema(of: place.others).object)
    } else if !ordered.isEmpty, !isPart, openDepth < DocumentObservation.depthLimit {
      switch options.strictness {
      case .loose: break
      case .normal:
        hasUnknown = true
        members.add("additionalProperties", .object([("$ref", .text("#/$defs/unknown"))]))
      case .tight: members.add("additionalProperties", .boolean(false))
      }
    }
    return members
  }

  private func isEnoughToRequire(_ index: Int) -> Bool {
    if options.strictness != .loose || map.single.contains(index) { return true }
    return places[index].objects >= 20
  }

  private mutating func arrayRules(of index: Int) -> DraftMembers {
    let place = places[index]
    var members = DraftMembers()
    guard place.items >= 0, places[place.items].count > 0 else {
      note(index, "no items: all \(place.arrays.counted("array")) are empty")
      return members
    }
    members.add(keyRules(of: place.items))
    let items = schema(of: place.items)
    if !items.isEmpty { members.add("items", items.object) }
    return members
  }

  // MARK: Proposals

  private func evidence(_ proposal: Proposal) -> JSONValue.Located? { isProvisional ? nil : .text(proposal.evidence) }

  private mutating func keyRules(of record: Int) -> DraftMembers {
    var members = DraftMembers()
    var keys: [JSONValue.Located] = []
    var references: [JSONValue.Located] = []
    for (number, proposal) in proposals {
      let code: JSONValue.Located? = isProvisional ? .text(Proposal.code(number)) : nil
      switch proposal.kind {
      case .unique(record, let field, let isPrimary, let acrossArrays):
        if isPrimary, !isProvisional, members.isEmpty {
          members.add(
            "primaryKey", acrossArrays ? .object([("fields", .text(field)), ("acrossArrays", .boolean(true))]) : .text(field))
          continue
        }
        var key = DraftMembers()
        key.add("$comment", evidence(proposal))
        key.add("fields", .text(field))
        if acrossArrays { key.add("acrossArrays", .boolean(true)) }
        key.add("code", code)
        keys.append(key.object)
      case .reference(record, let fields, let targets):
        var reference = DraftMembers()
        reference.add("$comment", evidence(proposal))
        reference.add("fields", .text(fields))
        let resources = targets.map { target in
          JSONValue.Located.object([("resource", .text(target.resource)), ("fields", .text(target.field))])
        }
        reference.add("reference", resources.count == 1 ? resources[0] : .list(resources))
        reference.add("code", code)
        references.append(reference.object)
      default: break
      }
    }
    if !keys.isEmpty { members.add("uniqueKeys", .list(keys)) }
    if !references.isEmpty { members.add("foreignKeys", .list(references)) }
    return members
  }

  /// The counts, sums and orders of a value.
  private mutating func relationRules(of index: Int) -> DraftMembers {
    var parts: [DraftMembers] = []
    for (number, proposal) in proposals {
      var rule = DraftMembers()
      switch proposal.kind {
      case .count(index, let array): rule.add("countOf", .text(array))
      case .sum(index, let values):
        rule.add("sumOf", .object([("values", .text(values)), ("tolerance", .text("0.01"))]))
      case .order(index, let field, let format):
        if isProvisional, let format { rule.add("format", .text(format.name)) }
        rule.add(format == nil ? "minimum" : "formatMinimum", .object([("$data", .text("1/\(field.pointerToken)"))]))
      default: continue
      }
      if isProvisional { rule.add("code", .text(Proposal.code(number))) }
      parts.append(rule)
    }
    var members = DraftMembers()
    if isProvisional {
      if !parts.isEmpty { members.add("allOf", .list(parts.map(\.object))) }
    } else {
      for part in parts.prefix(1) { members.add(part) }
    }
    return members
  }
}

extension TextShape {
  /// Returns the pattern of texts with these runs.
  static func pattern(of runs: [Run]) -> String {
    "^" + runs.map(pattern).joined() + "$"
  }

  private static func pattern(of run: Run) -> String {
    if run.separator != 0 {
      let character = String(UnicodeScalar(run.separator))
      return "\\^$.*+?()[]{}|/".contains(character) ? "\\" + character : character
    }
    if run.isConstant { return String(decoding: run.prefix, as: UTF8.self) }
    // Letters that all have at the start, as in INV000123.
    let letters = run.prefix.prefix { $0 >= 0x41 }
    let head = letters.count < run.minimum ? String(decoding: letters, as: UTF8.self) : ""
    var characters = ""
    if run.kinds & Run.digit != 0 { characters += "0-9" }
    if run.kinds & (Run.upper | Run.upperHex) != 0 { characters += run.kinds & Run.upper != 0 ? "A-Z" : "A-F" }
    if run.kinds & (Run.lower | Run.lowerHex) != 0 { characters += run.kinds & Run.lower != 0 ? "a-z" : "a-f" }
    let count = run.minimum == run.maximum ? "{\(run.minimum - head.utf8.count)}" : "+"
    return head + "[\(characters)]" + count
  }
}
