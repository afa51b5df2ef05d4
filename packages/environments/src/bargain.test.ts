import type { Action, EndEvent, EpisodeEvent, Json, JsonObject, Script, Seat } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import type { Pool } from './bargain.ts';
import { bargain, bestProductOf, bestSumOf, frontierOf, outcomeOf, payoffsOf, perfectShare, pools, splitsOf } from './bargain.ts';

type State = Parameters<typeof bargain.step>[0];

const scripts = bargain.scripts as Readonly<Record<string, Script>>;
const dice = rng(0);
const begin = (input: Json, seed = 0) => bargain.start(bargain.task(input), rng(seed, 'start'));
const says = (text: string): Action => ({ text });
const otherPool: Pool = { counts: [1, 4, 1], first: [4, 1, 2], second: [2, 2, 0] };
const other: Pool = { counts: [3, 2, 1], first: [1, 2, 3], second: [2, 1, 2] };

/** Plays moves in turn, from the first seat on. */
function played(input: Json, moves: readonly string[]) {
  let step = begin(input);
  for (const move of moves) step = bargain.step(step.state, { [step.asks[0]?.seat as Seat]: says(move) }, dice);
  return step;
}

async function returns(
  names: readonly [string, string],
  task: Json,
  seeds: readonly number[] = [0],
): Promise<readonly (readonly number[])[]> {
  const seats = bargain.seats(bargain.task(task));
  const policies = Object.fromEntries(seats.map((seat, i) => [seat, scriptedPolicy(names[i]!, scripts[names[i]!]!)]));
  const logs = await rollout(bargain, policies, { seeds, task });
  return logs.map((log) => Object.values((log.at(-1) as EndEvent).returns));
}

describe('bargaining pools', () => {
  it('include 5,793 distinct valid pools', () => {
    expect(pools()).toHaveLength(5793);
    expect(new Set(pools().map((pool) => JSON.stringify(pool))).size).toBe(5793);
    for (const { counts, first, second } of pools()) {
      const total = counts.reduce((sum, count) => sum + count);
      expect(total >= 5 && total <= 7 && Math.min(...counts) >= 1).toBe(true);
      for (const values of [first, second]) expect(values.reduce((sum, value, i) => sum + value * counts[i]!, 0)).toBe(10);
      expect(first.every((value, i) => value > 0 || second[i]! > 0)).toBe(true);
      expect(first.some((value, i) => value > 0 && second[i]! > 0)).toBe(true);
    }
  });

  it('match hand-computed frontiers, sums, and products', () => {
    expect(splitsOf(otherPool.counts)).toHaveLength(20);
    expect(frontierOf(otherPool)).toEqual([
      [2, 10],
      [6, 8],
      [7, 6],
      [8, 4],
      [9, 2],
      [10, 0],
    ]);
    expect([bestSumOf(otherPool), bestProductOf(otherPool)]).toEqual([14, 48]);
    expect([bestSumOf(other), bestProductOf(other)]).toEqual([13, 42]);
  });

  it('have frontiers with exactly the undominated splits, by brute force', () => {
    for (let i = 0; i < pools().length; i += 97) {
      const pool = pools()[i]!;
      const all = splitsOf(pool.counts).map((retained) => payoffsOf(pool, retained));
      const undominated = all.filter(([a, b]) => !all.some(([x, y]) => x >= a && y >= b && (x > a || y > b)));
      const unique = [...new Map(undominated.map((payoffs) => [String(payoffs), payoffs])).values()].sort((a, b) => a[0] - b[0]);
      expect(frontierOf(pool)).toEqual(unique);
    }
  });

  it('measure outcomes by joint value, Pareto distance, and Nash product', () => {
    expect(outcomeOf(otherPool, [6, 8])).toEqual({ joint: 14, jointShare: 1, paretoDistance: 0, nashShare: 1 });
    expect(outcomeOf(otherPool, [5, 8])).toEqual({ joint: 13, jointShare: 13 / 14, paretoDistance: 1, nashShare: 40 / 48 });
    expect(outcomeOf(otherPool, [0, 0]).nashShare).toBe(0);
    // A denser test of the same: no split is nearer than 0, and only those on the frontier are at 0.
    for (const retained of splitsOf(other.counts)) {
      const payoffs = payoffsOf(other, retained);
      const on = frontierOf(other).some(([a, b]) => a === payoffs[0] && b === payoffs[1]);
      expect(outcomeOf(other, payoffs).paretoDistance === 0).toBe(on);
    }
  });

  it('are sampled uniformly', () => {
    const sample = new Map<string, number>();
    for (let seed = 0; seed < 4000; seed++) {
      const kinds = (begin({}, seed).state as State).counts.join();
      sample.set(kinds, (sample.get(kinds) ?? 0) + 1);
    }
    for (const [kinds, count] of sample) {
      const p = pools().filter((pool) => pool.counts.join() === kinds).length / 5793;
      expect(Math.abs(count - 4000 * p)).toBeLessThan(4.5 * Math.sqrt(4000 * p * (1 - p)) + 1);
    }
  });
});

describe('splitting a pool', () => {
  const task = { given: otherPool } as unknown as JsonObject;

  it('pays each side its value of the items it keeps, regardless of the proposer', () => {
    expect(played(task, ['[offer 1,0,1]', '[accept]']).rewards).toEqual({ first: 6, second: 8 });
    expect(played(task, ['[offer 1,4,1]', 'half of them? [offer 0, 4, 0]', '[ACCEPT]']).rewards).toEqual({ first: 6, second: 8 });
    expect(played(task, ['[offer 1,4,1]', '[walk]']).rewards).toEqual({ first: 0, second: 0 });
  });

  it('allows only accepting or walking on the last turn, and discounts late deals', () => {
    const offers = ['[offer 1,0,1]', '[offer 0,4,0]', '[offer 1,0,1]'];
    const last = played({ ...task, turns: 4, discount: 0.5 }, offers);
    expect(last.asks[0]?.choices).toEqual(['[accept]', '[walk]']);
    expect(bargain.step(last.state, { second: says('[accept]') }, dice).rewards).toEqual({ first: 1.5, second: 2 });
    const refused = bargain.step(last.state, { second: says('[offer 0,0,0]') }, dice);
    expect(refused.messages[0]?.text).toMatch(/^This is the last turn/);
    expect(played({ ...task, discount: 0.5 }, ['[offer 1,0,1]', '[accept]']).rewards).toEqual({ first: 6, second: 8 });
  });

  it.each(['[accept]', '[offer 2,0,0]', '[offer 1,2]', '[offer 12,0]', '[offer 1,-1,0]', 'I keep it all', '[offer 1,0,0] [walk]'])(
    'rejects %s as an opening, and forfeits after the third invalid move',
    (bad) => {
      const missed = played(task, [bad]);
      expect(missed.asks[0]?.seat).toBe('first');
      expect(missed.penalties).toEqual({ first: 1 });
      const forfeited = played(task, [bad, bad, bad]);
      expect(forfeited.asks).toEqual([]);
      expect(forfeited.rewards).toEqual({ first: 0, second: 0 });
      expect(forfeited.messages[0]?.text).toContain('first forfeits');
    },
  );

  it('passes talk to the other side on one line without bracketed text', () => {
    const step = played(task, ['I care\nfor lamps. [offer 0,4,0] Deal?']);
    expect(step.messages[0]).toEqual({ to: ['second'], from: 'first', text: 'I care for lamps. Deal?' });
    expect(step.messages[1]?.text).toBe('first offers: first keeps 0 tents, 4 lamps, 0 ropes; second gets 1 tents, 0 lamps, 1 ropes.');
  });

  it('adds an outcome note that no seat sees', () => {
    const note = played(task, ['[offer 1,0,1]', '[accept]']).messages.at(-1);
    expect(note).toEqual({
      to: [],
      text: 'outcome',
      data: { outcome: { agreed: true, joint: 14, jointShare: 1, paretoDistance: 0, nashShare: 1 } },
    });
  });

  it('has scripted bargainers that match their names', async () => {
    expect(await returns(['greedy', 'accepter'], task)).toEqual([[10, 0]]);
    // It gives the other side what has no value for itself.
    expect(await returns(['accepter', 'greedy'], task)).toEqual([[2, 10]]);
    expect(await returns(['greedy', 'greedy'], task)).toEqual([[0, 0]]);
    expect(await returns(['walker', 'fair'], task)).toEqual([[0, 0]]);
    for (const [a, b] of await returns(
      ['fair', 'fair'],
      {},
      Array.from({ length: 50 }, (_, i) => i),
    ))
      expect((a as number) >= 5 && (b as number) >= 5).toBe(a !== 0 || b !== 0);
    for (const [a, b] of await returns(
      ['conceder', 'conceder'],
      {},
      Array.from({ length: 50 }, (_, i) => i),
    ))
      expect((a as number) + (b as number)).toBeGreaterThanOrEqual(10);
  });
});

describe('haggling', () => {
  const task = { mode: 'haggle', given: { cost: 20, value: 60 } };

  it('pays the seller price minus cost and the buyer value minus price', () => {
    expect(played(task, ['[price 45]', '[accept]']).rewards).toEqual({ seller: 25, buyer: 15 });
    expect(played(task, ['[price 45]', '[price 10.5]', '[accept]']).rewards).toEqual({ seller: -9.5, buyer: 49.5 });
    expect(played(task, ['[price 45]', '[walk]']).rewards).toEqual({ seller: 0, buyer: 0 });
  });

  it.each(['[price 101]', '[price -1]', '[price forty]', '[offer 1,1,1]', '[price 1e2]'])('rejects %s', (bad) => {
    expect(played(task, [bad]).penalties).toEqual({ seller: 1 });
  });

  it('ends with a price between the limits when both concede, and without a trade if neither can gain', async () => {
    const [trade] = await returns(['conceder', 'conceder'], task);
    expect((trade?.[0] as number) + (trade?.[1] as number)).toBe(40);
    expect(Math.min(...(trade as number[]))).toBeGreaterThan(0);
    // From 100 down to its cost over 21 turns, two turns apart: a tenth of the way each time the seller speaks.
    let state = begin({ ...task, turns: 21 });
    for (const price of [100, 92, 84, 76]) {
      const turn = { view: { seat: 'seller', seen: [] }, ask: state.asks[0]!, rng: dice };
      expect(scripts['conceder']!(turn)).toEqual({ text: `[price ${price}]` });
      state = bargain.step(state.state, { seller: says(`[price ${price}]`) }, dice);
      state = bargain.step(state.state, { buyer: says('[price 0]') }, dice);
    }
    expect(await returns(['conceder', 'conceder'], { mode: 'haggle', given: { cost: 60, value: 20 } })).toEqual([[0, 0]]);
  });
});

describe('alternating offers over a surplus of 1 with discount 0.9', () => {
  const unit = (offers: number) => ({
    mode: 'haggle',
    secret: false,
    top: 1,
    given: { cost: 0, value: 1 },
    discount: 0.9,
    turns: offers + 1,
  });
  const table: readonly (readonly [number, number])[] = [
    [1, 1],
    [2, 0.1],
    [3, 0.91],
    [9, 0.73022131],
    [10, 0.342800821],
  ];

  /**
   * Computes the value of proposing to the proposer by backward induction over the real rules. The other side's value of rejecting doesn't
   * depend on the offer, so the best price makes accepting worth exactly as much, which is found by bisection.
   */
  function valueOfProposing(state: State): number {
    const mine = state.past.length % 2;
    const [me, them] = (mine === 0 ? ['seller', 'buyer'] : ['buyer', 'seller']) as [Seat, Seat];
    const priced = (share: number) => bargain.step(state, { [me]: says(`[price ${(mine === 0 ? share : 1 - share).toFixed(9)}]`) }, dice);
    const accepted = (share: number) =>
      bargain.step(priced(share).state, { [them]: says('[accept]') }, dice).rewards as Record<Seat, number>;
    const after = priced(0).state;
    const waiting = after.past.length === after.task.turns - 1 ? 0 : valueOfProposing(after);
    let [low, high] = [0, 1];
    if (accepted(1)[them]! >= waiting) return accepted(1)[me]!;
    for (let i = 0; i < 40; i++) {
      const middle = (low + high) / 2;
      if (accepted(middle)[them]! >= waiting - 1e-12) low = middle;
      else high = middle;
    }
    return accepted(low)[me]!;
  }

  it.each(table)('with %d offers give the first proposer %d by formula, induction, and play', async (offers, share) => {
    expect(perfectShare(offers, 0.9)).toBeCloseTo(share, 12);
    expect(valueOfProposing(begin(unit(offers)).state)).toBeCloseTo(share, 7);
    const [[first, second]] = (await returns(['perfect', 'perfect'], unit(offers))) as [[number, number]];
    expect(first).toBeCloseTo(share, 9);
    expect(first + second).toBeCloseTo(1, 9);
  });

  it('converge to 1/(1 + δ)', () => {
    expect(perfectShare(1000, 0.9)).toBeCloseTo(1 / 1.9, 12);
  });

  it('have no better opening price against the perfect script', async () => {
    const rewards: number[] = [];
    for (let p = 0; p <= 100; p++) {
      const opening: Script = (turn) =>
        (turn.ask.data as { now: number }).now === 0 ? says(`[price ${p / 100}]`) : scripts['perfect']!(turn);
      const policies = { seller: scriptedPolicy('opening', opening), buyer: scriptedPolicy('perfect', scripts['perfect']!) };
      const [log] = await rollout(bargain, policies, { seeds: [0], task: unit(5) });
      rewards.push(((log as readonly EpisodeEvent[]).at(-1) as EndEvent).returns['seller']!);
    }
    expect(Math.max(...rewards)).toBeLessThanOrEqual(perfectShare(5, 0.9) + 1e-9);
  });
});

describe('secrecy in bargaining', () => {
  it('hides the values of the other side', () => {
    const moves = ['a [offer 1,1,1]', 'b [offer 0,1,1]', '[offer 1,0,1]', '[accept]'];
    const looks = [
      [2, 2, 0],
      [0, 2, 2],
      [10, 0, 0],
      [1, 2, 1],
    ].map((second) => {
      let step = begin({ given: { ...otherPool, second } } as unknown as Json);
      const events: EpisodeEvent[] = [];
      const knows = [];
      for (const move of ['', ...moves]) {
        if (move !== '') step = bargain.step(step.state, { [step.asks[0]?.seat as Seat]: says(move) }, dice);
        events.push(...step.messages.map((message) => ({ kind: 'message' as const, ...message })));
        if (step.rewards) events.push({ kind: 'reward', rewards: step.rewards });
        knows.push(bargain.knows?.(step.state, 'first'));
      }
      return JSON.stringify([viewOf(events, 'first'), knows]);
    });
    expect(new Set(looks).size).toBe(1);
  });

  it('is lifted if the task says so', () => {
    expect(begin({ given: otherPool, secret: false } as unknown as Json).messages[0]?.text).toContain(
      'To the other: tents 2, lamps 2, ropes 0.',
    );
    expect(begin({ given: otherPool } as unknown as Json).messages[0]?.text).not.toContain('To the other');
  });
});

describe('bargain task', () => {
  it.each([
    { given: 5 },
    { given: { counts: [1, 2], first: [1, 1, 1], second: [1, 1, 1] } },
    { given: { counts: [6, 1, 1], first: [1, 1, 1], second: [1, 1, 1] } },
    { mode: 'haggle', given: { cost: 1, value: 200 } },
    { mode: 'haggle', given: otherPool as unknown as Json },
  ])('rejects %j', (task) => {
    expect(() => bargain.task(task as Json)).toThrow(/bargain: "given" must be like/);
  });
});
