/**
 * @file Which tokens of waiting calls go into one pass of a model on a processor. Its kernels take four rows at a time, and each row that is left
 * over costs as much as a pass of its own: of TinyLlama in Q4_0 seven tokens take 245 ms of a core, and eight take 220. So a pass has a multiple
 * of four rows wherever there are four, and those who came last wait for the next one, which begins at once.
 */

/** A call that waits with tokens to be read: one where it writes, many where it reads its prompt. */
export interface BatchItem {
  readonly tokens: readonly unknown[];
}

export interface BatchShare<Item> {
  readonly item: Item;
  readonly processAmount: number;
}

const rows = 4;

export function inFours<Item extends BatchItem>({
  items,
  size,
}: {
  readonly items: readonly Item[];
  readonly size: number;
}): readonly BatchShare<Item>[] {
  const shares = fairShares(items, size);
  const all = shares.reduce((sum, { processAmount }) => sum + processAmount, 0);
  const over = all < rows ? 0 : all % rows;
  // Only calls that write can wait without another pass of their own: they are joined by the others at their next token.
  const late = shares.filter(({ processAmount }) => processAmount === 1).slice(-over || shares.length);
  return over === 0 || late.length < over ? shares : shares.filter((share) => !late.includes(share));
}

/** Everybody gets as much as everybody can have; what is left goes to those who came first. */
function fairShares<Item extends BatchItem>(items: readonly Item[], size: number): readonly BatchShare<Item>[] {
  const least = Math.max(1, Math.floor(size / items.length));
  let left = size;
  const first = items.map((item) => {
    const amount = Math.min(item.tokens.length, least, left);
    left -= amount;
    return { item, amount };
  });
  return first
    .map(({ item, amount }) => {
      const more = Math.min(item.tokens.length - amount, left);
      left -= more;
      return { item, processAmount: amount + more };
    })
    .filter(({ processAmount }) => processAmount > 0);
}
