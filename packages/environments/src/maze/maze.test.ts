import { type EndEvent, type Json, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { distancesTo, type GridMap, isHeldOut, neighbour } from '../grid.ts';
import { solve } from '../solve/index.ts';
import { drawMaze, maze, mazes } from './maze.ts';

const mapOf = (layout: string): GridMap => {
  const rows = layout.split('/');
  return { cells: rows.join(''), columns: rows[0]?.length as number, rows: rows.length };
};
const free = (mark: string) => mark !== '#';
const shortest = maze.scripts?.['shortest'] as Script;
const ends = async (script: Script, seeds: number, task: Json) => {
  const logs = await rollout(maze, { walker: scriptedPolicy('one', script) }, { seeds: Array.from({ length: seeds }, (_, i) => i), task });
  return logs.map((log) => log.at(-1) as EndEvent);
};

/** The chance that blind steps arrive within so many, and how many they need on average, by exact sweeps. */
function blind(map: GridMap, start: number): { readonly within100: number; readonly mean: number } {
  const goal = map.cells.indexOf('G');
  let here = new Float64Array(map.cells.length);
  here[start] = 1;
  let [within100, mean] = [0, 0];
  for (let step = 1; step <= 60_000; step++) {
    const next = new Float64Array(map.cells.length);
    for (let cell = 0; cell < here.length; cell++) {
      const mass = here[cell]! / 4;
      if (mass === 0) continue;
      for (let direction = 0; direction < 4; direction++) {
        const to = neighbour(cell, direction, map.columns, map.rows);
        const at = to >= 0 && free(map.cells[to]!) ? to : cell;
        next[at] = next[at]! + mass;
      }
    }
    if (step <= 100) within100 += next[goal]!;
    mean += step * next[goal]!;
    next[goal] = 0;
    here = next;
  }
  return { within100, mean };
}

describe('built-in mazes', () => {
  it('match the cells, distances, and mean returns in the tables', () => {
    const map = mapOf(mazes['double-t']);
    const distance = distancesTo([map.cells.indexOf('G')], map, free);
    const starts = [...map.cells].flatMap((mark, cell) => (mark === ' ' || mark === 'S' ? [cell] : []));
    expect([map.cells.indexOf('G'), map.cells.indexOf('S')]).toEqual([8 * 13 + 6, 13 + 1]);
    expect(starts).toHaveLength(25);
    expect(distance[map.cells.indexOf('S')]).toBe(12);
    expect(starts.reduce((sum, cell) => sum + 1 - distance[cell]!, 0) / 25).toBeCloseTo(-6.84, 12);
    const u = mapOf(mazes['u-maze']);
    expect(distancesTo([u.cells.indexOf('G')], u, free)[u.cells.indexOf('S')]).toBe(6);
  });

  it('match the exact numbers of random steps', () => {
    const t = mapOf(mazes['double-t']);
    const twice = blind(t, t.cells.indexOf('S'));
    expect(twice.within100).toBeCloseTo(0.086112, 6);
    expect(twice.mean).toBeCloseTo(524, 6);
    const u = mapOf(mazes['u-maze']);
    const once = blind(u, u.cells.indexOf('S'));
    expect(once.within100).toBeCloseTo(0.708934, 6);
    expect(once.mean).toBeCloseTo(84, 6);
  });

  it('are solved optimally by the shortest-path script', async () => {
    for (const [map, best] of [
      ['double-t', -11],
      ['u-maze', -5],
    ] as const) {
      const [end] = await ends(shortest, 1, { map });
      expect(end).toMatchObject({ returns: { walker: best }, turns: 1 - best });
    }
    const solution = solve(maze, { map: 'u-maze', steps: 6 });
    expect(solution.value).toBe(-5);
  });

  it('are solved by an explorer that sees only walls, and sometimes by chance', async () => {
    const [end] = await ends(shortest, 1, { map: 'double-t', sight: 'walls' });
    expect(end?.turns).toBeLessThan(100);
    const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) });
    const reached = (await ends(random, 400, { map: 'u-maze' })).filter(({ returns }) => returns['walker']! > -100).length;
    expect(Math.abs(reached / 400 - 0.708934)).toBeLessThan(4 * Math.sqrt((0.7 * 0.3) / 400));
  });
});

describe('generated mazes', () => {
  it('connect every room, do not start at the goal, and have the requested loops', () => {
    for (let seed = 0; seed < 200; seed++) {
      const size = 2 + (seed % 6);
      const loops = seed % 3;
      const map = drawMaze(size, loops, rng(seed));
      const distance = distancesTo([map.cells.indexOf('G')], map, free);
      const open = [...map.cells].filter(free).length;
      expect([...map.cells].every((mark, cell) => !free(mark) || distance[cell]! >= 0)).toBe(true);
      expect(distance[map.cells.indexOf('S')]).toBeGreaterThan(0);
      expect(open).toBe(2 * size * size - 1 + Math.min(loops, (size - 1) ** 2));
    }
  });

  it('are solved within the optimal length and separate from held-out mazes', async () => {
    for (const split of ['train', 'held-out'] as const)
      for (let seed = 0; seed < 20; seed++) {
        const { state } = maze.start(maze.task({ split }), rng(seed, 'start'));
        const { cells, columns, at } = state as { cells: string; columns: number; at: number };
        expect(isHeldOut(`${cells.slice(0, at)}S${cells.slice(at + 1)}`)).toBe(split === 'held-out');
        const distance = distancesTo([cells.indexOf('G')], { cells, columns, rows: columns }, free)[at]!;
        const [log] = await rollout(maze, { walker: scriptedPolicy('shortest', shortest) }, { seeds: [seed], task: { split } });
        expect(log?.at(-1)).toMatchObject({ turns: distance });
      }
  });
});

describe('maze runs', () => {
  it('continue around corners to a crossing, dead end, or goal, and cost their steps', () => {
    //          a corner, a crossing below it, a dead end to its left and the goal to its right
    const layout = '#######/#S   ##/#### ##/##   G#/#######';
    const start = maze.start(maze.task({ layout, moves: 'runs', sight: 'walls' }), rng(1));
    const first = maze.step(start.state, { walker: { text: '[right]' } }, rng(1));
    expect(first.messages[0]?.text).toBe('You go right, right, right, down, down.\nThere is a wall: down. 95 steps are left.');
    expect(first.rewards).toEqual({ walker: -5 });
    const second = maze.step(first.state, { walker: { text: '[left]' } }, rng(1));
    expect(second.messages[0]?.text).toBe('You go left, left.\nThere are walls: left, down, up. 93 steps are left.');
    const last = maze.step(first.state, { walker: { text: '[right]' } }, rng(1));
    expect(last).toMatchObject({ asks: [], rewards: { walker: 0 } });
    const bump = maze.step(start.state, { walker: { text: '[up]' } }, rng(1));
    expect(bump.rewards).toEqual({ walker: -1 });
  });

  it('end with the last step', () => {
    const start = maze.start(maze.task({ layout: '#######/#S   G#/#######', moves: 'runs', steps: 2 }), rng(1));
    const end = maze.step(start.state, { walker: { text: '[right]' } }, rng(1));
    expect(end).toMatchObject({ asks: [], rewards: { walker: -2 } });
  });

  it('cover the same path in fewer moves and support the explorer', async () => {
    const [steps, runs] = await Promise.all([ends(shortest, 20, {}), ends(shortest, 20, { moves: 'runs' })]);
    expect(runs.map((end) => end.returns)).toEqual(steps.map((end) => end.returns));
    expect(runs.reduce((sum, end) => sum + end.turns, 0)).toBeLessThan(0.5 * steps.reduce((sum, end) => sum + end.turns, 0));
    const explored = await ends(shortest, 20, { moves: 'runs', sight: 'local', steps: 300 });
    expect(Math.min(...explored.map((end) => end.returns['walker']!))).toBeGreaterThan(-100);
  });

  it("are part of the walker's knowledge once shown", () => {
    const { state } = maze.start(maze.task({ layout: '#####/#S  #/###G#/#####', moves: 'runs', sight: 'local' }), rng(1));
    const { state: after } = maze.step(state, { walker: { text: '[right]' } }, rng(1));
    expect(maze.knows!(after, 'walker')).toMatchObject({ arrived: true, ran: [2, 2, 1] });
  });

  it('produce the same text as single steps for equal walls in local view', () => {
    const texts = (['steps', 'runs'] as const).map((moves) => {
      const start = maze.start(maze.task({ layout: '#####/#S G#/#####', moves, sight: 'local' }), rng(1));
      return maze.step(start.state, { walker: { text: '[up]' } }, rng(1)).messages.map(({ text }) => text);
    });
    expect(texts[0]).toEqual(['A wall is in the way.', 'A wall is in the way. There are walls: left, down, up.']);
    expect(texts[1]).toEqual(texts[0]);
  });
});

describe('maze view', () => {
  it('of walls only is the same for equal walls', () => {
    // A corridor of five: its three middle cells have the same walls, whichever side the goal is on.
    const texts = ['#######/#S   G#/#######', '#######/#G   S#/#######'].map((layout) => {
      const start = maze.start(maze.task({ layout, sight: 'walls' }), rng(1));
      const way = layout.indexOf('S') < layout.indexOf('G') ? '[right]' : '[left]';
      const step = maze.step(start.state, { walker: { text: way } }, rng(1));
      return step.messages[0]?.text.split('\n')[1];
    });
    expect(texts[0]).toBe('There are walls: down, up. 99 steps are left.');
    expect(texts[1]).toBe(texts[0]);
  });

  it.each(['#S#/#G', 'S G/S  ', 'S#G', 'S /G?'])('rejects the layout %s', (layout) => {
    expect(() => maze.task({ layout })).toThrow(/maze: a (?:layout|map)/);
  });
});
