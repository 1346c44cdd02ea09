import ByteStreams
import JSONEvents
import Rules

extension BackupFormat {
  /// Reads a descriptor. Its `backup` is the part that isn't rules.
  ///
  /// - Parameter descriptor: The text of the document.
  init(_ document: RuleDocument, descriptor: String) throws(CofferError) {
    guard let backup = document.backup, let nameValue = backup["name"] else {
      let start = TextPosition(offset: 0, line: 1, column: 1)
      throw CofferError(
        rules: "a format descriptor needs a backup with a name", at: "/backup", document.backup?.json.position ?? start)
    }
    self.descriptor = descriptor
    rules = document
    name = try nameValue.expectText()
    title = document.title ?? name
    summary = document.summary
    version = try backup["version"].map { value throws(CofferError) in try VersionPolicy(value, document) }
    origin = Origin(
      createdAt: try Self.pointer("createdAt", of: backup), app: try Self.pointer("app", of: backup),
      device: try Self.pointer("device", of: backup), lastBackup: try Self.pointer("lastBackup", of: backup))
    settings = try Self.pointer("settings", of: backup)
    restoresSettings = backup["import"]?["settingsOnMerge"]?.string == "replace"
    encoder = backup["encoder"]?.string.flatMap(Encoder.init)
    collections = try Self.collections(document, backup["collections"])
    dialects = try (backup["dialects"]?.items ?? []).map { value throws(CofferError) in try Dialect(value) }
    migrations = try MigrationReader.migrations(backup["migrations"], version)
    archive = try backup["archive"].map { value throws(CofferError) in
      try ArchiveLayout(value, definitions: document.definitions)
    }
    emptyDocument = backup["emptyFile"]?.json.text
    fileName = try backup["fileName"].map { value throws(CofferError) in try BackupFileName(value) }
    retention = try backup["retention"].map { value throws(CofferError) in try BackupRetention.list(value) } ?? []
    detection = try backup["detect"].map { value throws(CofferError) in try DetectionCriterion(value) }
  }

  private static func pointer(_ name: String, of backup: RuleValue) throws(CofferError) -> String? {
    guard let value = backup[name] else { return nil }
    if let pointer = value.string, pointer.pointerTokens?.isEmpty == false { return pointer }
    throw value.error("expected a JSON Pointer such as \"/\(name)\"")
  }

  private static func collections(_ document: RuleDocument, _ descriptions: RuleValue?) throws(CofferError) -> [Collection] {
    let known = document.collections
    for member in descriptions?.members ?? [] where !known.contains(where: { $0.pointer == member.key }) {
      throw member.error("the rules describe no array '\(member.key)'")
    }
    return try known.map { rules throws(CofferError) in try Collection(rules, descriptions?[rules.pointer]) }
  }
}

extension BackupFormat.VersionPolicy {
  fileprivate init(_ value: RuleValue, _ document: RuleDocument) throws(CofferError) {
    guard let pointer = value["pointer"]?.string, let current = value["current"]?.integer else {
      throw value.error("expected a version with 'pointer' and 'current'")
    }
    self.pointer = pointer
    self.current = current
    oldest = value["oldest"]?.integer ?? current
    ifAbsent = try value["ifAbsent"].map { value throws(CofferError) in try Self.versionIfAbsent(value) } ?? [:]
    hasSameForm = value["sameForm"]?.boolean ?? false
    takesStrings = document.rootFields.first { "/" + $0.path == pointer }?.types?.contains(.string) ?? false
  }

  /// Reads `2`, or `{"zip": 2, "json": 1}`.
  private static func versionIfAbsent(_ value: RuleValue) throws(CofferError) -> [BackupFormat.Container: Int] {
    var versions: [BackupFormat.Container: Int] = [:]
    for container in BackupFormat.Container.allCases {
      versions[container] = (value.isObject ? value[container.rawValue] : value)?.integer
    }
    if versions.isEmpty { throw value.error("expected a version, or {\"json\": 1, \"zip\": 2}") }
    return versions
  }
}

extension BackupFormat.Dialect {
  fileprivate init(_ value: RuleValue) throws(CofferError) {
    guard let name = value["name"]?.string, let clue = value["detect"] else {
      throw value.error("expected a dialect with 'name' and 'detect'")
    }
    self.name = name
    container = try value["container"]?.expectChoice(BackupFormat.Container.allCases)
    self.clue = try DetectionCriterion(clue)
  }
}
