#include "files.h"

// The pages of DocC, in the order in which `coffer rules explain` lists them; the last one is about codes in reports.
static const unsigned char files[] = {
#embed "../../Coffer/Coffer.docc/Keywords/ReferenceKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/ValueKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/NumberKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/StringKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/ObjectKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/ArrayKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/CombinationKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/DescriptionKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/KeyKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/ComparisonKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/FindingKeywords.md" suffix(, 0,)
#embed "../../Coffer/Coffer.docc/Keywords/ReportCodes.md" suffix(, 0,)
};

struct coffer_file coffer_keyword_page(size_t index) { return file_at(index, files, sizeof files); }
