import { type EndEvent, type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { distance, layersOf, readOrders } from './rules.ts';
import { skirmish } from './skirmish.ts';

const script = (name: string) => skirmish.scripts?.[name] as Script;
const random: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });

async function played(first: Script, second: Script, task: Json, seeds = 1) {
  const logs = await rollout(
    skirmish,
    {
      commander: scriptedPolicy('one', first),
      ...(skirmish.seats(skirmish.task(task)).length > 1 && { rival: scriptedPolicy('two', second) }),
    },
    { seeds: Array.from({ length: seeds }, (_, i) => i), task },
  );
  return logs.map((log) => {
    const last = log.findLast((event) => event.kind === 'message' && event.data !== undefined);
    const { units } = (last?.kind === 'message' ? last.data : null) as unknown as { units: { side: number; hp: number }[] };
    const { returns, turns } = log.at(-1) as EndEvent;
    return { returns, turns, left: [0, 1].map((side) => units.filter((unit) => unit.side === side && unit.hp > 0).map(({ hp }) => hp)) };
  });
}

describe('skirmish volleys', () => {
  // Computed by hand and by an own program: strength 45, damage 6, all at once, range ignored.
  it.each([
    [3, 2, 'focus', 'focus', 6, [[39, 45], []]],
    [3, 3, 'focus', 'spread', 9, [[3, 27], []]],
    [5, 5, 'focus', 'spread', 11, [[15, 33], []]],
    [8, 8, 'focus', 'spread', 8, [[3, 9, 15, 21, 27, 33, 39], []]],
    [5, 6, 'focus', 'focus', 12, [[], [3, 45, 45]]],
  ] as const)('of %i against %i, %s against %s, end after %i', async (units, enemies, a, b, volleys, left) => {
    const [game] = await played(script(a), script(b), { units, enemies, range: 64, steps: 60, size: 9 });
    expect(game?.turns).toBe(volleys);
    expect(game?.left.map((hp) => [...hp].sort((x, y) => x - y))).toEqual(left);
  });

  it('pay 3.013699 for one unit of three, and 20 for a victory over all', async () => {
    const [game] = await played(script('focus'), script('still'), { range: 64 });
    expect(game?.returns['commander']).toBeCloseTo(20, 9);
    expect((45 + 10) / (365 / 20)).toBeCloseTo(3.013699, 6);
    expect(game?.returns['rival']).toBe(0);
  });
});

describe('skirmish mini-games', () => {
  it('place beacons 2n/3 steps away on average, and a commander takes the shortest path', async () => {
    for (const n of [3, 8, 10]) {
      let [sum, pairs] = [0, 0];
      for (let a = 0; a < n * n; a++) for (let b = 0; b < n * n; b++) if (a !== b) [sum, pairs] = [sum + distance(a, b, n), pairs + 1];
      expect(sum / pairs).toBeCloseTo((2 * n) / 3, 12);
    }
    const games = await played(script('focus'), random, { game: 'beacon', steps: 400, size: 6 }, 4);
    const beacons = games.reduce((total, { returns }) => total + returns['commander']!, 0) / 4;
    expect(Math.abs(beacons - 100)).toBeLessThan(12);
  });

  it('pay a commander much more than random play', async () => {
    const total = async (one: Script, game: string) =>
      (await played(one, script('focus'), { game }, 6)).reduce((sum, { returns }) => sum + returns['commander']!, 0);
    for (const game of ['beacon', 'collect', 'defeat'])
      expect(await total(script('focus'), game)).toBeGreaterThan(1.5 * (await total(random, game)));
  });
});

it('readOrders accepts unit and group orders, and rejects unknown units and targets', () => {
  expect(readOrders('all left', 3, 2)).toEqual([0, 0, 0]);
  expect(readOrders('1 up; 3 attack 2', 3, 2)).toEqual([3, 4, 6]);
  for (const bad of ['4 up', '1 attack 3', '1 jump', '', '1 up;', 'all']) expect(readOrders(bad, 3, 2)).toBeNull();
});

it('layersOf shows type, owner, and strength, without destroyed units', () => {
  const units = [
    { side: 0, at: 1, hp: 45 },
    { side: 1, at: 2, hp: 3 },
    { side: 1, at: 3, hp: 0 },
  ];
  expect(layersOf(units, [0], 2, 2)).toEqual([
    [2, 1, 1, 0],
    [0, 1, 2, 0],
    [0, 45, 3, 0],
  ]);
});
