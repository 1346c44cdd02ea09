import ByteStreams
import JSONEvents
import Rules

/// Reads a descriptor's `migrations`.
struct MigrationReader {
  private static let words = ["to", "becomes", "title", "when", "steps", "$comment"]
  private static let place = "/backup/migrations"

  /// - Parameter version: The format's version policy.
  static func migrations(
    _ value: JSONValue.Located?, _ version: BackupFormat.VersionPolicy?
  ) throws(CofferError) -> [Migration] {
    guard let value else { return [] }
    guard let items = value.array else { throw CofferError(rules: "expected a list of migrations", at: place, value.position) }
    var migrations: [Migration] = []
    for (index, item) in items.enumerated() {
      let migration = try migration(item, at: "\(place)/\(index)")
      try check(migration, after: migrations, version, item["to"] ?? item, at: "\(place)/\(index)")
      migrations.append(migration)
    }
    return migrations
  }

  private static func migration(_ value: JSONValue.Located, at pointer: String) throws(CofferError) -> Migration {
    guard let members = value.object else {
      throw CofferError(rules: "expected an object with a list of steps", at: pointer, value.position)
    }
    for member in members where !words.contains(member.key) {
      throw CofferError(
        rules: "unknown member '\(member.key)' in a migration\(Suggestion.text(for: member.key, among: words))",
        at: pointer + "/" + member.key.pointerToken, member.keyPosition)
    }
    func text(_ name: String) throws(CofferError) -> String? {
      guard let value = value[name] else { return nil }
      if let text = value.string, !text.isEmpty { return text }
      throw CofferError(rules: "expected a non-empty string", at: "\(pointer)/\(name)", value.position)
    }
    let to = value["to"]?.number.flatMap { ExactDecimal($0)?.int64 }.map { Int($0) }
    if let written = value["to"], to == nil {
      throw CofferError(rules: "expected an integer version", at: pointer + "/to", written.position)
    }
    guard let items = value["steps"]?.array else {
      throw CofferError(rules: "a migration needs a list of steps", at: pointer, value.position)
    }
    let becomes = try text("becomes")
    var steps: [MigrationStep] = []
    for (index, item) in items.enumerated() {
      steps.append(
        try MigrationStepReader(item, at: "\(pointer)/steps/\(index)").step(isRepeated: to == nil && becomes == nil))
    }
    let clue = try value["when"].map { value throws(CofferError) in try DetectionCriterion(value, at: pointer + "/when") }
    return Migration(title: try text("title"), to: to, becomes: becomes, steps: steps, clue: clue)
  }

  /// Checks that migrations lead upwards from version to version, up to the current one.
  private static func check(
    _ migration: Migration, after others: [Migration], _ version: BackupFormat.VersionPolicy?, _ value: JSONValue.Located,
    at pointer: String
  ) throws(CofferError) {
    if let last = others.last, last.becomes != nil, last.clue == nil {
      throw CofferError(
        rules: "unreachable migration: after a migration to another format, that format's own migrations follow", at: pointer,
        value.position)
    }
    guard let to = migration.to, migration.becomes == nil else { return }
    guard let version else {
      throw CofferError(rules: "the descriptor declares no version pointer (backup.version)", at: pointer + "/to", value.position)
    }
    guard to > version.oldest, to <= version.current else {
      throw CofferError(
        rules: "expected a version after \(version.oldest), up to \(version.current)", at: pointer + "/to",
        value.position)
    }
    if let before = others.last(where: { $0.to != nil })?.to, before > to {
      throw CofferError(
        rules: "expected migrations in version order: \(before) came before", at: pointer + "/to", value.position)
    }
  }
}
