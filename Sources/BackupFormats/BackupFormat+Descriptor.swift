import ByteStreams
import JSONEvents
import Rules

extension BackupFormat {
  /// Reads a descriptor. Its `backup` is the part that isn't rules.
  ///
  /// - Parameter descriptor: The text of the document.
  init(_ document: RuleDocument, descriptor: String) throws(CofferError) {
    let start = TextPosition(offset: 0, line: 1, column: 1)
    guard let backup = document.backup, let nameValue = backup["name"] else {
      throw CofferError(
        rules: "a format descriptor needs a backup with a name", at: "/backup", document.backup?.position ?? start)
    }
    guard let name = nameValue.string, !name.isEmpty else {
      throw CofferError(rules: "expected a non-empty string", at: "/backup/name", nameValue.position)
    }
    self.descriptor = descriptor
    rules = document
    self.name = name
    title = document.title ?? name
    summary = document.summary
    version = try backup["version"].map { value throws(CofferError) in try Self.version(value, document) }
    origin = Origin(
      createdAt: try Self.pointer("createdAt", of: backup), app: try Self.pointer("app", of: backup),
      device: try Self.pointer("device", of: backup))
    settings = try Self.pointer("settings", of: backup)
    restoresSettings = backup["import"]?["settingsOnMerge"]?.string == "replace"
    encoder = backup["encoder"]?.string.flatMap(Encoder.init)
    collections = try Self.collections(document, backup["collections"])
    dialects = try Self.dialects(backup["dialects"])
    migrations = try MigrationReader.migrations(backup["migrations"], version)
    archive = try backup["archive"].map { value throws(CofferError) in
      try ArchiveLayout(value, definitions: document.definitions)
    }
    emptyDocument = backup["emptyFile"]?.text
    fileName = try backup["fileName"].map { value throws(CofferError) in try BackupFileName(value) }
    retention = try backup["retention"].map { value throws(CofferError) in try BackupRetention.list(value) } ?? []
    detection = try backup["detect"].map { value throws(CofferError) in try DetectionCriterion(value, at: "/backup/detect") }
  }

  private static func version(
    _ value: JSONValue.Located, _ document: RuleDocument
  ) throws(CofferError) -> VersionPolicy {
    guard let pointer = value["pointer"]?.string, let current = number("current", of: value) else {
      throw CofferError(rules: "expected a version with 'pointer' and 'current'", at: "/backup/version", value.position)
    }
    let types = document.rootFields.first { "/" + $0.path == pointer }?.types
    return VersionPolicy(
      pointer: pointer, current: current, oldest: number("oldest", of: value) ?? current,
      ifAbsent: try versionIfAbsent(of: value), takesStrings: types?.contains(.string) ?? false)
  }

  /// Reads `2`, or `{"zip": 2, "json": 1}`.
  private static func versionIfAbsent(of value: JSONValue.Located) throws(CofferError) -> [Container: Int] {
    guard let absent = value["ifAbsent"] else { return [:] }
    var versions: [Container: Int] = [:]
    for container in Container.allCases {
      if let version = (absent.object == nil ? absent : absent[container.rawValue])?.number.flatMap({ Int($0) }) {
        versions[container] = version
      }
    }
    if !versions.isEmpty { return versions }
    throw CofferError(
      rules: "expected a version, or {\"json\": 1, \"zip\": 2}", at: "/backup/version/ifAbsent", absent.position)
  }

  private static func number(_ name: String, of value: JSONValue.Located) -> Int? { value[name]?.number.flatMap { Int($0) } }

  private static func pointer(_ name: String, of backup: JSONValue.Located) throws(CofferError) -> String? {
    guard let value = backup[name] else { return nil }
    if let pointer = value.string, pointer.pointerTokens?.isEmpty == false { return pointer }
    throw CofferError(rules: "expected a JSON Pointer such as \"/\(name)\"", at: "/backup/\(name)", value.position)
  }

  private static func collections(
    _ document: RuleDocument, _ descriptions: JSONValue.Located?
  ) throws(CofferError) -> [Collection] {
    let known = document.collections
    for member in descriptions?.object ?? [] where !known.contains(where: { $0.pointer == member.key }) {
      throw CofferError(
        rules: "the rules describe no array '\(member.key)'", at: "/backup/collections/" + member.key.pointerToken,
        member.keyPosition)
    }
    var collections: [Collection] = []
    for rules in known {
      let pointer = "/backup/collections/" + rules.pointer.pointerToken
      collections.append(try Collection(rules, descriptions?[rules.pointer], at: pointer))
    }
    return collections
  }

  private static func dialects(_ value: JSONValue.Located?) throws(CofferError) -> [Dialect] {
    var dialects: [Dialect] = []
    for (index, item) in (value?.array ?? []).enumerated() {
      let pointer = "/backup/dialects/\(index)"
      guard let name = item["name"]?.string, let clue = item["detect"] else {
        throw CofferError(rules: "expected a dialect with 'name' and 'detect'", at: pointer, item.position)
      }
      dialects.append(Dialect(name: name, clue: try DetectionCriterion(clue, at: pointer + "/detect")))
    }
    return dialects
  }
}
