import JSONEvents
import Rules

/// Reads the part of a descriptor that is no rule: its `backup`.
struct DescriptorReader {
  let name: String
  let title: String
  let summary: String?
  let version: BackupFormat.VersionPolicy?
  let detection: Clue?

  init(_ document: RuleDocument) throws(RuleCompileError) {
    let origin = TextPosition(offset: 0, line: 1, column: 1)
    guard let backup = document.backup, let nameValue = backup["name"] else {
      throw RuleCompileError("a format descriptor needs a backup with a name", at: "/backup", document.backup?.position ?? origin)
    }
    guard let name = nameValue.string, !name.isEmpty else {
      throw RuleCompileError("a format's name is a string that is not empty", at: "/backup/name", nameValue.position)
    }
    self.name = name
    title = document.title ?? name
    summary = document.summary
    version = try backup["version"].map { value throws(RuleCompileError) in try Self.version(value) }
    detection = try backup["detect"].map { value throws(RuleCompileError) in try Clue(value, at: "/backup/detect") }
  }

  private static func version(_ value: JSONValue.Located) throws(RuleCompileError) -> BackupFormat.VersionPolicy {
    guard let pointer = value["pointer"]?.string, let current = value["current"]?.number.flatMap({ Int($0) }) else {
      throw RuleCompileError("version needs a pointer and the current version", at: "/backup/version", value.position)
    }
    let oldest = value["oldest"]?.number.flatMap { Int($0) } ?? current
    return BackupFormat.VersionPolicy(pointer: pointer, current: current, oldest: oldest)
  }
}
