// PCRE2 names its functions by code unit width: 8, because Coffer matches UTF-8.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>



