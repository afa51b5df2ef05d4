/**
 * @file Pools to be split and their possible payoffs, all by enumeration: every legal pool, every split, the frontier, and the best sum and
 * product.
 */

/** The counts of three kinds of items, and the value of one of each to either side. */
export type Pool = {
  readonly counts: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
};

/** The payoffs of both sides from a split. */
export type Payoffs = readonly [number, number];

const knownEntries = new Map<string, readonly (readonly number[])[]>();

/** Returns all ways to keep some of each kind, from nothing to everything. Cached, because thousands of episodes share few pools. */
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

/** Returns both payoffs when the first side keeps `kept` and the second side the rest. */
export function payoffsOf({ counts, first, second }: Pool, retained: readonly number[]): Payoffs {
  let mine = 0;
  let theirs = 0;
  for (let i = 0; i < counts.length; i++) {
    mine += retained[i] * first[i];
    theirs += (counts[i] - retained[i]) * second[i];
  }
  return [mine, theirs];
}

/** Returns the Pareto frontier without duplicates, sorted by the first side's payoff. */
export function frontierOf(pool: Pool): readonly Payoffs[] {
  const all = splitsOf(pool.counts).map((retained) => payoffsOf(pool, retained));
  all.sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  const frontier: Payoffs[] = [];
  let best = -1;
  // From the first side's best downward, only splits that improve the second side's payoff are on the frontier.
  for (const payoffs of all) {
    if (payoffs[1] <= best) continue;
    best = payoffs[1];
    frontier.unshift(payoffs);
  }
  return frontier;
}

/** Returns the largest sum of both payoffs. */
export function bestSumOf(pool: Pool): number {
  return Math.max(...frontierOf(pool).map(([a, b]) => a + b));
}

/** Returns the largest product of both payoffs: Nash's bargaining solution if no agreement pays nothing. */
export function bestProductOf(pool: Pool): number {
  return Math.max(...frontierOf(pool).map(([a, b]) => a * b));
}

/** Measures an outcome for both sides: its sum, its distance from the frontier, and its share of the best sum and product. */
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
  // If nothing can be gained, nothing is lost.
  const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
  return { joint: a + b, jointShare: share(a + b, sum), paretoDistance: distance, nashShare: share(a * b, product) };
}

const worth = 10;

/** Returns all values for a pool with a total of ten. */
function valuesOf(counts: readonly number[]): readonly (readonly number[])[] {
  const [a, b, c] = counts as [number, number, number];
  const all: (readonly number[])[] = [];
  for (let x = 0; x * a <= worth; x++)
    for (let y = 0; x * a + y * b <= worth; y++) if ((worth - x * a - y * b) % c === 0) all.push([x, y, (worth - x * a - y * b) / c]);
  return all;
}

/**
 * Returns every legal pool: five to seven items of three kinds, worth ten to each side, with each kind wanted by at least one side and at
 * least one kind wanted by both.
 */
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
