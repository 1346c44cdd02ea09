public import ByteStreams
import Findings
package import JSONEvents
public import Rules
import Synchronization

/// A backup format: its rules, and the properties in its descriptor. One resource file describes one format (or dialect).
///
/// Nothing changes it, and much refers to it.
public final class BackupFormat: Sendable {
  public let name: String
  public let title: String
  public let summary: String?
  public let version: VersionPolicy?
  public let origin: Origin
  /// The JSON Pointer of the app's settings.
  public let settings: String?
  /// True if the app restores a backup's settings even when it merges records.
  public let restoresSettings: Bool
  /// The encoder with which the app writes indented backups.
  public let encoder: Encoder?
  /// The arrays of records that the rules describe, in the rules' order.
  public let collections: [Collection]
  /// Arrays of records inside the root's members, such as `/db/entries`, which the descriptor lists among its collections.
  public let innerCollections: [Collection]
  /// All of them, at any depth.
  package var allCollections: [Collection] { collections + innerCollections }
  /// The format's named dialects.
  public let dialects: [Dialect]
  /// The migrations from older versions, in version order.
  public let migrations: [Migration]
  public let rules: RuleDocument
  /// The layout of its ZIP archives, or `nil` if its backups aren't archives.
  public let archive: ArchiveLayout?
  /// The JSON that an empty file is equivalent to. If `nil`, an empty file is an error.
  public let emptyDocument: String?
  /// The naming of its backup files, or `nil` if they can have any name.
  public let fileName: BackupFileName?
  /// The app's own retention of backups, one entry per kind. Empty if unknown.
  public let retention: [BackupRetention]
  /// Its checks in SQL, which imports run.
  public let checks: [SQLCheck]
  /// The text of the descriptor.
  public let descriptor: String
  let detection: DetectionCriterion?
  /// False if the format is never detected and must be named.
  package var isDetectable: Bool { detection != nil }
  let compiled: CompiledProgram

  /// The known versions of the format.
  public struct VersionPolicy: Sendable {
    /// The JSON Pointer of the declared version.
    public let pointer: String
    public let current: Int
    public let oldest: Int
    /// The version of a document that doesn't declare one, by container.
    public let ifAbsent: [Container: Int]
    /// True if the known versions differ only in their numbers: an import doesn't change a document's version.
    package let hasSameForm: Bool
    /// True if the rules allow a string as the version: `"1.0"`.
    package let takesStrings: Bool
  }

  /// The JSON Pointers of a document's creation time, app and device, and of the time of the last backup in the app's settings.
  public struct Origin: Sendable, Encodable {
    public let createdAt: String?
    public let app: String?
    public let device: String?
    public let lastBackup: String?
  }

  /// A name for the documents of the format that satisfy a criterion.
  public struct Dialect: Sendable {
    public let name: String
    /// The container that its documents come in, or `nil` if they come in any.
    package let container: Container?
    let criterion: DetectionCriterion
  }

  /// Reads a descriptor: a rule document whose `backup` names the format.
  public convenience init(descriptor: String, options: RuleDocument.Options = .init()) throws(CofferError) {
    try self.init(try RuleDocument(MemorySource(descriptor.utf8), options: options), descriptor: descriptor)
  }

  /// Reads a descriptor. Its `backup` is the part that isn't rules.
  ///
  /// - Parameters:
  ///   - descriptor: The text of the document.
  ///   - places: Paths of values, token by token: only migrations that change one of them are kept (default: all).
  ///   - compiled: The cache of its program, if another format has the same rules.
  init(
    _ document: RuleDocument, descriptor: String, migrating places: [[String]]? = nil,
    compiled: CompiledProgram = CompiledProgram()
  ) throws(CofferError) {
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
    (collections, innerCollections) = try Self.collections(document, backup["collections"])
    dialects = try (backup["dialects"]?.items ?? []).map { value throws(CofferError) in try Dialect(value) }
    let migrations = try MigrationReader.migrations(backup["migrations"], version)
    self.migrations = places.map { places in migrations.filter { $0.changesAny(of: places) } } ?? migrations
    self.compiled = compiled
    archive = try backup["archive"].map { value throws(CofferError) in
      try ArchiveLayout(value, definitions: document.definitions)
    }
    emptyDocument = backup["emptyFile"]?.json.text
    fileName = try backup["fileName"].map { value throws(CofferError) in try BackupFileName(value) }
    retention = try backup["retention"].map { value throws(CofferError) in try BackupRetention.list(value) } ?? []
    let all = collections + innerCollections
    checks = try backup["checks"].map { value throws(CofferError) in try SQLCheck.list(value, among: all) } ?? []
    detection = try backup["detect"].map { value throws(CofferError) in try DetectionCriterion(value) }
  }

  /// True if its rules are in several files.
  package var refersToFiles: Bool { !rules.referencedFiles.isEmpty }

  /// Creates the format that a rule document describes. `RuleDocument.describesFormat` must be true.
  ///
  /// - Throws: `CofferError` with the invalid place in its `backup`.
  public convenience init(_ rules: RuleDocument) throws(CofferError) { try self.init(rules, descriptor: rules.descriptor ?? "") }

  /// All of its detection criteria: that of the format, those of its dialects, and those of its migrations.
  package var criteria: [DetectionCriterion] {
    [detection].compactMap(\.self) + dialects.map(\.criterion) + migrations.compactMap(\.criterion)
  }

  /// Returns the dialect of a document with this outline: the first whose criterion holds.
  package func dialect(in outline: DocumentOutline) -> String? {
    let matcher = Pattern.Matcher()
    return dialects.first { $0.criterion.holds(in: outline, matcher: matcher) }?.name
  }
}

extension BackupFormat {
  /// An array of records, as described by the rules and the descriptor.
  public struct Collection: Sendable {
    /// A JSON Pointer.
    public let pointer: String
    /// The collection's title: its name, unless the descriptor declares another.
    public let title: String
    /// The key fields of its records, each a name or a path of names; empty if there is no key.
    ///
    /// They come from the descriptor's `key`, else from the rules' `primaryKey`, or the entry of `uniqueKeys` with the code
    /// `primary-key`.
    public let key: [[String]]
    /// True if keys are compared without regard to letter case.
    public let keyIgnoresCase: Bool
    /// The member with a record's date: the descriptor's `date`, else the first member that the rules require to be a date.
    public let date: String?
    /// The member with a record's last modification, if the descriptor declares one.
    public let modified: String?
    package let rules: RuleDocument.Collection

    package var dateFormat: StringFormat? { format(of: date) }
    package var modifiedFormat: StringFormat? { format(of: modified) }

    init(_ rules: RuleDocument.Collection, _ description: RuleValue?) throws(CofferError) {
      func dateField(_ name: String) throws(CofferError) -> String? {
        guard let value = description?[name] else { return nil }
        let field = try value.expectText()
        if rules.dates.contains(where: { $0.field == field }) { return field }
        throw value.error("the rules declare no date format for '\(field)' of these records")
      }
      self.rules = rules
      self.pointer = rules.pointer
      title = try description?["title"]?.expectText() ?? rules.name
      modified = try dateField("modified")
      date = try dateField("date") ?? rules.dates.first?.field
      let key = rules.keys.first(where: \.isPrimary)
      if let value = description?["key"] {
        let items = value.items ?? [value]
        let fields = items.compactMap { $0.string?.split(separator: "/").map(String.init) }
        guard !fields.isEmpty, fields.count == items.count else {
          throw value.error("expected a field name or a list of field names")
        }
        self.key = fields
        keyIgnoresCase = rules.keys.first { $0.fields == fields }?.ignoresCase ?? false
      } else {
        self.key = key?.fields ?? []
        keyIgnoresCase = key?.ignoresCase ?? false
      }
    }

    private func format(of field: String?) -> StringFormat? {
      field.flatMap { field in rules.dates.first { $0.field == field }?.format }
    }
  }
}

extension BackupFormat {
  /// The container of a document: in some formats, a separate file and an entry of a ZIP have different meanings.
  public enum Container: String, Sendable, CaseIterable {
    /// A separate file.
    case json
    /// An entry of a ZIP.
    case zip
  }
}

extension BackupFormat {
  /// A JSON encoder, identified by its indentation.
  public enum Encoder: String, Sendable, Hashable, CaseIterable {
    /// Apple's `JSONEncoder`: 2 spaces per level, a space on both sides of the colon, `\/`, an empty line in empty containers.
    case apple
    /// Kotlin's `kotlinx.serialization`: 4 spaces per level.
    case kotlin
  }
}

/// A report on the contents and checks of formats.
///
///     {"formats": [{"name": "my-app", "title": …, "dialects": […],
///       "version": {"pointer": "/version", "current": 4, "oldest": 2},
///       "fileName": {"pattern": …, "template": …, "holds": …}, "retention": [{"of": …, "count": 5, "days": 30, "by": …}],
///       "fields": [{"path": "version", "types": ["integer"], "required": true,
///                   "checks": [{"severity": "error", "words": …}]}],
///       "collections": [{"pointer": "/cars", "title": "cars", "key": ["id"], "date": "boughtAt", "fields": […],
///                        "checks": […], "keys": […], "references": […]}]}]}
public struct FormatReport: Sendable, Encodable {
  public var formats: [BackupFormat]

  public init(_ formats: [BackupFormat]) { self.formats = formats }
}

extension BackupFormat: Encodable {
  public func encode(to encoder: any Swift.Encoder) throws {
    try encoder.encode([
      "name": name, "title": title, "description": IfPresent(summary), "version": IfPresent(version.map(members)),
    ])
    try origin.encode(to: encoder)
    try encoder.encode([
      "dialects": dialects.map(\.name), "recognised": IfPresent(detection?.words), "fileName": IfPresent(fileName),
      "retention": retention, "fields": rules.rootFields, "checks": rules.rootChecks, "collections": collections.map(members),
    ])
  }

  private func members(of version: VersionPolicy) -> ReportMembers {
    [
      "pointer": version.pointer, "current": version.current, "oldest": version.oldest,
      "ifAbsent": IfPresent(version.ifAbsent[.json]), "ifAbsentInZIP": IfPresent(version.ifAbsent[.zip]),
    ]
  }

  private func members(of collection: Collection) -> ReportMembers {
    let record = rules.recordFields(of: collection.rules)
    return [
      "pointer": collection.pointer, "title": collection.title, "key": collection.key.map(\.fieldText),
      "date": IfPresent(collection.date), "modified": IfPresent(collection.modified), "fields": record.fields,
      "checks": record.checks, "keys": collection.keyWords, "references": collection.referenceWords,
    ]
  }
}

extension BackupFormat {
  /// Returns the format's rules, compiled on the first call.
  ///
  /// - Throws: The errors of `RuleDocument.compiled()`.
  package func program() throws(CofferError) -> RuleProgram {
    try compiled.program { () throws(CofferError) in try rules.compiled(watching: archive?.watchedPlaces ?? []) }
  }
}

/// A lazily compiled program.
final class CompiledProgram: Sendable {
  private let program = Mutex<RuleProgram?>(nil)

  func program(compile: () throws(CofferError) -> RuleProgram) throws(CofferError) -> RuleProgram {
    try program.withLock { program throws(CofferError) in
      if let program { return program }
      let compiled = try compile()
      program = compiled
      return compiled
    }
  }
}

/// The version that a document declares, read in the same way everywhere.
///
///     1   1.0   1e0        version 1: numbers are compared by value
///     "1"   "1.0"          version 1 if the format's rules allow a string, otherwise no version
///     null                 the same as a missing version
package enum FormatVersion: Sendable, Hashable {
  case absent
  case number(Int)
  /// A value that isn't a version, with its description in messages: `a boolean, not an integer`.
  case other(String)
  /// The member, or an object around it, occurs several times.
  case several

  /// Returns the version number, with a default for documents that don't declare one.
  package func number(ifAbsent: Int?) -> Int? {
    switch self {
    case .absent: ifAbsent
    case .number(let number): number
    case .other, .several: nil
    }
  }

  fileprivate static func wholeNumber(_ text: ByteView) -> Int? { ExactDecimal(text)?.int64.flatMap { Int(exactly: $0) } }
}

extension FormatVersion {
  /// - Parameters:
  ///   - kind: The kind of value at the policy's pointer.
  ///   - text: The scalar, with its escapes resolved.
  package init(_ kind: JSONKind, _ text: ByteView, by policy: BackupFormat.VersionPolicy) {
    switch kind {
    case .null: self = .absent
    case .number: self = Self.wholeNumber(text).map { .number($0) } ?? .other("not a 64-bit integer")
    case .string where policy.takesStrings:
      self = Self.wholeNumber(text).map { .number($0) } ?? .other("a string that is not an integer")
    case .string, .boolean, .array, .object: self = .other("\(kind.phrase), not an integer")
    }
  }
}

extension BackupFormat {
  private static func pointer(_ name: String, of backup: RuleValue) throws(CofferError) -> String? {
    guard let value = backup[name] else { return nil }
    if let pointer = value.string, pointer.pointerTokens?.isEmpty == false { return pointer }
    throw value.error("expected a JSON Pointer such as \"/\(name)\"")
  }

  private static func collections(
    _ document: RuleDocument, _ descriptions: RuleValue?
  ) throws(CofferError) -> (outer: [Collection], inner: [Collection]) {
    let outer = document.collections
    var inner: [Collection] = []
    for member in descriptions?.members ?? [] where !outer.contains(where: { ExactText($0.pointer) == ExactText(member.key) }) {
      guard let rules = document.collection(at: member.key) else {
        throw member.error("the rules describe no collection '\(member.key)'")
      }
      inner.append(try Collection(rules, descriptions?[member.key]))
    }
    return (try outer.map { rules throws(CofferError) in try Collection(rules, descriptions?[rules.pointer]) }, inner)
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
    guard let name = value["name"]?.string, let criterion = value["detect"] else {
      throw value.error("expected a dialect with 'name' and 'detect'")
    }
    self.name = name
    container = try value["container"]?.expectChoice(BackupFormat.Container.allCases)
    self.criterion = try DetectionCriterion(criterion)
  }
}
