import ByteStreams

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
