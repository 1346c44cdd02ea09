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
  private(set) var notes: [DraftNote] = []
  private var hasUnknown = false
  private var openDepth = 0

  init(_ drafter: Drafter, proposals: [(Int, Proposal)], isProvisional: Bool) {
    places = drafter.places
    map = drafter.map
    options = drafter.options
    documentCount = drafter.observation.documentCount
    byteCount = drafter.observation.byteCount
    self.proposals = proposals
    self.isProvisional = isProvisional
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
    var types: [String] = []
    if place.falses + place.trues > 0 { types.append("boolean") }
    if place.numbers.count > 0 { types.append(place.numbers.integerCount == place.numbers.count ? "integer" : "number") }
    if place.texts.count > 0 { types.append("string") }
    if place.arrays > 0 { types.append("array") }
    if place.objects > 0 { types.append("object") }
    if types.isEmpty {
      if place.nulls > 0 { note(index, "no type: all \(place.nulls.counted("value")) are null") }
      return []
    }
    if place.nulls > 0 { types.append("null") }
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
    if place.numbers.count > 0, place.numbers.minimum < place.numbers.maximum { parts.append(range(of: place.numbers)) }
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

  private func range(of numbers: NumberStatistics) -> String {
    if numbers.areIntegers { return "\(numbers.minimumInteger) to \(numbers.maximumInteger)" }
    return "\(numbers.minimum) to \(numbers.maximum)"
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
    let words = nameWords(of: index)
    let format = format(of: place.texts, words, index)
    if let format { members.add("format", .text(format.name)) }
    let isEnum = format == nil && addEnum(of: index, place.texts.tally, place.texts.count, words, isText: true, to: &members)
    if format == nil, !isEnum { addPattern(of: index, place.texts, to: &members) }
    if options.addsBounds, !isProvisional, let format, format.isPointInTime, let first = place.texts.earliest,
      let last = place.texts.latest, format != .date
    {
      members.add("formatMinimum", .text("\(first)"))
      members.add("formatMaximum", .text("\(last)"))
    }
    return members
  }

  /// The words of the last name that leads to a place.
  private func nameWords(of index: Int) -> NameWords {
    let tokens = map.pointer(of: index).pointerTokens ?? []
    return NameWords(tokens.last { $0 != "*" && $0 != "{name}" } ?? "")
  }

  private mutating func format(of texts: TextStatistics, _ words: NameWords, _ index: Int) -> StringFormat? {
    for format in texts.formats {
      switch format {
      case .dateTimeSeconds, .dateTime, .date, .time, .uuid, .email, .idnEmail, .ipv4, .ipv6, .colorHex, .duration: return format
      case .uri, .iri: if texts.hasAuthorities { return format }
      case .currency:
        if words.words.contains("currency") || texts.tally.isOver || texts.tally.values.count >= 3 { return format }
      case .decimal:
        if words.isKind || words.isCode || texts.hasLeadingZero {
          note(index, "no format decimal: the name or a leading zero suggests a code")
        } else if words.isAmount || texts.count >= 20 && (texts.tally.isOver || texts.tally.values.count >= 10) {
          return format
        }
      case .base64:
        if texts.minimumLength >= 8, texts.hasPadding { return format }
      default: break
      }
    }
    return nil
  }

  /// Adds an enum if the values repeat and are few.
  private mutating func addEnum(
    of index: Int, _ tally: ValueTally, _ count: Int, _ words: NameWords, isText: Bool, to members: inout DraftMembers
  ) -> Bool {
    let place = places[index]
    let isAlone = place.count - place.nulls == count
    guard isAlone, !tally.isOver, !tally.values.isEmpty else {
      if words.isKind, isText { note(index, isAlone ? "no enum: more than \(ValueTally.limit) distinct values" : "no enum: values of several types") }
      return false
    }
    let distinct = tally.values.count
    let rarest = tally.values.map(\.count).min() ?? 0
    if distinct == 1, !words.isKind { return false }
    let (share, limit, least): (Int, Int, Int) =
      switch options.strictness {
      case .loose: (20, 16, 5)
      case .normal: (words.isKind ? 6 : 8, words.isKind ? 40 : 24, words.isKind ? 2 : 3)
      case .tight: (2, 48, 1)
      }
    if options.strictness != .tight, words.isProse || !isText && !words.isKind {
      if isText { note(index, "no enum: the name suggests text that people write; \(distinct.counted("distinct value"))") }
      return false
    }
    if options.strictness != .tight, distinct == 1, count < 20 {
      note(index, "no enum: all \(count.counted("value")) are the same")
      return false
    }
    guard distinct <= limit, count >= share * distinct, rarest >= least else {
      note(
        index,
        "no enum: \(count.counted("value")), \(distinct.grouped) distinct, the rarest \(rarest) time\(rarest == 1 ? "" : "s")")
      return false
    }
    var values = tally.values.map { isText ? JSONValue.Located.text($0.string) : .number($0.string) }
    if place.nulls > 0 { values.append(JSONValue.Located(.null)) }
    members.add("enum", .list(values))
    return true
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
    let words = nameWords(of: index)
    var members = DraftMembers()
    let isTime = addNumericTime(of: index, numbers, words, to: &members)
    if !isTime, numbers.areIntegers {
      _ = addEnum(of: index, numbers.tally, numbers.count, words, isText: false, to: &members)
    }
    if options.addsBounds, !isTime, !isProvisional {
      members.add("minimum", numbers.areIntegers ? .number(numbers.minimumInteger) : .number(numbers.minimum))
      members.add("maximum", numbers.areIntegers ? .number(numbers.maximumInteger) : .number(numbers.maximum))
    }
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
      note(index, "no time format: \(range(of: numbers)) is outside of 2001 to 2100")
      return false
    }
    members.add("format", .text(format.name))
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
    } else if !ordered.isEmpty, openDepth < DocumentObservation.depthLimit {
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
          members.add("primaryKey", acrossArrays ? .object([("fields", .text(field)), ("acrossArrays", .boolean(true))]) : .text(field))
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
    if run.kinds & Run.upper != 0 { characters += "A-Z" }
    if run.kinds & Run.lower != 0 { characters += "a-z" }
    let count = run.minimum == run.maximum ? "{\(run.minimum - head.utf8.count)}" : "+"
    return head + "[\(characters)]" + count
  }
}
