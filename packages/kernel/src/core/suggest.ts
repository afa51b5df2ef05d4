/** @file Suggests the known word that is nearest to a mistyped one. */

/** The known word nearest to a typed one, if it is near: few slips for its length, or the same beginning. */
export function nearest(typed: string, knownNames: readonly string[]): string | null {
  const wanted = typed.toLowerCase();
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length * 0.4)) + 1;
  for (const word of knownNames) {
    const slips = distance(wanted, word.toLowerCase());
    if (slips < least) {
      least = slips;
      best = word;
    }
  }
  if (best !== null || wanted.length < 3) return best;
  return knownNames.find((word) => word.toLowerCase().startsWith(wanted.slice(0, 3)) || word.toLowerCase().includes(wanted)) ?? null;
}

/** ` Did you mean "kuhn-poker"?`, or an empty text. */
export function didYouMean(typed: unknown, knownNames: readonly string[]): string {
  const word = typeof typed === 'string' ? nearest(typed, knownNames) : null;
  return word === null ? '' : ` Did you mean "${word}"?`;
}

/** The number of inserted, dropped, changed, or swapped adjacent letters (optimal string alignment). */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(change, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
