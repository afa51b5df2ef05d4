import { type EndEvent, type Json, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { kitchen } from './kitchen.ts';
import { kitchenLayout, kitchens } from './layout.ts';
import { firstSoup, kitchenGraph, mostSoups } from './solve.cases.ts';
import { firstScene, type Scene, tick } from './tick.ts';

const itself = { selfStarting: true, counters: false };
const cramped = kitchenLayout(kitchens.cramped);
const everyAct = [0, 1, 2, 3, 4, 5];
const script = (name: string) => kitchen.scripts?.[name] as Script;

async function soups(first: Script, second: Script, task: Json, seeds = 1): Promise<number> {
  const logs = await rollout(
    kitchen,
    { 'cook 1': scriptedPolicy('one', first), 'cook 2': scriptedPolicy('two', second) },
    { seeds: Array.from({ length: seeds }, (_, i) => i), task },
  );
  return logs.reduce((sum, log) => sum + (log.at(-1) as EndEvent).returns['cook 1']! / 20, 0) / seeds;
}

// Both cooks together need 33 ticks in the cramped room; that takes longer to search and is in the long tests.
describe('kitchen optimum', () => {
  it('of cook 1 with an idle partner is 40 ticks, or 41 if a cook starts the pot, and 9 soups in 400', () => {
    const acts = [everyAct, [4]];
    expect(firstSoup(cramped, { rules: itself, acts })).toBe(40);
    const soupsBy = mostSoups(kitchenGraph(cramped, { rules: itself, acts }), 400);
    expect([soupsBy.indexOf(1), soupsBy[400]]).toEqual([40, 9]);
    expect(firstSoup(cramped, { rules: { ...itself, selfStarting: false }, acts })).toBe(41);
  });

  it('of cook 2 alone is none, because the idle partner blocks the dishes', () => {
    expect(firstSoup(cramped, { rules: itself, acts: [[4], everyAct] })).toBeNull();
  });
});

describe('kitchen tick', () => {
  const ticked = (scene: Scene, ...acts: number[]) => tick(cramped, scene, acts, { selfStarting: true, counters: true });
  const start = firstScene(cramped);

  it('turns cooks in place if they want the same cell or want to swap cells', () => {
    const meet = { ...start, at: [11, 13] };
    expect(ticked(meet, 2, 0).scene).toMatchObject({ at: [11, 13], facing: [2, 0] });
    const swap = { ...start, at: [11, 12] };
    expect(ticked(swap, 2, 0).scene).toMatchObject({ at: [11, 12], facing: [2, 0] });
    expect(ticked({ ...start, at: [11, 12] }, 2, 2).scene.at).toEqual([12, 13]);
  });

  it('makes soup available 20 ticks after the third onion, not before', () => {
    let { scene } = ticked({ ...start, at: [7, 13], hands: [1, 0], pots: [2] }, 5, 4);
    for (let t = 1; t < 20; t++) {
      expect(ticked({ ...scene, hands: [2, 0] }, 5, 4).scene.hands[0]).toBe(2);
      scene = ticked(scene, 4, 4).scene;
    }
    expect(ticked({ ...scene, hands: [2, 0] }, 5, 4).scene).toMatchObject({ hands: [3, 0], pots: [0] });
  });

  it('pays for a soup of three onions but not for fewer', () => {
    const beside = { ...start, at: [13, 6], facing: [1, 3] };
    expect(ticked({ ...beside, hands: [3, 0] }, 5, 4)).toMatchObject({ served: 1, scene: { hands: [0, 0] } });
    expect(ticked({ ...beside, hands: [4, 0] }, 5, 4)).toMatchObject({ served: 0, scene: { hands: [0, 0] } });
  });

  it('never puts two cooks in one cell, for random actions', () => {
    const dice = rng(1);
    let scene = start;
    for (let t = 0; t < 500; t++) {
      const { scene: next } = ticked(scene, dice.int(6), dice.int(6));
      expect(next.at[0]).not.toBe(next.at[1]);
      for (const cell of next.at) expect(cramped.cells[cell]).toBe(' ');
      scene = next;
    }
  });
});

describe('thinking time', () => {
  const shown = async (task: Json, text: string, data?: Json) => {
    const read = kitchen.task(task);
    const { state } = kitchen.start(read, rng(1));
    const answer = data === undefined ? { text } : { text, data };
    const step = kitchen.step(state, { 'cook 1': answer, 'cook 2': { text: '[stay]' } }, rng(1));
    return step;
  };

  it('delays the thinking cook while the other cook is asked again', async () => {
    const step = await shown({ pace: 10 }, `${'I think so. '.repeat(3)}[up]`);
    expect(step.state).toMatchObject({ tick: 1, thought: [1, 0], plans: [{ wait: 3 }, null] });
    expect(step.asks.map(({ seat }) => seat)).toEqual(['cook 2']);
    expect((await shown({ think: 5 }, '[up]')).state).toMatchObject({ tick: 6, thought: [5, 5], at: [6, 8] });
  });

  it('uses the ticks reported by the agent and rejects invalid values', async () => {
    expect((await shown({}, '[up]', { ticks: 7 })).state).toMatchObject({ plans: [{ wait: 6 }, null] });
    expect((await shown({}, '[up]', { ticks: -1 })).penalties).toEqual({ 'cook 1': 1 });
  });

  it('slows the same strategy down', async () => {
    const fast = await soups(script('hla'), script('hla'), { horizon: 200 });
    const slow = await soups(script('hla'), script('hla'), { horizon: 200, think: 2 });
    expect(slow).toBeLessThan(fast / 2);
    // Orders take one thought for many ticks.
    expect(await soups(script('hla'), script('hla'), { horizon: 200, think: 2, moves: 'orders' })).toBeGreaterThan(slow);
  });
});

describe('kitchen cooks', () => {
  const task = { horizon: 300 };

  it('serve more than half of the optimum, and random cooks serve almost nothing', async () => {
    expect(await soups(script('hla'), script('hla'), task)).toBeGreaterThanOrEqual(6);
    expect(await soups(script('wanderer'), script('wanderer'), task, 10)).toBeLessThan(1);
  });

  it('that adapt to their partner do better with unseen partners', async () => {
    const unseen = ['onions', 'plates', 'idle', 'wanderer'].map(script);
    const total = async (ownText: string) => {
      let sum = 0;
      for (const partner of unseen) sum += await soups(script(ownText), partner, task);
      return sum;
    };
    expect(await total('hla')).toBeGreaterThan(await total('cook'));
  });

  it.each(['asymmetric', 'ring', 'forced', 'circuit'])('serve soup in the %s kitchen', async (name) => {
    expect(await soups(script('hla'), script('hla'), { ...task, kitchen: name })).toBeGreaterThanOrEqual(3);
    expect(await soups(script('hla'), script('hla'), { ...task, kitchen: name, moves: 'orders', starting: 'cook' })).toBeGreaterThanOrEqual(
      1,
    );
  });
});

it.each(['XXX/X1X/XXX', 'XPX/O1D/XS ', 'XPX/O1D/1SX', 'XPX/O D/XSX', '?'])('kitchen task rejects the layout %s', (layout) => {
  expect(() => kitchen.task({ layout })).toThrow(/kitchen: a (?:layout|map)/);
});
