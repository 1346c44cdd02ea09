// yajl.pc names the folder of the headers (include/yajl), but the headers include each other as <yajl/…>: __has_include picks the
// spelling that works with this system's search path.
#if __has_include(<yajl/yajl_parse.h>)
#include <yajl/yajl_parse.h>
#else
#include "yajl_parse.h"
#endif
