#include "lookup.h"

// DocC reads the same pages. The article lists them in groups.
static const unsigned char article[] = {
#embed "../Coffer/Coffer.docc/Keywords.md"
};
static const unsigned char page_additionalProperties[] = {
#embed "../Coffer/Coffer.docc/Keywords/additionalProperties.md"
};
static const unsigned char page_allOf[] = {
#embed "../Coffer/Coffer.docc/Keywords/allOf.md"
};
static const unsigned char page_anyOf[] = {
#embed "../Coffer/Coffer.docc/Keywords/anyOf.md"
};
static const unsigned char page_backup[] = {
#embed "../Coffer/Coffer.docc/Keywords/backup.md"
};
static const unsigned char page_code[] = {
#embed "../Coffer/Coffer.docc/Keywords/code.md"
};
static const unsigned char page_comment[] = {
#embed "../Coffer/Coffer.docc/Keywords/comment.md"
};
static const unsigned char page_const[] = {
#embed "../Coffer/Coffer.docc/Keywords/const.md"
};
static const unsigned char page_containerEntry[] = {
#embed "../Coffer/Coffer.docc/Keywords/containerEntry.md"
};
static const unsigned char page_contains[] = {
#embed "../Coffer/Coffer.docc/Keywords/contains.md"
};
static const unsigned char page_contentEncoding[] = {
#embed "../Coffer/Coffer.docc/Keywords/contentEncoding.md"
};
static const unsigned char page_countOf[] = {
#embed "../Coffer/Coffer.docc/Keywords/countOf.md"
};
static const unsigned char page_data[] = {
#embed "../Coffer/Coffer.docc/Keywords/data.md"
};
static const unsigned char page_defs[] = {
#embed "../Coffer/Coffer.docc/Keywords/defs.md"
};
static const unsigned char page_dependentRequired[] = {
#embed "../Coffer/Coffer.docc/Keywords/dependentRequired.md"
};
static const unsigned char page_dependentSchemas[] = {
#embed "../Coffer/Coffer.docc/Keywords/dependentSchemas.md"
};
static const unsigned char page_dynamicRef[] = {
#embed "../Coffer/Coffer.docc/Keywords/dynamicRef.md"
};
static const unsigned char page_earlierDrafts[] = {
#embed "../Coffer/Coffer.docc/Keywords/earlierDrafts.md"
};
static const unsigned char page_enum[] = {
#embed "../Coffer/Coffer.docc/Keywords/enum.md"
};
static const unsigned char page_errorMessage[] = {
#embed "../Coffer/Coffer.docc/Keywords/errorMessage.md"
};
static const unsigned char page_foreignKeys[] = {
#embed "../Coffer/Coffer.docc/Keywords/foreignKeys.md"
};
static const unsigned char page_format[] = {
#embed "../Coffer/Coffer.docc/Keywords/format.md"
};
static const unsigned char page_formatMinimum[] = {
#embed "../Coffer/Coffer.docc/Keywords/formatMinimum.md"
};
static const unsigned char page_id[] = {
#embed "../Coffer/Coffer.docc/Keywords/id.md"
};
static const unsigned char page_if[] = {
#embed "../Coffer/Coffer.docc/Keywords/if.md"
};
static const unsigned char page_items[] = {
#embed "../Coffer/Coffer.docc/Keywords/items.md"
};
static const unsigned char page_minItems[] = {
#embed "../Coffer/Coffer.docc/Keywords/minItems.md"
};
static const unsigned char page_minLength[] = {
#embed "../Coffer/Coffer.docc/Keywords/minLength.md"
};
static const unsigned char page_minProperties[] = {
#embed "../Coffer/Coffer.docc/Keywords/minProperties.md"
};
static const unsigned char page_minimum[] = {
#embed "../Coffer/Coffer.docc/Keywords/minimum.md"
};
static const unsigned char page_multipleOf[] = {
#embed "../Coffer/Coffer.docc/Keywords/multipleOf.md"
};
static const unsigned char page_not[] = {
#embed "../Coffer/Coffer.docc/Keywords/not.md"
};
static const unsigned char page_oneOf[] = {
#embed "../Coffer/Coffer.docc/Keywords/oneOf.md"
};
static const unsigned char page_pattern[] = {
#embed "../Coffer/Coffer.docc/Keywords/pattern.md"
};
static const unsigned char page_patternProperties[] = {
#embed "../Coffer/Coffer.docc/Keywords/patternProperties.md"
};
static const unsigned char page_prefixItems[] = {
#embed "../Coffer/Coffer.docc/Keywords/prefixItems.md"
};
static const unsigned char page_primaryKey[] = {
#embed "../Coffer/Coffer.docc/Keywords/primaryKey.md"
};
static const unsigned char page_properties[] = {
#embed "../Coffer/Coffer.docc/Keywords/properties.md"
};
static const unsigned char page_propertyNames[] = {
#embed "../Coffer/Coffer.docc/Keywords/propertyNames.md"
};
static const unsigned char page_ref[] = {
#embed "../Coffer/Coffer.docc/Keywords/ref.md"
};
static const unsigned char page_required[] = {
#embed "../Coffer/Coffer.docc/Keywords/required.md"
};
static const unsigned char page_schema[] = {
#embed "../Coffer/Coffer.docc/Keywords/schema.md"
};
static const unsigned char page_severity[] = {
#embed "../Coffer/Coffer.docc/Keywords/severity.md"
};
static const unsigned char page_since[] = {
#embed "../Coffer/Coffer.docc/Keywords/since.md"
};
static const unsigned char page_sumOf[] = {
#embed "../Coffer/Coffer.docc/Keywords/sumOf.md"
};
static const unsigned char page_title[] = {
#embed "../Coffer/Coffer.docc/Keywords/title.md"
};
static const unsigned char page_type[] = {
#embed "../Coffer/Coffer.docc/Keywords/type.md"
};
static const unsigned char page_unevaluatedItems[] = {
#embed "../Coffer/Coffer.docc/Keywords/unevaluatedItems.md"
};
static const unsigned char page_unevaluatedProperties[] = {
#embed "../Coffer/Coffer.docc/Keywords/unevaluatedProperties.md"
};
static const unsigned char page_uniqueItems[] = {
#embed "../Coffer/Coffer.docc/Keywords/uniqueItems.md"
};
static const unsigned char page_uniqueKeys[] = {
#embed "../Coffer/Coffer.docc/Keywords/uniqueKeys.md"
};
static const unsigned char page_vocabulary[] = {
#embed "../Coffer/Coffer.docc/Keywords/vocabulary.md"
};

struct coffer_file coffer_keyword_page(const char *name) {
  static const struct coffer_file files[] = {
    FILE_OF("Keywords", article),
    FILE_OF("additionalProperties", page_additionalProperties),
    FILE_OF("allOf", page_allOf),
    FILE_OF("anyOf", page_anyOf),
    FILE_OF("backup", page_backup),
    FILE_OF("code", page_code),
    FILE_OF("comment", page_comment),
    FILE_OF("const", page_const),
    FILE_OF("containerEntry", page_containerEntry),
    FILE_OF("contains", page_contains),
    FILE_OF("contentEncoding", page_contentEncoding),
    FILE_OF("countOf", page_countOf),
    FILE_OF("data", page_data),
    FILE_OF("defs", page_defs),
    FILE_OF("dependentRequired", page_dependentRequired),
    FILE_OF("dependentSchemas", page_dependentSchemas),
    FILE_OF("dynamicRef", page_dynamicRef),
    FILE_OF("earlierDrafts", page_earlierDrafts),
    FILE_OF("enum", page_enum),
    FILE_OF("errorMessage", page_errorMessage),
    FILE_OF("foreignKeys", page_foreignKeys),
    FILE_OF("format", page_format),
    FILE_OF("formatMinimum", page_formatMinimum),
    FILE_OF("id", page_id),
    FILE_OF("if", page_if),
    FILE_OF("items", page_items),
    FILE_OF("minItems", page_minItems),
    FILE_OF("minLength", page_minLength),
    FILE_OF("minProperties", page_minProperties),
    FILE_OF("minimum", page_minimum),
    FILE_OF("multipleOf", page_multipleOf),
    FILE_OF("not", page_not),
    FILE_OF("oneOf", page_oneOf),
    FILE_OF("pattern", page_pattern),
    FILE_OF("patternProperties", page_patternProperties),
    FILE_OF("prefixItems", page_prefixItems),
    FILE_OF("primaryKey", page_primaryKey),
    FILE_OF("properties", page_properties),
    FILE_OF("propertyNames", page_propertyNames),
    FILE_OF("ref", page_ref),
    FILE_OF("required", page_required),
    FILE_OF("schema", page_schema),
    FILE_OF("severity", page_severity),
    FILE_OF("since", page_since),
    FILE_OF("sumOf", page_sumOf),
    FILE_OF("title", page_title),
    FILE_OF("type", page_type),
    FILE_OF("unevaluatedItems", page_unevaluatedItems),
    FILE_OF("unevaluatedProperties", page_unevaluatedProperties),
    FILE_OF("uniqueItems", page_uniqueItems),
    FILE_OF("uniqueKeys", page_uniqueKeys),
    FILE_OF("vocabulary", page_vocabulary),
  };
  return find(files, sizeof files / sizeof *files, name);
}
