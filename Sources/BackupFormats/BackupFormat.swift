public import ByteStreams
public import Rules

/// A backup format: its rules, and the properties in its descriptor. One resource file describes one format (or dialect).
public struct BackupFormat: Sendable {
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
  /// The format's named dialects.
  public let dialects: [Dialect]
  /// The migrations from older versions, in version order.
  public internal(set) var migrations: [Migration]
  public let rules: RuleDocument
  /// The layout of its ZIP archives, or `nil` if its backups aren't archives.
  public let archive: ArchiveLayout?
  /// The JSON that an empty file is equivalent to. If `nil`, an empty file is an error.
  public let emptyDocument: String?
  /// The naming of its backup files, or `nil` if they can have any name.
  public let fileName: BackupFileName?
  /// The app's own retention of backups, one entry per kind. Empty if unknown.
  public let retention: [BackupRetention]
  /// The text of the descriptor.
  public let descriptor: String
  let detection: DetectionCriterion?
  /// False if the format is never detected and must be named.
  package var isDetectable: Bool { detection != nil }
  let compiled = CompiledProgram()

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
    let clue: DetectionCriterion
  }

  /// Reads a descriptor: a rule document whose `backup` names the format.
  public init(descriptor: String, options: RuleDocument.Options = .init()) throws(CofferError) {
    try self.init(try RuleDocument(MemorySource(descriptor.utf8), options: options), descriptor: descriptor)
  }

  /// True if its rules are in several files.
  package var refersToFiles: Bool { !rules.referencedFiles.isEmpty }

  /// Creates the format that a rule document describes. `RuleDocument.describesFormat` must be true.
  ///
  /// - Throws: `CofferError` with the invalid place in its `backup`.
  public init(_ rules: RuleDocument) throws(CofferError) { try self.init(rules, descriptor: rules.descriptor ?? "") }

  /// The paths that its detection criteria use: all that it needs from an outline.
  package var criterionPaths: Set<String> {
    let clues = [detection].compactMap(\.self) + dialects.map(\.clue) + migrations.compactMap(\.clue)
    return clues.reduce(into: []) { $0.formUnion($1.paths) }
  }

  /// Returns the dialect of a document with this outline: the first whose criterion holds.
  package func dialect(in outline: DocumentOutline) -> String? {
    let matcher = Pattern.Matcher()
    return dialects.first { $0.clue.holds(in: outline, matcher: matcher) }?.name
  }
}
