/**
 * @file Which tokens of waiting calls go into one pass of a model on a processor, and in which order.
 *
 * llama.cpp reads tokens of several sequences together only where the sequences follow one another: 0, 1, 2, 3, and not 3, 2, 1, 0 or 0, 2, 4, 6,
 * which it reads one by one. And its kernels take four rows at a time; each row that is left over costs as much as its own pass. One token
 * of TinyLlama in Q4_0 takes 48 ms of a core, four in order 110, four out of order 186, seven 245 and eight 220. So calls are ordered by their
 * sequences, and those that write go in neighboring fours wherever four are there; the others wait for the next pass, which begins at once.
 */

/** A call that waits with tokens to be read: one where it writes, many where it reads its prompt. */
export interface BatchItem {
  readonly tokens: readonly unknown[];
  /** Ours is the place of its sequence, see `priorityOf`. */
  readonly evaluationPriority: number;
}

export interface BatchShare<Item> {
  readonly item: Item;
  readonly processAmount: number;
}

const rows = 4;
/** Above every priority that the library gives by itself. */
const first = 1000;

/** The priority that tells the place of a sequence: the library hands nothing else of a call to anyone who orders them. */
export function priorityOf(place: number): number {
  return first + place;
}

export function inFours<Item extends BatchItem>({
  items,
  size,
}: {
  readonly items: readonly Item[];
  readonly size: number;
}): readonly BatchShare<Item>[] {
  const shares = fairShares(
    items.toSorted((a, b) => a.evaluationPriority - b.evaluationPriority),
    size,
  );
  // Prompts fill passes by themselves.
  if (shares.some(({ processAmount }) => processAmount > 1)) return shares;
  const groups = Map.groupBy(shares, ({ item }) => Math.floor((item.evaluationPriority - first) / rows));
  const full = [...groups].filter(([group, members]) => group >= 0 && members.length === rows).flatMap(([, members]) => members);
  return full.length === 0 ? shares : full;
}

/** All get an equal share; the rest goes to the first ones. */
function fairShares<Item extends BatchItem>(items: readonly Item[], size: number): readonly BatchShare<Item>[] {
  const least = Math.max(1, Math.floor(size / items.length));
  let left = size;
  const begun = items.map((item) => {
    const amount = Math.min(item.tokens.length, least, left);
    left -= amount;
    return { item, amount };
  });
  return begun
    .map(({ item, amount }) => {
      const more = Math.min(item.tokens.length - amount, left);
      left -= more;
      return { item, processAmount: amount + more };
    })
    .filter(({ processAmount }) => processAmount > 0);
}
