public import Coffer
import GRDB
import Rules

/// The changes that an import makes, or would make, to a database.
public struct StoreChanges: Sendable, Equatable {
  /// The imported collections, in the format's order.
  public package(set) var collections: [CollectionChanges] = []
  /// The number of other root members that are added or replaced.
  public package(set) var changedMembers = 0
  /// The number of other root members that are removed.
  public package(set) var removedMembers = 0
  /// References to collections that are not imported, and of which the database has no records.
  public package(set) var danglingReferences: [DanglingReference] = []

  package init() {}

  /// The titles of the collections in which the backups' creation times decided between different records.
  public var chosenByCreation: [String] { collections.filter(\.isChosenByCreation).map(\.title) }

  /// True if nothing changes.
  public var isEmpty: Bool {
    changedMembers == 0 && removedMembers == 0 && collections.allSatisfy { $0.inserted + $0.replaced + $0.removed == 0 }
  }
}

/// The changes to the rows of one collection.
public struct CollectionChanges: Sendable, Equatable {
  /// A JSON Pointer.
  public let pointer: String
  public let title: String
  /// Records that only the backup has.
  public package(set) var inserted = 0
  /// Rows that differ from the backup's, and are replaced.
  public package(set) var replaced = 0
  /// Rows that differ from the backup's, and are kept.
  public package(set) var kept = 0
  /// Rows that equal the backup's.
  public package(set) var unchanged = 0
  /// Rows that the backup doesn't have, and that are kept.
  public package(set) var onlyInDatabase = 0
  /// Rows that the backup doesn't have, and that are removed.
  public package(set) var removed = 0

  /// True if records without a time of modification differ, so that the backups' creation times decide (`keep-newest`).
  public package(set) var isChosenByCreation = false

  package init(pointer: String, title: String) {
    self.pointer = pointer
    self.title = title
  }

  /// The number of rows after the import.
  public var count: Int { inserted + replaced + kept + unchanged + onlyInDatabase }
}

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

/// The effect of an import, or of a preview of one.
public struct StoreImportReport: Sendable {
  /// The imported backup's format.
  public let format: String
  public let version: Int?
  /// The time at which the backup was made.
  public let createdAt: Instant?
  /// The findings of validation: without errors, unless findings were allowed.
  public let validation: ValidationReport
  /// The migration, if the backup was of an older version.
  public let migration: MigrationReport?
  public let changes: StoreChanges
}
