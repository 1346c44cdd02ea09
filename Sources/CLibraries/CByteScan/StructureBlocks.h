// The structure scan, written once for all instruction sets. StructureScan.c includes it with
//
//   SCAN          the name of the function to define
//   SCAN_TARGET   the attribute that this function and its callees need
//   CLASSIFY      static inline void CLASSIFY(const uint8_t *block, block_masks *masks)
//   CHECK_UTF8    static inline int CHECK_UTF8(coffer_scan *scan, const uint8_t *block, uint64_t high)
//
// A block is 64 bytes; bit i of a mask belongs to byte i:
//
//   block       { " a " : [ 1 , " x \ " " ] , …
//   quotes        1   1           1       1          not those after an odd number of backslashes
//   in_string     1 1             1 1 1 1            from an opening quote to before the closing one: a running parity of quotes
//   brackets    1         1                 1        outside strings
//   commas                    1               1
//
// Brackets are processed one by one (a record has few). Commas are counted only in watched arrays, a whole run at a time.

// The mark after bit `bit` of the current block.
static inline SCAN_TARGET coffer_scan_mark BLOCK_MARK(const coffer_scan *scan, const block_masks *masks, unsigned bit, uint64_t commas) {
  uint64_t through = ~0ull >> (63 - bit);
  uint64_t newlines = masks->newline & through;
  uint64_t line_start = scan->line_start;
  if (newlines) {
    uint64_t before = ~0ull >> __builtin_clzll(newlines);
    line_start = scan->scalars + (uint64_t)__builtin_popcountll(before & ~masks->continuation);
  }
  uint64_t scalars = scan->scalars + (uint64_t)__builtin_popcountll(through & ~masks->continuation);
  return (coffer_scan_mark){
      .offset = scan->offset + bit + 1,
      .line = scan->lines + (uint64_t)__builtin_popcountll(newlines) + 1,
      .column = scalars - line_start + 1,
      .commas = commas,
  };
}

// Counts the commas of a run without brackets.
static inline SCAN_TARGET void BLOCK_COMMAS(coffer_scan *scan, const block_masks *masks, uint64_t commas, uint64_t depth) {
  if (depth - 1 >= COFFER_SCAN_LEVELS || !commas) return;
  coffer_scan_level *level = &scan->levels[depth - 1];
  if (!level->is_array) return;
  uint64_t count = level->latest.commas + (uint64_t)__builtin_popcountll(commas);
  level->latest = BLOCK_MARK(scan, masks, 63 - (unsigned)__builtin_clzll(commas), count);
}

SCAN_TARGET static void SCAN(coffer_scan *scan, const uint8_t *bytes, size_t count) {
  for (const uint8_t *block = bytes; count >= COFFER_SCAN_BLOCK; block += COFFER_SCAN_BLOCK, count -= COFFER_SCAN_BLOCK) {
    block_masks masks;
    CLASSIFY(block, &masks);
    if (masks.is_vertical) {
      scan->is_suspect = 1;
      return;
    }
    if (!CHECK_UTF8(scan, block, masks.high)) {
      scan->is_suspect = 1;
      return;
    }

    uint64_t escaped = escaped_bytes(masks.backslash, &scan->is_escaped);
    uint64_t in_string = running_parity(masks.quote & ~escaped) ^ scan->in_string;
    scan->in_string = (uint64_t)((int64_t)in_string >> 63);

    uint64_t brackets = masks.bracket & ~in_string;
    uint64_t commas = masks.comma & ~in_string;
    uint64_t depth = scan->depth;
    while (brackets) {
      unsigned bit = (unsigned)__builtin_ctzll(brackets);
      uint64_t below = (1ull << bit) - 1;
      BLOCK_COMMAS(scan, &masks, commas & below, depth);
      commas &= ~below;
      brackets &= brackets - 1;
      switch (block[bit]) {
        case '[': case '{':
          depth++;
          if (depth <= COFFER_SCAN_LEVELS) {
            coffer_scan_mark mark = BLOCK_MARK(scan, &masks, bit, 0);
            scan->levels[depth - 1] = (coffer_scan_level){mark, mark, block[bit] == '['};
          }
          break;
        case ']': case '}':
          if (depth == 0) {
            scan->is_suspect = 1;
            return;
          }
          if (depth == scan->watched && scan->end.offset == UINT64_MAX) {
            scan->end = BLOCK_MARK(scan, &masks, bit, scan->levels[depth - 1].latest.commas);
            // The position of the bracket, not the one after it.
            scan->end.offset--;
            scan->end.column--;
          }
          depth--;
          break;
      }
    }
    BLOCK_COMMAS(scan, &masks, commas, depth);
    scan->depth = depth;

    if (masks.newline) {
      uint64_t through = ~0ull >> __builtin_clzll(masks.newline);
      scan->line_start = scan->scalars + (uint64_t)__builtin_popcountll(through & ~masks.continuation);
      scan->lines += (uint64_t)__builtin_popcountll(masks.newline);
    }
    scan->scalars += COFFER_SCAN_BLOCK - (uint64_t)__builtin_popcountll(masks.continuation);
    scan->offset += COFFER_SCAN_BLOCK;
  }
}

#undef SCAN
#undef SCAN_TARGET
#undef CLASSIFY
#undef CHECK_UTF8
#undef BLOCK_MARK
#undef BLOCK_COMMAS
