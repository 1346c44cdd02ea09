#ifndef COFFER_KEY_SETS_H
#define COFFER_KEY_SETS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CJSONEvents.h"

// Which keys the open objects have had, so that one that comes again is noticed.
//
//     {"cars": [ {"id": 1, "name": "a"}, {"id": 2, "name": "b"} ]}
//
//     level 1   cars                                           levels[1].known: keys of objects in no other object
//     level 2   (start) ─▶ id ─▶ name      seen: 1 1           levels[2].known: keys of objects in one other object
//
// Records repeat each other. So for each level of objects there is a table of keys that objects there have had, each with the one that came
// behind it the last time; the open object has only a bit for each of them. A key that comes as it came the last time costs one comparison,
// which is exact, and no hash. An object that has more keys than that table has room for gets a table of hashes of its own.

/// How many keys a level knows: `seen` has a bit for each. An object with more goes by hashes.
enum { COFFER_KNOWN_KEYS = 64, COFFER_KEY_SLOTS = 128 };

typedef struct coffer_known_key coffer_known_key;

/// A key of up to 16 bytes is the words themselves; a longer one two digests, which nobody can foretell who doesn't know the seed.
typedef struct {
  uint64_t head, tail;
  uint32_t length;
} coffer_key_identity;

/// What stood the last time between a key's value, or an object's bracket, and the value of the key behind it: `, "name": `.
typedef struct {
  uint8_t bytes[64];
  uint64_t mask;          // a bit for each byte that it has; what is behind them doesn't matter
  uint64_t bit;           // of the key in it
  coffer_known_key *key;  // the key in it
  coffer_event event;     // of that key, as if the lead began at 0
  uint32_t count;
} coffer_key_lead;

struct coffer_known_key {
  /// Of a key of up to 16 bytes; otherwise one that no key has.
  uint32_t short_length;
  uint32_t length;
  uint64_t head, head_mask, tail, tail_mask;
  uint64_t bit;
  /// What came behind it the last time.
  coffer_known_key *next;
  coffer_key_lead lead;
};

typedef struct {
  uint64_t seen;
  /// The object's last key; at its start the first entry, which stands for no key.
  coffer_known_key *last;
  coffer_known_key *known;
  uint32_t count, capacity;  // of `known`, with its first entry
  /// One more than `count` was when the last object began; 0: the next one needs a closer look.
  uint32_t settled;
  uint8_t slots[COFFER_KEY_SLOTS];  // 0, or where in `known` a key stands whose hash leads here

  /// An object with more keys than are known: their hashes (0: none), if there are any.
  uint64_t *hashes;
  size_t hash_count, hash_capacity, hash_limit;
  uint8_t has_hashes;
} coffer_key_level;

typedef struct {
  /// Of the innermost open object; the first stands for none. NULL: nothing is known of keys.
  coffer_key_level *level;
  coffer_key_level *levels, *end;
  uint64_t seed[2];
  /// How many brackets are open around what the parser sees.
  uint32_t outer_depth;
  /// Objects of more keys than are known are of no interest: keys are only foreseen, not compared.
  int only_foresees;
} coffer_key_sets;

typedef enum { COFFER_KEY_NEW, COFFER_KEY_AGAIN, COFFER_KEY_FAILED } coffer_key_verdict;

/// 0 where memory fails.
int coffer_key_sets_start(coffer_key_sets *sets, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth);

/// Another seed and depth, before any object begins.
void coffer_key_sets_seed(coffer_key_sets *sets, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth);

void coffer_key_sets_free(coffer_key_sets *sets);

/// An object begins; 0 where memory fails.
int coffer_key_sets_open_slowly(coffer_key_sets *sets);

/// Any key of the object that is the `depth`th open bracket; 16 bytes from its start on can be read.
coffer_key_verdict coffer_key_sets_take(coffer_key_sets *sets, uint32_t depth, const uint8_t *key, size_t length);

static inline uint64_t coffer_key_word(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, 8);
  return word;
}

/// Whether it is the key that came next the last time, and new in its object: then it has been taken.
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
