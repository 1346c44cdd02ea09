import Foundation
import SyntheticBackups

/// Decides whether a value of a document has the fault of a code, from the neighbouring values and from the references, keys and
/// order in a format's fact sheet. It uses no code of Coffer.
struct PlainCheck {
  /// The facts of a fact sheet, by the pointers of members with `*` for the record.
  struct Sheet {
    /// The targets of references: a collection, and a member of its records.
    var references: [String: (collection: String, member: String)]
    /// The members that are unique among records.
    var keys: [String: [String]]
    /// The latest time that the app accepts.
    var latest: String
    /// Members that must be present or absent depending on another member.
    var present: [String: String] = [:]
  }

  let root: JSONValue
  /// The document of the same seed without defects.
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

  /// Returns the values at this place in the other records, except those of the ledger; or in the valid document.
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

  /// Returns whether the text is a UUID or an existing date and time.
  private static func isReadable(_ text: String) -> Bool { UUID(uuidString: text) != nil || FormatRules.isDate(text) }

  /// A pointer to a record of a collection, to a member of it, or to another value.
  private struct Place {
    let pointer: String
    let collection: String
    let index: Int?
    /// The part after the record.
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
