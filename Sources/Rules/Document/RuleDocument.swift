public import ByteStreams
import JSONEvents
public import SystemPackage

/// A rule document that has been read and checked, with all that it refers to: a JSON Schema, or one with Coffer's vocabulary.
///
/// Its `$schema` says what its words mean:
///
/// | `$schema` | meaning |
/// | --- | --- |
/// | `https://json-schema.org/draft/2020-12/schema` | what that standard says: `format` only annotates, unknown keywords are passed over |
/// | the same of 2019-09 and draft 7 | what those said |
/// | `urn:coffer:rules:1`, or none | draft 2020-12, formats are checked, Coffer's keywords are on, unknown ones are mistakes |
/// | the URI of a meta-schema of one's own | as its `$vocabulary` says |
public struct RuleDocument: Sendable {
  /// How rule documents are read.
  public struct Options: Sendable {
    /// Checks `format` even where the document's `$schema` makes it an annotation.
    public var assertsFormats = false
    /// Where documents are that the rule document refers to by URI. Nothing is ever fetched from a network.
    public var folders: [Folder] = []
    /// What files may be written in: their ending says which of these. `RulesYAML` has another.
    public var syntaxes: [RuleSyntax] = [.json]

    /// Formats as `$schema` says, no folders, JSON alone.
    public init() {}
  }

  /// A folder whose files stand for the documents below a URI: with `http://example.org/schemas/` and the folder `schemas`,
  /// `http://example.org/schemas/a/b.json` is the file `schemas/a/b.json`. A file may stand for one URI, too.
  ///
  /// No reference leads out of the folder: neither `..` nor an encoded slash is a name in it. Symbolic links are followed, for they are the work of
  /// whoever filled the folder, not of the document that refers to them.
  public struct Folder: Sendable {
    /// An absolute URI without a fragment.
    public let uri: String
    /// The folder, or a file that stands for this one URI.
    public let path: FilePath

    /// A folder that stands for all documents below a URI.
    public init(uri: String, path: FilePath) {
      self.uri = uri
      self.path = path
    }

    /// The file for a URI; `nil` if it lies elsewhere, or would lead out of the folder.
    func path(of other: String) -> FilePath? {
      if other == uri { return path }
      let prefix = uri.hasSuffix("/") ? uri : uri + "/"
      guard other.hasPrefix(prefix), other.utf8.count > prefix.utf8.count else { return nil }
      var path = path
      for segment in other.dropFirst(prefix.count).split(separator: "/") {
        // A path would end at a NUL, and an encoded slash is part of a name, which no file has.
        guard let name = String(segment).percentDecoded, !name.utf8.contains(0), !name.utf8.contains(UInt8(ascii: "/")),
          let component = FilePath.Component(name), component.kind == .regular
        else { return nil }
        path.append(component)
      }
      return path
    }
  }

  package internal(set) var schemas: [Schema]
  package internal(set) var root: Int
  /// By resource: the schemas that a `$dynamicRef` may be led to.
  package let dynamicAnchors: [[ExactText: Int]]
  /// The value of the root's `backup`, which describes the format to whoever detects and inspects it.
  package let backup: JSONValue.Located?
  /// The root's `$defs`, to which documents beside the one that the rules are for may refer.
  package let definitions: JSONValue.Located?
  /// The whole document, if it describes a format.
  private let described: JSONValue.Located?
  package let title: String?
  package let summary: String?
  /// Where documents declare their version, token by token.
  package let versionPointer: [String]?

  /// Whether it describes a format: its `backup` has a name.
  public var describesFormat: Bool { described != nil }

  /// The document as JSON, if it describes a format. Written anew each time.
  package var descriptor: String? { described?.text }

  /// Reads the rule document in a file, whose ending says how it is written: `Options.syntaxes`.
  ///
  /// - Throws: as ``init(_:syntax:options:)``.
  public init(contentsOf path: FilePath, options: Options = Options()) throws {
    try self.init(FileSource(path: path), syntax: options.syntax(of: path), options: options)
  }

  /// Reads a rule document.
  ///
  /// - Throws: `RuleCompileError` with the place of what can't be used, `JSONReadError` if it is no JSON, `ByteStreamError` from the source.
  public init(_ source: some ByteSource, syntax: RuleSyntax = .json, options: Options = Options()) throws {
    let document = try syntax.read(source)
    var reader = try SchemaReader(document: document, options: options)
    root = try reader.read()
    schemas = reader.schemas
    dynamicAnchors = reader.dynamicAnchors
    backup = reader.rootDialect.hasVocabulary ? document["backup"] : nil
    definitions = document["$defs"]
    described = backup?["name"] == nil ? nil : document
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
