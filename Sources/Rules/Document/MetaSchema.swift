package import ByteStreams
import JSONEvents

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
