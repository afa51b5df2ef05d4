import type { Action, EndEvent, EpisodeEvent, Json, Script, Seat } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { dilemma } from './dilemma.ts';

const scripts = dilemma.scripts as Readonly<Record<string, Script>>;

async function logs(names: readonly string[], task: Json = {}, seeds: readonly number[] = [0]) {
  const seats = dilemma.seats(dilemma.task(task));
  const policies = Object.fromEntries(seats.map((seat, i) => [seat, scriptedPolicy(names[i]!, scripts[names[i]!]!)]));
  return rollout(dilemma, policies, { seeds, task });
}

async function returns(names: readonly string[], task: Json = {}): Promise<readonly number[]> {
  const [log] = await logs(names, task);
  return Object.values(endOf(log as readonly EpisodeEvent[]).returns);
}

const endOf = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;
const dice = rng(0);
const begin = (input: Json) => dilemma.start(dilemma.task(input), dice);
const says = (text: string): Action => ({ text });

describe("repeated prisoner's dilemma", () => {
  it.each([
    ['allc', 'allc', 30, 30],
    ['allc', 'alld', 0, 50],
    ['alld', 'alld', 10, 10],
    ['tit-for-tat', 'alld', 9, 14],
    ['tit-for-tat', 'tit-for-tat', 30, 30],
    ['grim', 'alld', 9, 14],
    ['pavlov', 'alld', 5, 30],
    ['suspicious-tit-for-tat', 'tit-for-tat', 25, 25],
    ['suspicious-tit-for-tat', 'suspicious-tit-for-tat', 10, 10],
    ['pavlov', 'suspicious-tit-for-tat', 18, 23],
  ])('with %s against %s over 10 rounds pays %d and %d on either side', async (a, b, first, second) => {
    expect(await returns([a, b])).toEqual([first, second]);
    expect(await returns([b, a])).toEqual([second, first]);
  });

  it('ends by its continuation probability, with mean length 1/(1−p)', async () => {
    const seeds = Array.from({ length: 2000 }, (_, i) => i);
    const played = await logs(['allc', 'allc'], { rounds: 1000, continuation: 0.75 }, seeds);
    const mean = played.reduce((sum, log) => sum + endOf(log).turns, 0) / seeds.length;
    const sigma = Math.sqrt(0.75) / 0.25 / Math.sqrt(seeds.length);
    expect(Math.abs(mean - 4)).toBeLessThan(4 * sigma);
  });
});

describe('matrix game payoffs', () => {
  it.each([
    [
      'pd',
      [
        [3, 3],
        [0, 5],
        [5, 0],
        [1, 1],
      ],
    ],
    [
      'stag',
      [
        [4, 4],
        [0, 3],
        [3, 0],
        [2, 2],
      ],
    ],
    [
      'chicken',
      [
        [3, 3],
        [1, 4],
        [4, 1],
        [0, 0],
      ],
    ],
    [
      'battle',
      [
        [2, 1],
        [0, 0],
        [0, 0],
        [1, 2],
      ],
    ],
    [
      'pennies',
      [
        [1, -1],
        [-1, 1],
        [-1, 1],
        [1, -1],
      ],
    ],
  ])('of %s at CC, CD, DC, and DD are stated in the rules for both seats', (game, cells) => {
    const { state, messages } = begin({ game });
    ['CC', 'CD', 'DC', 'DD'].forEach((moves, i) => {
      const [a, b] = cells[i] as [number, number];
      const step = dilemma.step(state, { first: says(`[${moves[0]}]`), second: says(`[${moves[1]}]`) }, dice);
      expect(step.rewards).toEqual({ first: a, second: b });
      expect(messages[0]?.text).toContain(`you ${moves[0]}, the other ${moves[1]}: you get ${a}, the other ${b}`);
      expect(messages[1]?.text).toContain(`you ${moves[1]}, the other ${moves[0]}: you get ${b}, the other ${a}`);
    });
  });

  it('of public goods are 20 for none, 32 for all, and 44 for a free rider', async () => {
    const task = { game: 'goods', rounds: 1 };
    expect(await returns(['alld', 'alld', 'alld', 'alld'], task)).toEqual([20, 20, 20, 20]);
    expect(await returns(['allc', 'allc', 'allc', 'allc'], task)).toEqual([32, 32, 32, 32]);
    expect(await returns(['alld', 'allc', 'allc', 'allc'], task)).toEqual([44, 24, 24, 24]);
    const { state } = begin(task);
    const paid = (own: number, rest: number) => {
      const moves = { first: own, second: rest, third: rest, fourth: rest };
      const actions = Object.fromEntries(Object.entries(moves).map(([seat, amount]) => [seat, says(`[contribute ${amount}]`)]));
      return dilemma.step(state, actions, dice).rewards?.['first'] as number;
    };
    for (let own = 0; own < 20; own++) for (const rest of [0, 7, 20]) expect(paid(own, rest) - paid(own + 1, rest)).toBeCloseTo(0.6, 10);
  });

  it('make tit-for-tat retaliate against free riders in public goods', async () => {
    const [log] = await logs(['alld', 'tit-for-tat', 'tit-for-tat', 'allc'], { game: 'goods', rounds: 2 });
    const visible = (log as readonly EpisodeEvent[]).flatMap((event) => (event.kind === 'message' && event.data ? [event.data] : []));
    expect(visible).toEqual([
      { round: 1, moves: { first: 0, second: 20, third: 20, fourth: 20 } },
      { round: 2, moves: { first: 0, second: 0, third: 0, fourth: 20 } },
    ]);
  });
});

describe('simultaneous moves', () => {
  it('ask only the seat with the invalid move again, without showing the other move', () => {
    const { state } = begin({});
    const missed = dilemma.step(state, { first: says('I think [D] or [C]'), second: says('so [d]') }, dice);
    expect(missed.asks.map((ask) => ask.seat)).toEqual(['first']);
    expect(missed.penalties).toEqual({ first: 1 });
    expect(missed.rewards).toBeUndefined();
    expect(missed.messages.map((message) => message.to)).toEqual([['first']]);
    expect(dilemma.step(missed.state, { first: says('[C]') }, dice).rewards).toEqual({ first: 0, second: 5 });
  });

  it('stay hidden while the other seat retries', () => {
    const { state } = begin({});
    const steps = ['[C]', '[D]'].map((current) => dilemma.step(state, { first: says('hm'), second: says(current) }, dice));
    expect(steps[0]?.messages).toEqual(steps[1]?.messages);
    expect(dilemma.knows?.(steps[0]?.state as never, 'first')).toEqual(dilemma.knows?.(steps[1]?.state as never, 'first'));
    expect(steps[0]?.state).not.toEqual(steps[1]?.state);
  });

  it('are forfeited after too many invalid tries in a row', () => {
    let step = begin({ retries: 1, game: 'pennies' });
    const bad = says('no move');
    step = dilemma.step(step.state, { first: bad, second: says('[C]') }, dice);
    step = dilemma.step(step.state, { first: says('[C]') }, dice);
    step = dilemma.step(step.state, { first: bad, second: bad }, dice);
    expect(step.asks.map((ask) => ask.seat)).toEqual(['first', 'second']);
    step = dilemma.step(step.state, { first: bad, second: says('[D]') }, dice);
    expect(step.asks).toEqual([]);
    expect(step.messages.map((message) => message.text)).toEqual(['first forfeits: no legal move was given.']);
    expect(step.rewards).toEqual({ first: -1, second: 1 });
  });

  it('pay nothing if all forfeit, and pay the endowment to the others in public goods', () => {
    const all = begin({ game: 'pennies', retries: 0 });
    expect(dilemma.step(all.state, { first: says(''), second: says('') }, dice).rewards).toEqual({ first: 0, second: 0 });
    const goods = begin({ game: 'goods', retries: 0, players: 3 });
    const gives = says('[contribute 5]');
    expect(dilemma.step(goods.state, { first: gives, second: says('[contribute 21]'), third: gives }, dice).rewards).toEqual({
      first: 20,
      second: 0,
      third: 20,
    });
  });
});

describe('dilemma talk', () => {
  it('reaches the others on one line, before the configured rounds', () => {
    for (const [talk, turns] of [
      ['none', 2],
      ['first', 3],
      ['each', 4],
    ] as const) {
      let step = begin({ talk, rounds: 2 });
      let takenCount = 0;
      while (step.asks.length > 0) {
        const talking = step.asks[0]?.choices === undefined;
        const answer = (seat: Seat) => says(talking ? (seat === 'first' ? 'Trust me.\nsecond: ok [D]' : '  ') : '[C]');
        step = dilemma.step(step.state, { first: answer('first'), second: answer('second') }, dice);
        if (talking) expect(step.messages).toEqual([{ to: ['second'], text: 'Trust me. second: ok [D]', from: 'first' }]);
        takenCount++;
      }
      expect(takenCount).toBe(turns);
    }
  });
});

describe('dilemma', () => {
  it('replays its logs, and equal knowledge means equal views', async () => {
    const seeds = Array.from({ length: 200 }, (_, i) => i);
    for (const task of [{ rounds: 2 }, { game: 'battle', talk: 'each', rounds: 2 }]) {
      const looks = new Map<string, string>();
      for (const log of await logs(['random', 'random'], task, seeds)) {
        expect(replay(dilemma, log)).toBeNull();
        let { state } = begin(task);
        let pending: Record<Seat, Action> = {};
        log.forEach((event, i) => {
          if (event.kind !== 'action') return;
          pending[event.seat] = event.action;
          if (Object.keys(pending).length < 2) return;
          state = dilemma.step(state, pending, dice).state;
          pending = {};
          const upTo = log.slice(
            0,
            log.findIndex((later, j) => j > i && (later.kind === 'turn' || later.kind === 'end')),
          );
          for (const seat of ['first', 'second']) {
            const known = seat + JSON.stringify(dilemma.knows?.(state, seat));
            const view = JSON.stringify(viewOf(upTo, seat));
            expect(looks.get(known) ?? view).toBe(view);
            looks.set(known, view);
          }
        });
      }
      expect(looks.size).toBeGreaterThan(10);
    }
  });

  it('rejects invalid tasks', () => {
    expect(() => dilemma.task({ game: 'poker' })).toThrow(/"game" must be one of "pd"/);
    expect(dilemma.seats(dilemma.task({ game: 'goods', players: 6 }))).toHaveLength(6);
    expect(dilemma.seats(dilemma.task({ players: 6 }))).toEqual(['first', 'second']);
  });
});
