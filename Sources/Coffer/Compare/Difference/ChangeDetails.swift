import ByteStreams
import JSONEvents
import Rules

/// Reads the records that are shown in detail again.
struct ChangeDetails {
  private let inputs: (old: ComparedInput, new: ComparedInput)
  private let skeleton: Skeleton
  private let options: ComparisonOptions
  /// The maximum number of fields to show per record.
  private static let fieldLimit = 100
  /// Larger records are not compared field by field.
  private static let sizeLimit = 1 << 20

  init(_ reading: PairReading, _ options: ComparisonOptions) {
    inputs = reading.inputs
    skeleton = reading.skeleton
    self.options = options
  }

  /// - Parameter changes: in groups, which the result keeps.
  func changes(of changes: [[DifferenceSurvey.Change]]) throws -> [[RecordChange]] {
    let entries = changes.joined().flatMap { [$0.old, $0.new].compactMap(\.self) }
    let size = min(Self.sizeLimit, max(4096, options.execution.memoryLimit / 4 / max(1, entries.count)))
    let texts = (
      old: try self.texts(entries.filter { $0.side == .old }, of: inputs.old, size: size),
      new: try self.texts(entries.filter { $0.side == .new }, of: inputs.new, size: size)
    )
    func shown(_ entry: RecordEntry?) -> ShownRecord? {
      entry.map { entry in
        let text = (entry.side == .old ? texts.old : texts.new)[entry.offset] ?? []
        return ShownRecord(entry, text: text, node: skeleton.nodes[Int(entry.node)])
      }
    }
    return changes.map { group in group.map { self.change($0.kind, shown($0.old), shown($0.new)) } }
  }

  /// Returns the entries' texts by offset.
  private func texts(_ entries: [RecordEntry], of input: ComparedInput, size: Int) throws -> [Int: [UInt8]] {
    let ranges = Set(entries.map(\.range)).sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    let texts = try input.texts(at: ranges, limit: size)
    return Dictionary(zip(ranges.map(\.lowerBound), texts)) { first, _ in first }
  }

  private func change(_ kind: RecordChange.Kind, _ old: ShownRecord?, _ new: ShownRecord?) -> RecordChange {
    var fields: [FieldChange] = []
    var fieldsNotShown: Int? = 0
    if kind == .changed {
      if let old = old?.value, let new = new?.value {
        let difference = ValueDifference(from: old, to: new, limit: Self.fieldLimit)
        fields = difference.fields
        fieldsNotShown = difference.count - fields.count
      } else {
        fieldsNotShown = nil
      }
    } else if kind != .duplicate, let shown = old ?? new, shown.key.isEmpty, let value = shown.value.map(ValueDifference.text) {
      // Without a key, only the content tells which record this is.
      fields = [FieldChange(pointer: "", old: old == nil ? nil : value, new: new == nil ? nil : value)]
    }
    return RecordChange(
      kind: kind, old: old?.place, new: new?.place, key: (old ?? new)?.key ?? "", fields: fields, fieldsNotShown: fieldsNotShown)
  }
}

/// A record, or a member, as it is shown.
private struct ShownRecord {
  let place: RecordChange.Place
  /// The record's key fields.
  let key: String
  /// `nil` if it is too large for memory.
  let value: JSONValue?

  /// - Parameter text: its text, truncated if it is too large; for a member, with its name.
  init(_ entry: RecordEntry, text: [UInt8], node: Skeleton.Node) {
    let isComplete = text.count == entry.length
    var pointer = node.pointer
    var value: JSONValue?
    if entry.isMember, entry.node != UInt32(Skeleton.holder) {
      pointer += "/" + Self.name(ofMember: text).pointerToken
      if isComplete { value = Self.parsed(Array("{".utf8) + text + Array("}".utf8))?.object?.first?.value.value }
    } else {
      if !entry.isMember { pointer += "/\(entry.index)" }
      if isComplete { value = Self.parsed(text)?.value }
    }
    place = RecordChange.Place(pointer: pointer, offset: entry.offset)
    self.value = value
    guard !entry.isMember, entry.hasKey, let value, let fields = node.collection?.fields.key else {
      key = ""
      return
    }
    key = fields.compactMap { Self.field($0, of: value) }.joined(separator: ", ")
  }

  private static func field(_ path: [String], of value: JSONValue) -> String? {
    var found = JSONValue.Located(value)
    for name in path {
      guard let member = found[name] else { return nil }
      found = member
    }
    return ValueDifference.text(of: found.value)
  }

  /// The text is valid, because it has been read before. Values with too many levels are not shown.
  private static func parsed(_ text: [UInt8]) -> JSONValue.Located? {
    var limits = ReaderLimits()
    limits.depth = JSONValue.depthLimit
    limits.tokenSize = max(1, text.count)
    return try? JSONValue.read(MemorySource(text), limits: limits)
  }

  private static func name(ofMember text: [UInt8]) -> String {
    var limits = ReaderLimits()
    limits.tokenSize = max(1, text.count)
    var reader = JSONEventReader(MemorySource(Array("{".utf8) + text), limits: limits)
    // A truncated text ends in an error, after the name.
    while (try? reader.next()) == true {
      for index in 0..<reader.batch.count where reader.batch[index].kind == .key {
        return reader.batch.text(of: reader.batch[index]).prefix(256).string
      }
    }
    return ""
  }
}

/// The differences between two values that fit into memory.
///
/// Objects are compared member by member, arrays item by item; values are compared, not their spelling.
struct ValueDifference {
  private(set) var fields: [FieldChange] = []
  private(set) var count = 0
  private let limit: Int
  /// The maximum length of a field's text, in Unicode scalars.
  private static let textLimit = 200

  /// - Parameter limit: the number of fields to keep in detail.
  init(from old: JSONValue, to new: JSONValue, limit: Int) {
    self.limit = limit
    compare(old, new, at: "")
  }

  private mutating func compare(_ old: JSONValue, _ new: JSONValue, at pointer: String) {
    switch (old, new) {
    case (.object(let old), .object(let new)): compare(members: old, new, at: pointer)
    case (.array(let old), .array(let new)):
      for index in 0..<max(old.count, new.count) {
        compare(index < old.count ? old[index].value : nil, index < new.count ? new[index].value : nil, at: "\(pointer)/\(index)")
      }
    default: if !old.isSame(as: new) { add(old, new, at: pointer) }
    }
  }

  private mutating func compare(_ old: JSONValue?, _ new: JSONValue?, at pointer: String) {
    if let old, let new { compare(old, new, at: pointer) } else { add(old, new, at: pointer) }
  }

  /// Members with the same name are paired in their order.
  private mutating func compare(members old: [JSONValue.Member], _ new: [JSONValue.Member], at pointer: String) {
    var places: [ExactText: [Int]] = [:]
    for (index, member) in new.enumerated().reversed() { places[ExactText(member.key), default: []].append(index) }
    var isTaken = Array(repeating: false, count: new.count)
    for member in old {
      let place = places[ExactText(member.key)]?.popLast()
      if let place { isTaken[place] = true }
      compare(member.value.value, place.map { new[$0].value.value }, at: pointer + "/" + member.key.pointerToken)
    }
    for (index, member) in new.enumerated() where !isTaken[index] {
      add(nil, member.value.value, at: pointer + "/" + member.key.pointerToken)
    }
  }

  private mutating func add(_ old: JSONValue?, _ new: JSONValue?, at pointer: String) {
    count += 1
    guard fields.count < limit else { return }
    fields.append(FieldChange(pointer: pointer, old: old.map(Self.text), new: new.map(Self.text)))
  }

  /// Returns the value as JSON, truncated.
  static func text(of value: JSONValue) -> String {
    let text = JSONValue.Located(value).text
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: textLimit, limitedBy: scalars.endIndex), end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}

extension JSONValue {
  /// Returns true if two values, at most one of them an object or array, are equal.
  fileprivate func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.number(let a), .number(let b)): a == b || ExactDecimal(a) == ExactDecimal(b)
    default: false
    }
  }
}
