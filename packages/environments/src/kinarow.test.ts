import { type AnyEnvironment, type Json, rng, type Step } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../test/fixtures/amount.ts';
import { connectFour, kinarow, ticTacToe } from './kinarow.ts';

type Board = { readonly cells: string };

const none = rng(0);
const opening = (environment: AnyEnvironment, task: Json = {}): Step => environment.start(environment.task(task), none);
const key = (step: Step) => (step.state as Board).cells;
const over = (step: Step) => step.asks.length === 0;
const payOf = (step: Step) => step.rewards?.['X'] as number;

/** All steps that may follow, by the moves that are listed. */
function next(environment: AnyEnvironment, step: Step): readonly Step[] {
  const [ask] = step.asks;
  if (ask === undefined) return [];
  return (ask.choices as readonly string[]).map((text) => environment.step(step.state, { [ask.seat]: { text } }, none));
}

/** Something about a position worked out from the positions after it, each position once. */
function folded<T>(
  environment: AnyEnvironment,
  fold: (step: Step, after: readonly T[]) => T,
): { at: (step: Step) => T; known: Map<string, T> } {
  const knownEntries = new Map<string, T>();
  const at = (step: Step): T => {
    const found = knownEntries.get(key(step));
    if (found !== undefined) return found;
    const value = fold(
      step,
      next(environment, step).map((after) => at(after)),
    );
    knownEntries.set(key(step), value);
    return value;
  };
  return { at, known: knownEntries };
}

// Exact fractions, so that proofs don't depend on rounding.

type Fraction = readonly [above: bigint, below: bigint];
/** Probabilities that X wins, that O wins, and of a draw. */
type Odds = readonly [Fraction, Fraction, Fraction];

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
const reduced = ([a, b]: Fraction): Fraction => {
  const common = gcd(a, b);
  return [a / common, b / common];
};
const sum = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduced([a * d + c * b, b * d]);
const zero: Fraction = [0n, 1n];
const fraction: Fraction = [1n, 1n];

function endOdds(step: Step): Odds {
  const pay = payOf(step);
  return [pay > 0 ? fraction : zero, pay < 0 ? fraction : zero, pay === 0 ? fraction : zero];
}

const mean = (odds: readonly Odds[]): Odds =>
  [0, 1, 2].map((i) => {
    const [above, below] = odds.reduce((total, each) => sum(total, each[i]!), zero);
    return reduced([above, below * BigInt(odds.length)]);
  }) as unknown as Odds;

/** The odds when one side plays any of its best moves and the other any move at all. */
function oddsOf(best: 'X' | 'O'): Odds {
  const values = folded<number>(ticTacToe, (step, after) => {
    if (over(step)) return payOf(step);
    return step.asks[0]?.seat === 'X' ? Math.max(...after) : Math.min(...after);
  });
  values.at(opening(ticTacToe));
  const walk = folded<Odds>(ticTacToe, (step, after) => {
    if (over(step)) return endOdds(step);
    if (step.asks[0]?.seat !== best) return mean(after);
    const worth = values.known.get(key(step));
    const steps = next(ticTacToe, step);
    return mean(after.filter((_, i) => values.known.get(key(steps[i]!)) === worth));
  });
  return walk.at(opening(ticTacToe));
}

describe('tic-tac-toe, solved exactly', () => {
  it('has 5,478 positions, 958 of them terminal, and is a draw with perfect play', () => {
    let ends = 0;
    const best = folded<number>(ticTacToe, (step, after) => {
      if (over(step)) {
        ends++;
        return payOf(step);
      }
      return step.asks[0]?.seat === 'X' ? Math.max(...after) : Math.min(...after);
    });
    expect(best.at(opening(ticTacToe))).toBe(0);
    expect(best.known.size).toBe(5478);
    expect(ends).toBe(958);
  });

  it('has 255,168 games: X wins 131,184, O wins 77,904, and 46,080 are draws', () => {
    const games = folded<readonly number[]>(ticTacToe, (step, after) => {
      if (over(step)) return [payOf(step) > 0 ? 1 : 0, payOf(step) < 0 ? 1 : 0, payOf(step) === 0 ? 1 : 0];
      return [0, 1, 2].map((i) => after.reduce((total, each) => total + each[i]!, 0));
    });
    expect(games.at(opening(ticTacToe))).toEqual([131_184, 77_904, 46_080]);
  });

  it('ends with random play in 737/1260 wins for X, 121/420 for O, and 8/63 draws', () => {
    const odds = folded<Odds>(ticTacToe, (step, after) => (over(step) ? endOdds(step) : mean(after)));
    expect(odds.at(opening(ticTacToe))).toEqual([
      [737n, 1260n],
      [121n, 420n],
      [8n, 63n],
    ]);
  });

  it('lets perfect play win 75,257/77,760 as X and 2,645/3,402 as O against chance, and never lose', () => {
    const [winsX, lossesX] = oddsOf('X');
    expect([winsX, lossesX]).toEqual([[75_257n, 77_760n], zero]);
    const [lossesO, winsO] = oddsOf('O');
    expect([winsO, lossesO]).toEqual([[2645n, 3402n], zero]);
  });
});

describe('connect-four, solved exactly', () => {
  it('has 1, 7, 49, 238, 1120, 4263, 16422 and 54859 positions after 0 to 7 moves', () => {
    const most = amount(6, 7);
    let ply = [opening(connectFour)];
    const counts = [1];
    for (let moves = 1; moves <= most; moves++) {
      ply = [...new Map(ply.flatMap((step) => next(connectFour, step)).map((step) => [key(step), step])).values()];
      counts.push(ply.length);
    }
    expect(counts).toEqual([1, 7, 49, 238, 1120, 4263, 16_422, 54_859].slice(0, most + 1));
  });
});

describe('kinarow', () => {
  const bestFirst = (task: Json) => {
    const knownEntries = new Map<string, number>();
    const value = (step: Step): number => {
      if (over(step)) return payOf(step);
      const found = knownEntries.get(key(step));
      if (found !== undefined) return found;
      const sign = step.asks[0]?.seat === 'X' ? 1 : -1;
      let best = -1;
      for (const after of next(kinarow, step)) {
        best = Math.max(best, sign * value(after));
        if (best === 1) break;
      }
      knownEntries.set(key(step), sign * best);
      return sign * best;
    };
    return value(opening(kinarow, task));
  };

  it.each([
    [{ columns: 4, rows: 4, k: 3, gravity: true }, 1],
    [{ columns: 3, rows: 3, k: 3, gravity: false }, 0],
    [{ columns: 4, rows: 4, k: 4, gravity: true }, 0],
    [{ columns: 3, rows: 3, k: 2, gravity: false }, 1],
    [{ columns: 2, rows: 1, k: 2, gravity: false }, 0],
  ])('%j is worth %i to X with perfect play', (task, value) => {
    expect(bestFirst(task)).toBe(value);
  });

  it('detects lines correctly on random boards of every shape', () => {
    let wins = 0;
    for (let seed = 0; seed < 300; seed++) {
      const dice = rng(seed, 'boards');
      const task = { columns: 1 + dice.int(7), rows: 1 + dice.int(7), k: 2 + dice.int(4), gravity: dice.int(2) === 0 };
      let step = opening(kinarow, task);
      while (!over(step)) {
        step = dice.pick(next(kinarow, step));
        const winner = lineOf(key(step), task);
        const full = !key(step).includes('.');
        expect(over(step)).toBe(winner !== null || full);
        if (over(step)) expect(payOf(step)).toBe(winner === null ? 0 : winner === 'X' ? 1 : -1);
        if (winner !== null) wins++;
      }
    }
    expect(wins).toBeGreaterThan(100);
  });

  it('drops marks with gravity and offers only columns with space', () => {
    let step = opening(kinarow, { columns: 2, rows: 2, k: 2, gravity: true });
    step = kinarow.step(step.state as never, { X: { text: '[0]' } }, none);
    expect(key(step)).toBe('..X.');
    step = kinarow.step(step.state as never, { O: { text: '[0]' } }, none);
    expect(key(step)).toBe('O.X.');
    expect(step.asks).toEqual([{ seat: 'X', choices: ['[1]'] }]);
  });
});

/** Returns the mark with k in a row anywhere on the board, by brute force. */
function lineOf(cells: string, { columns, rows, k }: { columns: number; rows: number; k: number }): string | null {
  const at = (x: number, y: number) => (x >= 0 && x < columns && y >= 0 && y < rows ? cells[y * columns + x] : undefined);
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++)
      for (const [dx, dy] of [
        [1, 0],
        [0, 1],
        [1, 1],
        [1, -1],
      ] as const) {
        const line = Array.from({ length: k }, (_, i) => at(x + i * dx, y + i * dy));
        if (line[0] !== '.' && line.every((mark) => mark === line[0])) return line[0]!;
      }
  return null;
}
