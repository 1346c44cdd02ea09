#include "KeySets.h"

#include <stdlib.h>

enum { FEWEST_HASHES = 256 };

/// The number of keys of an object that are remembered: for the outermost objects, and for objects inside more brackets. Even a
/// malicious document thus needs no more than about 160 MiB (8 × 16 MiB, and 64 KiB for each of 512 deeper levels).
static const size_t outer_limit = 1 << 20, inner_limit = 1 << 12;
static const uint32_t outer_levels = 8;

/// A length that no key has.
static const uint32_t no_length = UINT32_MAX;

// MARK: Keys

/// Combines both halves of a product: each bit of one factor affects half of the result's (wyhash's mixing).
static inline uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/// Returns a number whose bits reveal nothing about those of `x` (splitmix64): folding is only as good as its seed is irregular.
static uint64_t scatter(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static inline uint64_t byte_mask(size_t count) { return count >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (count * 8)) - 1; }

static coffer_key_identity identity_of(const coffer_key_sets *sets, const uint8_t *key, size_t length) {
  uint64_t low = coffer_key_word(key), high = coffer_key_word(key + 8);
  if (length <= 16) {
    return (coffer_key_identity){
        .head = low & byte_mask(length), .tail = length > 8 ? high & byte_mask(length - 8) : 0, .length = (uint32_t)length};
  }
  uint64_t a = sets->seed[0] ^ length, b = sets->seed[1];
  for (size_t at = 0; at + 16 < length; at += 16) {
    low = coffer_key_word(key + at), high = coffer_key_word(key + at + 8);
    a = fold(low ^ sets->seed[1], high ^ a);
    b = fold(low ^ b, high ^ sets->seed[0]);
  }
  // The last 16 bytes, some of which may have been mixed in already.
  low = coffer_key_word(key + length - 16), high = coffer_key_word(key + length - 8);
  return (coffer_key_identity){
      .head = fold(low ^ sets->seed[1], high ^ a), .tail = fold(low ^ b, high ^ sets->seed[0]), .length = (uint32_t)length};
}

static inline uint64_t hash_of(const coffer_key_sets *sets, coffer_key_identity key) {
  uint64_t mixed = fold(key.head ^ sets->seed[0], key.tail ^ sets->seed[1] ^ key.length);
  return fold(mixed ^ sets->seed[1], key.length ^ sets->seed[0]);
}

static inline int is_same(const coffer_known_key *known, coffer_key_identity key) {
  return known->length == key.length && known->head == key.head && known->tail == key.tail;
}

// MARK: Levels

static void clear_lead(coffer_known_key *known) {
  // This byte never occurs in UTF-8, so nothing matches it: the lane's input is valid UTF-8.
  known->lead = (coffer_key_lead){.bytes = {0xFF}, .mask = 1, .key = known};
}

static void clear_known(coffer_key_level *level) {
  level->count = 1;
  clear_lead(level->known);
  level->known[0].next = level->known;
  memset(level->slots, 0, sizeof level->slots);
}

static int grow_known(coffer_key_level *level) {
  uint32_t capacity = level->capacity ? level->capacity * 4 : 4;
  if (capacity > COFFER_KNOWN_KEYS + 1) capacity = COFFER_KNOWN_KEYS + 1;
  coffer_known_key *known = calloc(capacity, sizeof *known);
  if (!known) return 0;
  if (level->known) {
    // The entries point to each other.
    memcpy(known, level->known, level->count * sizeof *known);
    for (uint32_t i = 0; i < level->count; i++) {
      known[i].next = known + (known[i].next - level->known);
      known[i].lead.key = known + (known[i].lead.key - level->known);
    }
    level->last = known + (level->last - level->known);
    free(level->known);
    level->known = known;
  } else {
    level->known = known;
    known[0].short_length = no_length;
    known[0].length = no_length;
    level->last = known;
    clear_known(level);
  }
  level->capacity = capacity;
  return 1;
}

/// Returns the key's entry, or NULL and the slot at which to insert it.
static coffer_known_key *find_known(const coffer_key_level *level, coffer_key_identity key, uint64_t hash, size_t *slot) {
  for (*slot = hash % COFFER_KEY_SLOTS; level->slots[*slot]; *slot = (*slot + 1) % COFFER_KEY_SLOTS) {
    coffer_known_key *known = level->known + level->slots[*slot];
    if (is_same(known, key)) return known;
  }
  return NULL;
}

static coffer_known_key *add_known(coffer_key_level *level, coffer_key_identity key, size_t slot) {
  uint32_t index = level->count++;
  coffer_known_key *known = level->known + index;
  int is_short = key.length <= 16;
  *known = (coffer_known_key){
      .short_length = is_short ? key.length : no_length, .length = key.length,
      .head = key.head, .head_mask = byte_mask(key.length),
      .tail = key.tail, .tail_mask = key.length > 8 ? byte_mask(key.length - 8) : 0,
      .bit = (uint64_t)1 << (index - 1), .next = level->known};
  level->slots[slot] = (uint8_t)index;
  clear_lead(known);
  return known;
}

// MARK: Objects with many keys

/// Returns 1 if the hash was already present.
static inline int add_hash(coffer_key_level *level, uint64_t hash) {
  size_t mask = level->hash_capacity - 1, slot = hash & mask;
  while (level->hashes[slot]) {
    if (level->hashes[slot] == hash) return 1;
    slot = (slot + 1) & mask;
  }
  if (level->hash_count < level->hash_limit) {
    level->hashes[slot] = hash;
    level->hash_count++;
  }
  return 0;
}

static int grow_hashes(coffer_key_level *level) {
  uint64_t *old = level->hashes;
  size_t old_capacity = level->hash_capacity;
  uint64_t *hashes = calloc(old_capacity * 2, sizeof *hashes);
  if (!hashes) return 0;
  level->hashes = hashes;
  level->hash_capacity = old_capacity * 2;
  level->hash_count = 0;
  for (size_t i = 0; i < old_capacity; i++) {
    if (old[i]) add_hash(level, old[i]);
  }
  free(old);
  return 1;
}

static void end_hashes(coffer_key_level *level) {
  level->has_hashes = 0;
  // Such a large object may be the only one.
  if (level->hash_capacity > 16 * FEWEST_HASHES) {
    free(level->hashes);
    level->hashes = NULL;
    level->hash_capacity = 0;
  }
}

/// Never 0, which marks an empty slot.
static inline uint64_t kept_hash(const coffer_key_sets *sets, coffer_key_identity key) {
  uint64_t hash = hash_of(sets, key);
  return hash ? hash : 1;
}

/// The open object exceeds the known keys: replaces all of its keys by hashes.
static int start_hashes(const coffer_key_sets *sets, coffer_key_level *level, uint32_t depth) {
  if (!level->hashes) {
    level->hashes = malloc(FEWEST_HASHES * sizeof *level->hashes);
    if (!level->hashes) return 0;
    level->hash_capacity = FEWEST_HASHES;
  }
  memset(level->hashes, 0, level->hash_capacity * sizeof *level->hashes);
  level->hash_count = 0;
  level->hash_limit = depth + sets->outer_depth <= outer_levels ? outer_limit : inner_limit;
  level->has_hashes = 1;
  level->settled = 0;
  for (uint32_t i = 1; i < level->count; i++) {
    coffer_known_key *known = level->known + i;
    coffer_key_identity key = {.head = known->head, .tail = known->tail, .length = known->length};
    if (level->seen & known->bit) add_hash(level, kept_hash(sets, key));
  }
  // Stop predicting keys.
  level->last = level->known;
  level->known[0].next = level->known;
  clear_lead(level->known);
  return 1;
}

// MARK: Objects and keys

int coffer_key_sets_start(coffer_key_sets *sets, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth) {
  enum { FEWEST_LEVELS = 8 };
  sets->levels = calloc(FEWEST_LEVELS, sizeof *sets->levels);
  if (!sets->levels) return 0;
  sets->end = sets->levels + FEWEST_LEVELS;
  sets->level = sets->levels;
  coffer_key_sets_seed(sets, seed_low, seed_high, outer_depth);
  return 1;
}

void coffer_key_sets_seed(coffer_key_sets *sets, uint64_t seed_low, uint64_t seed_high, uint32_t outer_depth) {
  sets->seed[0] = scatter(seed_low + 0x9e3779b97f4a7c15);
  sets->seed[1] = scatter(sets->seed[0] + seed_high);
  sets->outer_depth = outer_depth;
}

void coffer_key_sets_free(coffer_key_sets *sets) {
  for (coffer_key_level *level = sets->levels; level != sets->end; level++) {
    free(level->known);
    free(level->hashes);
  }
  free(sets->levels);
}

int coffer_key_sets_open_slowly(coffer_key_sets *sets) {
  if (sets->level + 1 == sets->end) {
    size_t count = (size_t)(sets->end - sets->levels);
    coffer_key_level *levels = realloc(sets->levels, count * 2 * sizeof *levels);
    if (!levels) return 0;
    memset(levels + count, 0, count * sizeof *levels);
    sets->levels = levels;
    sets->level = levels + count - 1;
    sets->end = levels + count * 2;
  }
  coffer_key_level *level = sets->level + 1;
  if (level->has_hashes) end_hashes(level);
  if (level->count == 0) {
    if (!grow_known(level)) return 0;
  } else if (level->count > COFFER_KNOWN_KEYS / 2 && level->settled != level->count + 1 && level->settled != 2) {
    // Keys that always differ (identifiers, dates) leave no room for recurring ones. All keys of the first object are new,
    // however.
    clear_known(level);
  }
  level->settled = level->count + 1;
  level->seen = 0;
  level->last = level->known;
  sets->level = level;
  return 1;
}

coffer_key_verdict coffer_key_sets_take(coffer_key_sets *sets, uint32_t depth, const uint8_t *text, size_t length) {
  coffer_key_level *level = sets->level;
  coffer_key_identity key = identity_of(sets, text, length);
  if (!level->has_hashes) {
    coffer_known_key *known = level->last->next;
    size_t slot;
    if (!is_same(known, key)) {
      known = find_known(level, key, hash_of(sets, key), &slot);
      if (!known && level->count <= COFFER_KNOWN_KEYS) {
        if (level->count == level->capacity && !grow_known(level)) return COFFER_KEY_FAILED;
        known = add_known(level, key, slot);
      }
      if (known) level->last->next = known;
    }
    if (known) {
      level->last = known;
      if (level->seen & known->bit) return COFFER_KEY_AGAIN;
      level->seen |= known->bit;
      return COFFER_KEY_NEW;
    }
    if (sets->only_foresees) {
      level->last = level->known;
      return COFFER_KEY_NEW;
    }
    if (!start_hashes(sets, level, depth)) return COFFER_KEY_FAILED;
  }
  if (level->hash_count * 2 >= level->hash_capacity && level->hash_count < level->hash_limit && !grow_hashes(level)) {
    return COFFER_KEY_FAILED;
  }
  return add_hash(level, kept_hash(sets, key)) ? COFFER_KEY_AGAIN : COFFER_KEY_NEW;
}

int coffer_key_sets_has(const coffer_key_sets *sets, const uint8_t *text, size_t length) {
  const coffer_key_level *level = sets->level;
  coffer_key_identity key = identity_of(sets, text, length);
  if (!level->has_hashes) {
    size_t slot;
    const coffer_known_key *known = find_known(level, key, hash_of(sets, key), &slot);
    return known && (level->seen & known->bit) != 0;
  }
  uint64_t hash = kept_hash(sets, key);
  size_t mask = level->hash_capacity - 1, slot = hash & mask;
  while (level->hashes[slot] && level->hashes[slot] != hash) slot = (slot + 1) & mask;
  return level->hashes[slot] == hash;
}
