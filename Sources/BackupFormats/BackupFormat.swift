import ByteStreams
public import Rules

/// A backup format: its rules, and what its descriptor says of its documents. One resource file describes one format (or dialect).
public struct BackupFormat: Sendable {
  public let name: String
  public let title: String
  public let summary: String?
  public let version: VersionPolicy?
  public let rules: RuleDocument
  /// The descriptor itself, as text.
  public let descriptor: String
  /// What a document must show to be taken for this format; `nil`: it is never detected, only named.
  let detection: Clue?

  /// Which versions of the format are known.
  public struct VersionPolicy: Sendable {
    /// Where documents declare it, as a JSON Pointer.
    public let pointer: String
    public let current: Int
    public let oldest: Int
  }

  /// Reads a descriptor: a rule document whose `backup` names the format.
  ///
  /// - Throws: `RuleCompileError`, `JSONReadError`.
  public init(descriptor: String, options: RuleDocument.Options = .init()) throws {
    self.descriptor = descriptor
    rules = try RuleDocument(MemorySource(descriptor.utf8), options: options)
    let description = try DescriptorReader(rules)
    name = description.name
    title = description.title
    summary = description.summary
    version = description.version
    detection = description.detection
  }
}
