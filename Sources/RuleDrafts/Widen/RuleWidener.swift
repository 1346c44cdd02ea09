import JSONEvents
package import Rules

/// Widens rules until documents that were observed satisfy them.
///
/// Each finding names the keyword that is too narrow, and the place of a value that it refuses. What was observed at that place
/// says how wide the keyword must be.
package struct RuleWidener: Sendable {
  /// A keyword that was changed, with its value before and after; `nil`: absent.
  package struct Change: Sendable, Hashable {
    /// The keyword's place in the rules.
    package let location: String
    package let before: String?
    package let after: String?
  }

  /// A finding about a value that a keyword refuses.
  package struct Refusal: Sendable, Hashable {
    package let keyword: String
    package let location: String
    /// The place of the refused value.
    package let pointer: String
    /// True if the value is a member that the rules don't describe, and only note.
    package let isUnknownMember: Bool

    package init(keyword: String, location: String, pointer: String, isUnknownMember: Bool) {
      self.isUnknownMember = isUnknownMember
      self.keyword = keyword
      self.location = location
      self.pointer = pointer
    }
  }

  private let original: JSONValue.Located
  private let observation: DocumentObservation
  private var writer: SchemaWriter
  /// The keys and references that are refused: entries of lists, whose later entries keep their places until all are known.
  private var refusedEntries: [[String]] = []
  /// The bounds that were set since the refusals were found. They refuse no observed value of their places.
  private var newBounds: Set<[String]> = []
  /// The keywords that must stay as they are.
  private var keptLocations: Set<String> = []
  package private(set) var document: JSONValue.Located
  /// The keywords that were set, in order.
  private var locations: [String] = []

  package init(_ document: JSONValue.Located, observation: DocumentObservation) {
    original = document
    self.document = document
    self.observation = observation
    writer = SchemaWriter(Drafter(observation, options: DraftOptions()), proposals: [], isProvisional: true)
  }

  /// The differences from the original rules, in the order in which they were made.
  package var changes: [Change] {
    locations.compactMap { location in
      let tokens = location.pointerTokens ?? []
      // What was added says what is in it.
      if tokens.indices.dropFirst().contains(where: { original.value(at: tokens[..<$0]) == nil }) { return nil }
      let before = original.value(at: tokens)?.text
      let after = document.value(at: tokens)?.text
      return before == after ? nil : Change(location: location, before: before, after: after)
    }
  }

  /// Widens the keywords that refused values.
  ///
  /// - Returns: false if no keyword was changed.
  package mutating func widen(_ refusals: some Sequence<Refusal>) -> Bool {
    let before = document.text
    newBounds = []
    var seen: Set<Refusal> = []
    for refusal in refusals where !keptLocations.contains(refusal.location) && seen.insert(refusal).inserted { widen(refusal) }
    removeRefusedEntries()
    return !document.text.utf8.elementsEqual(before.utf8)
  }

  /// Leaves keywords as they are, because the rules can't be used without them.
  package mutating func keep(_ locations: some Sequence<String>) { keptLocations.formUnion(locations) }

  /// Widens the versions of a format to those that documents declare.
  package mutating func widenVersions() {
    let version = ["backup", "version"]
    func number(_ name: String) -> Int64? { document.value(at: version + [name])?.number.flatMap { Int64($0) } }
    guard let pointer = document.value(at: version + ["pointer"])?.string?.pointerTokens, let current = number("current"),
      let place = observation.place(ofMember: pointer)
    else { return }
    let numbers = observation.places[place].numbers
    guard numbers.count > 0, numbers.areIntegers else { return }
    // Without `oldest`, the current version is the only one.
    let oldest = min(number("oldest") ?? current, numbers.minimumInteger)
    if numbers.maximumInteger > current { set(version + ["current"], .number(numbers.maximumInteger)) }
    if oldest < max(current, numbers.maximumInteger), number("oldest") != oldest { set(version + ["oldest"], .number(oldest)) }
  }

  /// Removes a field of a collection's description in `backup` that names no date any more, because the field's format was removed.
  ///
  /// - Parameter pointer: the place that is wrong.
  /// - Returns: false if there is no such field at this place.
  package mutating func removeDateField(at pointer: String) -> Bool {
    guard let tokens = pointer.pointerTokens, tokens.count == 4, tokens.starts(with: ["backup", "collections"]),
      ["date", "modified"].contains(tokens[3]), document.value(at: tokens) != nil
    else { return false }
    set(tokens, nil)
    return true
  }

  private mutating func set(_ tokens: [String], _ value: JSONValue.Located?) {
    document = document.setting(value, at: tokens)
    let location = tokens.pointer
    if !locations.contains(location) { locations.append(location) }
  }

  private mutating func removeRefusedEntries() {
    defer { refusedEntries = [] }
    var lists: [[String]] = []
    for list in refusedEntries.map({ Array($0.dropLast()) }) where !lists.contains(list) { lists.append(list) }
    for list in lists {
      guard let items = document.value(at: list)?.array else { continue }
      let kept = items.indices.filter { !refusedEntries.contains(list + ["\($0)"]) }
      set(list, kept.isEmpty ? nil : .list(kept.map { items[$0] }))
    }
  }

  private mutating func widen(_ refusal: Refusal) {
    if refusal.isUnknownMember { return describeMember(at: refusal.pointer) }
    guard let tokens = refusal.location.pointerTokens, !tokens.isEmpty, document.value(at: tokens) != nil else { return }
    // There is no value at the place of a missing member.
    switch refusal.keyword {
    case "required": return widenRequired(tokens, refusal.pointer)
    case "dependentRequired", "dependencies":
      for dependency in document.value(at: tokens)?.object ?? [] { widenRequired(tokens + [dependency.key], refusal.pointer) }
      if document.value(at: tokens)?.object?.isEmpty == true { set(tokens, nil) }
      return
    default: break
    }
    guard let place = observation.place(at: refusal.pointer) else { return }
    let values = observation.places[place]
    switch refusal.keyword {
    case "type": widenType(tokens, values)
    case "enum": widenEnum(tokens, values)
    case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minItems", "maxItems", "formatMinimum",
      "formatExclusiveMinimum", "formatMaximum", "formatExclusiveMaximum":
      widenBound(tokens, refusal.keyword, values)
    case "additionalProperties", "unevaluatedProperties": addMember(tokens, refusal.pointer)
    case "format":
      set(tokens, nil)
      removeTimeBounds(Array(tokens.dropLast()))
    case "uniqueKeys", "foreignKeys": refusedEntries.append(tokens)
    // Documents don't show which versions and files are right.
    case "since", "containerEntry": break
    // A keyword without schemas only judges the value itself: removing it admits the value.
    default: if Keyword.all.contains(where: { $0.name == refusal.keyword && !$0.holdsSchemas }) { set(tokens, nil) }
    }
  }

  /// Bounds need the format next to them.
  private mutating func removeTimeBounds(_ schema: [String]) {
    for name in ["formatMinimum", "formatMaximum", "formatExclusiveMinimum", "formatExclusiveMaximum"]
    where document.value(at: schema + [name]) != nil { set(schema + [name], nil) }
  }

  private mutating func widenBound(_ tokens: [String], _ keyword: String, _ values: ValueStatistics) {
    let schema = Array(tokens.dropLast())
    let isMinimum = keyword.lowercased().contains("min")
    let known = document.value(at: tokens)
    var bound: JSONValue.Located?
    if keyword.hasSuffix("Items") {
      bound = .number(isMinimum ? values.minimumItems : values.maximumItems)
    } else if keyword.hasPrefix("format") {
      let format = document.value(at: schema + ["format"])?.string.flatMap(StringFormat.init)
      let range = known?.string == nil ? nil : format.flatMap(values.texts.range(as:))
      bound = range.map { .text(isMinimum ? $0.earliest : $0.latest) }
    } else if values.numbers.count > 0, known?.number != nil {
      bound = values.numbers.range.map { .number(isMinimum ? $0.minimum : $0.maximum) }
    }
    guard let bound else { return set(tokens, nil) }
    let place = schema + [keyword.replacing("Exclusive", with: "").replacing("exclusiveM", with: "m")]
    // In draft 4, it makes the bound next to it exclusive.
    let exclusive = schema + [isMinimum ? "exclusiveMinimum" : "exclusiveMaximum"]
    if place.last == "minimum" || place.last == "maximum", document.value(at: exclusive)?.boolean != nil {
      set(exclusive, nil)
      newBounds.insert(place)
    }
    setBound(tokens, place, bound, isMinimum: isMinimum)
  }

  /// Replaces a bound by an inclusive one that is wide enough for the values of a place.
  ///
  /// Several values may refuse one bound, and several places may share it: of the bounds for them, the widest stays. A bound of an earlier
  /// round that is as wide already refuses a value for another reason, and is removed.
  private mutating func setBound(_ tokens: [String], _ place: [String], _ bound: JSONValue.Located, isMinimum: Bool) {
    if tokens != place { set(tokens, nil) }
    guard let known = document.value(at: place) else { return setNewBound(place, bound) }
    if Self.isWider(bound, than: known, isMinimum: isMinimum) {
      setNewBound(place, bound)
    } else if tokens == place, !newBounds.contains(place) {
      set(place, nil)
    }
  }

  private mutating func setNewBound(_ place: [String], _ bound: JSONValue.Located) {
    newBounds.insert(place)
    set(place, bound)
  }

  private static func isWider(_ bound: JSONValue.Located, than known: JSONValue.Located, isMinimum: Bool) -> Bool {
    if let a = bound.number.flatMap({ ExactDecimal($0) }), let b = known.number.flatMap({ ExactDecimal($0) }) {
      return isMinimum ? a < b : b < a
    }
    // A bound of another kind, such as `now`, is replaced.
    guard let a = bound.instant, let b = known.instant else { return bound.text != known.text }
    return isMinimum ? a < b : b < a
  }

  private mutating func widenType(_ tokens: [String], _ values: ValueStatistics) {
    let known = document.value(at: tokens)
    var types = known?.string.map { [$0] } ?? known?.array?.compactMap(\.string) ?? []
    for type in values.typeNames where !types.contains(type) && !(type == "integer" && types.contains("number")) {
      if type == "number" { types.removeAll { $0 == "integer" } }
      types.append(type)
    }
    set(tokens, types.count == 1 ? .text(types[0]) : .texts(types))
  }

  private mutating func widenRequired(_ tokens: [String], _ pointer: String) {
    guard let list = document.value(at: tokens)?.array?.compactMap(\.string), let name = pointer.pointerTokens?.last
    else { return }
    let kept = list.filter { $0 != name }
    if kept.count < list.count { set(tokens, kept.isEmpty ? nil : .texts(kept)) }
  }

  private mutating func widenEnum(_ tokens: [String], _ values: ValueStatistics) {
    guard var list = document.value(at: tokens)?.array else { return set(tokens, nil) }
    guard values.arrays + values.objects == 0, !values.tally.isOver else { return set(tokens, nil) }
    var known = Set(list.map { ExactText($0.text) })
    let (texts, numbers) = (values.tally.values.filter(\.isText), values.tally.values.filter { !$0.isText })
    var observed = texts.map { JSONValue.Located.text($0.string) } + numbers.map { .number($0.string) }
    if values.nulls > 0 { observed.append(JSONValue.Located(.null)) }
    if values.trues > 0 { observed.append(.boolean(true)) }
    if values.falses > 0 { observed.append(.boolean(false)) }
    for value in observed where known.insert(ExactText(value.text)).inserted { list.append(value) }
    set(tokens, .list(list))
  }

  /// Adds a member that is not allowed, with the rules that its values suggest.
  private mutating func addMember(_ tokens: [String], _ pointer: String) {
    if !describeMember(pointer, inSchema: Array(tokens.dropLast())) { set(tokens, nil) }
  }

  /// Adds a member that the rules only note.
  private mutating func describeMember(at pointer: String) {
    guard let tokens = pointer.pointerTokens, let schema = document.schemaPath(of: tokens.dropLast()) else { return }
    _ = describeMember(pointer, inSchema: schema)
  }

  private mutating func describeMember(_ pointer: String, inSchema schema: [String]) -> Bool {
    guard let name = pointer.pointerTokens?.last, let place = observation.place(at: pointer) else { return false }
    let properties = schema + ["properties"]
    // Several objects have the member: it was added for the first.
    if document.value(at: properties + [name]) != nil { return true }
    let rules = writer.rules(of: place)
    if document.value(at: properties) == nil {
      set(properties, .object([name: rules]))
    } else {
      set(properties + [name], rules)
    }
    return true
  }
}

extension DocumentObservation {
  /// Returns the place that names of members lead to, or `nil` if no document has them.
  func place(ofMember names: [String]) -> Int? {
    names.reduce(0) { place, name in
      place.flatMap { places[$0].members.first { $0.name.bytes.elementsEqual(name.utf8) }?.place }
    }
  }

  /// True if the value at a place is an object that stores values by id.
  package func isMap(at pointer: String) -> Bool { place(at: pointer).map { places[$0].isMap } ?? false }

  /// The places of all observed values, as JSON Pointers with `*` for any item or member of a map.
  package var pointers: Set<String> { Set(PlaceMap(places).pointers.values) }

  /// Returns the place of a value, or `nil` if it isn't observed.
  func place(at pointer: String) -> Int? {
    guard let tokens = pointer.pointerTokens else { return nil }
    var place = 0
    for token in tokens {
      if let member = places[place].members.first(where: { $0.name.bytes.elementsEqual(token.utf8) }) {
        place = member.place
      } else if places[place].items >= 0, places[place].arrays > 0 {
        place = places[place].items
      } else if places[place].others >= 0 {
        place = places[place].others
      } else {
        return nil
      }
    }
    return place
  }
}
