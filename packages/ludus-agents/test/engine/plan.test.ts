import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { canonical, Fault, hash, type Json } from '@ludus-agents/kernel/internal/core/index';
import { cells, episodeId, idText, loadPlanTasks, readPlan, runId } from '@ludus-agents/kernel/internal/engine/plan';
import { describe, expect, it } from 'vitest';

async function cellsOf(input: Json) {
  const plan = readPlan(input);
  const sheet = await loadPlanTasks(plan, builtInEnvironment);
  return { planned: sheet.planned, cells: [...cells(plan, sheet)] };
}

describe('plans', () => {
  it('[E30] expand short forms', () => {
    expect(readPlan({ environments: ['kuhn-poker'], seeds: 3 })).toEqual({
      environments: [{ environment: 'kuhn-poker', tasks: [{}] }],
      seeds: { from: 0, count: 3 },
      casts: [{ '*': 'random' }],
    });
  });

  it('[E31] are the product of environments, tasks, seeds, and casts, counted without listing', async () => {
    const { planned, cells: all } = await cellsOf({
      environments: [{ environment: 'kuhn-poker', tasks: [{}, { rounds: 2 }] }, 'tic-tac-toe'],
      seeds: [4, 5, 6],
      casts: [{ '*': 'random' }],
    });
    expect(all.length).toBe(3 * 3);
    expect(planned).toBe(all.length);
    expect(new Set(all.map((cell) => episodeId('r', cell))).size).toBe(all.length);
  });

  it('[E31] have ids that hash run, cell, and attempt, independent of key order', async () => {
    const { cells: all } = await cellsOf({
      environments: [{ environment: 'kuhn-poker', tasks: [{}, { rounds: 2 }] }],
      seeds: [0, 2 ** 53 - 1],
      casts: [{ '*': 'random' }, { second: { name: 'a "b"\n', kind: 'llm', notes: [] }, first: 'random' }],
    });
    for (const cell of all) {
      expect(idText('run "1"', cell, 3)).toBe(canonical(['run "1"', cell as unknown as Json, 3]));
      expect(episodeId('r', cell)).toBe(hash(['r', cell as unknown as Json, 0]).slice(0, 20));
    }
  });

  it('[E31] merge equivalent tasks and repeated environments into one cell', async () => {
    const { planned } = await cellsOf({
      environments: [{ environment: 'kuhn-poker', tasks: [{}, { rounds: 1 }] }, 'kuhn-poker'],
      seeds: 2,
    });
    expect(planned).toBe(2);
  });

  it('[E31] give every cast separate seeds if configured', async () => {
    const plan = { environments: ['kuhn-poker'], seeds: 2, casts: [{ '*': 'random' }, { '*': 'scripted' }], seedPerCast: true };
    const { planned, cells: all } = await cellsOf(plan);
    expect(planned).toBe(4);
    expect(all.map(({ seed, cast }) => [seed, cast['first']])).toEqual([
      [0, 'random'],
      [2, 'scripted'],
      [1, 'random'],
      [3, 'scripted'],
    ]);
    expect(() => readPlan({ ...plan, seeds: [1, 2] })).toThrow(/gives every cast different seeds, but also lists its/);
  });

  it('[E32] with swap play each cast in every seat rotation on the same seeds', async () => {
    const swapped = await cellsOf({ environments: ['kuhn-poker'], seeds: 2, casts: [{ first: 'random', second: 'scripted' }], swap: true });
    expect(swapped.cells.map((cell) => [cell.seed, cell.cast['first'], cell.cast['second']])).toEqual([
      [0, 'random', 'scripted'],
      [0, 'scripted', 'random'],
      [1, 'random', 'scripted'],
      [1, 'scripted', 'random'],
    ]);
    expect((await cellsOf({ environments: ['kuhn-poker'], seeds: 2, swap: true })).planned).toBe(2);
  });

  it('[E33] determine run and episode ids, without their budgets', () => {
    const plan = readPlan({ environments: ['kuhn-poker'], seeds: 3 });
    expect(runId(plan)).toBe(runId({ ...plan, budget: { calls: 5 } }));
    expect(runId(plan)).not.toBe(runId({ ...plan, seeds: [1] }));
    expect(runId({ ...plan, name: 'mine' })).toBe('mine');
  });

  it('[E34] are rejected if malformed, naming the field', () => {
    const bad: [Json, RegExp][] = [
      [[], /The plan must be an object/],
      [{}, /environments/],
      [{ environments: [] }, /environments/],
      [{ environments: [3] }, /environments\[0\]/],
      [{ environments: [{ environment: 'x', tasks: {} }] }, /environments\[0\]\.tasks/],
      [{ environments: ['x'], seed: 3 }, /unknown field "seed" \(did you mean "seeds"/],
      [{ environments: ['x'], seeds: 0 }, /seeds/],
      [{ environments: ['x'], seeds: -1 }, /seeds/],
      [{ environments: ['x'], seeds: [1.5] }, /seeds/],
      [{ environments: ['x'], seeds: { from: 0, count: 3, step: 2 } }, /seeds/],
      [{ environments: ['x'], casts: [{}] }, /casts\[0\]/],
      [{ environments: ['x'], casts: [{ a: 3 }] }, /casts\[0\]\.a/],
      [{ environments: ['x'], casts: [{ a: { name: 'n' } }] }, /casts\[0\]\.a\.kind/],
      [{ environments: ['x'], limits: { turns: 0 } }, /limits\.turns/],
      [{ environments: ['x'], limits: { hours: 1 } }, /unknown field "limits\.hours"; limits has turns/],
      [{ environments: ['x'], budget: { money: 'lots' } }, /budget\.money/],
      [{ environments: ['x'], name: 'a b' }, /name/],
      [{ environments: ['x'], swap: 1 }, /swap/],
    ];
    for (const [input, expected] of bad) {
      expect(() => readPlan(input), JSON.stringify(input)).toThrow(Fault);
      expect(() => readPlan(input), JSON.stringify(input)).toThrow(expected);
    }
  });

  it('[E34] are rejected with unknown environments or seats, empty seats, and invalid tasks', async () => {
    await expect(cellsOf({ environments: ['chess-boxing'], seeds: 1 })).rejects.toThrow(/environment "chess-boxing"/);
    await expect(cellsOf({ environments: ['kuhn-poker'], seeds: 1, casts: [{ third: 'random', '*': 'random' }] })).rejects.toThrow(
      /seat "third"/,
    );
    await expect(cellsOf({ environments: ['kuhn-poker'], seeds: 1, casts: [{ first: 'random' }] })).rejects.toThrow(
      /no agent for the seat "second"/,
    );
    await expect(cellsOf({ environments: [{ environment: 'kuhn-poker', tasks: [{ rounds: 0 }] }], seeds: 1 })).rejects.toThrow(/"rounds"/);
  });
});
