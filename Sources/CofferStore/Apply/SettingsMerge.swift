import ByteStreams
import GRDB
import Rules

/// Merges an app's settings: a backup's settings replace those of the same names, and the others stay.
enum SettingsMerge {
  /// Adds `coffer_merged(old, new)` to a connection.
  static func addFunction(to database: Database) {
    database.add(
      function: DatabaseFunction("coffer_merged", argumentCount: 2, pure: true) { values in
        guard let old = String.fromDatabaseValue(values[0]), let new = String.fromDatabaseValue(values[1]) else {
          return values[1]
        }
        return (try? merged(Array(old.utf8), Array(new.utf8))) ?? new
      })
  }

  /// - Returns: `nil` if one of them is no object.
  private static func merged(_ old: [UInt8], _ new: [UInt8]) throws -> String? {
    func members(_ text: [UInt8]) throws -> [JSONValue.Member]? { try JSONValue.read(MemorySource(text)).object }
    guard try members(old) != nil, let settings = try members(new) else { return nil }
    // To apps, `null` and a missing member are the same.
    let absent = Set(settings.filter { if case .null = $0.value.value { true } else { false } }.map(\.key))
    let names = Set(settings.map(\.key)).subtracting(absent)
    let parts = [try MoreMembers(old).text(without: names), try MoreMembers(new).text(without: absent)]
    return "{" + parts.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",") + "}"
  }
}
