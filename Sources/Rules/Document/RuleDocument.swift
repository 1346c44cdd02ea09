public import ByteStreams
public import Findings
import JSONEvents
public import SystemPackage

/// A rule document that has been read and checked, with all documents that it refers to: a JSON Schema, optionally with Coffer's
/// vocabulary.
///
/// Its `$schema` selects the dialect:
///
/// | `$schema` | meaning |
/// | --- | --- |
/// | `https://json-schema.org/draft/2020-12/schema` | that standard: `format` only annotates, unknown keywords are ignored |
/// | the URI of 2019-09 | that standard, likewise |
/// | the URIs of drafts 7, 6 and 4 | those drafts: `format` is checked if the draft defines it, unknown keywords are ignored |
/// | `urn:coffer:rules:1`, or none | draft 2020-12, formats are checked, Coffer's keywords are enabled, unknown ones are errors |
/// | the URI of a custom meta-schema | determined by its `$vocabulary` |
///
/// What looks like a rule and is not applied is in ``warnings``.
public struct RuleDocument: Sendable {
  /// Options for reading rule documents.
  public struct Options: Sendable {
    public var formats = FormatAssertion.byDialect
    /// The folders of documents that the rule document refers to by URI. Nothing is ever fetched from a network.
    public var folders: [Folder] = []
    /// The folder of the rule document, where its relative references start. ``RuleDocument/init(contentsOf:options:)`` sets it to
    /// that of the file. If `nil`, they start in `referenceFolder`.
    public var baseFolder: FilePath?
    /// A folder around `baseFolder` that relative references must not leave (default: `baseFolder`).
    public var referenceFolder: FilePath?
    /// The texts of files by path. If set, no others are read.
    package var fileTexts: [String: String]?
    /// The syntaxes that files may be written in, selected by file extension. `RulesYAML` has another.
    public var syntaxes: [RuleSyntax] = [.json]

    /// Default options: formats as `$schema` says, no folders, only JSON.
    public init() {}
  }

  /// Which values of `format` are checked. Coffer's own dialect checks all.
  public enum FormatAssertion: String, Sendable, Codable {
    /// As the document's `$schema` says: drafts 4, 6 and 7 check the formats that they define, as most validators do; 2019-09 and
    /// 2020-12 check none, unless a custom meta-schema requires it.
    case byDialect
    /// All formats that Coffer knows, in every dialect.
    case always
    /// None: in every dialect of JSON Schema, `format` is an annotation.
    case never
  }

  /// A folder that maps to the URIs below a prefix: with `http://example.org/schemas/` and the folder `schemas`,
  /// `http://example.org/schemas/a/b.json` is the file `schemas/a/b.json`. A single file can map to one URI, too.
  ///
  /// In a URN, colons separate as slashes do elsewhere: with `urn:example:` and the same folder, `urn:example:a:b` is
  /// `schemas/a/b`. If there is no file of that name, the endings of ``Options/syntaxes`` are tried: `schemas/a/b.json`.
  ///
  /// No reference leads out of the folder: `..` and encoded slashes are rejected. Symbolic links are followed, because they are
  /// made by the owner of the folder, not by the document that refers to them.
  public struct Folder: Sendable {
    /// An absolute URI without a fragment.
    public let uri: String
    /// The folder, or a file for this one URI.
    public let path: FilePath

    /// Maps a folder to all documents below a URI.
    public init(uri: String, path: FilePath) {
      self.uri = uri
      self.path = path
    }

    /// Returns the file for a URI, or `nil` if the URI is not below this one or would lead out of the folder.
    func path(of other: String) -> FilePath? {
      if other == uri { return path }
      guard other.hasPrefix(uri) else { return nil }
      var rest = other.dropFirst(uri.count)
      let reference = URIReference(uri)
      let isURN = reference.authority == nil && !reference.path.hasPrefix("/")
      let separators = isURN ? ":/" : "/"
      if let last = uri.last, !separators.contains(last) {
        guard let first = rest.popFirst(), separators.contains(first) else { return nil }
      }
      return rest.isEmpty ? nil : path.appending(segmentsOf: isURN ? String(rest.map { $0 == ":" ? "/" : $0 }) : String(rest))
    }
  }

  /// The size of the largest rule document in bytes.
  package static let sizeLimit = JSONValue.sizeLimit

  package internal(set) var schemas: [Schema]
  package internal(set) var root: Int
  /// The path to the root of a document if the rules are for each item of an array, and the schema of that array.
  var documentPath: [String] = []
  var documentsSchema: Int?
  /// The schemas of each resource that a `$dynamicRef` may resolve to.
  package let dynamicAnchors: [[ExactText: Int]]
  /// The value of the root's `backup`, which describes the format for detection and inspection.
  package let backup: RuleValue?
  /// The root's `$defs`. Documents other than the validated one may refer to them.
  package let definitions: JSONValue.Located?
  /// The whole document, if it describes a format.
  private let described: JSONValue.Located?
  /// The files of other documents that it refers to.
  public let referencedFiles: [FilePath]
  /// The rules that are not applied although they look like rules: keywords that the dialect doesn't have, formats that it doesn't
  /// assert, references to documents that are not available, and the like. At most 1,000, sorted by place.
  public let warnings: [Finding]
  /// The exact numbers of ``warnings``.
  public let warningCounts: FindingCounts
  /// What is wrong: the first ``SchemaReader/errorLimit`` errors in document order, and the number of all. Only a document from
  /// `init(checking:options:)` can have any.
  package let errors: [CofferError]
  package let errorCount: Int
  package let title: String?
  package let summary: String?
  /// The place where documents declare their version, token by token.
  package let versionPointer: [String]?

  /// True if it describes a format: its `backup` has a name.
  public var describesFormat: Bool { described != nil }

  /// The document as JSON, if it describes a format. Each access writes it anew.
  package var descriptor: String? { described?.text }

  /// Reads the rule document in a file. The file extension selects the syntax: `Options.syntaxes`.
  ///
  /// - Throws: the errors of ``init(_:syntax:options:)``.
  public init(contentsOf path: FilePath, options: Options = Options()) throws(CofferError) {
    var options = options
    options.baseFolder = path.removingLastComponent()
    try self.init(FileSource(path: path), syntax: options.syntax(of: path), options: options)
  }

  /// Reads a rule document.
  ///
  /// - Throws: `CofferError` with the place of the fault, even if it is not JSON.
  public init(_ source: some ByteSource, syntax: RuleSyntax = .json, options: Options = Options()) throws(CofferError) {
    try self.init(try syntax.read(source), options: options)
  }

  /// Checks a rule document that has been read.
  ///
  /// - Throws: `CofferError` with the place of the first fault, and the number of further ones.
  package init(_ document: JSONValue.Located, options: Options = Options()) throws(CofferError) {
    try self.init(checking: document, options: options)
    guard var error = errors.first else { return }
    error.furtherCount = errorCount - 1
    throw error
  }

  /// Checks a rule document that has been read, to its end: a keyword in error contributes nothing.
  ///
  /// - Throws: `CofferError` if its `$schema` is unknown.
  package init(checking document: JSONValue.Located, options: Options = Options()) throws(CofferError) {
    var reader = try SchemaReader(document: document, options: options)
    root = reader.read()
    schemas = reader.schemas
    dynamicAnchors = reader.dynamicAnchors
    warnings = reader.warnings.findings()
    warningCounts = reader.warnings.counts
    referencedFiles = reader.documents.files
    backup = reader.rootDialect.hasVocabulary ? RuleValue(document, at: "")["backup"] : nil
    definitions = document["$defs"]
    described = backup?["name"] == nil ? nil : document
    title = document["title"]?.string
    summary = document["description"]?.string
    let pointer = backup?["version"]?["pointer"]
    versionPointer = pointer?.string?.pointerTokens.flatMap { $0.isEmpty ? nil : $0 }
    if let pointer, versionPointer == nil { reader.note(pointer.error("expected a JSON Pointer such as \"/formatVersion\"")) }
    (errors, errorCount) = (reader.firstErrors, reader.errorCount)
  }
}
