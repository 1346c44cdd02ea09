import ByteStreams
public import Rules

/// A backup format: its rules, and what its descriptor says of its documents. One resource file describes one format (or dialect).
public struct BackupFormat: Sendable {
  public let name: String
  public let title: String
  public let summary: String?
  public let version: VersionPolicy?
  public let origin: Origin
  /// Where documents have the app's settings, as a JSON Pointer.
  public let settings: String?
  /// Whether its app takes a backup's settings even when it merges the records.
  public let restoresSettings: Bool
  /// What its app writes indented backups with.
  public let encoder: Encoder?
  /// The arrays of records that the rules describe, in their order.
  public let collections: [Collection]
  /// Under which names documents of the format go that differ in some way, as the descriptor tells them apart.
  public let dialects: [Dialect]
  /// How documents of older versions are brought up to date, in the versions' order.
  public let migrations: [Migration]
  public let rules: RuleDocument
  /// What its backups hold that are ZIP archives; `nil`: none are.
  public let archive: ArchiveLayout?
  /// What a file of no bytes stands for, as JSON; `nil`: it is broken, as any other that is no JSON.
  public let emptyDocument: String?
  /// How its backups' files are called; `nil`: anyhow.
  public let fileName: BackupFileName?
  /// How many backups the format's own app keeps, each entry of some kind of them; empty: nobody has said.
  public let retention: [BackupRetention]
  /// The descriptor itself, as text.
  public let descriptor: String
  /// What a document must show to be taken for this format; `nil`: it is never detected, only named.
  let detection: Clue?
  let compiled = CompiledProgram()

  /// Which versions of the format are known.
  public struct VersionPolicy: Sendable {
    /// Where documents declare it, as a JSON Pointer.
    public let pointer: String
    public let current: Int
    public let oldest: Int
    /// Which version a document is of that doesn't say, by what it comes in.
    public let ifAbsent: [Container: Int]
    /// Whether documents say it in a string, as the rules have it: `"1.0"`.
    package let takesStrings: Bool
  }

  /// Where documents say when, by what and on what they were made: JSON Pointers.
  public struct Origin: Sendable {
    public let createdAt: String?
    public let app: String?
    public let device: String?
  }

  /// A name for the documents of the format that show a clue.
  public struct Dialect: Sendable {
    public let name: String
    let clue: Clue
  }

  /// Reads a descriptor: a rule document whose `backup` names the format.
  ///
  /// - Throws: `RuleCompileError`, `JSONReadError`.
  public init(descriptor: String, options: RuleDocument.Options = .init()) throws {
    try self.init(try RuleDocument(MemorySource(descriptor.utf8), options: options), descriptor: descriptor)
  }

  /// The format that a rule document describes: one of which `RuleDocument.describesFormat` is true.
  ///
  /// - Throws: `RuleCompileError` with the place in its `backup` that can't be used.
  public init(_ rules: RuleDocument) throws(RuleCompileError) { try self.init(rules, descriptor: rules.descriptor ?? "") }

  private init(_ document: RuleDocument, descriptor: String) throws(RuleCompileError) {
    self.descriptor = descriptor
    rules = document
    let description = try DescriptorReader(rules)
    name = description.name
    title = description.title
    summary = description.summary
    version = description.version
    origin = description.origin
    settings = description.settings
    restoresSettings = description.restoresSettings
    encoder = description.encoder
    collections = description.collections
    dialects = description.dialects
    migrations = description.migrations
    archive = description.archive
    emptyDocument = description.emptyDocument
    fileName = description.fileName
    retention = description.retention
    detection = description.detection
  }

  /// The places that its clues ask about: all that it needs of an outline.
  package var cluePaths: Set<String> {
    let clues = [detection].compactMap(\.self) + dialects.map(\.clue) + migrations.compactMap(\.clue)
    return clues.reduce(into: []) { $0.formUnion($1.paths) }
  }

  /// What a document goes by that shows this outline: the first dialect whose clue holds.
  package func dialect(in outline: DocumentOutline) -> String? {
    let matcher = Pattern.Matcher()
    return dialects.first { $0.clue.holds(in: outline, matcher: matcher) }?.name
  }
}
