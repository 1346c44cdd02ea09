#include "files.h"

static const unsigned char file[] = {
#embed "../../Reports/HTML/Page.css"
};

struct coffer_file coffer_page_style(void) { return (struct coffer_file){file, sizeof file}; }
