// Compiled into the program: the library's own code, as commonly built, takes longer to hash an LZ4 block than to decode it, and no program has to
// find the library at run time. Swift can't import the functions' names, which are macros then.
#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#include <xxhash.h>

typedef XXH32_state_t coffer_xxh32;

static inline void coffer_xxh32_begin(coffer_xxh32 *state) { XXH32_reset(state, 0); }
static inline void coffer_xxh32_add(coffer_xxh32 *state, const void *bytes, size_t count) { XXH32_update(state, bytes, count); }
static inline uint32_t coffer_xxh32_digest(const coffer_xxh32 *state) { return XXH32_digest(state); }
