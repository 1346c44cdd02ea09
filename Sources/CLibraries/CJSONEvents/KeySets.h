#ifndef COFFER_KEY_SETS_H
#define COFFER_KEY_SETS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CJSONEvents.h"

// The keys of the open objects so far, to detect duplicates.
//
//     {"cars": [ {"id": 1, "name": "a"}, {"id": 2, "name": "b"} ]}
//
//     level 1   cars                                           levels[1].known: keys of outermost objects
//     level 2   (start) ─▶ id ─▶ name      seen: 1 1           levels[2].known: keys of objects in one other object
//
// Records resemble each other. So each level of objects has a table of the keys that its objects have had, each with the key that
// followed it the last time; the open object only has a bit for each of them. A key in the same order as the last time costs one
// exact comparison and no hash. An object with more keys than the table can hold gets its own table of hashes.

/// The number of keys that a level knows: `seen` has a bit for each. An object with more keys uses hashes.
enum { COFFER_KNOWN_KEYS = 64, COFFER_KEY_SLOTS = 128 };

typedef struct coffer_known_key coffer_known_key;

/// A key of up to 16 bytes is the words themselves; a longer one is two digests, unpredictable without the seed.
typedef struct {
  uint64_t head, tail;
  uint32_t length;
} coffer_key_identity;

/// The bytes last seen from the end of a key's value, or an object's opening bracket, to the value of the next key: `, "name": `.
typedef struct {
  uint8_t bytes[64];
  uint64_t mask;          // a bit for each byte used; later bytes are undefined
  uint64_t bit;           // of the key in it
  coffer_known_key *key;  // the key in it
  coffer_event event;     // of that key, relative to the start of the lead
  uint32_t count;
} coffer_key_lead;

struct coffer_known_key {
  /// The length of a key of up to 16 bytes; otherwise a length that no key has.
  uint32_t short_length;
  uint32_t length;
  uint64_t head, head_mask, tail, tail_mask;
  uint64_t bit;
  /// The key that followed it the last time.
  coffer_known_key *next;
  coffer_key_lead lead;
};

typedef struct {
  uint64_t seen;
  /// The object's last key; at its start the first entry, which represents no key.
  coffer_known_key *last;
  coffer_known_key *known;
  uint32_t count, capacity;  // of `known`, with its first entry
  /// One more than `count` at the start of the last object. If 0, the next object takes the slow path.
  uint32_t settled;
  uint8_t slots[COFFER_KEY_SLOTS];  // 0, or the index in `known` of a key with this hash

  /// The hashes of an object with more keys than are known, if there are any. 0 marks an empty slot.
  uint64_t *hashes;
  size_t hash_count, hash_capacity, hash_limit;
  uint8_t has_hashes;
} coffer_key_level;

typedef struct {
  /// The level of the innermost open object; the first one represents none. NULL: keys are not tracked.
  coffer_key_level *level;
  coffer_key_level *levels, *end;
  uint64_t seed[2];
  /// The number of open brackets around the parser's input.
  uint32_t outer_depth;
  /// True if objects with more keys than are known need no hashes: keys are only predicted, not compared.
  int only_foresees;
} coffer_key_sets;

typedef enum { COFFER_KEY_NEW, COFFER_KEY_AGAIN, COFFER_KEY_FAILED } coffer_key_verdict;

/// Returns 0 if out of memory.
int coffer_key_sets_start(coffer_key_sets *sets, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth);

/// Sets another seed and depth, before any object begins.
void coffer_key_sets_seed(coffer_key_sets *sets, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth);

void coffer_key_sets_free(coffer_key_sets *sets);

/// Begins an object; returns 0 if out of memory.
int coffer_key_sets_open_slowly(coffer_key_sets *sets);

/// Takes any key of the object that is the `depth`th open bracket; 16 bytes from its start must be readable.
coffer_key_verdict coffer_key_sets_take(coffer_key_sets *sets, uint32_t depth, const uint8_t *key, size_t length);

/// Returns 1 if the open object has the key; 16 bytes from its start must be readable.
int coffer_key_sets_has(const coffer_key_sets *sets, const uint8_t *key, size_t length);

static inline uint64_t coffer_key_word(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, 8);
  return word;
}

/// Takes the key and returns 1 if it is the one that came next the last time and is new in its object.
static inline int coffer_key_sets_take_foreseen(coffer_key_sets *sets, const uint8_t *key, size_t length) {
  coffer_key_level *level = sets->level;
  coffer_known_key *next = level->last->next;
  if (next->short_length != length) return 0;
  uint64_t head = (coffer_key_word(key) ^ next->head) & next->head_mask;
  uint64_t tail = (coffer_key_word(key + 8) ^ next->tail) & next->tail_mask;
  if ((head | tail) != 0 || (level->seen & next->bit) != 0) return 0;
  level->seen |= next->bit;
  level->last = next;
  return 1;
}

static inline int coffer_key_sets_open(coffer_key_sets *sets) {
  coffer_key_level *level = sets->level + 1;
  if (__builtin_expect(level == sets->end || level->settled != level->count + 1, 0)) return coffer_key_sets_open_slowly(sets);
  level->seen = 0;
  level->last = level->known;
  sets->level = level;
  return 1;
}

static inline void coffer_key_sets_close(coffer_key_sets *sets) { sets->level--; }

#endif
