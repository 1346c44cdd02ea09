public import ByteStreams
import JSONEvents

/// A rule document that has been read and checked: a JSON Schema (draft 2020-12), with Coffer's vocabulary where its `$schema` says so.
///
/// With `"$schema": "https://json-schema.org/draft/2020-12/schema"` a document means what that standard says: `format` only annotates, and
/// Coffer's own keywords are unknown annotations. With `"urn:coffer:rules:1"`, or without `$schema`, formats are checked and the vocabulary is on.
public struct RuleDocument: Sendable {
  public struct Options: Sendable {
    /// Checks `format` even where the document's `$schema` makes it an annotation.
    public var assertsFormats = false

    public init() {}
  }

  package private(set) var schemas: [Schema] = []
  package let root: Int
  /// The value of the root's `backup`, which describes the format to whoever detects and inspects it.
  package let backup: JSONValue.Located?
  package let title: String?
  package let summary: String?
  /// Where documents declare their version, token by token.
  package let versionPointer: [String]?

  /// Reads a rule document.
  ///
  /// - Throws: `RuleCompileError` with the place of what can't be used, `JSONReadError` if it is no JSON, `ByteStreamError` from the source.
  public init(_ source: some ByteSource, options: Options = Options()) throws {
    let document = try JSONValue.read(source)
    var reader = try SchemaReader(document: document, options: options)
    root = try reader.readRoot()
    schemas = reader.schemas
    backup = reader.hasVocabulary ? document["backup"] : nil
    title = document["title"]?.string
    summary = document["description"]?.string
    if let pointer = backup?["version"]?["pointer"] {
      guard let tokens = pointer.string?.pointerTokens, !tokens.isEmpty else {
        throw RuleCompileError(
          "expected a JSON Pointer such as \"/formatVersion\"", at: "/backup/version/pointer", pointer.position)
      }
      versionPointer = tokens
    } else {
      versionPointer = nil
    }
  }
}
