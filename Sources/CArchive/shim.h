// A module map names no header outside its own folder, and where these stand only pkg-config knows.
#include <archive.h>
#include <archive_entry.h>
