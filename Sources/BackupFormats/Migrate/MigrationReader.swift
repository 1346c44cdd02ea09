import ByteStreams
import Rules

/// Reads a descriptor's `migrations`.
struct MigrationReader {
  /// - Parameter version: The format's version policy.
  static func migrations(
    _ value: RuleValue?, _ version: BackupFormat.VersionPolicy?
  ) throws(CofferError) -> [Migration] {
    var migrations: [Migration] = []
    for item in try value?.expectItems(of: "migrations") ?? [] {
      let migration = try migration(item)
      try check(migration, after: migrations, version, item)
      migrations.append(migration)
    }
    return migrations
  }

  private static func migration(_ value: RuleValue) throws(CofferError) -> Migration {
    guard value.isObject else { throw value.error("expected an object with a list of steps") }
    try value.checkMembers(known: ["to", "becomes", "title", "when", "steps"], in: "a migration")
    let to = try value["to"].map { value throws(CofferError) in
      guard let version = value.number.flatMap({ ExactDecimal($0)?.int64 }) else {
        throw value.error("expected an integer version")
      }
      return Int(version)
    }
    guard let items = value["steps"]?.items else { throw value.error("a migration needs a list of steps") }
    let becomes = try value["becomes"]?.expectText()
    let steps = try items.map { item throws(CofferError) in
      try MigrationStepReader(item).step(isRepeated: to == nil && becomes == nil)
    }
    let clue = try value["when"].map { value throws(CofferError) in try DetectionCriterion(value) }
    return Migration(title: try value["title"]?.expectText(), to: to, becomes: becomes, steps: steps, clue: clue)
  }

  /// Checks that migrations lead upwards from version to version, up to the current one.
  private static func check(
    _ migration: Migration, after others: [Migration], _ version: BackupFormat.VersionPolicy?, _ value: RuleValue
  ) throws(CofferError) {
    if let last = others.last, last.becomes != nil, last.clue == nil {
      throw value.error(
        "unreachable migration: after a migration to another format, that format's own migrations follow")
    }
    guard let to = migration.to, migration.becomes == nil else { return }
    guard let version else {
      throw value.error("the descriptor declares no version pointer (backup.version)", at: "to")
    }
    guard to > version.oldest, to <= version.current else {
      throw value.error("expected a version after \(version.oldest), up to \(version.current)", at: "to")
    }
    if let before = others.last(where: { $0.to != nil })?.to, before > to {
      throw value.error("expected migrations in version order: \(before) came before", at: "to")
    }
  }
}
