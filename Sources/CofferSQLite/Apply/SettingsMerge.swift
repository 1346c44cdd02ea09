import GRDB
import Rules

/// Merges an app's settings: the backup's settings replace those with the same name; the others stay.
enum SettingsMerge {
  /// Adds `coffer_merged(old, new)` to a connection.
  static func addFunction(to database: Database) {
    database.add(
      function: DatabaseFunction("coffer_merged", argumentCount: 2, pure: true) { values in
        guard let old = String.fromDatabaseValue(values[0]), let new = String.fromDatabaseValue(values[1]) else {
          return values[1]
        }
        // To apps, `null` and a missing member are the same.
        if new == "null" { return old }
        let result = try? Array(old.utf8).withUnsafeBufferPointer { old in
          try Array(new.utf8).withUnsafeBufferPointer { try merged(MoreMembers(old), MoreMembers($0)) }
        }
        return result ?? new
      })
  }

  /// - Returns: `nil` if one of them isn't an object.
  private static func merged(_ old: MoreMembers, _ new: MoreMembers) throws -> String? {
    guard try old.names() != nil, let names = try new.names() else { return nil }
    let parts = [try old.text(without: names.all.subtracting(names.null)), try new.text(without: names.null)]
    return "{" + parts.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",") + "}"
  }
}
