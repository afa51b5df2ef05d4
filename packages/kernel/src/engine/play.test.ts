import { describe, expect, it } from 'vitest';
import { turns } from '../../../../test/fixtures/until.ts';
import { bidding, bytes, callOf, everywhere, logOf, temper } from '../../../../test/random-environments.ts';
import { type Agent, type EpisodeEvent, type Seat, scripted, type Turn, viewOf } from '../core/index.ts';
import { answers, bidders, bidOf, endOf, kindsOf, never, playing, says, within, withTwistedSteps } from './play.cases.ts';
import { play, resume } from './play.ts';

describe('the order of a log', () => {
  it('[E1] [E2] is start, then messages, rewards, turn, and actions of each step, then end', async () => {
    const log = await playing(bidOf('[1]'));
    const step = 'message message reward';
    expect(kindsOf(log)).toBe(`start message message message turn action action action ${step} turn action action action ${step} end`);
    expect(log[0]).toEqual({
      kind: 'start',
      environment: 'bidding@1',
      task: { rounds: 2 },
      seed: 0,
      seats: bidders,
      cast: everywhere(bidders, '[1]'),
    });
    expect(endOf(log)).toMatchObject({ reason: 'over', turns: 2 });
    expect(endOf(log)).not.toHaveProperty('fault');
  });

  it('[E3] follows the order of the asks, not the order in which simultaneous answers arrive', async () => {
    const inOrder = await playing({ ann: says('[1]'), bob: says('[1]'), cid: says('[1]') });
    for (const ticks of [
      [3, 2, 1],
      [1, 2, 3],
      [2, 0, 1],
    ] as const) {
      const [ann, bob, cid] = ticks.map((tick) => ({ ...within(tick), name: '[1]' })) as [Agent, Agent, Agent];
      expect(bytes(await playing({ ann, bob, cid }))).toBe(bytes(inOrder));
    }
    const mixed = await playing({ ann: { ...within(3), name: '[1]' }, bob: says('[1]'), cid: says('[1]') });
    expect(bytes(mixed)).toBe(bytes(inOrder));
  });

  it('[E3] lets all asked seats think at the same time', async () => {
    const thinking = new Set<Seat>();
    let most = 0;
    const thinker: Agent = {
      name: 'thinker',
      async act({ ask }) {
        thinking.add(ask.seat);
        most = Math.max(most, thinking.size);
        await turns(1);
        thinking.delete(ask.seat);
        return { action: { text: '[0]' } };
      },
    };
    await playing(everywhere(bidders, thinker));
    expect(most).toBe(3);
  });

  it('[E6] keeps penalties in a separate channel', async () => {
    const log = await playing({ ...bidOf('[2]'), bob: says('hm') });
    const rewardEvents = log.filter((event) => event.kind === 'reward');
    expect(rewardEvents).toHaveLength(2);
    for (const event of rewardEvents) {
      expect(Object.keys(event.rewards)).toEqual(['ann', 'cid']);
      expect(event.penalties).toEqual({ bob: 1 });
    }
    expect(endOf(log).penalties).toEqual({ ann: 0, bob: 2, cid: 0 });
    expect(endOf(log).returns['bob']).toBe(0);
    expect(viewOf(log, 'bob').seen.filter((item) => item.kind === 'reward')).toEqual([
      { kind: 'reward', reward: 0, penalty: 1 },
      { kind: 'reward', reward: 0, penalty: 1 },
    ]);
  });
});

describe('the input of an agent', () => {
  it('[E7] is its view, its ask, and its random numbers, without messages or answers of others', async () => {
    const turns: Turn[] = [];
    const watcher = scripted('watcher', (turn) => {
      turns.push(turn);
      return { text: '[2]' };
    });
    const log = await playing({ ...bidOf('[0]'), bob: watcher });
    expect(turns).toHaveLength(2);
    const turn = log.findLastIndex((event) => event.kind === 'turn');
    expect(turns[1]?.view).toEqual(viewOf(log.slice(0, turn), 'bob'));
    expect(JSON.stringify(turns)).not.toMatch(/Welcome, ann|pot|\[0\]"\}/);
    expect(Object.keys(turns[0]!).sort()).toEqual(['ask', 'rng', 'view']);
  });

  it('[E7] is cut to the last messages if the ask has a window', async () => {
    const observations: number[] = [];
    const narrow = withTwistedSteps((step) => ({ ...step, asks: step.asks.map((ask) => ({ ...ask, window: 1 })) }));
    const watcher = scripted('watcher', ({ view }) => {
      observations.push(view.seen.filter((item) => item.kind === 'message').length);
      return { text: '[0]' };
    });
    await logOf(play(narrow, everywhere(bidders, watcher), { task: { rounds: 3 } }));
    expect(observations).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('[E8] includes the last mind it returned in that seat, which is logged and cleared by returning none', async () => {
    const minds: unknown[] = [];
    const rememberer = scripted('rememberer', ({ ask, mind }) => {
      if (ask.seat === 'ann') minds.push(mind);
      const count = ((mind as { count?: number })?.count ?? 0) + 1;
      return { action: { text: '[0]' }, ...(count < 3 ? { mind: { count, seat: ask.seat } } : {}) };
    });
    const log = await playing(everywhere(bidders, rememberer), { task: { rounds: 4 } });
    expect(minds).toEqual([undefined, { count: 1, seat: 'ann' }, { count: 2, seat: 'ann' }, undefined]);
    const retained = log.flatMap((event) => (event.kind === 'action' && event.seat === 'bob' ? [event.mind] : []));
    expect(retained).toEqual([{ count: 1, seat: 'bob' }, { count: 2, seat: 'bob' }, undefined, { count: 1, seat: 'bob' }]);
  });

  it('[E14] has random numbers that depend only on seed, seat, and turn', async () => {
    const rolls = async (seed: number, others: Agent) => {
      const mine: number[] = [];
      const roller = scripted('roller', ({ rng }) => {
        mine.push(rng.next());
        return { text: '[0]' };
      });
      await playing({ ann: roller, bob: others, cid: others }, { seed });
      return mine;
    };
    const noisy = scripted('noisy', ({ rng }) => ({ text: `[${rng.int(3)}]`, data: rng.next() }));
    expect(await rolls(1, says('[0]'))).toEqual(await rolls(1, noisy));
    expect(await rolls(1, says('[0]'))).not.toEqual(await rolls(2, says('[0]')));
    expect(new Set(await rolls(1, says('[0]'))).size).toBe(2);
  });
});

describe('limits', () => {
  const costly = scripted('costly', () => ({ action: { text: '[1]' }, calls: [callOf(3, 4, 0.5)] }));
  it.each([
    ['turns', { turns: 1 }, 1],
    ['turns', { turns: 0 }, 0],
    ['calls', { calls: 4 }, 2],
    ['tokens', { tokens: 21 }, 1],
    ['tokens', { tokens: 22 }, 2],
    ['money', { money: 1.5 }, 1],
    ['money', { money: 1.6 }, 2],
  ])('[E9] on %s (%j) end the episode before the next turn, after %i', async (limit, limits, turns) => {
    const log = await playing(everywhere(bidders, costly), { task: { rounds: 5 }, limits });
    expect(endOf(log)).toMatchObject({ reason: 'limit', limit, turns });
    expect(answers(log)).toHaveLength(3 * turns);
  });

  it('[E9] that are just sufficient do not end it, and unpriced calls cost nothing', async () => {
    expect(endOf(await playing(everywhere(bidders, costly), { limits: { turns: 2, calls: 6, tokens: 42, money: 3 } })).reason).toBe('over');
    const unpriced = scripted('unpriced', () => ({ action: { text: '[1]' }, calls: [callOf(1, 1, null)] }));
    expect(endOf(await playing(everywhere(bidders, unpriced), { limits: { money: 0.001 } })).reason).toBe('over');
  });

  it('[E9] on seconds cancel an agent that is still thinking, even if it ignores its signal', async () => {
    const log = await playing({ ...bidOf('[1]'), bob: { name: 'never', act: never } }, { limits: { seconds: 0.02 } });
    expect(endOf(log)).toMatchObject({ reason: 'limit', limit: 'seconds', turns: 0 });
    expect(answers(log)).toEqual(['ann', 'cid']);
  });

  it('[E9] let a started turn finish, even if it is resumed in the middle', async () => {
    const limits = { calls: 1 };
    const log = await playing(everywhere(bidders, costly), { limits });
    const cut = log.findIndex((event) => event.kind === 'action') + 1;
    const rest = await logOf(resume(bidding, everywhere(bidders, costly), log.slice(0, cut), { limits }));
    expect(bytes([...log.slice(0, cut), ...rest])).toBe(bytes(log));
    expect(endOf(log)).toMatchObject({ reason: 'limit', limit: 'calls', turns: 1 });
  });
});

describe('the portions of an episode', () => {
  it('[E1] are the events of a turn available so far, and together form the log', async () => {
    const agents = { ann: within(3), bob: says('[1]'), cid: within(1) };
    const episode = play(bidding, agents, { task: { rounds: 2 } });
    const portions: (readonly EpisodeEvent[])[] = [];
    for (let portion = await episode.portion(); portion.length > 0; portion = await episode.portion()) portions.push(portion);
    expect(portions.flat()).toEqual(await logOf(play(bidding, agents, { task: { rounds: 2 } })));
    expect(portions.map(kindsOf)).toEqual([
      'start message message message turn',
      'action action action message message reward turn',
      'action action action message message reward end',
    ]);
    expect(await episode.portion()).toEqual([]);
  });

  it('[E11] can be read twice at once and mixed with single events, without duplicates', async () => {
    const episode = play(bidding, everywhere(bidders, within(1)), { task: { rounds: 2 } });
    const [first, second, third] = await Promise.all([episode.next(), episode.portion(), episode.portion()]);
    const rest = await logOf(episode);
    const log = [first.value as EpisodeEvent, ...second, ...third, ...rest];
    expect(log).toEqual(await playing(everywhere(bidders, within(1))));
  });
});

describe('a repeated episode', () => {
  it('[E14] has the same bytes for the same task, seed, and agents, and others for another seed', async () => {
    const tempered = everywhere(bidders, scripted('tempered', temper(7)));
    const [once, twice, other] = [
      await playing(tempered, { seed: 5 }),
      await playing(tempered, { seed: 5 }),
      await playing(tempered, { seed: 6 }),
    ];
    expect(bytes(once)).toBe(bytes(twice));
    expect(bytes(once)).not.toBe(bytes(other));
  });

  it('[E14] is unchanged by freezing, which prevents changes in place', async () => {
    const vandal = scripted('vandal', ({ view }) => {
      (view.seen as unknown[]).length = 0;
      return { text: '[1]' };
    });
    const log = await playing({ ...bidOf('[1]'), ann: vandal }, { freeze: true });
    expect(endOf(log)).toMatchObject({ reason: 'error', fault: { boundary: 'agent', seat: 'ann' } });
    expect(bytes(await playing(bidOf('[1]'), { freeze: false }))).toBe(bytes(await playing(bidOf('[1]'), { freeze: true })));
  });
});
