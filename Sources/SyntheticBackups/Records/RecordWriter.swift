import JSONEvents

/// Writes the members of records, each in its place, and puts a planted member in the place of the record's own.
struct RecordWriter: ~Copyable {
  var json: JSONEventWriter
  private var text = TextBuffer()
  private var planted: PlantedMember?

  init(_ json: consuming JSONEventWriter) { self.json = json }

  /// Writes `record` as an object with `planted` in it.
  mutating func write(_ record: some SyntheticRecord, planting planted: PlantedMember? = nil) {
    self.planted = planted
    json.beginObject()
    record.write(to: &self)
    json.endObject()
    precondition(self.planted == nil, "a planted member that its record has no place for")
  }

  mutating func string(_ name: StaticString, _ value: StaticString) {
    if begins(name) { json.string(value) }
  }

  mutating func string(_ name: StaticString, _ value: Phrase) {
    guard begins(name) else { return }
    if let fixed = value.fixed {
      json.string(fixed)
    } else {
      string { value.write(to: &$0) }
    }
  }

  mutating func integer(_ name: StaticString, _ value: Int) {
    if begins(name) { json.integer(Int64(value)) }
  }

  mutating func boolean(_ name: StaticString, _ value: Bool) {
    if begins(name) { json.boolean(value) }
  }

  mutating func number(_ name: StaticString, _ value: Decimal) {
    guard begins(name) else { return }
    text.removeAll()
    value.write(to: &text)
    text.writeNumber(to: &json)
  }

  mutating func cost(_ name: StaticString, _ value: Decimal) {
    if begins(name) { string { value.writeAsCost(to: &$0) } }
  }

  mutating func date(_ name: StaticString, _ value: Timestamp) {
    if begins(name) { string { value.write(to: &$0) } }
  }

  mutating func identifier(_ name: StaticString, _ value: NotificationIdentifier) {
    if begins(name) { string { value.write(to: &$0) } }
  }

  /// Writes the value with `write`, or `null`, or nothing.
  mutating func optional<Value>(
    _ name: StaticString, _ value: OptionalMember<Value>, _ write: (inout RecordWriter, StaticString, Value) -> Void
  ) {
    switch value {
    case .absent: absent(name)
    case .null: if begins(name) { json.null() }
    case .value(let value): write(&self, name, value)
    }
  }

  /// The place of a member that the record lacks, and that a defect may put there.
  mutating func absent(_ name: StaticString) {
    if planted != nil { _ = takesPlanted(name) }
  }

  private mutating func string(_ compose: (inout TextBuffer) -> Void) {
    text.removeAll()
    compose(&text)
    text.writeString(to: &json)
  }

  /// Writes the key, unless a planted member takes its place.
  private mutating func begins(_ name: StaticString) -> Bool {
    if planted != nil, takesPlanted(name) { return false }
    json.key(name)
    return true
  }

  private mutating func takesPlanted(_ name: StaticString) -> Bool {
    guard let planted, planted.name == name.description else { return false }
    self.planted = nil
    if let value = planted.value {
      json.key(name)
      switch value {
      case .string(let text): json.string(text)
      case .token("null"): json.null()
      case .token("true"): json.boolean(true)
      case .token("false"): json.boolean(false)
      case .token(let digits): json.number(text: digits)
      }
    }
    return true
  }
}
