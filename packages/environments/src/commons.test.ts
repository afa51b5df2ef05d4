import type { Action, EndEvent, EpisodeEvent, Json, JsonObject, Script, Seat } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { commons, equality, measuresOf, optimum, overuse } from './commons.ts';

const scripts = commons.scripts as Readonly<Record<string, Script>>;
const dice = rng(0);
const begin = (input: Json) => commons.start(commons.task(input), dice);
const says = (text: string): Action => ({ text });
const quiet = { talk: 0 };

async function play(name: string | Readonly<Record<Seat, string>>, task: JsonObject, seed = 0): Promise<readonly EpisodeEvent[]> {
  const seats = commons.seats(commons.task(task));
  const named = (seat: Seat) => (typeof name === 'string' ? name : name[seat]!);
  const policies = Object.fromEntries(seats.map((seat) => [seat, scriptedPolicy(named(seat), scripts[named(seat)]!)]));
  const [log] = await rollout(commons, policies, { seeds: [seed], task });
  return log as readonly EpisodeEvent[];
}

const endOf = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;
const totalOf = (log: readonly EpisodeEvent[]) => Object.values(endOf(log).returns).reduce((sum, amount) => sum + amount);

/** The note for scorers at the end. */
function measuresIn(log: readonly EpisodeEvent[]): Readonly<Record<string, number>> {
  const note = log.findLast((event) => event.kind === 'message' && event.to.length === 0) as { data?: Json };
  return (note.data as { measures: Readonly<Record<string, number>> }).measures;
}

/** One round in which each seat asks for the amount at its place. */
function round(step: ReturnType<typeof begin>, amounts: readonly number[], chance = dice) {
  const actions = Object.fromEntries(step.asks.map(({ seat }, i) => [seat, says(`[harvest ${amounts[i]}]`)]));
  return commons.step(step.state, actions, chance);
}

describe('commons dynamics', () => {
  it.each([
    [10, 12, 600],
    [9, 12, 540],
    [11, 4, 195],
    [12, 3, 160],
    [13, 3, 140],
    [15, 2, 125],
    [20, 1, 100],
  ])('with everyone taking %d per round, last %d rounds and yield %d', async (x, rounds, units) => {
    for (const task of [quiet, {}]) {
      const log = await play(`take-${x}`, task);
      expect(totalOf(log)).toBe(units);
      expect(measuresIn(log)).toMatchObject({ survival: rounds, total: units, efficiency: units / 650 });
    }
  });

  it('have the social optimum 100 + 50(T − 1), by backward induction over every stock', () => {
    expect(optimum({ capacity: 100, rounds: 12, collapse: 5 })).toBe(650);
    for (const [capacity, collapse] of [
      [100, 5],
      [51, 5],
      [40, 30],
      [12, 0],
      [10, 20],
    ] as const) {
      // The most that can still be taken from each stock, with one round left, two, and so on.
      let best = Array.from({ length: capacity + 1 }, (_, stock) => stock);
      for (let rounds = 1; rounds <= 13; rounds++) {
        expect(optimum({ capacity, rounds, collapse })).toBe(best[capacity]);
        best = best.map((_, stock) =>
          Math.max(
            ...Array.from({ length: stock + 1 }, (_, left) => stock - left + (left < collapse ? 0 : best[Math.min(capacity, 2 * left)]!)),
          ),
        );
      }
    }
  });

  it('reward fair shares with the optimum, greed with collapse, and caution with survival', async () => {
    expect(measuresIn(await play('fair-share', quiet))).toEqual({ survival: 12, total: 650, efficiency: 1, equality: 1, overuse: 5 / 60 });
    expect(measuresIn(await play('greedy', quiet))).toMatchObject({ survival: 1, total: 100 });
    expect(measuresIn(await play('cautious', quiet))).toMatchObject({ survival: 12, total: 300, overuse: 0 });
    const mixed = await play(
      { first: 'greedy', second: 'fair-share', third: 'fair-share', fourth: 'fair-share', fifth: 'fair-share' },
      quiet,
    );
    expect(endOf(mixed).returns['first']).toBeGreaterThan(50);
    expect(measuresIn(mixed)['survival']).toBe(1);
  });

  it('collapse below the threshold, not at it', () => {
    expect(round(begin(quiet), [20, 20, 20, 20, 15]).asks).not.toEqual([]);
    expect(round(begin(quiet), [20, 20, 20, 20, 16]).asks).toEqual([]);
    expect(round(begin(quiet), [20, 20, 20, 20, 15]).state.stock).toBe(10);
  });

  it('ration an exceeded stock evenly, completely, and never beyond the requests', () => {
    const sums = [0, 0, 0, 0, 0];
    const seeds = 3000;
    for (let seed = 0; seed < seeds; seed++) {
      const { rewards } = round(begin({ ...quiet, capacity: 20 }), [20, 20, 20, 1, 0], rng(seed, 'step', 0));
      const takes = Object.values(rewards as Record<Seat, number>);
      expect(takes.reduce((sum, amount) => sum + amount)).toBe(20);
      expect(takes[3]).toBeLessThanOrEqual(1);
      expect(takes[4]).toBe(0);
      takes.forEach((amount, i) => {
        sums[i] = sums[i]! + amount;
      });
    }
    // The fourth gets its unit unless all 20 draws miss it while four are short: 1 − (3/4)^20.
    const p = 1 - 0.75 ** 20;
    expect(Math.abs(sums[3]! / seeds - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / seeds) + 1e-9);
    for (const i of [0, 1, 2])
      expect(Math.abs(sums[i]! / seeds - (20 - p) / 3)).toBeLessThan(4 * Math.sqrt((20 * (1 / 3) * (2 / 3)) / seeds));
  });
});

describe('commons measures', () => {
  const even = [{ stock: 100, takes: { a: 10, b: 10 } }];
  it('match values computed by hand', () => {
    expect(equality(even)).toBe(1);
    // Totals 30 and 10: the mean absolute difference over all pairs is 10, half of it over the mean of 20 is 0.25.
    const uneven = [
      { stock: 100, takes: { a: 26, b: 10 } },
      { stock: 100, takes: { a: 4, b: 0 } },
    ];
    expect(equality(uneven)).toBe(0.75);
    expect(equality([{ stock: 10, takes: { a: 4, b: 0, c: 0, d: 0 } }])).toBe(0.25);
    expect(equality([{ stock: 10, takes: { a: 0, b: 0 } }])).toBe(1);
    expect(overuse(uneven)).toBe(1 / 4);
    expect(overuse([{ stock: 100, takes: { a: 25, b: 25 } }])).toBe(0);
    expect(measuresOf(even, { capacity: 100, rounds: 1, collapse: 5 })).toEqual({
      survival: 1,
      total: 20,
      efficiency: 0.2,
      equality: 1,
      overuse: 0,
    });
  });
});

describe('commons talk', () => {
  it('follows each harvest seat by seat, reaches the others, and stops when all are silent', () => {
    let step = round(begin({ talk: 4, players: 3, rounds: 2 }), [1, 1, 1]);
    const speakers: Seat[] = [];
    while (step.asks[0]?.choices === undefined) {
      const seat = step.asks[0]?.seat as Seat;
      speakers.push(seat);
      step = commons.step(step.state, { [seat]: says(`I am\n${seat}.`) }, dice);
      expect(step.messages[0]).toMatchObject({ from: seat, text: `I am ${seat}.` });
      expect(step.messages[0]?.to).toHaveLength(2);
    }
    expect(speakers).toEqual(['first', 'second', 'third', 'first']);
    expect(round(step, [0, 0, 0]).asks).toEqual([]);

    let silent = round(begin({ talk: 10, players: 3 }), [1, 1, 1]);
    for (const seat of ['first', 'second', 'third']) silent = commons.step(silent.state, { [seat]: says(' ') }, dice);
    expect(silent.asks).toHaveLength(3);
  });

  it('can include a hint about the sustainable harvest', () => {
    const step = begin({ ...quiet, hint: true });
    expect(step.messages.at(-1)?.text).toContain('if each took more than 10');
    expect(round(step, [20, 20, 10, 10, 10]).messages.at(-1)?.text).toContain('if each took more than 6');
    expect(begin(quiet).messages.every((message) => !message.text.includes('if each'))).toBe(true);
  });
});

describe('commons newcomer', () => {
  const task = { ...quiet, newcomer: 3, rounds: 5 };

  it('joins in its round, knows nothing from before, and takes 25', async () => {
    const roles = { first: 'take-10', second: 'take-10', third: 'take-10', fourth: 'take-10', fifth: 'take-10', newcomer: 'newcomer' };
    const log = await play(roles, task);
    const asked = log.flatMap((event) => (event.kind === 'turn' ? [event.asks.length] : []));
    expect(asked.slice(0, 3)).toEqual([5, 5, 6]);
    // 100 → 25 left → 50, with 75 requested: gone in the fourth round.
    expect(measuresIn(log)).toMatchObject({ survival: 4, total: 50 + 50 + 75 + 50 });
    const texts = viewOf(log, 'newcomer').seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
    expect(texts[0]).toContain('this is number 3');
    expect(texts.some((text) => /Round [12]:/.test(text))).toBe(false);
  });

  it('has the same view after any history with the same stock', () => {
    const views = [
      [10, 10, 10, 10, 10],
      [50, 0, 0, 0, 0],
    ].map((amounts) => {
      let step = begin(task);
      const messages = [...step.messages];
      for (let i = 0; i < 3; i++) {
        step = round(step, i < 2 ? amounts : [5, 5, 5, 5, 5, 25]);
        messages.push(...step.messages);
      }
      return JSON.stringify([
        viewOf(
          messages.map((message) => ({ kind: 'message' as const, ...message })),
          'newcomer',
        ),
        commons.knows?.(step.state, 'newcomer'),
      ]);
    });
    expect(views[0]).toBe(views[1]);
  });
});

describe('commons framing', () => {
  it.each(['fishing', 'pasture', 'pollution'])('as %s changes only the wording: harvests are equal for equal seeds', async (framing) => {
    for (const cast of ['fair-share', 'greedy', 'take-11']) {
      const [plain, framed] = [await play(cast, quiet, 3), await play(cast, { ...quiet, framing }, 3)];
      expect(measuresIn(framed)).toEqual(measuresIn(plain));
      expect(endOf(framed).returns).toEqual(endOf(plain).returns);
    }
    expect(begin({ framing }).messages[0]?.text).toMatch(/fish|grass|clean water/);
    expect(commons.task({})).not.toHaveProperty('framing');
  });

  it('keeps private harvests hidden and shows the remaining stock', () => {
    const steps = [
      [5, 1, 3, 1, 0],
      [5, 0, 2, 3, 0],
    ].map((amounts) => round(begin({ ...quiet, harvests: 'private' }), amounts));
    const observations = steps.map((step) =>
      JSON.stringify([step.messages.filter(({ to }) => to.includes('first')), commons.knows?.(step.state, 'first')]),
    );
    expect(observations[0]).toBe(observations[1]);
    expect(observations[0]).toContain('you take 5; 90 are left');
  });

  it('makes grabbing 60 worth it only after round 8', () => {
    // Against four seats that take 10 each and share the last round: staying earns 10 per round, and 20 in the last.
    const staying = (r: number) => 10 * (12 - r) + 20;
    expect([7, 8, 9].map((r) => Math.sign(60 - staying(r)))).toEqual([-1, 0, 1]);
    for (const r of [7, 8, 9]) {
      let step = begin(quiet);
      let total = 0;
      for (let i = 1; i < r; i++) step = round(step, [10, 10, 10, 10, 10]);
      const grabbed = round(step, [60, 10, 10, 10, 10]);
      total += (grabbed.rewards as Record<Seat, number>)['first']!;
      expect([total, grabbed.asks]).toEqual([60, []]);
    }
    // Fair play to the end: 11 rounds of 10, and 20 of the last hundred.
    expect(11 * 10 + 20).toBe(130);
  });
});

describe('simultaneous harvests', () => {
  it('stay hidden while one seat is asked again, and a forfeit takes nothing', () => {
    const { state, asks } = begin({ ...quiet, retries: 1 });
    const looks = [3, 9].map((amount) => {
      const actions = Object.fromEntries(asks.map(({ seat }) => [seat, says(seat === 'first' ? '[harvest 101]' : `[harvest ${amount}]`)]));
      return commons.step(state, actions, dice);
    });
    expect(looks[0]?.messages).toEqual(looks[1]?.messages);
    expect(looks[0]?.asks.map((ask) => ask.seat)).toEqual(['first']);
    expect(commons.knows?.(looks[0]?.state as never, 'first')).toEqual(commons.knows?.(looks[1]?.state as never, 'first'));
    const settled = commons.step(looks[1]!.state, { first: says('all of it') }, dice);
    expect(settled.rewards).toEqual({ first: 0, second: 9, third: 9, fourth: 9, fifth: 9 });
    expect(settled.messages[0]?.text).toContain('first forfeits');
    expect(settled.state.stock).toBe(100);
    expect(settled.asks).toHaveLength(5);
  });
});
