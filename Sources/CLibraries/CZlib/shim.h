#include <zlib.h>

// deflateInit2 is a macro with arguments, which Swift can't import. Raw data without zlib's header and checksum: ZIP has its own.
static inline int coffer_zlib_begin(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

// inflateInit2 is such a macro, too. Raw data: gzip's header and trailer are read apart, so that errors have places.
static inline int coffer_zlib_begin_inflate(z_stream *stream) {
  return inflateInit2(stream, -MAX_WBITS);
}
