package import ByteStreams
import JSONEvents

/// The keywords that apply in a schema and their meaning: the edition of the standard, and the enabled vocabularies.
struct Dialect: Sendable, Hashable {
  enum Edition: Int, Sendable, Comparable {
    case draft4, draft6, draft7, draft2019, draft2020

    static func < (a: Edition, b: Edition) -> Bool { a.rawValue < b.rawValue }

    /// The edition's name in messages.
    var name: String {
      switch self {
      case .draft4: "draft 4"
      case .draft6: "draft 6"
      case .draft7: "draft 7"
      case .draft2019: "draft 2019-09"
      case .draft2020: "draft 2020-12"
      }
    }

    /// Creates the edition that introduced a format; `nil` for Coffer's own.
    init?(introducing format: StringFormat) {
      switch format {
      case .dateTime, .email, .hostname, .ipv4, .ipv6, .uri: self = .draft4
      case .uriReference, .uriTemplate, .jsonPointer: self = .draft6
      case .date, .time, .idnEmail, .idnHostname, .iri, .iriReference, .relativeJSONPointer, .regex: self = .draft7
      case .duration, .uuid: self = .draft2019
      case .dateTimeSeconds, .appleDateTime, .decimal, .currency, .colorHex, .base64, .unixTime, .unixTimeMilliseconds,
        .appleReferenceTime:
        return nil
      }
    }
  }

  var edition = Edition.draft2020
  /// The keyword that names a schema.
  var identifier: String { edition == .draft4 ? "id" : "$id" }
  /// True if a `$ref` disables all other keywords of its schema, and a name with a fragment is an anchor: before 2019-09.
  var refersAlone: Bool { edition <= .draft7 }
  var hasApplicators = true
  var hasUnevaluated = true
  var hasValidation = true
  /// True if the meta-schema makes `format` an assertion, not only an annotation. Before 2019-09, none says.
  var assertsFormats = false
  /// True if Coffer's own keywords are enabled. Unknown keywords are then errors.
  var hasVocabulary = false

  /// The dialect of `"urn:coffer:rules:1"`, and of documents without `$schema`.
  static let coffer = Dialect(assertsFormats: true, hasVocabulary: true)

  /// Returns whether values must have a format.
  func asserts(_ format: StringFormat, _ choice: RuleDocument.FormatAssertion) -> Bool {
    if hasVocabulary { return true }
    switch choice {
    case .always: return true
    case .never: return false
    case .byDialect:
      guard let introduction = Edition(introducing: format) else { return false }
      return edition <= .draft7 ? introduction <= edition : assertsFormats
    }
  }

  static let cofferURI = "urn:coffer:rules:1"
  static let standardURI = "https://json-schema.org/draft/2020-12/schema"

  /// The known dialects by URI. URIs are compared without an empty fragment.
  static let known: [(uri: String, dialect: Dialect)] = [
    (cofferURI, .coffer),
    (standardURI, Dialect()),
    ("https://json-schema.org/draft/2019-09/schema", Dialect(edition: .draft2019)),
    ("http://json-schema.org/draft-07/schema", Dialect(edition: .draft7, hasUnevaluated: false)),
    ("http://json-schema.org/draft-06/schema", Dialect(edition: .draft6, hasUnevaluated: false)),
    ("http://json-schema.org/draft-04/schema", Dialect(edition: .draft4, hasUnevaluated: false)),
  ]

  static func named(_ uri: String) -> Dialect? { entry(named: uri)?.dialect }

  /// Returns the URI that the meta-schema of a known dialect gives itself.
  static func canonical(_ uri: String) -> String? { entry(named: uri)?.uri }

  private static func entry(named uri: String) -> (uri: String, dialect: Dialect)? {
    let name = uri.hasSuffix("#") ? String(uri.dropLast()) : uri
    return known.first { $0.uri == name || $0.uri.replacingScheme == name.replacingScheme }
  }

  /// Creates the dialect that a custom meta-schema describes by its `$vocabulary`.
  ///
  /// - Throws: `CofferError` if it requires a vocabulary that Coffer doesn't know.
  init(vocabularies: [RuleValue.Member], of base: Dialect) throws(CofferError) {
    self = base
    hasApplicators = false
    hasUnevaluated = false
    hasValidation = false
    for member in vocabularies {
      let parts = member.key.split(separator: "/")
      guard member.key.hasPrefix("https://json-schema.org/draft/"), parts.count == 6, parts[4] == "vocab" else {
        // Unknown rules can't be enforced: only optional vocabularies may be skipped.
        if member.value.boolean == false { continue }
        throw member.error("unknown required vocabulary '\(member.key)'")
      }
      switch parts[5] {
      case "applicator":
        hasApplicators = true
        // In 2019-09 they belonged to the applicators, not to a separate vocabulary.
        if base.edition == .draft2019 { hasUnevaluated = true }
      case "unevaluated": hasUnevaluated = true
      case "validation": hasValidation = true
      case "format-assertion": assertsFormats = true
      case "format": assertsFormats = member.value.boolean == true
      default: break
      }
    }
  }

  init(
    edition: Edition = .draft2020, hasUnevaluated: Bool = true, assertsFormats: Bool = false, hasVocabulary: Bool = false
  ) {
    self.edition = edition
    self.hasUnevaluated = hasUnevaluated
    self.assertsFormats = assertsFormats
    self.hasVocabulary = hasVocabulary
  }
}

extension String {
  /// Meta-schemas are named with `http:` as often as with `https:`.
  fileprivate var replacingScheme: Substring {
    hasPrefix("http://") ? dropFirst(7) : hasPrefix("https://") ? dropFirst(8) : self[...]
  }
}

/// The built-in meta-schemas, so that checking rule documents needs no network.
package enum MetaSchema {
  /// The names of the files in `MetaSchemas`, by URI without fragment.
  private static let files: [(uri: String, name: String)] = [
    (Dialect.cofferURI, "coffer-rules-1"),
    ("https://json-schema.org/draft/2020-12/schema", "draft2020-12"),
    ("https://json-schema.org/draft/2020-12/meta/core", "draft2020-12-core"),
    ("https://json-schema.org/draft/2020-12/meta/applicator", "draft2020-12-applicator"),
    ("https://json-schema.org/draft/2020-12/meta/unevaluated", "draft2020-12-unevaluated"),
    ("https://json-schema.org/draft/2020-12/meta/validation", "draft2020-12-validation"),
    ("https://json-schema.org/draft/2020-12/meta/meta-data", "draft2020-12-meta-data"),
    ("https://json-schema.org/draft/2020-12/meta/format-annotation", "draft2020-12-format-annotation"),
    ("https://json-schema.org/draft/2020-12/meta/format-assertion", "draft2020-12-format-assertion"),
    ("https://json-schema.org/draft/2020-12/meta/content", "draft2020-12-content"),
    ("https://json-schema.org/draft/2019-09/schema", "draft2019-09"),
    ("https://json-schema.org/draft/2019-09/meta/core", "draft2019-09-core"),
    ("https://json-schema.org/draft/2019-09/meta/applicator", "draft2019-09-applicator"),
    ("https://json-schema.org/draft/2019-09/meta/validation", "draft2019-09-validation"),
    ("https://json-schema.org/draft/2019-09/meta/meta-data", "draft2019-09-meta-data"),
    ("https://json-schema.org/draft/2019-09/meta/format", "draft2019-09-format"),
    ("https://json-schema.org/draft/2019-09/meta/content", "draft2019-09-content"),
    ("http://json-schema.org/draft-07/schema", "draft-07"),
    ("http://json-schema.org/draft-06/schema", "draft-06"),
    ("http://json-schema.org/draft-04/schema", "draft-04"),
  ]

  /// Returns true if a URI names a built-in meta-schema. No `RuleDocument.Folder` replaces those.
  package static func isBuiltIn(_ uri: String) -> Bool { files.contains { $0.uri == uri } }

  static func text(of uri: String) -> [UInt8]? { files.first { $0.uri == uri }.map { EmbeddedFile.metaSchema($0.name) } }

  /// Returns the URI of the meta-schema that a rule document must satisfy: its `$schema`, by default Coffer's own.
  package static func uri(for document: JSONValue.Located) -> String {
    guard let name = document["$schema"]?.string else { return Dialect.cofferURI }
    return Dialect.canonical(name) ?? name
  }

  /// Returns a meta-schema as rules for rule documents. Of the formats, only `regex` is checked: an invalid pattern can't be used,
  /// while reading reports a reference that leads nowhere, whatever its characters.
  ///
  /// - Throws: `CofferError` if the meta-schema is unknown or can't be used.
  package static func rules(named uri: String, options: RuleDocument.Options) throws(CofferError) -> RuleDocument {
    var options = options
    options.formats = .always
    var writer = JSONEventWriter(layout: .compact)
    writer.beginObject()
    writer.key("$schema")
    writer.string(Dialect.standardURI)
    writer.key("$ref")
    writer.string(uri)
    writer.endObject()
    var text = MemorySink()
    try writer.finish(to: &text)
    var rules = try RuleDocument(MemorySource(text.bytes), options: options)
    for index in rules.schemas.indices {
      // Rules that give no verdict on rule documents can't check them.
      for keyword in rules.schemas[index].keywords {
        if case .unusable(let error) = keyword.assertion { throw keyword.origin.error(error.message) }
      }
      rules.schemas[index].keywords.removeAll { keyword in
        if case .format(let format) = keyword.assertion { format != .regex } else { false }
      }
    }
    return rules
  }
}
