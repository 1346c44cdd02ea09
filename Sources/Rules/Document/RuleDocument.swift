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
    /// A folder that the files of relative references must be in, wherever symbolic links lead. They must be regular files. If `nil`,
    /// links are followed: for rules whose author is trusted.
    package var confinement: FilePath?
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
  let versionPointer: [String]?

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
    if let checks = backup?["checks"], described == nil {
      reader.note(checks.error("checks in SQL need the tables of a format: give 'backup' a 'name'"))
    }
    if let pointer, versionPointer == nil { reader.note(pointer.error("expected a JSON Pointer such as \"/formatVersion\"")) }
    (errors, errorCount) = (reader.firstErrors, reader.errorCount)
  }
}

/// A syntax of rule documents: JSON, or another one for the same values that a separate module reads.
///
/// Thus users of the rules link only the parsers that they need: `RulesYAML` adds `RuleSyntax.yaml`.
public struct RuleSyntax: Sendable {
  /// The file extensions of this syntax, in lowercase.
  public let endings: [String]
  package let read: @Sendable (any ByteSource) throws(CofferError) -> JSONValue.Located

  package init(endings: [String], read: @escaping @Sendable (any ByteSource) throws(CofferError) -> JSONValue.Located) {
    self.endings = endings
    self.read = read
  }

  /// RFC 8259.
  public static let json = RuleSyntax(endings: ["json"]) { source throws(CofferError) in try JSONValue.readRules(source) }
}

extension RuleDocument.Options {
  /// Returns the syntax for a file's extension, before that of a compressed file. Unknown extensions mean JSON.
  public func syntax(of path: FilePath) -> RuleSyntax {
    let name = CompressionFormat.plainName(of: path.lastComponent?.string ?? "")
    let ending = FilePath(name).extension?.lowercased() ?? ""
    return syntaxes.first { $0.endings.contains(ending) } ?? .json
  }
}

extension RuleDocument {
  /// A collection at the root or one level below it, as the rules describe it.
  package struct Collection: Sendable {
    package enum Kind: Sendable {
      /// An array of records.
      case array
      /// An object of records, whose names identify them.
      case object
    }

    package var pointer: String
    package var kind = Kind.array
    package var fields: [String] = []
    package var keys: [Key] = []
    package var references: [Reference] = []
    /// The schema of the records.
    var record: Int?
    /// The types of the records, or `nil` if the rules name none.
    var recordTypes: TypeSet?
    /// The members with a date or time format, in order.
    package var dates: [(field: String, format: StringFormat)] = []

    /// The last name of its pointer.
    package var name: String { pointer.pointerTokens?.last ?? "records" }

    /// False if the rules say that some of the items aren't objects, or all of them.
    package var holdsRecords: Bool { recordTypes.map { $0 == .object } ?? true }

    /// Fields that refer to a record elsewhere.
    package struct Reference: Sendable {
      package var key: Schema.ForeignKey
      package var severity: Severity
      package var message: String?
    }

    /// Fields that are unique in combination.
    package struct Key: Sendable {
      package var fields: [Schema.FieldPath]
      package var severity: Severity
      /// True if values are equal only if they are identical.
      package var isExact: Bool
      package var ignoresCase: Bool
      /// True for `primaryKey`, and for a key with its code.
      package var isPrimary: Bool
      /// True if equal records may have the same key.
      package var allowsEqual: Bool
    }
  }

  /// The collections that the rules describe, in the order of the rule document.
  package var collections: [Collection] {
    var result: [Collection] = []
    addCollection(root, "", to: &result)
    for property in members(of: root) { addCollection(property.schema, "/" + property.name.pointerToken, to: &result) }
    return result
  }

  /// Collections with a primary key, nested in objects deeper than `collections` are.
  package var innerCollections: [Collection] {
    var result: [Collection] = []
    // Schemas may lead to each other in many ways: this limits the visits.
    var budget = 10_000
    func look(_ schema: Int, _ pointer: String, chain: [Int]) {
      for member in members(of: schema) where !chain.contains(member.schema) && budget > 0 {
        budget -= 1
        let pointer = pointer + "/" + member.name.pointerToken
        if !chain.isEmpty { addCollection(member.schema, pointer, to: &result) }
        if chain.count < 16 { look(member.schema, pointer, chain: chain + [member.schema]) }
      }
    }
    look(root, "", chain: [])
    return result.filter { $0.keys.contains(where: \.isPrimary) }
  }

  /// Returns the collection at a pointer of any depth, or `nil` if the rules describe no array there.
  package func collection(at pointer: String) -> Collection? {
    var schemas = [root]
    for token in pointer.pointerTokens ?? [] {
      schemas = schemas.flatMap { members(of: $0).filter { $0.name == token }.map(\.schema) }
    }
    var result: [Collection] = []
    for schema in schemas { addCollection(schema, pointer, to: &result) }
    return result.first
  }

  private func addCollection(_ schema: Int, _ pointer: String, to result: inout [Collection]) {
    // Several parts of an `allOf` may each describe it.
    let known = result.firstIndex { ExactText($0.pointer) == ExactText(pointer) }
    var collection = known.map { result[$0] } ?? Collection(pointer: pointer)
    func addRecord(_ schema: Int) {
      collection.record = schema
      for case .types(let types) in inPlaceKeywords(of: schema).map(\.assertion) {
        collection.recordTypes = collection.recordTypes?.meet(types) ?? types
      }
      let members = members(of: schema)
      collection.fields += members.map(\.name)
      collection.dates += members.compactMap { member in dateFormat(of: member.schema).map { (member.name, $0) } }
    }
    var hasItems = known != nil
    var hasMembers = false
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .items(_, let item?):
        hasItems = true
        addRecord(item)
      case .members: hasMembers = true
      case .uniqueKey(let key) where key.whenSchema == nil:
        collection.keys.append(
          Collection.Key(
            fields: key.fields, severity: keyword.grading.severity, isExact: !key.ignoresCase && !key.comparesInstants,
            ignoresCase: key.ignoresCase,
            isPrimary: key.isPrimary || keyword.grading.code == "primary-key",
            allowsEqual: key.ifEqual.map { $0 != .graded(.error) } ?? false))
      case .foreignKey(let key):
        collection.references.append(
          Collection.Reference(key: key, severity: keyword.grading.severity, message: keyword.grading.message))
      default: break
      }
    }
    let ofObject = hasItems ? [] : recordsOfObject(schema)
    if !ofObject.isEmpty { collection.kind = .object }
    for record in ofObject { addRecord(record) }
    if let known {
      result[known] = collection
    } else if hasItems || !ofObject.isEmpty || !collection.keys.isEmpty && !hasMembers {
      result.append(collection)
    }
  }

  /// Returns the schemas of the records in an object, if the schema describes an object of records: all of its members, or all
  /// but a few that it names, are objects. Without keys, an object with named members is taken for a single value.
  func recordsOfObject(_ schema: Int) -> [Int] {
    var records: [Int] = []
    var (hasNames, hasKeys) = (false, false)
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .types(let types) where !types.contains(.object) && keyword.grading.severity == .error: return []
      case .members(let members):
        if !members.named.isEmpty { hasNames = true }
        records += (members.patterns.map(\.schema) + [members.additional].compactMap(\.self)).filter(describesObject)
      case .uniqueKey, .foreignKey, .sortedBy: hasKeys = true
      default: break
      }
    }
    return hasNames && !hasKeys ? [] : records
  }

  private func describesObject(_ schema: Int) -> Bool {
    inPlaceKeywords(of: schema).contains { keyword in
      switch keyword.assertion {
      case .types(let types): types.contains(.object) && !types.contains(.array)
      case .members, .required: true
      default: false
      }
    }
  }

  /// Returns the format of the value at a place below the root, if it is a date or a time.
  package func dateFormat(at tokens: [String]) -> StringFormat? {
    var schema = root
    for token in tokens {
      guard let member = members(of: schema).first(where: { $0.name == token }) else { return nil }
      schema = member.schema
    }
    return dateFormat(of: schema)
  }

  private func dateFormat(of schema: Int) -> StringFormat? {
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .format(let format) where format.isPointInTime: return format
      case .formatBound(let format, _, _) where format.isPointInTime: return format
      default: break
      }
    }
    return nil
  }

  func members(of schema: Int) -> [(name: String, schema: Int)] {
    inPlaceKeywords(of: schema).flatMap { keyword -> [(name: String, schema: Int)] in
      if case .members(let members) = keyword.assertion { members.named } else { [] }
    }
  }

  /// Returns a schema's keywords, including those of schemas that it refers to or combines by `allOf`.
  func inPlaceKeywords(of schema: Int, depth: Int = 0) -> [Schema.Keyword] {
    guard depth < 16 else { return [] }
    return schemas[schema].keywords.flatMap { keyword in
      let parts = keyword.assertion.inPlace.filter { $0.application == .always }
      return parts.isEmpty ? [keyword] : parts.flatMap { inPlaceKeywords(of: $0.schema, depth: depth + 1) }
    }
  }
}

extension Schema {
  /// In place of a field: the name or the index of the record itself, in the notation of Relative JSON Pointer.
  package static let recordName = "0#"
}

extension Schema.FieldPath {
  /// True if it ends with the name of a record instead of a field.
  var endsInName: Bool { last == Schema.recordName }

  /// The path from the record to where findings about it point: a record's name has no other place.
  var findingText: String { Array(endsInName ? dropLast() : self[...]).fieldText }

  /// The path as written in rule documents and messages.
  package var fieldText: String { map(\.pointerToken).joined(separator: "/") }
}

extension RuleDocument {
  /// A number outside all arrays that the rules declare to be an array's item count.
  package struct DeclaredCount: Sendable, Hashable {
    /// The path to the number.
    package let path: [String]
    /// The path to the array.
    package let collection: [String]
  }

  /// The numbers that must change with the item count of an array.
  package var declaredCounts: [DeclaredCount] {
    var counts: [DeclaredCount] = []
    visitPlaces { path, keywords in
      for case .countOf(let collection) in keywords.map(\.assertion) {
        let count = DeclaredCount(path: path, collection: collection)
        if !counts.contains(count) { counts.append(count) }
      }
    }
    return counts
  }

  /// A value outside all arrays that the rules declare to be a copy of another.
  package struct DeclaredCopy: Sendable, Hashable {
    /// The path to the copy.
    package let path: [String]
    /// The path to the original.
    package let original: [String]
  }

  /// The values that must change with another: because of `const`, or of equal lower and upper bounds.
  package var declaredCopies: [DeclaredCopy] {
    var copies: [DeclaredCopy] = []
    visitPlaces { path, keywords in
      var bounds: [Comparison: Set<[String]>] = [:]
      var originals: [[String]] = []
      for keyword in keywords {
        switch keyword.assertion {
        case .equalsData(let data) where data.prefix == nil: originals += data.rootPath.map { [$0] } ?? []
        case .formatBound(_, let comparison, .data(let data)), .bound(let comparison, .data(let data)):
          if let original = data.rootPath { bounds[comparison, default: []].insert(original) }
        default: break
        }
      }
      originals += bounds[.atLeast, default: []].intersection(bounds[.atMost, default: []])
      for original in originals where original != path {
        let copy = DeclaredCopy(path: path, original: original)
        if !copies.contains(copy) { copies.append(copy) }
      }
    }
    return copies
  }

  /// Visits the values outside all arrays, with the keywords that apply to each.
  private func visitPlaces(_ body: ([String], [Schema.Keyword]) -> Void) {
    // Schemas may be recursive: this limits the visits, and the guard below the depth.
    var visits = 10_000
    func visit(_ schema: Int, _ path: [String]) {
      visits -= 1
      guard visits >= 0 else { return }
      body(path, inPlaceKeywords(of: schema))
      guard path.count < 4 else { return }
      for member in members(of: schema) { visit(member.schema, path + [member.name]) }
    }
    visit(root, [])
  }
}

extension Schema.DataReference {
  /// The path from the root to the other value.
  fileprivate var rootPath: [String]? {
    if case .root(let path) = origin { path } else { nil }
  }
}
