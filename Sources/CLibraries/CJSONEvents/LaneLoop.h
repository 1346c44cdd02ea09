// The lane's loop, written once for all instruction sets. Lane.c includes it with
//
//   LANE(name)    the name of a function for this instruction set; these four exist, and read only the bytes stated:
//                 uint64_t LANE(equal)(const uint8_t *a, const uint8_t *b)   which of 64 bytes are equal
//                 uint32_t LANE(special)(const uint8_t *p)     which of 32 bytes are a quote, backslash or control character
//                 uint32_t LANE(no_space)(const uint8_t *p)    which of 32 bytes are not white space
//                 uint32_t LANE(no_digit)(const uint8_t *p)    which of 16 bytes are not digits; higher bits are set
//   LANE_TARGET   the attribute that they need
//
// After each value, the bytes up to the next value (the lead) either match the last record's or are parsed:
//
//   { "id" : 7 , "name" : "a" , "tags" : [ … ] } ,
//    |-lead-|v|--lead--| v |--lead--|
//
// The names of a run of members (depth 0) are not predicted: each occurs once.
//
// A string whose closing quote is in the padding, or white space before the padding, can move `p` up to 33 bytes past `end`. Each
// label compares `p` with `end` before it adds an event. The COFFER_LANE_PADDING bytes after `end` are readable.

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/// Returns the first byte from `p` that is not white space; `end` at the latest.
LANE_TARGET static inline const uint8_t *LANE(skip_space)(const uint8_t *p, const uint8_t *end) {
  while (*p <= ' ') {
    uint32_t others = LANE(no_space)(p);
    if (others) {
      p += __builtin_ctz(others);
      return p < end ? p : end;
    }
    p += 32;
    if (p >= end) return end;
  }
  return p;
}

/// Returns the first quote, backslash or control character from `p`, inside a string; `end` at the latest.
LANE_TARGET static inline const uint8_t *LANE(find_special)(const uint8_t *p, const uint8_t *end) {
  for (; p < end; p += 32) {
    uint32_t special = LANE(special)(p);
    if (LIKELY(special)) {
      p += __builtin_ctz(special);
      return p < end ? p : end;
    }
  }
  return end;
}

/// Returns the end of the number at `p`, or NULL if it is invalid.
LANE_TARGET static inline const uint8_t *LANE(skip_number)(const uint8_t *p) {
  const uint8_t *digits = p + (*p == '-');
  uint32_t others = LANE(no_digit)(digits);
  unsigned count = (unsigned)__builtin_ctz(others);
  if (UNLIKELY(count == 0 || (*digits == '0' && count > 1))) return NULL;
  const uint8_t *after = digits + count;
  if (*after == '.') {
    others &= others - 1;
    unsigned last = (unsigned)__builtin_ctz(others);
    if (UNLIKELY(last >= 16)) return coffer_lane_long_number(p);
    if (UNLIKELY(last == count + 1)) return NULL;
    after = digits + last;
  } else if (UNLIKELY(count >= 16)) {
    return coffer_lane_long_number(p);
  }
  return UNLIKELY((*after | 0x20) == 'e') ? coffer_lane_long_number(p) : after;
}

/// Copies the text of a string or key to the scratch memory with escapes resolved, the first of which is at `*p`, and moves `*p`
/// to the closing quote. Returns 0 if the text is invalid or memory is exhausted.
__attribute__((noinline)) LANE_TARGET static int LANE(take_escaped)(
    coffer_lane *lane, const uint8_t *text, const uint8_t **p, coffer_event *event) {
  size_t start = lane->scratch_used;
  for (const uint8_t *from = text;;) {
    size_t count = (size_t)(*p - from);
    if (!coffer_lane_reserve(lane, count + 4)) return 0;
    memcpy(lane->scratch + lane->scratch_used, from, count);
    lane->scratch_used += count;
    if (*p >= lane->end || **p < ' ') return 0;
    if (**p == '"') break;
    uint8_t *out = coffer_lane_unescape(p, lane->scratch + lane->scratch_used);
    if (!out || *p > lane->end) return 0;
    lane->scratch_used = (size_t)(out - lane->scratch);
    from = *p;
    *p = LANE(find_special)(*p, lane->end);
  }
  event->text = (uint32_t)start;
  event->length = (uint32_t)(lane->scratch_used - start);
  event->flags = COFFER_IN_SCRATCH;
  return 1;
}

/// Takes any string or key whose opening quote is at `quote`. Returns the position after it, or NULL.
LANE_TARGET static inline const uint8_t *LANE(take_text)(coffer_lane *lane, const uint8_t *quote, uint8_t kind, coffer_event *event) {
  const uint8_t *text = quote + 1, *close = LANE(find_special)(text, lane->end);
  size_t at = (size_t)(text - lane->bytes);
  *event = (coffer_event){.start = (uint32_t)at - 1, .text = (uint32_t)at, .length = (uint32_t)(close - text), .kind = kind};
  if (*close == '\\' && close < lane->end && !LANE(take_escaped)(lane, text, &close, event)) return NULL;
  if (close >= lane->end || *close != '"' || (size_t)(close - text) > lane->token_limit) return NULL;
  return close + 1;
}

__attribute__((noinline)) LANE_TARGET static const uint8_t *LANE(take_string)(
    coffer_lane *lane, const uint8_t *quote, coffer_event *event) {
  return LANE(take_text)(lane, quote, COFFER_STRING, event);
}

/// Takes a key that was not predicted, the bytes between `before` and its quote, and its colon. Returns the start of the value,
/// or NULL.
__attribute__((noinline)) LANE_TARGET static const uint8_t *LANE(take_key)(
    coffer_lane *lane, const uint8_t *before, const uint8_t *quote, coffer_event *event) {
  const uint8_t *p = LANE(take_text)(lane, quote, COFFER_KEY, event);
  if (!p) return NULL;
  p = LANE(skip_space)(p, lane->end);
  if (*p != ':') return NULL;
  p = LANE(skip_space)(p + 1, lane->end);
  int is_plain = !(event->flags & COFFER_IN_SCRATCH);
  const uint8_t *text = is_plain ? quote + 1 : lane->scratch + event->text;
  coffer_key_level *level = lane->keys.level;
  ptrdiff_t last = level->last - level->known;
  int is_member_of_run = lane->depth == 0;
  if (is_member_of_run && !lane->keys.only_foresees && !coffer_lane_note_name(lane, text, event->length)) return NULL;
  switch (coffer_key_sets_take(&lane->keys, lane->depth + 1, text, event->length)) {
    case COFFER_KEY_NEW: break;
    case COFFER_KEY_AGAIN:
      if (lane->keys.only_foresees) break;
      if (is_member_of_run) return NULL;
      event->flags |= COFFER_DUPLICATE_KEY;
      lane->batch.duplicate_keys++;
      break;
    default: return NULL;
  }
  // If this key follows again, all of that is one comparison. The byte that ends the run is never part of a lead.
  coffer_known_key *key = level->last;
  size_t count = (size_t)(p - before);
  // `known[0]` represents the start of an object, and every key that doesn't fit in the table. `next` tries its lead only after
  // `{`, so set it only there.
  int has_lead = !is_member_of_run && (last != 0 || before[-1] == '{');
  if (is_plain && has_lead && key != level->known && count <= 64 && !memchr(before, *lane->end, count)) {
    coffer_key_lead *lead = &level->known[last].lead;
    memcpy(lead->bytes, before, 64);
    lead->mask = ~0ull >> (64 - count);
    lead->bit = key->bit;
    lead->key = key;
    lead->count = (uint32_t)count;
    lead->event = *event;
    lead->event.start = (uint32_t)(quote - before);
    lead->event.text = lead->event.start + 1;
    lead->event.flags = 0;
  }
  return p;
}

/// Reads a batch.
LANE_TARGET static coffer_lane_status LANE(next)(coffer_lane *lane) {
  const uint8_t *const bytes = lane->bytes, *const end = lane->end;
  const uint8_t *p = lane->at;
  coffer_event *event = lane->batch.events;
  coffer_key_level *level = lane->keys.level;
  coffer_known_key *known = level->last;  // the last key of the innermost object
  uint8_t context = lane->contexts[lane->depth];
  const uint8_t *before;

// A token that begins at `p`, whose text begins `skipped` bytes later.
#define PUT(which, skipped, count)                                                                                     \
  *event++ = (coffer_event){                                                                                           \
      .start = (uint32_t)(p - bytes), .text = (uint32_t)(p - bytes) + (skipped), .length = (uint32_t)(count), .kind = (which)}

// True if the predicted lead is at `p`: `known->lead` holds its key.
#define IS_FORESEEN \
  LIKELY(((~LANE(equal)(known->lead.bytes, p) & known->lead.mask) | (level->seen & known->lead.bit)) == 0)

#define TAKE_FORESEEN                                       \
  do {                                                      \
    const coffer_key_lead *lead = &known->lead;             \
    level->seen |= lead->bit;                               \
    *event = lead->event;                                   \
    event->start += (uint32_t)(p - bytes);                  \
    event->text += (uint32_t)(p - bytes);                   \
    event++;                                                \
    p += lead->count;                                       \
    known = lead->key;                                      \
  } while (0)

  if (lane->starts_with_value) {
    lane->starts_with_value = 0;
    goto value;
  }
  if (context == LANE_IN_LINES && !lane->line_end) {
    before = p;
    goto line;
  }
  if (context == LANE_IN_SEQUENCE) goto sequence;
  if (lane->starts_with_key) {
    lane->starts_with_key = 0;
    before = p;
    p = LANE(skip_space)(p, end);
    goto key;
  }
  goto after;

value:
  if (LIKELY(*p == '"')) {
    uint32_t special = LANE(special)(p + 1);
    unsigned length = (unsigned)__builtin_ctzll(special | 1ull << 32);
    if (LIKELY(special && p[length + 1] == '"')) {
      PUT(COFFER_STRING, 1, length);
      p += length + 2;
      goto after;
    }
    p = LANE(take_string)(lane, p, event++);
    if (UNLIKELY(!p)) goto failed;
    goto after;
  }
  if (LIKELY(*p < ':')) {
    if (UNLIKELY(*p <= ' ')) {
      p = LANE(skip_space)(p, end);
      if (UNLIKELY(*p <= ' ')) goto failed;
      goto value;
    }
    const uint8_t *number_end = LANE(skip_number)(p);
    if (UNLIKELY(!number_end || (size_t)(number_end - p) > lane->token_limit)) goto failed;
    PUT(COFFER_NUMBER, 0, number_end - p);
    p = number_end;
    goto after;
  }
  switch (*p) {
    case 't':
      if (UNLIKELY(memcmp(p, "true", 4) != 0)) goto failed;
      PUT(COFFER_TRUE, 0, 4);
      p += 4;
      goto after;
    case 'n':
      if (UNLIKELY(memcmp(p, "null", 4) != 0)) goto failed;
      PUT(COFFER_NULL, 0, 4);
      p += 4;
      goto after;
    case 'f':
      if (UNLIKELY(memcmp(p, "false", 5) != 0)) goto failed;
      PUT(COFFER_FALSE, 0, 5);
      p += 5;
      goto after;
    case '{':
      if (UNLIKELY(event >= lane->limit)) goto full_before_value;
      if (UNLIKELY(p >= end || ++lane->depth >= lane->depth_limit)) goto failed;
      PUT(COFFER_OBJECT_START, 0, 1);
      context = lane->contexts[lane->depth] = LANE_IN_OBJECT;
      level->last = known;
      if (UNLIKELY(!coffer_key_sets_open(&lane->keys))) goto failed;
      level = lane->keys.level;
      known = level->last;
      p++;
      if (IS_FORESEEN) {
        TAKE_FORESEEN;
        goto value;
      }
      before = p;
      p = LANE(skip_space)(p, end);
      if (*p == '}') goto close_object;
      goto key;
    case '[':
      if (UNLIKELY(event >= lane->limit)) goto full_before_value;
      if (UNLIKELY(p >= end || ++lane->depth >= lane->depth_limit)) goto failed;
      PUT(COFFER_ARRAY_START, 0, 1);
      context = lane->contexts[lane->depth] = LANE_IN_ARRAY;
      p = LANE(skip_space)(p + 1, end);
      if (*p == ']') goto close_array;
      goto value;
    default: goto failed;
  }

after:
  if (UNLIKELY(event >= lane->limit || p > end)) {
    if (p > end) goto failed;
    goto full;
  }
  if (LIKELY(context == LANE_IN_OBJECT)) {
    before = p;
    if (LIKELY(*p == ',')) {
      if (IS_FORESEEN) {
        TAKE_FORESEEN;
        goto value;
      }
    } else {
      p = LANE(skip_space)(p, end);
      if (*p == '}') goto close_object;
      if (UNLIKELY(*p != ',')) goto failed;
    }
    p = LANE(skip_space)(p + 1, end);
    goto key;
  }
  if (UNLIKELY(context == LANE_IN_SEQUENCE)) goto sequence;
  if (context == LANE_IN_LINES) {
    while (*p == ' ' || *p == '\t' || *p == '\r') p++;
    // A value that contains a line break ends after its line.
    if (UNLIKELY(p != lane->line_end)) goto failed;
    if (p == end) goto done;
    before = p + 1;
    goto line;
  }
  p = LANE(skip_space)(p, end);
  if (LIKELY(*p == ',' && p < end)) {
    p = LANE(skip_space)(p + 1, end);
    goto value;
  }
  if (UNLIKELY(*p != ']')) goto failed;
  if (lane->depth > 0) goto close_array;
  if (UNLIKELY(p != end)) goto failed;
  goto done;

key:
  if (UNLIKELY(*p != '"' || p >= end)) goto failed;
  level->last = known;
  p = LANE(take_key)(lane, before, p, event++);
  if (UNLIKELY(!p)) goto failed;
  known = level->last;
  goto value;

close_array:
  if (UNLIKELY(p >= end)) goto failed;
  PUT(COFFER_ARRAY_END, 0, 1);
  goto closed;

close_object:
  if (UNLIKELY(lane->depth == 0)) {
    if (p == end) goto done;
    goto failed;
  }
  if (UNLIKELY(p >= end)) goto failed;
  PUT(COFFER_OBJECT_END, 0, 1);
  coffer_key_sets_close(&lane->keys);
  level = lane->keys.level;
  known = level->last;

closed:
  p++;
  context = lane->contexts[--lane->depth];
  goto after;

// The first line from `before` that is not blank.
line:
  for (;;) {
    const uint8_t *line_end = memchr(before, '\n', (size_t)(end + 1 - before));
    if (UNLIKELY(!line_end || (size_t)(line_end - before) > lane->line_limit)) goto failed;
    for (p = before; *p == ' ' || *p == '\t' || *p == '\r';) p++;
    lane->line_end = line_end;
    if (p < line_end) goto value;
    if (line_end == end) goto done;
    before = line_end + 1;
  }

// The next value of a sequence. Only a bracket or a quotation mark may touch the value before it: `12` is one number.
sequence:
  for (before = p; p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t' || *p == 0x1E);) p++;
  if (p >= end) goto done;
  if (UNLIKELY(p == before && p > bytes && !strchr("}]\"", p[-1]) && !strchr("{[\"", *p))) goto failed;
  goto value;

full_before_value:
  lane->starts_with_value = 1;
full:
  level->last = known;
  lane->at = p;
  lane->batch.count = (size_t)(event - lane->batch.events);
  return COFFER_LANE_MORE;

done:
  lane->batch.count = (size_t)(event - lane->batch.events);
  return COFFER_LANE_DONE;

failed:
  return COFFER_LANE_FAILED;
}

#undef PUT
#undef IS_FORESEEN
#undef TAKE_FORESEEN
#undef LIKELY
#undef UNLIKELY
#undef LANE
#undef LANE_TARGET
