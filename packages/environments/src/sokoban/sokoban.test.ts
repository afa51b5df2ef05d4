import { type EndEvent, type Json, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { isHeldOut } from '../grid.ts';
import { drawLevel, levels } from './generate.ts';
import { movePlayer, sokoban } from './sokoban.ts';
import { solveSokoban } from './solve.ts';

function mapOf(level: string) {
  const rows = level.split('/');
  const columns = Math.max(...rows.map((row) => row.length));
  return { cells: rows.map((row) => row.padEnd(columns, '#')).join(''), columns, rows: rows.length };
}
const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) });
const solver = sokoban.scripts?.['solver'] as Script;

function walked(level: string, path: string): string {
  const { cells, columns } = mapOf(level);
  return [...path.toLowerCase()].reduce((now, letter) => movePlayer(now, columns, 'ldru'.indexOf(letter)), cells);
}

describe('sokoban levels', () => {
  // Moves with pushes, pushes with moves, and a known way.
  it.each([
    ['push', [1, 1], [1, 1], 'R'],
    ['turn', [3, 1], [1, 3], 'urD'],
    ['pair', [4, 2], [2, 4], 'DurD'],
    ['three', [9, 3], [3, 9], 'rruLullDD'],
    ['long', [50, 10], [8, 54], 'lluRdrrddlllUdrrruullulldRRlddrrruuuLLdRurDlllluRR'],
  ] as const)('%s needs the tabulated number of moves and pushes', (name, [moves, pushes], [fewest, longer], known) => {
    const map = mapOf(levels[name]);
    const byMoves = solveSokoban(map).solution;
    expect(byMoves).toMatchObject({ moves, pushes });
    expect(solveSokoban(map, { fewest: 'pushes' }).solution).toMatchObject({ pushes: fewest, moves: longer });
    for (const path of [known, byMoves?.path as string]) {
      expect(path).toHaveLength(moves);
      expect(walked(levels[name], path)).not.toContain('$');
    }
  });

  it('with a box in a corner are proven unsolvable in five states', () => {
    const map = mapOf('#####/#$@.#/#   #/#####');
    expect(solveSokoban(map, { prune: false })).toEqual({ solution: null, states: 5, complete: true });
    expect(solveSokoban(map)).toMatchObject({ solution: null, complete: true });
  });

  it('generated backward are solvable by the reversed path, and not solved at the start', () => {
    for (let seed = 0; seed < 300; seed++) {
      const level = drawLevel({ size: 5 + (seed % 4), boxes: 1 + (seed % 3), walls: 0.1, back: 40 }, rng(seed));
      if (level === null) continue;
      expect(level.cells).toContain('$');
      let cells = level.cells;
      for (const letter of level.way) cells = movePlayer(cells, level.columns, 'ldru'.indexOf(letter));
      expect(cells).not.toContain('$');
      if (seed < 40) expect(solveSokoban(level).solution?.moves).toBeLessThanOrEqual(level.way.length);
    }
  });

  it('have the same solution with and without dead-cell pruning', () => {
    for (let seed = 0; seed < 30; seed++) {
      const level = drawLevel({ size: 6, boxes: 2, walls: 0.1, back: 40 }, rng(seed));
      if (level === null) continue;
      const [pruned, whole] = [solveSokoban(level), solveSokoban(level, { prune: false })];
      expect(pruned.solution?.moves).toBe(whole.solution?.moves);
      expect(pruned.states).toBeLessThanOrEqual(whole.states);
    }
  });
});

describe('sokoban play', () => {
  const returns = async (script: Script, seeds: number, task: Json) => {
    const logs = await rollout(
      sokoban,
      { pusher: scriptedPolicy('one', script) },
      { seeds: Array.from({ length: seeds }, (_, i) => i), task },
    );
    return logs.map((log) => (log.at(-1) as EndEvent).returns['pusher']!);
  };

  it('pays 10 for the level, 1 per box, and −0.1 per move', async () => {
    expect(await returns(solver, 1, { level: 'push' })).toEqual([10 + 1 - 0.1]);
    expect((await returns(solver, 1, { level: 'long' }))[0]).toBeCloseTo(10 + 2 - 5, 9);
  });

  it('is always solved by the solver, and rarely by random play', async () => {
    const solved = (all: readonly number[]) => all.filter((value) => value > 0).length;
    expect(solved(await returns(solver, 30, {}))).toBe(30);
    expect(solved(await returns(random, 30, {}))).toBeLessThan(15);
  });

  it('keeps held-out levels separate from training levels', () => {
    for (let seed = 0; seed < 30; seed++)
      for (const split of ['train', 'held-out']) {
        const { state } = sokoban.start(sokoban.task({ split }), rng(seed));
        expect(isHeldOut((state as { cells: string }).cells)).toBe(split === 'held-out');
      }
  });

  it.each(['####', '#@.#', '#@$#', '#@*#', '@@$.', '#@$x'])('rejects the level %s', (layout) => {
    expect(() => sokoban.task({ layout })).toThrow(/sokoban: a (?:level|map)/);
  });
});
