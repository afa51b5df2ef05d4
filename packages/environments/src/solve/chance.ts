/** @file Dice that roll every way: runs a function of its dice once for each outcome, with the outcome's probability. */

import { Fault, type Rng } from '@ludus-agents/kernel/internal/core/index';

export interface ChanceOutcome<T> {
  readonly chance: number;
  readonly value: T;
}

/**
 * Every outcome of `run`, in the order of its rolls. `run` is called anew for each and must be a function of its dice alone; the caller
 * may stop early, since outcomes are made one at a time.
 */
export function* outcomes<T>(run: (dice: Rng) => T): Generator<ChanceOutcome<T>, void, undefined> {
  const rolls: Roll[] = [];
  do {
    const dice = new Enumerator(rolls);
    const value = run(dice);
    yield { chance: dice.chance, value };
  } while (advance(rolls));
}

/** One roll of a run: which face came up, and how likely each face is. */
interface Roll {
  face: number;
  readonly chances: readonly number[];
}

/** Counts on, last roll first; false when every face of every roll has been up. */
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

/** Rolls of one run. An environment that rolls until it likes what comes up would roll the same for ever. */
const mostRolls = 10_000;
/** Faces of one roll: a seed of 32 bits drawn from the dice is not a chance move. */
const mostFaces = 1_000_000;

/** Repeats the rolls it is given, then rolls the first possible face of each further one and writes it down. */
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
