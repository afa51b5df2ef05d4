/**
 * @file Computes the exact probability of winning a debate. Hands are independent and uniform over the strengths 1 to 5, and the judge
 * decides by a logistic curve over the difference of the argued totals.
 */

/** Maximum strength of an argument; the minimum is 1. */
export const strongest = 5;

/** Returns the probability that the judge decides for the side that leads by `lead`. */
export function chanceBy(lead: number, noise: number): number {
  if (noise === 0) return lead > 0 ? 1 : lead < 0 ? 0 : 0.5;
  return 1 / (1 + Math.exp(-lead / noise));
}

/** Possible totals with their probabilities. */
export type TotalOdds = readonly (readonly [total: number, chance: number])[];

const retained = new Map<string, TotalOdds>();

/** Returns the totals of the best `rounds` of `cards` arguments if the strongest are argued first and `seen` was argued so far. */
export function totalsAfter(
  observations: readonly number[],
  { rounds, cards }: { readonly rounds: number; readonly cards: number },
): TotalOdds {
  const key = `${rounds} ${cards} ${observations.join(' ')}`;
  let odds = retained.get(key);
  if (odds === undefined) {
    const isFalling = observations.every((strength, i) => i === 0 || strength <= observations[i - 1]);
    // If the strongest are not argued first, nothing is known about the rest.
    odds = isFalling
      ? tops(cards, rounds, observations)
      : shiftOdds(tops(cards - observations.length, rounds - observations.length, []), sum(observations));
    if (retained.size > 10_000) retained.clear();
    retained.set(key, odds);
  }
  return odds;
}

/** Returns the probability of winning with a known total against the possible totals of the other side. */
export function winChance(ownTotal: number, others: TotalOdds, noise: number): number {
  let chance = 0;
  for (const [total, p] of others) chance += p * chanceBy(ownTotal - total, noise);
  return chance;
}

export function sum(strengths: readonly number[]): number {
  return strengths.reduce((total, value) => total + value, 0);
}

/** Returns the totals of the best `rounds`, over all hands whose strongest arguments are `seen`. */
function tops(cards: number, rounds: number, observations: readonly number[]): TotalOdds {
  const weights = new Map<number, number>();
  let all = 0;
  for (const { hand, weight } of hands(cards, strongest)) {
    if (observations.some((strength, i) => hand[i] !== strength)) continue;
    const total = sum(hand.slice(0, rounds));
    weights.set(total, (weights.get(total) ?? 0) + weight);
    all += weight;
  }
  return [...weights].map(([total, weight]) => [total, weight / all] as const);
}

function shiftOdds(odds: TotalOdds, by: number): TotalOdds {
  return odds.map(([total, chance]) => [total + by, chance] as const);
}

interface WeightedHand {
  /** Strongest first. */
  readonly hand: readonly number[];
  /** The number of orders in which it can be dealt, divided by the factorial of its size. */
  readonly weight: number;
}

/** Yields every hand of a size with strengths up to `most`. */
export function* hands(cards: number, most: number): Iterable<WeightedHand> {
  if (cards === 0 || most === 0) {
    if (cards === 0) yield { hand: [], weight: 1 };
    return;
  }
  let orders = 1;
  for (let copies = 0; copies <= cards; copies++) {
    if (copies > 0) orders /= copies;
    for (const { hand, weight } of hands(cards - copies, most - 1))
      yield { hand: [...Array.from({ length: copies }, () => most), ...hand], weight: weight * orders };
  }
}
