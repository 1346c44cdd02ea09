#include "files.h"

// The formats, in the order in which `coffer formats` lists them.
static const unsigned char files[] = {
#embed "../../BackupFormats/Formats/aquavate.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/ev-charging-tracker.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/ev-charging-tracker-specification.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/keeptrack.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/keeptrack-legacy-entries.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/keeptrack-legacy-goals.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/keeptrack-legacy-intake-types.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/keeptrack-specification.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/smilepile.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/smilepile-specification.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/swiff.json" suffix(, 0,)
#embed "../../BackupFormats/Formats/swiff-database-copy.json" suffix(, 0,)
};

struct coffer_file coffer_format(size_t index) { return file_at(index, files, sizeof files); }
