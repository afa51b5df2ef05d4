/** @file Pools to be split and what can be got from them, all by enumeration: every legal pool, every split, the frontier, the best sum and product. */

/** How many there are of each of three kinds of item, and what one of each is worth to either side. */
export type Pool = {
  readonly counts: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
};

/** What both sides get from a split. */
export type Payoffs = readonly [number, number];

const knownEntries = new Map<string, readonly (readonly number[])[]>();

/** All ways to keep some of each kind, from nothing to everything; kept, because thousands of episodes share few pools. */
export function splitsOf(counts: readonly number[]): readonly (readonly number[])[] {
  const key = counts.join();
  let splits = knownEntries.get(key);
  if (splits === undefined) {
    splits = [[]];
    for (const count of counts) splits = splits.flatMap((retained) => Array.from({ length: count + 1 }, (_, i) => [...retained, i]));
    knownEntries.set(key, splits);
  }
  return splits;
}

/** What both sides get when the first side keeps `kept` and the second side the rest. */
export function payoffsOf({ counts, first, second }: Pool, retained: readonly number[]): Payoffs {
  let mine = 0;
  let theirs = 0;
  for (let i = 0; i < counts.length; i++) {
    mine += retained[i] * first[i];
    theirs += (counts[i] - retained[i]) * second[i];
  }
  return [mine, theirs];
}

/** The payoffs that no split betters for one side without loss to the other, each once, by the first side's share. */
export function frontierOf(pool: Pool): readonly Payoffs[] {
  const all = splitsOf(pool.counts).map((retained) => payoffsOf(pool, retained));
  all.sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  const frontier: Payoffs[] = [];
  let best = -1;
  // From the first side's best downwards, only what gives the second side more than before is worth having.
  for (const payoffs of all) {
    if (payoffs[1] <= best) continue;
    best = payoffs[1];
    frontier.unshift(payoffs);
  }
  return frontier;
}

/** The largest sum of both payoffs that any split gives. */
export function bestSumOf(pool: Pool): number {
  return Math.max(...frontierOf(pool).map(([a, b]) => a + b));
}

/** The largest product of both payoffs: Nash's bargaining solution when no agreement pays nothing. */
export function bestProductOf(pool: Pool): number {
  return Math.max(...frontierOf(pool).map(([a, b]) => a * b));
}

/** How good an outcome was for both: its sum, its distance from the frontier, and its share of the best sum and product. */
export function outcomeOf(pool: Pool, [a, b]: Payoffs) {
  const frontier = frontierOf(pool);
  let sum = 0;
  let product = 0;
  let distance = Number.POSITIVE_INFINITY;
  for (const [x, y] of frontier) {
    sum = Math.max(sum, x + y);
    product = Math.max(product, x * y);
    distance = Math.min(distance, Math.hypot(x - a, y - b));
  }
  // Where nothing can be got, nothing is missed.
  const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
  return { joint: a + b, jointShare: share(a + b, sum), paretoDistance: distance, nashShare: share(a * b, product) };
}

const worth = 10;

/** All values of a pool that add up to ten. */
function valuesOf(counts: readonly number[]): readonly (readonly number[])[] {
  const [a, b, c] = counts as [number, number, number];
  const all: (readonly number[])[] = [];
  for (let x = 0; x * a <= worth; x++)
    for (let y = 0; x * a + y * b <= worth; y++) if ((worth - x * a - y * b) % c === 0) all.push([x, y, (worth - x * a - y * b) / c]);
  return all;
}

/** Every legal pool: five to seven items of three kinds, worth ten to each side, each kind wanted by someone and some kind by both. */
export function pools(): readonly Pool[] {
  newPools ??= makePools();
  return newPools;
}

let newPools: readonly Pool[] | undefined;

function makePools(): readonly Pool[] {
  const all: Pool[] = [];
  for (let a = 1; a <= 5; a++)
    for (let b = 1; b <= 5; b++)
      for (let c = 1; c <= 5; c++) {
        if (a + b + c < 5 || a + b + c > 7) continue;
        const counts = [a, b, c];
        const values = valuesOf(counts);
        for (const first of values)
          for (const second of values) {
            const everyWanted = first.every((value, i) => value + second[i] > 0);
            const someShared = first.some((value, i) => value * second[i] > 0);
            if (everyWanted && someShared) all.push({ counts, first, second });
          }
      }
  return all;
}
