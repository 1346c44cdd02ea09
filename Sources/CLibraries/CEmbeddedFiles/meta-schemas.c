#include "files.h"

#define FILE_OF(name, bytes) {name, {bytes, sizeof bytes}}

static const unsigned char coffer_rules_1[] = {
#embed "../../Rules/MetaSchemas/coffer-rules-1.json"
};
static const unsigned char draft_04[] = {
#embed "../../Rules/MetaSchemas/draft-04.json"
};
static const unsigned char draft_06[] = {
#embed "../../Rules/MetaSchemas/draft-06.json"
};
static const unsigned char draft_07[] = {
#embed "../../Rules/MetaSchemas/draft-07.json"
};
static const unsigned char draft2019_09_applicator[] = {
#embed "../../Rules/MetaSchemas/draft2019-09-applicator.json"
};
static const unsigned char draft2019_09_content[] = {
#embed "../../Rules/MetaSchemas/draft2019-09-content.json"
};
static const unsigned char draft2019_09_core[] = {
#embed "../../Rules/MetaSchemas/draft2019-09-core.json"
};
static const unsigned char draft2019_09_format[] = {
#embed "../../Rules/MetaSchemas/draft2019-09-format.json"
};
static const unsigned char draft2019_09_meta_data[] = {
#embed "../../Rules/MetaSchemas/draft2019-09-meta-data.json"
};
static const unsigned char draft2019_09_validation[] = {
#embed "../../Rules/MetaSchemas/draft2019-09-validation.json"
};
static const unsigned char draft2019_09[] = {
#embed "../../Rules/MetaSchemas/draft2019-09.json"
};
static const unsigned char draft2020_12_applicator[] = {
#embed "../../Rules/MetaSchemas/draft2020-12-applicator.json"
};
static const unsigned char draft2020_12_content[] = {
#embed "../../Rules/MetaSchemas/draft2020-12-content.json"
};
static const unsigned char draft2020_12_core[] = {
#embed "../../Rules/MetaSchemas/draft2020-12-core.json"
};
static const unsigned char draft2020_12_format_annotation[] = {
#embed "../../Rules/MetaSchemas/draft2020-12-format-annotation.json"
};
static const unsigned char draft2020_12_format_assertion[] = {
#embed "../../Rules/MetaSchemas/draft2020-12-format-assertion.json"
};
static const unsigned char draft2020_12_meta_data[] = {
#embed "../../Rules/MetaSchemas/draft2020-12-meta-data.json"
};
static const unsigned char draft2020_12_unevaluated[] = {
#embed "../../Rules/MetaSchemas/draft2020-12-unevaluated.json"
};
static const unsigned char draft2020_12_validation[] = {
#embed "../../Rules/MetaSchemas/draft2020-12-validation.json"
};
static const unsigned char draft2020_12[] = {
#embed "../../Rules/MetaSchemas/draft2020-12.json"
};

struct coffer_file coffer_meta_schema(const char *name) {
  static const struct {
    const char *name;
    struct coffer_file file;
  } files[] = {
    FILE_OF("coffer-rules-1", coffer_rules_1),
    FILE_OF("draft-04", draft_04),
    FILE_OF("draft-06", draft_06),
    FILE_OF("draft-07", draft_07),
    FILE_OF("draft2019-09-applicator", draft2019_09_applicator),
    FILE_OF("draft2019-09-content", draft2019_09_content),
    FILE_OF("draft2019-09-core", draft2019_09_core),
    FILE_OF("draft2019-09-format", draft2019_09_format),
    FILE_OF("draft2019-09-meta-data", draft2019_09_meta_data),
    FILE_OF("draft2019-09-validation", draft2019_09_validation),
    FILE_OF("draft2019-09", draft2019_09),
    FILE_OF("draft2020-12-applicator", draft2020_12_applicator),
    FILE_OF("draft2020-12-content", draft2020_12_content),
    FILE_OF("draft2020-12-core", draft2020_12_core),
    FILE_OF("draft2020-12-format-annotation", draft2020_12_format_annotation),
    FILE_OF("draft2020-12-format-assertion", draft2020_12_format_assertion),
    FILE_OF("draft2020-12-meta-data", draft2020_12_meta_data),
    FILE_OF("draft2020-12-unevaluated", draft2020_12_unevaluated),
    FILE_OF("draft2020-12-validation", draft2020_12_validation),
    FILE_OF("draft2020-12", draft2020_12),
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (strcmp(files[i].name, name) == 0) return files[i].file;
  }
  return (struct coffer_file){NULL, 0};
}
