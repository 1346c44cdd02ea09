import Foundation
import SyntheticBackups

/// Tells whether a value of a document is wrong in the way that a code says: by the values beside it, and by what a format's fact sheet says of
/// references, keys and order. None of Coffer takes part.
struct PlainCheck {
  /// What a fact sheet says, by the pointers of members with `*` for the record.
  struct Sheet {
    /// Where the values stand that a reference may have: a collection, and a member of its records.
    var references: [String: (collection: String, member: String)]
    /// The members that no two records have alike.
    var keys: [String: [String]]
    /// The latest moment that the app takes.
    var latest: String
    /// Members that must be there, or not, as another one says.
    var present: [String: String] = [:]
  }

  let root: JSONValue
  /// The document of the same seed that has no defects.
  let sound: JSONValue
  let ledger: [LedgerEntry]
  let sheet: Sheet

  func isWrong(_ entry: LedgerEntry) -> Bool? {
    let place = Place(entry.pointer)
    let value = root.value(at: entry.pointer)
    let others = others(of: place)
    guard let value else {
      return entry.code == "required" ? !others.isEmpty : entry.code == "consistency" ? isAmiss(place) : nil
    }
    switch entry.code {
    case "required": return false
    case "type":
      let kinds = Set(others.map(Kind.init))
      return !kinds.isEmpty && !kinds.contains(Kind(value)) && !(Kind(value) == .integer && kinds.contains(.fraction))
    case "enum": return !others.isEmpty && !others.contains(value)
    case "unknown-field": return others.isEmpty
    case "minimum", "exclusive-minimum":
      return value.number.map { number in others.compactMap(\.number).allSatisfy { number < $0 } }
    case "maximum": return value.number.map { number in others.compactMap(\.number).allSatisfy { number > $0 } }
    case "min-items": return others.allSatisfy { value.items.count < $0.items.count }
    case "version": return value != sound.value(at: entry.pointer)
    case "format": return value.string.map { !Self.isReadable($0) && others.compactMap(\.string).allSatisfy(Self.isReadable) }
    case "pattern": return value.string.map { $0.allSatisfy(\.isWhitespace) }
    case "null": return value == .null
    case "format-maximum": return value.string.map { $0 > sheet.latest }
    case "foreign-key":
      return sheet.references[place.pattern].map { target in
        !(root.value(at: target.collection)?.items ?? []).contains { $0[target.member] == value }
      }
    case "primary-key": return isRepeated(place, [place.rest])
    case "unique-key": return sheet.keys[place.pattern].flatMap { isRepeated(place, $0) }
    case "consistency": return isAmiss(place)
    default: return nil
    }
  }

  /// What stands there in the other records, but for those that the ledger speaks of; or in the sound document.
  private func others(of place: Place) -> [JSONValue] {
    guard let index = place.index else { return [sound.value(at: place.pointer)].compactMap(\.self) }
    let planted = Set(ledger.map { Place($0.pointer) }.filter { $0.collection == place.collection }.compactMap(\.index))
    return (root.value(at: place.collection)?.items ?? []).enumerated().compactMap { number, record in
      number == index || planted.contains(number) ? nil : record.value(at: place.rest)
    }
  }

  private func isRepeated(_ place: Place, _ members: [String]) -> Bool? {
    guard let index = place.index, let records = root.value(at: place.collection)?.items else { return nil }
    return records[..<index].contains { record in
      members.allSatisfy { record.value(at: $0) != nil && record.value(at: $0) == records[index].value(at: $0) }
    }
  }

  private func isAmiss(_ place: Place) -> Bool? {
    guard let condition = sheet.present[place.pattern], let index = place.index,
      let record = root.value(at: place.collection)?.items[index]
    else { return nil }
    return record[condition] == .boolean(true) ? record.value(at: place.rest) == nil : record.value(at: place.rest) != nil
  }

  /// A UUID, or a moment that the calendar has.
  private static func isReadable(_ text: String) -> Bool { UUID(uuidString: text) != nil || FormatRules.isDate(text) }

  /// A pointer to a collection's record or into it, or to anything else.
  private struct Place {
    let pointer: String
    let collection: String
    let index: Int?
    /// From the record on.
    let rest: String
    let pattern: String

    init(_ pointer: String) {
      self.pointer = pointer
      let tokens = pointer.split(separator: "/").map(String.init)
      index = tokens.count > 1 ? Int(tokens[1]) : nil
      collection = tokens.first.map { "/" + $0 } ?? ""
      rest = tokens.dropFirst(2).joined(separator: "/")
      pattern = index == nil ? pointer : collection + "/*/" + rest
    }
  }

  private enum Kind: Hashable {
    case null, boolean, integer, fraction, string, array, object

    init(_ value: JSONValue) {
      self =
        switch value {
        case .null: .null
        case .boolean: .boolean
        case .number(let number): "\(number)".contains(".") ? .fraction : .integer
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
  }
}

extension PlainCheck.Sheet {
  static let aquavate = PlainCheck.Sheet(
    references: [
      "/drinkRecords/*/bottleId": ("/bottles", "id"), "/motionWakeEvents/*/bottleId": ("/bottles", "id"),
      "/backpackSessions/*/bottleId": ("/bottles", "id"),
    ],
    keys: [
      "/drinkRecords/*/timestamp": ["timestamp", "bottleId"], "/motionWakeEvents/*/timestamp": ["timestamp", "bottleId"],
      "/backpackSessions/*/startTimestamp": ["startTimestamp", "bottleId"],
      "/drinkRecords/*/firmwareRecordId": ["firmwareRecordId", "bottleId"],
    ],
    latest: "2026-06-29T20:15:00Z", present: ["/drinkRecords/*/healthKitSampleUUID": "syncedToHealth"])

  static let keeptrack = PlainCheck.Sheet(
    references: ["/entries/*/name": ("/intakeTypes", "name"), "/goals/*/name": ("/intakeTypes", "name")],
    keys: ["/goals/*/name": ["name"], "/intakeTypes/*/name": ["name"]], latest: "2026-06-29T20:15:00Z")
}
