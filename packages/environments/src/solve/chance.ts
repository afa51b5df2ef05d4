/** @file Enumerates dice: runs a function of its dice once for each outcome, with the outcome's probability. */

import { Fault, type Rng } from '@ludus-agents/kernel/internal/core/index';

export interface ChanceOutcome<T> {
  readonly chance: number;
  readonly value: T;
}

/**
 * Yields every outcome of `run`, in the order of its rolls. `run` is called again for each outcome and must be a function of its dice
 * alone. Outcomes are computed lazily, so the caller may stop early.
 */
export function* outcomes<T>(run: (dice: Rng) => T): Generator<ChanceOutcome<T>, void, undefined> {
  const rolls: Roll[] = [];
  do {
    const dice = new Enumerator(rolls);
    const value = run(dice);
    yield { chance: dice.chance, value };
  } while (advance(rolls));
}

/** One roll of a run: the face that came up, and the probability of each face. */
interface Roll {
  face: number;
  readonly chances: readonly number[];
}

/** Advances to the next combination, last roll first. Returns false once every face of every roll was used. */
function advance(rolls: Roll[]): boolean {
  for (let last = rolls.pop(); last !== undefined; last = rolls.pop()) {
    let face = last.face + 1;
    while (last.chances[face] === 0) face++;
    if (face < last.chances.length) {
      rolls.push({ face, chances: last.chances });
      return true;
    }
  }
  return false;
}

/** Maximum rolls in one run. An environment that rerolls until it gets a certain face would loop forever. */
const mostRolls = 10_000;
/** Maximum faces of one roll. A 32-bit seed drawn from the dice is not a chance move. */
const mostFaces = 1_000_000;

/** Replays the given rolls, then takes and records the first possible face of each further roll. */
class Enumerator implements Rng {
  readonly #rolls: Roll[];
  #made = 0;
  chance = 1;

  constructor(rolls: Roll[]) {
    this.#rolls = rolls;
  }

  #roll(chances: () => readonly number[]): number {
    if (this.#made >= mostRolls)
      throw new Fault('environment', `One step makes more than ${mostRolls} random draws, so its outcomes cannot be listed.`, {
        code: 'E_TOO_LARGE',
      });
    let roll = this.#rolls[this.#made];
    if (roll === undefined) {
      const fresh = chances();
      roll = { face: fresh.findIndex((chance) => chance > 0), chances: fresh };
      this.#rolls.push(roll);
    }
    this.#made++;
    this.chance *= roll.chances[roll.face];
    return roll.face;
  }

  next(): number {
    throw new Fault(
      'environment',
      'Exact solving lists every random outcome, and next() has too many. Draw with int, pick, shuffle, or weighted.',
      { code: 'E_TOO_LARGE' },
    );
  }

  int(n: number): number {
    if (n > mostFaces)
      throw new Fault('environment', `One random draw has ${n} outcomes, more than ${mostFaces}, so its outcomes cannot be listed.`, {
        code: 'E_TOO_LARGE',
      });
    return this.#roll(() => new Array<number>(n).fill(1 / n));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)];
  }

  shuffle<T>(items: readonly T[]): T[] {
    const left = items.slice();
    const out: T[] = [];
    while (left.length > 1) out.push(...left.splice(this.int(left.length), 1));
    return out.concat(left);
  }

  weighted(weights: readonly number[]): number {
    return this.#roll(() => {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      return weights.map((weight) => weight / total);
    });
  }
}
