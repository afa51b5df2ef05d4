import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { fc } from '../../../../test/fixtures/property.ts';
import { bytes, everywhere, logOf, type Recipe, randomEnvironment, slow, temper } from '../../../../test/random-environments.ts';
import type { Agent, EpisodeEvent, Limits, Script, Seat, Turn } from '../core/index.ts';
import { scripted, scriptedPolicy, viewOf } from '../core/index.ts';
import { type Agents, fork, play, resume } from './play.ts';
import { replay } from './replay.ts';
import { rollout } from './rollout.ts';

// Random worlds (one to four seats, simultaneous asks, dice, private words, any end) under random players, some of which give up.

const recipe: fc.Arbitrary<Recipe> = fc.record({
  salt: fc.integer({ min: 0, max: 10_000 }),
  seats: fc.integer({ min: 1, max: 4 }),
  turns: fc.integer({ min: 1, max: 8 }),
  stop: fc.integer({ min: 0, max: 30 }),
  together: fc.integer({ min: 0, max: 100 }),
  talk: fc.integer({ min: 0, max: 100 }),
  break: fc.constantFrom(0, 0, 0, 5),
});

const limits: fc.Arbitrary<Limits> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.record({ turns: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ calls: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ tokens: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ money: fc.double({ min: 0.005, max: 0.05, noNaN: true }) }),
);

const party = fc.record({ recipe, limits, seed: fc.nat(), salt: fc.nat(), fails: fc.constantFrom(0, 0, 5), tardy: fc.boolean() });
type Party = typeof party extends fc.Arbitrary<infer T> ? T : never;

function gather({ recipe: newRecipe, salt, fails, tardy }: Party) {
  const environment = randomEnvironment(newRecipe);
  const seats: readonly Seat[] = environment.seats({});
  const scripts = Object.fromEntries(seats.map((seat, i) => [seat, temper(salt + i, fails)]));
  const cast = (make: (name: string, script: Script) => Agent): Agents =>
    Object.fromEntries(seats.map((seat) => [seat, make(`player of ${seat}`, scripts[seat]!)]));
  return { world: environment, seats, scripts, agents: cast(tardy ? slow : scripted), prompt: cast(scripted) };
}

/** Holds for each of so many parties, the same ones every time. */
const always = (runs: number, holds: (input: Party, gathered: ReturnType<typeof gather>) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(party, (input) => holds(input, gather(input))),
    { numRuns: amount(Math.ceil(1.5 * runs), runs), seed: 20240 },
  );

const tailOf = (events: readonly EpisodeEvent[]) => bytes(events.slice(1));
const stale = (events: readonly EpisodeEvent[]) => JSON.parse(JSON.stringify(events)) as EpisodeEvent[];

describe('random environments and players', () => {
  it('[E1] produce logs of one start, complete turns, and one end, with returns that sum the rewards', () =>
    always(amount(100, 300), async ({ seed, limits: bounds }, { world: environment, seats, agents }) => {
      const log = await logOf(play(environment, agents, { seed, limits: bounds }));
      expect(log.findIndex((event) => event.kind === 'start')).toBe(0);
      expect(log.findLastIndex((event) => event.kind === 'start')).toBe(0);
      expect(log.findIndex((event) => event.kind === 'end')).toBe(log.length - 1);
      const end = log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;
      const sums = { returns: everywhere(seats, 0), penalties: everywhere(seats, 0) };
      for (const event of log) {
        if (event.kind !== 'reward') continue;
        for (const [seat, amount] of Object.entries(event.rewards)) sums.returns[seat]! += amount;
        for (const [seat, amount] of Object.entries(event.penalties ?? {})) sums.penalties[seat]! += amount;
      }
      expect(end).toMatchObject(sums);
      expect(grammar(log)).toMatch(/^s(m*r?ta+)*m*r?(ta*)?e$/);
    }));

  it('[E14] produce the same bytes at any player speed, with and without freezing', () =>
    always(amount(60, 150), async ({ seed, limits: bounds }, { world: environment, seats, scripts, prompt }) => {
      const once = bytes(await logOf(play(environment, prompt, { seed, limits: bounds })));
      const tardy = Object.fromEntries(seats.map((seat) => [seat, slow(`player of ${seat}`, scripts[seat]!)]));
      expect(bytes(await logOf(play(environment, tardy, { seed, limits: bounds })))).toBe(once);
      expect(bytes(await logOf(play(environment, prompt, { seed, limits: bounds, freeze: false })))).toBe(once);
    }));

  it('[E7] show each player exactly the view of the log so far', () =>
    always(amount(60, 150), async ({ seed }, { world: environment, seats, scripts }) => {
      const turns: Turn[] = [];
      const watched = Object.fromEntries(
        seats.map((seat) => [
          seat,
          scripted(seat, (turn) => {
            turns.push(turn);
            return scripts[seat]!(turn);
          }),
        ]),
      );
      const log = await logOf(play(environment, watched, { seed }));
      const due = log.flatMap((event, i) =>
        event.kind === 'turn' ? event.asks.map((ask) => ({ ask, view: viewOf(log.slice(0, i), ask.seat, ask.window) })) : [],
      );
      expect(turns.map(({ ask, view }) => ({ ask, view }))).toEqual(due);
    }));

  it('[E15] produce the same bytes in rollout as in play, with any sharing of policies', () =>
    always(amount(80, 200), async ({ seed, limits: bounds, fails, salt }, { world: environment, seats, scripts, prompt }) => {
      const seeds = fails === 0 ? [seed, seed + 1, seed + 2] : [seed];
      const policies = Object.fromEntries(seats.map((seat) => [seat, scriptedPolicy(`player of ${seat}`, scripts[seat]!)]));
      const logs = await rollout(environment, policies, { seeds, limits: bounds, width: 2 });
      for (const [i, value] of seeds.entries())
        expect(bytes(logs[i] as EpisodeEvent[])).toBe(bytes(await logOf(play(environment, prompt, { seed: value, limits: bounds }))));
      const shared = await rollout(environment, everywhere(seats, scriptedPolicy('all', temper(salt))), { seeds });
      const alone = await logOf(play(environment, everywhere(seats, scripted('all', temper(salt))), { seed }));
      expect(bytes(shared[0] as EpisodeEvent[])).toBe(bytes(alone));
    }));

  it('[E16] produce logs that replay, even after serialization', () =>
    always(amount(100, 300), async ({ seed, limits: bounds }, { world: environment, agents }) => {
      const log = await logOf(play(environment, agents, { seed, limits: bounds }));
      expect(replay(environment, log)).toBeNull();
      expect(replay(environment, stale(log))).toBeNull();
    }));

  it('[E17] produce the same log when resumed from every prefix', () =>
    always(amount(50, 100), async ({ seed, limits: bounds }, { world: environment, agents }) => {
      const log = await logOf(play(environment, agents, { seed, limits: bounds }));
      for (let cut = 1; cut <= log.length; cut++) {
        const rest = await logOf(resume(environment, agents, stale(log.slice(0, cut)), { limits: bounds }));
        expect(bytes([...log.slice(0, cut), ...rest])).toBe(bytes(log));
      }
    }));

  it('[E18] produce the same log when forked before any event with the same players and seed', () =>
    always(amount(30, 80), async ({ seed }, { world: environment, agents }) => {
      const log = await logOf(play(environment, agents, { seed }));
      for (let at = 1; at <= log.length; at++) {
        for (const dice of [{}, { seed }]) {
          const branch = await logOf(fork(environment, log, at, agents, dice));
          expect(tailOf(branch)).toBe(tailOf(log));
          expect(replay(environment, branch)).toBeNull();
        }
      }
    }));

  it('[E19] fork with another seed or player into a standalone log that differs only from there on', () =>
    always(amount(30, 80), async ({ seed, salt }, { world: environment, seats, agents }) => {
      const log = await logOf(play(environment, agents, { seed }));
      const others = everywhere(seats, scripted('other', temper(salt + 99)));
      for (let at = 1; at <= log.length; at += 2) {
        for (const [players, dice] of [
          [agents, { seed: seed + 1 }],
          [others, {}],
          [others, { seed: seed + 1 }],
        ] as const) {
          const branch = await logOf(fork(environment, log, at, players, dice));
          expect(bytes(branch.slice(1, at))).toBe(bytes(log.slice(1, at)));
          expect(replay(environment, stale(branch))).toBeNull();
        }
      }
    }));

  it('[E20] fork from a fork into a log that replays, resumes, and without a new seed equals its parent', () =>
    always(amount(10, 30), async ({ seed, salt }, { world: environment, agents }) => {
      const log = await logOf(play(environment, agents, { seed }));
      // Answers given before a fork in the middle of a turn were rolled with the old dice, so only forks between turns can be redone whole.
      const between = log.flatMap((event, i) => (i > 0 && event.kind !== 'action' ? [i] : []));
      const at = between[salt % between.length]!;
      const child = await logOf(fork(environment, log, at, agents, { seed: seed + 1 }));
      for (let again = 1; again <= child.length; again++) {
        expect(tailOf(await logOf(fork(environment, child, again, agents)))).toBe(tailOf(child));
        const third = await logOf(fork(environment, child, again, agents, { seed: seed + 2 }));
        expect(bytes(third.slice(1, again))).toBe(bytes(child.slice(1, again)));
        expect(replay(environment, stale(third))).toBeNull();
        for (let cut = again; cut < third.length; cut++) {
          const rest = await logOf(resume(environment, agents, third.slice(0, cut)));
          expect(bytes([...third.slice(0, cut), ...rest])).toBe(bytes(third));
        }
      }
    }));
});

/** One letter an event. */
function grammar(log: readonly EpisodeEvent[]): string {
  return log.map((event) => event.kind[0]).join('');
}
