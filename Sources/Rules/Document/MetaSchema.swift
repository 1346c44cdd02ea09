import ByteStreams
import JSONEvents

/// The meta-schemas that Coffer brings along, so that rules about rules need no network.
package enum MetaSchema {
  /// By URI, without fragments.
  private static let files: [(uri: String, bytes: @Sendable () -> [UInt8])] = [
    (Dialect.cofferURI, { PackageResources.coffer_rules_1_json }),
    ("https://json-schema.org/draft/2020-12/schema", { PackageResources.draft2020_12_json }),
    ("https://json-schema.org/draft/2020-12/meta/core", { PackageResources.draft2020_12_core_json }),
    ("https://json-schema.org/draft/2020-12/meta/applicator", { PackageResources.draft2020_12_applicator_json }),
    ("https://json-schema.org/draft/2020-12/meta/unevaluated", { PackageResources.draft2020_12_unevaluated_json }),
    ("https://json-schema.org/draft/2020-12/meta/validation", { PackageResources.draft2020_12_validation_json }),
    ("https://json-schema.org/draft/2020-12/meta/meta-data", { PackageResources.draft2020_12_meta_data_json }),
    ("https://json-schema.org/draft/2020-12/meta/format-annotation", { PackageResources.draft2020_12_format_annotation_json }),
    ("https://json-schema.org/draft/2020-12/meta/format-assertion", { PackageResources.draft2020_12_format_assertion_json }),
    ("https://json-schema.org/draft/2020-12/meta/content", { PackageResources.draft2020_12_content_json }),
    ("https://json-schema.org/draft/2019-09/schema", { PackageResources.draft2019_09_json }),
    ("https://json-schema.org/draft/2019-09/meta/core", { PackageResources.draft2019_09_core_json }),
    ("https://json-schema.org/draft/2019-09/meta/applicator", { PackageResources.draft2019_09_applicator_json }),
    ("https://json-schema.org/draft/2019-09/meta/validation", { PackageResources.draft2019_09_validation_json }),
    ("https://json-schema.org/draft/2019-09/meta/meta-data", { PackageResources.draft2019_09_meta_data_json }),
    ("https://json-schema.org/draft/2019-09/meta/format", { PackageResources.draft2019_09_format_json }),
    ("https://json-schema.org/draft/2019-09/meta/content", { PackageResources.draft2019_09_content_json }),
    ("http://json-schema.org/draft-07/schema", { PackageResources.draft_07_json }),
  ]

  static func text(of uri: String) -> [UInt8]? { files.first { $0.uri == uri }?.bytes() }

  /// The URI of the meta-schema that a rule document is to be sound by: its `$schema`, or Coffer's own where it has none.
  package static func uri(for document: JSONValue.Located) -> String {
    guard let name = document["$schema"]?.string else { return Dialect.cofferURI }
    return Dialect.canonical(name) ?? name
  }

  /// A meta-schema as rules about rule documents; formats are checked in any of them, for a pattern that is none can't be used.
  ///
  /// - Throws: `RuleCompileError` if nobody has it, or it can't be used.
  package static func rules(named uri: String, options: RuleDocument.Options) throws -> RuleDocument {
    var options = options
    options.assertsFormats = true
    var writer = JSONEventWriter(layout: .compact)
    writer.beginObject()
    writer.key("$schema")
    writer.string(Dialect.standardURI)
    writer.key("$ref")
    writer.string(uri)
    writer.endObject()
    var text = MemorySink()
    try writer.finish(to: &text)
    return try RuleDocument(MemorySource(text.bytes), options: options)
  }
}
