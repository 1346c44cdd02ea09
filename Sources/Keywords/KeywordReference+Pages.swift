/// The pages, group by group. They stand in DocC's catalog, which `Pages` is a link into, for DocC itself follows no links.
extension KeywordReference {
  static let texts: [(title: String, pages: [[UInt8]])] = [
    (
      "References and dialects",
      [
        PackageResources.schema_md, PackageResources.id_md, PackageResources.ref_md, PackageResources.defs_md,
        PackageResources.dynamicRef_md, PackageResources.vocabulary_md, PackageResources.comment_md,
        PackageResources.earlierDrafts_md,
      ]
    ),
    (
      "Any value",
      [
        PackageResources.type_md, PackageResources.enum_md, PackageResources.const_md,
      ]
    ),
    (
      "Numbers",
      [
        PackageResources.minimum_md, PackageResources.multipleOf_md,
      ]
    ),
    (
      "Strings",
      [
        PackageResources.minLength_md, PackageResources.pattern_md, PackageResources.format_md,
        PackageResources.contentEncoding_md,
      ]
    ),
    (
      "Objects",
      [
        PackageResources.properties_md, PackageResources.patternProperties_md, PackageResources.additionalProperties_md,
        PackageResources.required_md, PackageResources.dependentRequired_md, PackageResources.dependentSchemas_md,
        PackageResources.propertyNames_md, PackageResources.minProperties_md, PackageResources.unevaluatedProperties_md,
      ]
    ),
    (
      "Arrays",
      [
        PackageResources.items_md, PackageResources.prefixItems_md, PackageResources.contains_md, PackageResources.minItems_md,
        PackageResources.uniqueItems_md, PackageResources.unevaluatedItems_md,
      ]
    ),
    (
      "Combinations",
      [
        PackageResources.allOf_md, PackageResources.anyOf_md, PackageResources.oneOf_md, PackageResources.not_md,
        PackageResources.if_md,
      ]
    ),
    (
      "Descriptions",
      [
        PackageResources.title_md
      ]
    ),
    (
      "Coffer: keys and references",
      [
        PackageResources.primaryKey_md, PackageResources.uniqueKeys_md, PackageResources.foreignKeys_md,
      ]
    ),
    (
      "Coffer: times, and values elsewhere",
      [
        PackageResources.formatMinimum_md, PackageResources.data_md, PackageResources.countOf_md, PackageResources.sumOf_md,
        PackageResources.containerEntry_md,
      ]
    ),
    (
      "Coffer: findings and versions",
      [
        PackageResources.severity_md, PackageResources.code_md, PackageResources.errorMessage_md, PackageResources.since_md,
        PackageResources.backup_md,
      ]
    ),
  ]
}
