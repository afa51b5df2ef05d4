import { dilemma } from '@ludus-agents/environments/internal/dilemma';
import { connectFour, ticTacToe } from '@ludus-agents/environments/internal/kinarow';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import type { Agent, AnyEnvironment, EndEvent, EpisodeEvent, Policy, Script, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { agentPolicy, Fault, recordOf, rng, scripted, scriptedPolicy, shareStep } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { bidding, bytes, everywhere, logOf, slow, temper } from '../../../../test/random-environments.ts';

const environments: readonly AnyEnvironment[] = [bidding, kuhnPoker, ticTacToe, connectFour, dilemma];
const seeds = Array.from({ length: 20 }, (_, i) => 3 * i);
const bidders = ['ann', 'bob', 'cid'] as const;
const endOf = (log: readonly EpisodeEvent[] | undefined) => log?.at(-1) as EndEvent;

/** A different script on every seat. */
const castOf = (environment: AnyEnvironment) =>
  Object.fromEntries(environment.seats(environment.task({})).map((seat: Seat, i: number) => [seat, temper(i)] as const)) as Record<
    Seat,
    Script
  >;

/** A script as a policy that answers its whole batch later. */
const batched = (name: string, script: Script): Policy => ({
  name,
  async act(turns) {
    await new Promise((resolve) => setImmediate(resolve));
    return turns.map((turn) => {
      const answer = script(turn);
      return 'action' in answer ? answer : { action: answer };
    });
  },
});

describe('rollout', () => {
  it.each(environments.map((environment) => [environment.id, environment] as const))(
    '[E15] produces the bytes of play in %s with synchronous and asynchronous policies',
    async (_, environment) => {
      const scripts = castOf(environment);
      const cast = <T>(make: (name: string, script: Script) => T) =>
        Object.fromEntries(Object.entries(scripts).map(([seat, script]) => [seat, make(seat, script)]));
      const alone = await Promise.all(seeds.map(async (seed) => bytes(await logOf(play(environment, cast(slow), { seed })))));
      for (const make of [scriptedPolicy, batched])
        for (const width of [1, 7, 64]) expect((await rollout(environment, cast(make), { seeds, width })).map(bytes)).toEqual(alone);
    },
  );

  it('[E15] produces the bytes of play with shared steps, penalties, and any seat order', async () => {
    const seats = ['a', 'b'];
    const step = (turn: number, asked: readonly string[]): Step<number> => ({
      state: turn,
      messages: [
        { to: ['a'], text: `turn ${turn}` },
        { to: seats, from: 'b', text: 'both', data: { turn } },
      ],
      asks: asked.map((seat) => ({ seat, choices: ['x'] })),
      rewards: { a: turn / 3 },
      penalties: { b: 1 },
    });
    const drawn = () => [step(0, ['a']), step(1, seats), step(2, [])];
    const rulesOf = (steps: ReturnType<typeof drawn>): AnyEnvironment => ({
      id: 'shared@1',
      about: { summary: '', tasks: [{}], turns: 2 },
      parameters: {},
      task: () => ({}),
      // Its own list for every rollout, as a log that was read has one.
      seats: () => [...seats],
      start: () => steps[0]!,
      step: (turn: number) => steps[turn + 1]!,
    });
    const policies = Object.fromEntries(seats.map((seat) => [seat, scriptedPolicy(seat, temper(0))]));
    const [plain, shared] = [rulesOf(drawn()), rulesOf(drawn().map(shareStep))];
    const expected = (await rollout(plain, policies, { seeds })).map(bytes);
    for (let time = 0; time < 3; time++)
      for (const freeze of [true, false]) expect((await rollout(shared, policies, { seeds, freeze })).map(bytes)).toEqual(expected);
    const [first, second] = await rollout(shared, policies, { seeds: [1, 2] });
    expect(first?.[1]).toBe(second?.[1]);
    expect(Object.isFrozen(first?.[1])).toBe(true);
  });

  it('[E15] shares the end event of equal episodes only', async () => {
    const step = (state: string, asked: readonly Seat[]): Step<string> => ({
      ...{ state, messages: [], asks: asked.map((seat) => ({ seat })), rewards: { a: 1 / 3, b: -1 } },
    });
    const drawn = () => [step('more', ['a']), step('over', [])] as const;
    const rulesOf = ([more, over]: readonly Step<string>[]): AnyEnvironment => ({
      ...{ id: 'length@1', about: { summary: '', tasks: [{}], turns: 99 }, parameters: {}, task: () => ({}), seats: () => ['a', 'b'] },
      ...{ start: () => more!, step: (_, __, dice) => (dice.int(3) > 0 ? more! : over!) },
    });
    const policies = everywhere(['a', 'b'], scriptedPolicy('p', temper(0)));
    const many = Array.from({ length: 40 }, (_, seed) => seed);
    const shared = await rollout(rulesOf(drawn().map(shareStep)), policies, { seeds: many });
    expect(shared.map(bytes)).toEqual((await rollout(rulesOf(drawn()), policies, { seeds: many })).map(bytes));
    const ends = shared.map(endOf);
    expect(new Set(ends.map(({ turns }) => turns)).size).toBeGreaterThan(3);
    expect(new Set(ends).size).toBeLessThan(many.length);
    expect(ends.some((end) => Object.isFrozen(end.returns))).toBe(true);
  });

  it('[E15] produces the bytes and errors of play with many seats', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `seat ${i}`);
    const table = (asked: (turn: number) => readonly Seat[]): AnyEnvironment => {
      const at = (turn: number) => ({
        state: turn,
        messages: [{ to: names, text: `Turn ${turn}.` }],
        asks: asked(turn).map((seat) => ({ seat })),
      });
      return {
        ...{ id: 'table@1', about: { summary: 'A table.', tasks: [{}], turns: 9 }, parameters: {}, task: () => ({}) },
        ...{ seats: () => names, start: () => at(0), step: (state) => at((state as number) + 1) },
      };
    };
    const everyone = table((turn) => [names, names.toReversed(), names.slice(7)][turn] ?? []);
    const [log] = await rollout(everyone, everywhere(names, scriptedPolicy('p', temper(1))), { seeds: [1] });
    expect(bytes(log!)).toBe(bytes(await logOf(play(everyone, everywhere(names, scripted('p', temper(1))), { seed: 1 }))));
    expect(endOf(log)).toMatchObject({ reason: 'over', turns: 3 });
    for (const [asked, sentence] of [
      [['seat 3', 'seat 3'], 'The rules ask seat "seat 3" twice in one turn'],
      [['nobody'], 'The rules use an unknown seat "nobody"'],
    ] as const) {
      const [failed] = await rollout(
        table(() => asked),
        everywhere(names, scriptedPolicy('p', temper(1))),
        { seeds: [1] },
      );
      expect(endOf(failed).fault?.message).toContain(sentence);
    }
  });

  it('[E15] produces the bytes of play under limits', async () => {
    for (const limits of [{ turns: 2 }, { calls: 3 }, { tokens: 30 }, { money: 0.02 }]) {
      const logs = await rollout(bidding, everywhere(bidders, scriptedPolicy('p', temper(1))), { seeds, limits });
      const alone = seeds.map((seed) => logOf(play(bidding, everywhere(bidders, scripted('p', temper(1))), { seed, limits })));
      expect(logs.map(bytes)).toEqual((await Promise.all(alone)).map(bytes));
      expect(logs.some((log) => endOf(log).reason === 'limit')).toBe(true);
    }
  });

  it('[E15] calls a policy once per wave for all its seats in all episodes', async () => {
    const batches: number[] = [];
    const policy: Policy = {
      name: 'counted',
      act(turns) {
        batches.push(turns.length);
        return turns.map(() => ({ action: { text: '[1]' } }));
      },
    };
    await rollout(bidding, everywhere(bidders, policy), { seeds: [1, 2, 3, 4], task: { rounds: 3 } });
    expect(batches).toEqual([12, 12, 12]);
  });

  it('[E15] fails only the episodes of a policy that throws, as in play', async () => {
    const failing: Script = () => {
      throw new Fault('model', 'No weights.');
    };
    const steady: Script = () => ({ text: '[1]' });
    const logs = await rollout(
      bidding,
      { ...everywhere(bidders, scriptedPolicy('steady', steady)), bob: scriptedPolicy('failing', failing) },
      { seeds },
    );
    const alone = seeds.map((seed) =>
      logOf(play(bidding, { ...everywhere(bidders, scripted('steady', steady)), bob: scripted('failing', failing) }, { seed })),
    );
    expect(logs.map(bytes)).toEqual((await Promise.all(alone)).map(bytes));
    expect(endOf(logs[0])).toMatchObject({ reason: 'error', fault: { boundary: 'model', message: 'No weights.', seat: 'bob' } });
    expect(logs[0]?.filter((event) => event.kind === 'action')).toHaveLength(2);
  });

  it('[E15] keeps earlier episodes complete when a policy fails in one wave', async () => {
    let waves = 0;
    const fickle: Policy = {
      name: 'fickle',
      act(turns) {
        if (++waves === 4) throw new Error('tired');
        return turns.map(() => ({ action: { text: '[1]' } }));
      },
    };
    const logs = await rollout(bidding, everywhere(bidders, fickle), { seeds: [1, 2], width: 1, task: { rounds: 3 } });
    expect(logs.map((log) => endOf(log).reason)).toEqual(['over', 'error']);
  });

  it('[E15] ends only the episode in which an agent fails', async () => {
    let requestCount = 0;
    const second: Agent = {
      name: 'away',
      act: async () => {
        if (requestCount++ === 1) throw new Fault('agent', 'The line is dead.');
        return { action: { text: '[check]' } };
      },
    };
    const first = scriptedPolicy('check', () => ({ text: '[check]' }));
    const logs = await rollout(kuhnPoker, { first, second: agentPolicy(second, new AbortController().signal) }, { seeds: [1, 2, 3] });
    expect(logs.map((log) => endOf(log).reason)).toEqual(['over', 'error', 'over']);
    expect(endOf(logs[1]).fault).toMatchObject({ boundary: 'agent', message: 'The line is dead.', seat: 'second' });
  });

  it('[E12] treats missing or invalid answers as a fault of the agent in each episode', async () => {
    const short: Policy = { name: 'short', act: (turns) => turns.slice(1).map(() => ({ action: { text: '[1]' } })) };
    const logs = await rollout(
      kuhnPoker,
      { first: short, second: scriptedPolicy('check', () => ({ text: '[check]' })) },
      { seeds: [1, 2, 3] },
    );
    expect(logs.map((log) => endOf(log).reason)).toEqual(['error', 'error', 'error']);
    expect(logs.map((log) => log.filter((event) => event.kind === 'action').length)).toEqual([2, 1, 0]);
    expect(endOf(logs[2]).fault).toMatchObject({ boundary: 'agent', seat: 'first' });
  });

  it("[E14] derives a seat's random numbers from seed, seat, and turn, even with thousands of seats", async () => {
    const names = Array.from({ length: 1500 }, (_, i): Seat => `seat-${i}`);
    const asks = names.map((seat) => ({ seat }));
    const crowd: AnyEnvironment = {
      id: 'crowd@1',
      about: { summary: 'Everybody says a number, twice.', tasks: [{}], turns: 2 },
      parameters: {},
      task: () => ({}),
      seats: () => names,
      start: () => ({ state: 0, messages: [], asks }),
      step: (turn: number) => ({ state: turn + 1, messages: [], asks: turn === 0 ? asks : [] }),
    };
    const policy = scriptedPolicy('dice', ({ rng: dice }) => ({ text: String(dice.next()) }));
    const [log] = await rollout(
      crowd,
      recordOf(names, () => policy),
      { seeds: [5] },
    );
    const texts = log?.flatMap((event) => (event.kind === 'action' ? [event.action.text] : []));
    expect(texts).toEqual([0, 1].flatMap((turn) => names.map((seat) => String(rng(5, 'seat', seat, turn).next()))));
  });

  it('[E5] rejects invalid input before playing', async () => {
    const policies = everywhere(bidders, scriptedPolicy('p', temper(1)));
    await expect(rollout(bidding, { ...policies, dan: scriptedPolicy('p', temper(1)) }, { seeds })).rejects.toThrow(/Unknown seat "dan"/);
    await expect(rollout(bidding, policies, { seeds: [0, -1] })).rejects.toThrow(/seed/);
    expect(await rollout(bidding, policies, { seeds: [] })).toEqual([]);
  });
});
