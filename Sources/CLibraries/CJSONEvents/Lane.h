#ifndef COFFER_LANE_H
#define COFFER_LANE_H

#include "CJSONEvents.h"
#include "KeySets.h"

/// The container of values: an object, an array, lines, or a sequence.
typedef enum { LANE_IN_ARRAY, LANE_IN_OBJECT, LANE_IN_LINES, LANE_IN_SEQUENCE } coffer_lane_context;

struct coffer_lane {
  coffer_batch batch;
  coffer_event *limit;         // a batch ends here, or a few events later
  const uint8_t *bytes, *end;  // the run; `*end` is the byte that ends it
  const uint8_t *at;           // the start of the next batch
  const uint8_t *line_end;     // for lines: the break after the current one
  size_t token_limit, line_limit;
  uint32_t depth, depth_limit;  // open brackets in the run
  uint8_t starts_with_value;    // the next batch starts with a value
  uint8_t starts_with_key;      // the next batch starts with the first key of a run of members
  uint8_t *contexts;            // by depth
  uint8_t *scratch;             // texts with escapes resolved
  size_t scratch_used, scratch_capacity;
  uint8_t *names;               // of the members of the run
  size_t names_size, names_capacity;
  coffer_key_sets keys;
  coffer_lane_status (*next)(coffer_lane *);
};

/// Reserves `count` more bytes of scratch memory and 16 after them; returns 0 if out of memory.
int coffer_lane_reserve(coffer_lane *lane, size_t count);

/// Notes the name of a member of the run; returns 0 if out of memory.
int coffer_lane_note_name(coffer_lane *lane, const uint8_t *name, uint32_t length);

/// Returns the end of a number of any length, or NULL if it is invalid.
const uint8_t *coffer_lane_long_number(const uint8_t *p);

/// Writes the character of the escape at `*p`, at most 4 bytes, and moves `*p` past the escape. Returns the end of the written
/// bytes, or NULL.
uint8_t *coffer_lane_unescape(const uint8_t **p, uint8_t *out);

#endif
