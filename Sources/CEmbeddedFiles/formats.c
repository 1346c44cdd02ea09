#include "lookup.h"

static const unsigned char aquavate[] = {
#embed "../BackupFormats/Formats/aquavate.json"
};
static const unsigned char ev_charging_tracker_specification[] = {
#embed "../BackupFormats/Formats/ev-charging-tracker-specification.json"
};
static const unsigned char ev_charging_tracker[] = {
#embed "../BackupFormats/Formats/ev-charging-tracker.json"
};
static const unsigned char keeptrack_legacy_entries[] = {
#embed "../BackupFormats/Formats/keeptrack-legacy-entries.json"
};
static const unsigned char keeptrack_legacy_goals[] = {
#embed "../BackupFormats/Formats/keeptrack-legacy-goals.json"
};
static const unsigned char keeptrack_legacy_intake_types[] = {
#embed "../BackupFormats/Formats/keeptrack-legacy-intake-types.json"
};
static const unsigned char keeptrack[] = {
#embed "../BackupFormats/Formats/keeptrack.json"
};
static const unsigned char smilepile_specification[] = {
#embed "../BackupFormats/Formats/smilepile-specification.json"
};
static const unsigned char smilepile[] = {
#embed "../BackupFormats/Formats/smilepile.json"
};
static const unsigned char swiff_database_copy[] = {
#embed "../BackupFormats/Formats/swiff-database-copy.json"
};
static const unsigned char swiff[] = {
#embed "../BackupFormats/Formats/swiff.json"
};

// The formats, in the order in which `coffer formats` lists them.
static const struct coffer_file files[] = {
  FILE_OF("aquavate", aquavate),
  FILE_OF("ev-charging-tracker", ev_charging_tracker),
  FILE_OF("ev-charging-tracker-specification", ev_charging_tracker_specification),
  FILE_OF("keeptrack", keeptrack),
  FILE_OF("keeptrack-legacy-entries", keeptrack_legacy_entries),
  FILE_OF("keeptrack-legacy-goals", keeptrack_legacy_goals),
  FILE_OF("keeptrack-legacy-intake-types", keeptrack_legacy_intake_types),
  FILE_OF("smilepile", smilepile),
  FILE_OF("smilepile-specification", smilepile_specification),
  FILE_OF("swiff", swiff),
  FILE_OF("swiff-database-copy", swiff_database_copy),
};
static const size_t count = sizeof files / sizeof *files;

struct coffer_file coffer_format(const char *name) { return find(files, count, name); }

const char *coffer_format_name(size_t index) { return index < count ? files[index].name : NULL; }
