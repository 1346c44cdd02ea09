// PCRE2 gives a function a name for each code unit width: Coffer matches UTF-8, so 8.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>



