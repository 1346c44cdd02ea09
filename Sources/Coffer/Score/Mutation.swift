import ByteStreams
import JSONEvents
import RuleDrafts
import Rules

/// A kind of defect that rules should find.
public enum MutationKind: String, Sendable, CaseIterable, Codable {
  /// A value of another JSON type; a whole number becomes a fraction.
  case type
  /// A member is missing.
  case missing
  case null
  /// A number with the other sign, or a huge one.
  case range
  /// A number in another unit: a thousand times as large, or a thousandth.
  case unit
  /// A text like a known one: in other letters, or with one more.
  case value
  /// A text that nearly has its format: a date with slashes or of the 30th of February, a decimal comma, a UUID that is too short.
  case format
  /// A text that is cut off, empty, or was decoded in the wrong character set.
  case text
  /// The value of another record.
  case duplicate
  /// A key that no record has.
  case reference
  /// A number that is one too large: a count or a sum.
  case total
  /// Two values, of which one is never above the other, in the wrong order.
  case order
  /// A date in the 2090s.
  case future
  /// A member that no document has.
  case unknown
  /// The values of two members are exchanged.
  case exchange
  /// A record is left out.
  case omission
  /// A record occurs twice.
  case repetition
}

/// A document with one defect: a sample with other text in one place.
struct Mutation: Sendable {
  let kind: MutationKind
  /// The number of the sample.
  let sample: Int
  /// What replaces the bytes in the sample's text.
  let range: Range<Int>
  let text: String
  /// The values before and after, shortened.
  let before: String
  let after: String
  /// True for a time in the future where no value is one.
  var isAfterAll = false
}

/// A value of a sample that may get a defect.
struct MutationSite: Sendable {
  let sample: Int
  let pointer: String
  let value: JSONValue.Located
  /// The object or array that holds it, and which of its children it is; `nil` for the root.
  let holder: JSONValue.Located?
  let index: Int
  /// The pointer of the outermost record that holds it, or that of the value itself.
  let record: String
  /// True for a record: an item of an array, or a member of an object that holds records.
  let isRecord: Bool

  var name: String? { holder?.object?[index].key }
}

/// The places of the same field in all samples.
struct MutationField: Sendable {
  /// The JSON Pointer, with `*` for any record.
  let pointer: String
  var sites: [MutationSite] = []
  /// The names of members of the same object whose numbers or dates are never below this field's, and sometimes above.
  var successors: [String] = []
  /// True if no value is a time in the future.
  var isPast = false

  static let siteLimit = 64
}

extension MutationSite {
  /// Returns this value with defects of a kind; none if it can't have one.
  ///
  /// - Parameters:
  ///   - field: all values of the field.
  ///   - seed: for values that look random.
  func mutations(_ kind: MutationKind, in field: MutationField, seed: UInt64) -> [Mutation] {
    switch kind {
    case .type: otherTypes.map { replacing($0, kind) }
    case .missing: holder?.object == nil || isRecord ? [] : [removing(kind)]
    case .null: value.value.kind == .null ? [] : [replacing(.null, kind)]
    case .range: outOfRange.map { replacing(.number($0), kind) }
    case .unit: otherUnits.map { replacing(.number($0), kind) }
    case .value: likeTexts.map { replacing(.string($0), kind) }
    case .format: nearFormats.map { replacing(.string($0), kind) }
    case .text: damagedTexts.map { replacing(.string($0), kind) }
    case .duplicate: duplicate(in: field).map { [replacing($0.value, kind)] } ?? []
    case .reference: danglingKey(seed).map { [replacing($0, kind)] } ?? []
    case .total: successor.map { [replacing($0, kind)] } ?? []
    case .order: field.successors.compactMap { exchanging(with: $0, kind, ordered: true) }
    case .future: future.map { [replacing($0, kind, isAfterAll: field.isPast)] } ?? []
    case .unknown: withUnknownMember.map { [$0] } ?? []
    case .exchange: partner.flatMap { exchanging(with: $0, kind, ordered: false) }.map { [$0] } ?? []
    case .omission: isRecord ? [removing(kind)] : []
    case .repetition: holder?.array == nil || !isRecord ? [] : [repeated]
    }
  }

  // MARK: Values

  private var isText: Bool { value.string != nil }

  /// The number, or the decimal number in a text, that is one larger.
  private var successor: JSONValue? {
    guard let text = value.number ?? value.string, text.utf8.count <= 24, ExactDecimal(text) != nil,
      let whole = Int64(text.prefix { $0 != "." })
    else { return nil }
    let (sum, isOver) = whole.addingReportingOverflow(1)
    let next = String(sum) + text.drop { $0 != "." }
    return isOver ? nil : isText ? .string(next) : .number(next)
  }

  private var otherTypes: [JSONValue] {
    switch value.value {
    case .null: []
    case .boolean(let flag): [.string(String(flag)), .number(flag ? "1" : "0")]
    case .number(let text): [.string(text)] + (Int64(text) != nil ? [.number(text + ".5")] : [])
    case .string(let text): [.number(Int64(text).map(String.init) ?? "7"), .boolean(true)]
    case .array: [.object([]), .string("")]
    case .object: [.array([]), .string("")]
    }
  }

  private var outOfRange: [String] {
    guard let text = value.number else { return [] }
    let negated = text.hasPrefix("-") ? String(text.dropFirst()) : text.contains { "123456789".contains($0) } ? "-" + text : "-1"
    return [negated, "999999999999999"]
  }

  private var otherUnits: [String] {
    guard let number = value.number else { return [] }
    if let whole = Int64(number) {
      let (product, isOver) = whole.multipliedReportingOverflow(by: 1000)
      let share = whole / 1000
      return whole == 0 ? [] : (isOver ? [] : [String(product)]) + (abs(share) > 100_000 ? [String(share)] : [])
    }
    guard let point = number.firstIndex(of: "."), !number.lowercased().contains("e") else { return [] }
    // 12.5 becomes 12500.
    let digits = number[..<point] + (number[number.index(after: point)...] + "000").prefix(3)
    return Int64(digits).map { $0 == 0 ? [] : [String($0)] } ?? []
  }

  private var likeTexts: [String] {
    guard let text = value.string, !text.isEmpty, text.utf8.count <= 64 else { return [] }
    let other = text == text.uppercased() ? text.lowercased() : text.uppercased()
    return (other == text ? [] : [other]) + [text + "x"]
  }

  private var damagedTexts: [String] {
    guard let text = value.string, !text.isEmpty, text.utf8.count <= 1 << 16 else { return [] }
    let scalars = Array(text.unicodeScalars)
    var half = ""
    half.unicodeScalars.append(contentsOf: scalars.prefix(scalars.count / 2))
    // UTF-8 that was read as Latin-1.
    var misread = ""
    for byte in (text.utf8.allSatisfy { $0 < 0x80 } ? text + "é" : text).utf8 {
      misread.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return (half.isEmpty ? [] : [half]) + ["", misread]
  }

  private var nearFormats: [String] {
    guard let text = value.string, text.utf8.count <= 200 else { return [] }
    func has(_ format: StringFormat) -> Bool { ByteView.with(text) { format.accepts($0) } }
    let isTime = has(.dateTime)
    if isTime || has(.date) {
      let day = String(text.prefix(4)) + "-02-30" + text.dropFirst(10)
      return [text.replacing("-", with: "/"), day] + (isTime ? [String(text.prefix(10)), text.replacing("T", with: " ")] : [])
    }
    if has(.uuid) { return [String(text.dropLast()), "g" + text.dropFirst()] }
    if has(.colorHex) { return [String(text.dropFirst()), String(text.dropLast())] }
    if has(.ipv4) { return ["999" + (text.firstIndex(of: ".").map { text[$0...] } ?? "")] }
    if has(.email) { return [text.replacing("@", with: " at ")] }
    if has(.uri), text.contains("://") { return [text.replacing("://", with: ":/ ")] }
    if has(.time) { return ["25" + text.dropFirst(2)] }
    if has(.decimal) { return [text.contains(".") ? text.replacing(".", with: ",") : text + ",00"] }
    return []
  }

  /// The time that the value is, by its spelling or size.
  var time: Instant? {
    if value.string != nil { return value.shortTime }
    return value.number.flatMap { Int64($0) }.flatMap { number in
      switch number {
      case 978_307_200..<4_102_444_800: Instant(seconds: number)
      case 978_307_200_000..<4_102_444_800_000: Instant(seconds: number / 1000)
      default: nil
      }
    }
  }

  /// 2094, so that no clock accepts it.
  private var future: JSONValue? {
    guard time != nil else { return nil }
    if let text = value.string { return .string("2094" + text.dropFirst(4)) }
    return value.number.map { .number($0.utf8.count > 10 ? "3913056000000" : "3913056000") }
  }

  private func duplicate(in field: MutationField) -> JSONValue.Located? {
    guard holder != nil, value.value.kind == .number || value.value.kind == .string else { return nil }
    return field.sites.first { $0.sample == sample && $0.record != record && !$0.isRecord && $0.value.text != value.text }?.value
  }

  private func danglingKey(_ seed: UInt64) -> JSONValue? {
    let random = SeededNumber.mix(seed, pointer, 1)
    switch value.value {
    case .number(let text): return Int64(text).map { _ in .number(String(800_000_000 + random % 100_000_000)) }
    case .string(let text):
      guard !text.isEmpty, text.utf8.count <= 200 else { return nil }
      // Digits and letters become others, so that a UUID stays one.
      var digits = random
      let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
        defer { digits = digits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
        let digit = UInt8(digits >> 60)
        switch scalar {
        case "0"..."9": return Unicode.Scalar(UInt8(ascii: "0") + digit % 10)
        case "a"..."z": return Unicode.Scalar(UInt8(ascii: "a") + digit % 6)
        case "A"..."Z": return Unicode.Scalar(UInt8(ascii: "A") + digit % 6)
        default: return scalar
        }
      }
      let other = String(String.UnicodeScalarView(scalars))
      return other == text ? nil : .string(other)
    default: return nil
    }
  }

  // MARK: Edits

  private func replacing(_ new: JSONValue, _ kind: MutationKind, isAfterAll: Bool = false) -> Mutation {
    let new = JSONValue.Located(new)
    var mutation = edit(value, to: new.text, kind, after: new.shown)
    mutation.isAfterAll = isAfterAll
    return mutation
  }

  private func edit(_ target: JSONValue.Located, to text: String, _ kind: MutationKind, after: String) -> Mutation {
    let start = target.position.offset
    return Mutation(
      kind: kind, sample: sample, range: start..<start + target.text.utf8.count, text: text, before: value.shown, after: after)
  }

  private func editHolder(
    _ kind: MutationKind, after: String, _ change: (inout [(name: String?, value: JSONValue.Located)]) -> Void
  ) -> Mutation {
    guard let holder else { return edit(value, to: value.text, kind, after: after) }
    var children = holder.children
    change(&children)
    let parts = children.map { child in (child.name.map { $0.quoted + ": " } ?? "") + child.value.text }
    let text = parts.joined(separator: ", ")
    return edit(holder, to: holder.array == nil ? "{\(text)}" : "[\(text)]", kind, after: after)
  }

  private func removing(_ kind: MutationKind) -> Mutation { editHolder(kind, after: "absent") { $0.remove(at: index) } }

  private var repeated: Mutation { editHolder(.repetition, after: "twice") { $0.insert($0[index], at: index) } }

  private var withUnknownMember: Mutation? {
    guard let members = value.object else { return nil }
    var name = "unknownMember"
    while members.contains(where: { $0.key == name }) { name += "_" }
    let parts = members.map { "\($0.key.quoted): \($0.value.text)" } + ["\(name.quoted): 1"]
    return edit(value, to: "{\(parts.joined(separator: ", "))}", .unknown, after: "with \(name)")
  }

  /// The next member with a value of the same type.
  private var partner: String? {
    guard let members = holder?.object, !isRecord, members.indices.contains(index) else { return nil }
    let kind = value.value.kind
    guard kind == .number || kind == .string else { return nil }
    return members[(index + 1)...].first { $0.value.value.kind == kind && $0.value.text != value.text }?.key
  }

  /// - Parameter ordered: true if the other value must be larger.
  private func exchanging(with name: String, _ kind: MutationKind, ordered: Bool) -> Mutation? {
    guard let members = holder?.object, let other = members.firstIndex(where: { $0.key == name }), other != index else {
      return nil
    }
    let partner = members[other].value
    if ordered, MutationOrder(value).map({ a in MutationOrder(partner).map { a < $0 } ?? false }) != true { return nil }
    return editHolder(kind, after: "that of \(name.shortened(to: 24))") {
      $0[index].value = partner
      $0[other].value = value
    }
  }
}

/// A number or a point in time, for comparing the values of two members.
enum MutationOrder {
  case number(ExactDecimal)
  case time(Instant)

  init?(_ value: JSONValue.Located) {
    if let number = value.number, number.utf8.count <= 24, let decimal = ExactDecimal(number) {
      self = .number(decimal)
    } else if let time = value.shortTime {
      self = .time(time)
    } else {
      return nil
    }
  }

  /// True if both can be compared, and this one is less.
  static func < (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.number(let a), .number(let b)): a < b
    case (.time(let a), .time(let b)): a < b
    case (.number, .time), (.time, .number): false
    }
  }
}

extension JSONValue.Located {
  /// The point in time that a short text is.
  fileprivate var shortTime: Instant? { string?.utf8.count ?? 0 <= 64 ? instant : nil }

  /// The value in a report.
  fileprivate var shown: String {
    switch value {
    case .array(let items): items.isEmpty ? "[]" : "[…]"
    case .object(let members): members.isEmpty ? "{}" : "{…}"
    case .null, .boolean, .number, .string:
      // Of a UUID, the end differs as often as the start.
      text.count > 24 ? text.prefix(12) + "…" + text.suffix(11) : text
    }
  }
}
