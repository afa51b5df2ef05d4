import { type EndEvent, type Json, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { isHeldOut } from '../grid.ts';
import { pathfinding, resolve } from './pathfinding.ts';
import { planStep } from './scripts.ts';
import { leastMakespan, leastSumOfCosts } from './solve.cases.ts';

const mapOf = (layout: string) => {
  const rows = layout.split('/');
  return { cells: rows.join(''), columns: rows[0]?.length as number, rows: rows.length };
};

describe('small pathfinding instances', () => {
  it.each([
    ['...', [0, 2], [2, 0], null, null],
    ['...../##.##', [0, 4], [4, 0], 6, 11],
    ['...../#.###', [0, 4], [4, 0], 7, 11],
    ['../..', [0, 1, 3, 2], [1, 3, 2, 0], 1, 4],
    ['../..', [0, 1], [1, 0], 3, 4],
    ['.../.../...', [0, 2, 6, 8], [8, 6, 2, 0], 4, 16],
    ['.../.#./...', [0, 2, 8], [2, 8, 0], 4, 8],
    ['#.#/.../#.#', [1, 3], [7, 5], 3, 5],
    ['#.#/.../#.#', [1, 7], [7, 1], 4, 7],
  ] as const)('%s from %j to %j needs %s steps and a sum of costs of %s', (layout, starts, goals, makespan, sum) => {
    const instance = { ...mapOf(layout), starts, goals };
    expect(leastMakespan(instance)).toBe(makespan);
    expect(leastSumOfCosts(instance)).toBe(sum);
  });
});

describe('pathfinding step', () => {
  const row = mapOf('....');
  it.each([
    ['into a cell that becomes free', [0, 1], [2, 2], [1, 2]],
    ['that swap cells: both stay', [0, 1], [2, 0], [0, 1]],
    ['into one cell: the first in order gets it', [0, 2], [2, 0], [1, 2]],
    ['into an occupied cell: it stays, too', [0, 1], [2, 4], [0, 1]],
    ['into a blocked chain: all stay', [1, 2, 3], [2, 2, 2], [1, 2, 3]],
    ['into a wall or off the map: it stays', [0, 3], [0, 2], [0, 3]],
  ] as const)('resolves moves %s', (_, at, wanted, after) => {
    expect(resolve(row, at, wanted)).toEqual(after);
  });

  it('never puts two agents in one cell or swaps two, for random moves', () => {
    const map = mapOf('..../.#../..../...#');
    for (let seed = 0; seed < 500; seed++) {
      const dice = rng(seed);
      const free = [...map.cells].flatMap((mark, cell) => (mark === '.' ? [cell] : []));
      const at = dice.shuffle(free).slice(0, 6);
      const to = resolve(
        map,
        at,
        at.map(() => dice.int(5)),
      );
      expect(new Set(to).size).toBe(6);
      for (let i = 0; i < 6; i++) for (let j = 0; j < i; j++) expect(to[i] === at[j] && to[j] === at[i]).toBe(false);
    }
  });

  it('has no conflict with the planner', () => {
    const map = mapOf('...../.#.#./...../.#.#./.....');
    for (let seed = 0; seed < 200; seed++) {
      const dice = rng(seed);
      const free = [...map.cells].flatMap((mark, cell) => (mark === '.' ? [cell] : []));
      const at = dice.shuffle(free).slice(0, 8);
      const next = planStep(
        map,
        at,
        dice.shuffle(free).slice(0, 8),
        at.map(() => dice.int(9)),
      );
      const wanted = at.map((cell, i) => [-1, 5, 1, -5, 0].indexOf(next[i]! - cell));
      expect(resolve(map, at, wanted)).toEqual(next);
    }
  });
});

describe('pathfinding throughput', () => {
  const seeds = Array.from({ length: 12 }, (_, i) => i);
  const goals = async (script: Script, task: Json) => {
    const seats = pathfinding.seats(pathfinding.task(task));
    const policies = Object.fromEntries(seats.map((seat) => [seat, scriptedPolicy('one', script)]));
    const logs = await rollout(pathfinding, policies, { seeds, task });
    return (
      logs.reduce((sum, log) => sum + Object.values((log.at(-1) as EndEvent).returns).reduce((all, payment) => all + payment, 0), 0) /
      seeds.length
    );
  };
  const script = (name: string) => pathfinding.scripts?.[name] as Script;
  const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) });

  it('is best for the planner, lower for the follower, and low for random moves', async () => {
    const task = { agents: 8, sight: 'all', steps: 48 };
    const [planned, followed, blind] = [
      await goals(script('planner'), task),
      await goals(script('follower'), task),
      await goals(random, task),
    ];
    expect(planned).toBeGreaterThan(followed);
    expect(followed).toBeGreaterThan(4 * blind);
  });

  it('of a single agent equals that of shortest paths, for planner and follower', async () => {
    const task = { agents: 1, layout: '.../.../...', sight: 'all', steps: 60 };
    // Eight cells are equally likely as the next goal; the mean way between two cells of three by three is 2.
    const planned = await goals(script('planner'), task);
    expect(planned).toBe(await goals(script('follower'), task));
    expect(Math.abs(planned - 30)).toBeLessThan(4);
  });
});

describe('pathfinding view', () => {
  it('of the planned path shows a direction and four cells, and a step along it pays', () => {
    const task = pathfinding.task({ agents: 2, layout: '...../#####/.....', sight: 'way', stride: 0.1, steps: 9 });
    const { state } = pathfinding.start(task, rng(1));
    const step = pathfinding.step(
      { ...state, at: [0, 2], goals: [4, 0] },
      { 'agent 1': { text: '[right]' }, 'agent 2': { text: '[stay]' } },
      rng(1),
    );
    expect(step.messages.find(({ to }) => to.includes('agent 1'))).toMatchObject({
      text: 'Your way goes right. left: free; down: wall; right: agent; up: wall.',
    });
    expect(step.rewards).toEqual({ 'agent 1': 0.1, 'agent 2': 0 });
  });

  it('does not depend on agents beyond the radius', () => {
    const task = pathfinding.task({ agents: 2, layout: '..........', radius: 2 });
    const start = pathfinding.start(task, rng(1));
    const observations = [7, 8].map((other) => {
      const state = { ...start.state, at: [0, other], goals: [5, 3] };
      const step = pathfinding.step(state, { 'agent 1': { text: '[stay]' }, 'agent 2': { text: '[stay]' } }, rng(1));
      return step.messages.filter(({ to }) => to.includes('agent 1'));
    });
    expect(observations[0]).toEqual(observations[1]);
    expect(observations[0]?.[0]?.text).toContain('You see no other agent.');
  });

  it('has separate held-out maps, and rejects a map without enough space', () => {
    for (let seed = 0; seed < 30; seed++)
      for (const split of ['train', 'held-out']) {
        const { state } = pathfinding.start(pathfinding.task({ split }), rng(seed));
        expect(isHeldOut(state.cells)).toBe(split === 'held-out');
        for (const [i, cell] of state.at.entries()) expect(cell).not.toBe(state.goals[i]);
      }
    expect(() => pathfinding.task({ agents: 3, layout: '..#.' })).toThrow(/pathfinding: a layout must have more connected free cells/);
  });
});
