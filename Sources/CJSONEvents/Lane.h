#ifndef COFFER_LANE_H
#define COFFER_LANE_H

#include "CJSONEvents.h"
#include "KeySets.h"

/// What values stand in: an object, an array, or lines.
typedef enum { LANE_IN_ARRAY, LANE_IN_OBJECT, LANE_IN_LINES } coffer_lane_context;

struct coffer_lane {
  coffer_batch batch;
  coffer_event *limit;         // a batch ends here, or a few events behind
  const uint8_t *bytes, *end;  // the run; `*end` is what ends it
  const uint8_t *at;           // where the next batch begins
  const uint8_t *line_end;     // of lines: the break behind the one at hand
  size_t token_limit, line_limit;
  uint32_t depth, depth_limit;  // brackets that are open in the run
  uint8_t starts_with_value;    // the next batch does
  uint8_t *contexts;            // by depth
  uint8_t *scratch;             // texts without their escapes
  size_t scratch_used, scratch_capacity;
  coffer_key_sets keys;
  coffer_lane_status (*next)(coffer_lane *);
};

/// Room for `count` more bytes of scratch memory and 16 behind them; 0 where memory fails.
int coffer_lane_reserve(coffer_lane *lane, size_t count);

/// The end of a number of any length, or NULL if it is none.
const uint8_t *coffer_lane_long_number(const uint8_t *p);

/// Writes what an escape behind a backslash at `*p` stands for, at most 4 bytes, and moves `*p` behind it. Returns the end of what was written, or NULL.
uint8_t *coffer_lane_unescape(const uint8_t **p, uint8_t *out);

#endif
