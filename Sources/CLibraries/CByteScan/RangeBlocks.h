// The scan of a range, written once for all instruction sets. RangeScan.c includes it with
//
//   SCAN          the name of the function to define
//   SCAN_TARGET   the attribute that this function and its callees need
//   CLASSIFY      static inline void CLASSIFY(const uint8_t *block, block_masks *masks)
//   PROVE         static inline void PROVE(const uint8_t *block, proof_masks *masks)
//
// A range begins anywhere in a document: in a string or not, at any depth. Both hypotheses are scanned at once, because their
// masks are complements. A byte that can't be where a hypothesis says it is ends that hypothesis, mostly in the first block:
//
//   block        i d " , " k i n d " : " c a r " } , { …
//   quotes           1   1         1   1       1
//   if outside   . . 1 1 . . . . . 1 1 . . . . 1 . . . …       dead: i and d can't be outside a string
//   if inside    1 1 . . 1 1 1 1 1 . . 1 1 1 1 . . . . …

// The place after `count` bytes of the current block.
static inline SCAN_TARGET coffer_range_place BLOCK_PLACE(const coffer_range *range, const block_masks *masks, unsigned count) {
  uint64_t before = count == COFFER_SCAN_BLOCK ? ~0ull : (1ull << count) - 1;
  uint64_t newlines = masks->newline & before;
  uint64_t leading = before & ~masks->continuation;
  uint64_t scalars = range->end.scalars;
  if (newlines) {
    scalars = 0;
    leading &= ~(~0ull >> __builtin_clzll(newlines));
  }
  return (coffer_range_place){
      .bytes = range->end.bytes + count,
      .newlines = range->end.newlines + (uint64_t)__builtin_popcountll(newlines),
      .scalars = scalars + (uint64_t)__builtin_popcountll(leading),
  };
}

// Counts the commas of a run without brackets.
static inline SCAN_TARGET void BLOCK_COMMAS(
    const coffer_range *range, coffer_range_side *side, const block_masks *masks, uint64_t commas) {
  if (!commas || side->openers > COFFER_RANGE_LEVELS) return;
  coffer_range_commas *run =
      side->openers ? &side->levels[side->openers - 1].commas : &side->floors[side->closers % COFFER_RANGE_LEVELS].commas;
  if (run->count == 0) run->first = BLOCK_PLACE(range, masks, (unsigned)__builtin_ctzll(commas) + 1);
  run->last = BLOCK_PLACE(range, masks, COFFER_SCAN_BLOCK - (unsigned)__builtin_clzll(commas));
  run->count += (uint64_t)__builtin_popcountll(commas);
}

// Follows the brackets and commas of a block, for one hypothesis.
static inline SCAN_TARGET void BLOCK_SIDE(
    const coffer_range *range, coffer_range_side *side, const uint8_t *block, const block_masks *masks, uint64_t in_string) {
  uint64_t brackets = masks->bracket & ~in_string;
  uint64_t commas = masks->comma & ~in_string;
  while (brackets) {
    unsigned bit = (unsigned)__builtin_ctzll(brackets);
    uint64_t below = (1ull << bit) - 1;
    BLOCK_COMMAS(range, side, masks, commas & below);
    commas &= ~below;
    brackets &= brackets - 1;
    // Nothing else that resembles a bracket is allowed outside strings.
    if (block[bit] == '[' || block[bit] == '{') {
      if (side->openers++ < COFFER_RANGE_LEVELS) {
        coffer_range_level *level = &side->levels[side->openers - 1];
        level->inside = BLOCK_PLACE(range, masks, bit + 1);
        level->commas.count = 0;
        level->is_array = block[bit] == '[';
      }
    } else if (side->openers > 0) {
      side->openers--;
    } else {
      coffer_range_floor *floor = &side->floors[++side->closers % COFFER_RANGE_LEVELS];
      floor->closer = BLOCK_PLACE(range, masks, bit);
      floor->commas.count = 0;
    }
  }
  BLOCK_COMMAS(range, side, masks, commas);
}

SCAN_TARGET static void SCAN(coffer_range *range, const uint8_t *bytes, size_t count) {
  for (const uint8_t *block = bytes; count >= COFFER_SCAN_BLOCK; block += COFFER_SCAN_BLOCK, count -= COFFER_SCAN_BLOCK) {
    block_masks masks;
    CLASSIFY(block, &masks);

    // A side that is dead stays so. The other one is checked to its end, so that the result doesn't depend on where ranges begin.
    if (!range->outside.is_dead || !range->inside.is_dead) {
      proof_masks proofs;
      PROVE(block, &proofs);
      uint64_t escaped = escaped_bytes(masks.backslash, &range->is_escaped);
      uint64_t in_string = running_parity(masks.quote & ~escaped) ^ range->in_string;
      range->in_string = (uint64_t)((int64_t)in_string >> 63);
      if (!range->outside.is_dead) {
        range->outside.is_dead = ((proofs.foreign & ~in_string) | (proofs.control & in_string)) != 0;
        if (!range->outside.is_dead) BLOCK_SIDE(range, &range->outside, block, &masks, in_string);
      }
      if (!range->inside.is_dead) {
        range->inside.is_dead = ((proofs.foreign & in_string) | (proofs.control & ~in_string)) != 0;
        if (!range->inside.is_dead) BLOCK_SIDE(range, &range->inside, block, &masks, ~in_string);
      }
    }

    range->end = BLOCK_PLACE(range, &masks, COFFER_SCAN_BLOCK);
  }
}

#undef SCAN
#undef SCAN_TARGET
#undef CLASSIFY
#undef PROVE
#undef BLOCK_PLACE
#undef BLOCK_COMMAS
#undef BLOCK_SIDE
