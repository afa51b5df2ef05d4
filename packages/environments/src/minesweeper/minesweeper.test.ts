import { type EndEvent, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { isHeldOut } from '../grid.ts';
import { ExactField, mineSets } from './exact.ts';
import { minesweeper } from './minesweeper.ts';
import { mineRisks } from './risk.ts';

const script = (name: string) => minesweeper.scripts?.[name] as Script;
const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) });

function layoutOf(set: number, columns: number, rows: number): string {
  const cells = Array.from({ length: columns * rows }, (_, cell) => ((set >> cell) & 1 ? '*' : '.')).join('');
  return Array.from({ length: rows }, (_, row) => cells.slice(row * columns, (row + 1) * columns)).join('/');
}

/** How many of all mine sets a script wins when its first cell may be a mine. */
async function won(name: string, columns: number, rows: number, mines: number): Promise<number> {
  let wins = 0;
  for (const set of mineSets(columns * rows, mines)) {
    const [log] = await rollout(
      minesweeper,
      { sweeper: scriptedPolicy(name, script(name)) },
      { seeds: [0], task: { layout: layoutOf(set, columns, rows) } },
    );
    wins += (log?.at(-1) as EndEvent | undefined)?.returns['sweeper'] as number;
  }
  return wins;
}

describe('exact value of minesweeper', () => {
  // Columns, rows, mines; the chance when the first cell may be a mine, and when it is safe.
  it.each([
    [2, 2, 1, 1 / 4, 1 / 3],
    [2, 2, 2, 1 / 6, 1 / 3],
    [3, 2, 1, 1 / 2, 3 / 5],
    [3, 2, 2, 1 / 3, 1 / 2],
    [3, 2, 3, 1 / 5, 2 / 5],
    [3, 3, 1, 8 / 9, 1],
    [3, 3, 2, 2 / 3, 6 / 7],
    [3, 3, 3, 11 / 28, 33 / 56],
    [3, 3, 4, 3 / 14, 27 / 70],
    [4, 3, 1, 11 / 12, 1],
    [4, 3, 2, 26 / 33, 52 / 55],
    [4, 3, 3, 31 / 55, 124 / 165],
    [4, 4, 1, 15 / 16, 1],
    [4, 4, 2, 17 / 20, 34 / 35],
    [4, 4, 3, 5 / 7, 80 / 91],
  ])('on %d×%d with %d mines', (columns, rows, mines, unsafe, safe) => {
    const field = new ExactField({ columns, rows, mines });
    const [worth] = field.solve();
    expect(worth / field.sets.length).toBeCloseTo(unsafe, 12);
    // Every first cell is safe in (N − m) of N cases, and the rest is the same game.
    const cells = columns * rows;
    expect((worth / field.sets.length) * (cells / (cells - mines))).toBeCloseTo(safe, 12);
  });

  it('is reached by the exact script over all mine sets but not by the careful one', async () => {
    expect(await won('exact', 3, 3, 2)).toBe((2 / 3) * 36);
    expect(await won('exact', 3, 3, 3)).toBe((11 / 28) * 84);
    expect(await won('careful', 3, 3, 1)).toBe(8);
    expect(await won('careful', 3, 3, 2)).toBe(23);
    expect(await won('careful', 3, 3, 3)).toBe((5 / 14) * 84);
    expect(await won('careful', 4, 4, 2)).toBe(101);
  });
});

describe('minesweeper risks', () => {
  it('are the shares of mine sets consistent with the visible cells', () => {
    for (const [shown, columns, mines] of [
      ['1########', 3, 2],
      ['#1##2####', 3, 2],
      ['1#####1#########', 4, 3],
    ] as const) {
      const rows = shown.length / columns;
      const risks = mineRisks(shown, columns, mines);
      const agree = mineSets(shown.length, mines).filter((set) =>
        [...shown].every((mark, cell) => {
          if (mark === '#') return true;
          const near = [...shown].filter((_, other) => {
            const apart = Math.max(
              Math.abs((cell % columns) - (other % columns)),
              Math.abs(Math.floor(cell / columns) - Math.floor(other / columns)),
            );
            return apart === 1 && (set >> other) & 1;
          });
          return !((set >> cell) & 1) && near.length === Number(mark);
        }),
      );
      expect(rows * columns).toBe(shown.length);
      for (let cell = 0; cell < shown.length; cell++)
        if (shown[cell] === '#') expect(risks[cell]).toBeCloseTo(agree.filter((set) => (set >> cell) & 1).length / agree.length, 12);
    }
  });
});

describe('minesweeper play', () => {
  it('is far better by the scripts than by chance', async () => {
    const seeds = Array.from({ length: 60 }, (_, i) => i);
    const mean = async (name: string, play: Script, task: { [parameter: string]: number }) => {
      const logs = await rollout(minesweeper, { sweeper: scriptedPolicy(name, play) }, { seeds, task });
      return logs.reduce((sum, log) => sum + (log.at(-1) as EndEvent).returns['sweeper']!, 0) / seeds.length;
    };
    expect(await mean('random', random, { columns: 4, rows: 4, mines: 3 })).toBeLessThan(0.3);
    const count = await mean('exact', script('exact'), { columns: 4, rows: 4, mines: 3 });
    expect(Math.abs(count - 80 / 91)).toBeLessThan(4 * Math.sqrt(((80 / 91) * (11 / 91)) / seeds.length));
    expect(await mean('careful', script('careful'), { columns: 9, rows: 9, mines: 10 })).toBeGreaterThan(0.8);
  });

  it('looks the same for two fields until an open cell differs', () => {
    const [item, two] = ['*..../...../...../...../....*', '.*.../...../...../...../*....'].map((layout) => {
      const start = minesweeper.start(minesweeper.task({ layout }), rng(1));
      return [start.messages, start.asks, minesweeper.step(start.state, { sweeper: { text: '[flag 2 2]' } }, rng(1)).messages];
    });
    expect(item).toEqual(two);
  });

  it('never starts on a mine if the first cell is safe, and keeps the splits apart', () => {
    for (let seed = 0; seed < 60; seed++)
      for (const split of ['train', 'held-out']) {
        const { state } = minesweeper.start(minesweeper.task({ columns: 3, rows: 3, mines: 8, split }), rng(seed));
        expect(isHeldOut((state as { order: readonly number[] }).order.join(' '))).toBe(split === 'held-out');
        for (let cell = 0; cell < 9; cell++) {
          const text = `[reveal ${Math.floor(cell / 3)} ${cell % 3}]`;
          expect(minesweeper.step(state, { sweeper: { text } }, rng(seed)).rewards).toEqual({ sweeper: 1 });
        }
      }
  });

  it.each([{ layout: '**/**' }, { layout: '*./.' }, { layout: '*x' }, { columns: 2, rows: 2, mines: 4 }])('rejects %j', (task) => {
    expect(() => minesweeper.task(task)).toThrow(/minesweeper: /);
  });
});
