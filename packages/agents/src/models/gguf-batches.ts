/**
 * @file Selects which tokens of waiting calls enter one pass of a model on a processor, and in which order.
 *
 * llama.cpp processes tokens of several sequences together only if the sequence numbers are consecutive: 0, 1, 2, 3, but not 3, 2, 1, 0 or
 * 0, 2, 4, 6, which it processes one by one. And its kernels take four rows at a time; each leftover row costs as much as a separate pass.
 * One token of TinyLlama in Q4_0 takes 48 ms of a core, four in order 110, four out of order 186, seven 245, and eight 220. So calls are
 * ordered by sequence, and generating calls are processed in consecutive groups of four if possible; the others wait for the next pass,
 * which starts at once.
 */

/** A call with tokens to process: one if it generates, many if it reads its prompt. */
export interface BatchItem {
  readonly tokens: readonly unknown[];
  /** Encodes the place of its sequence, see `priorityOf`. */
  readonly evaluationPriority: number;
}

export interface BatchShare<Item> {
  readonly item: Item;
  readonly processAmount: number;
}

const rows = 4;
/** Above every priority that the library assigns itself. */
const first = 1000;

/** The priority that encodes the place of a sequence, because the library passes nothing else about a call to its prioritizer. */
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
  // Prompts fill passes on their own.
  if (shares.some(({ processAmount }) => processAmount > 1)) return shares;
  const groups = Map.groupBy(shares, ({ item }) => Math.floor((item.evaluationPriority - first) / rows));
  const full = [...groups].filter(([group, members]) => group >= 0 && members.length === rows).flatMap(([, members]) => members);
  return full.length === 0 ? shares : full;
}

/** All items get an equal share; the remainder goes to the first ones. */
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
