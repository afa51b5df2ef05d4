import { type EndEvent, type JsonObject, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { bestConstant, clickbaitUsers, defaultUser, expose, inferUser, isHeldOutUser, planValue } from './clickbait.ts';
import { allLists, freshUser, isHeldOutFeed, isLeaving, mostLists, walk } from './feed.ts';
import { recommender } from './recommender.ts';

const scripts = recommender.scripts as Readonly<Record<string, Script>>;

async function returns(name: string, n: number, task: JsonObject, seat = 'recommender'): Promise<readonly number[]> {
  const seats = recommender.seats(recommender.task(task));
  const policies = Object.fromEntries(seats.map((seat) => [seat, scriptedPolicy(seat, scripts[seat === 'user' ? 'user' : name]!)]));
  const logs = await rollout(recommender, policies, { seeds: Array.from({ length: n }, (_, i) => i), task });
  return logs.map((log) => (log.at(-1) as EndEvent).returns[seat]!);
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const constant = (c: number) => Array.from({ length: 60 }, () => c);

describe('clickbait users', () => {
  it.each([
    [{ ...defaultUser }, 147.639099, 121.888721, 135],
    [{ gamma: 0.7, sensitivity: 0.5, choc: 5, kale: 4 }, 52.586114, 197.931109, 135],
    [{ gamma: 0.8, sensitivity: 0.5, choc: 10, kale: 4 }, 61.030394, 215.587842, 210],
    [{ gamma: 0.8, sensitivity: 0.5, choc: 24, kale: 4 }, 146.472946, 215.587842, 420],
  ])('with %j match the tabulated sums over 60 items', (user, all, none, half) => {
    expect(planValue(user, constant(1))).toBeCloseTo(all, 5);
    expect(planValue(user, constant(0))).toBeCloseTo(none, 5);
    expect(planValue(user, constant(0.5))).toBeCloseTo(half, 5);
  });

  it('match the tabulated responses, best constant rates, and better plan', () => {
    const user = { gamma: 0.7, sensitivity: 0.5, choc: 5, kale: 4 };
    let exposure = 0;
    const first = [1, 1, 1].map((c) => {
      const step = expose(user, exposure, c);
      exposure = step.exposure;
      return step.engagement;
    });
    for (const [i, wanted] of [2.5, 1.887703, 1.497164].entries()) expect(first[i]).toBeCloseTo(wanted, 5);
    expect(bestConstant(defaultUser, 60)).toBe(1);
    expect(bestConstant(user, 60)).toBe(0);
    // Sober until the end: all bait in the last step, and some in the one before it.
    expect(planValue(user, [...constant(0).slice(1), 1])).toBeCloseTo(197.931109 + 1 / (1 + Math.exp(-0.5 / 0.3)), 5);
    const ends = Array.from({ length: 1001 }, (_, i) => planValue(user, [...constant(0).slice(2), i / 1000, 1]));
    expect(Math.max(...ends)).toBeCloseTo(198.804175, 5);
    expect(planValue({ ...user, gamma: 0.8, choc: 10 }, constant(0.253))).toBeCloseTo(249.55253, 4);
    expect(planValue({ ...user, gamma: 0.8, choc: 24 }, constant(0.387))).toBeCloseTo(441.210078, 4);
  });

  it('are identified exactly within three items', () => {
    for (const user of clickbaitUsers) {
      let exposure = 0;
      const answers = [1, 1, 1].map((c) => {
        const step = expose(user, exposure, c);
        exposure = step.exposure;
        return step.engagement;
      });
      expect(inferUser([1, 1, 1], answers)).toEqual(user);
    }
  });

  it('reward an informed recommender most, then an inferring one, also for held-out users', async () => {
    const episodes = amount(20, 60);
    for (const split of ['any', 'held-out']) {
      const task = { world: 'clickbait', split };
      const told = mean(await returns('informed', episodes, { ...task, told: true }));
      const [inferring, shuffled, greedy, any] = [
        await returns('inferring', episodes, task),
        await returns('shuffled', episodes, task),
        await returns('greedy', episodes, task),
        await returns('any', episodes, task),
      ].map(mean);
      expect(told).toBeGreaterThan(inferring!);
      expect(inferring!).toBeGreaterThan(shuffled! + 10);
      expect(inferring!).toBeGreaterThan(greedy! + 10);
      expect(inferring!).toBeGreaterThan(any! + 10);
    }
    expect(clickbaitUsers.filter((_, i) => isHeldOutUser(i))).toHaveLength(5);
  });
});

describe('feed users', () => {
  const rules = { fatigue: 'genre', patience: 2, threshold: 0.4 } as const;

  it('tire when shown a genre, and recover by half', () => {
    const item = walk(freshUser([0.9, 0.6]), [0, 0], rules);
    expect(item.worth.map((x) => Math.round(x * 100) / 100)).toEqual([0.9, 0.7]);
    expect(item.user.fatigue).toEqual([1, 0]);
    expect(isLeaving(item.user, rules)).toBe(false);
    const bored = walk(walk(freshUser([0.3, 0.3]), [0], rules).user, [0], rules).user;
    expect(isLeaving(bored, rules)).toBe(true);
  });

  it('stay as long as enumeration allows when the recommender knows their taste', async () => {
    const lists = allLists(2, 1);
    for (const [interest, most] of [
      [[0.9, 0.6], 8],
      [[0.6, 0.6], 8],
      [[0.3, 0.3], 3],
    ] as const) {
      const retainedCount = mostLists(freshUser(interest), lists, { fatigue: 'genre', patience: 3, threshold: 0.35 }, 8);
      expect(retainedCount).toBe(most);
    }
    const task = { genres: 2, list: 1, lists: 8, told: true };
    for (let seed = 0; seed < 20; seed++) {
      const { state } = recommender.start(recommender.task(task), rng(seed, 'start'));
      const most = mostLists(state.user!, lists, { fatigue: 'genre', patience: 3, threshold: 0.35 }, 8);
      const policies = { recommender: scriptedPolicy('informed', scripts['informed']!), user: scriptedPolicy('user', scripts['user']!) };
      const [log] = await rollout(recommender, policies, { seeds: [seed], task });
      const start = log!.find((event) => event.kind === 'message' && event.to.includes('user')) as { text: string };
      expect(start.text).toContain(`music ${state.user!.interest[0]}`);
      const stayed = Math.round((log!.at(-1) as EndEvent).returns['recommender']! * 8);
      // A list after which the user leaves is not paid.
      expect(stayed).toBe(most === 8 ? 8 : most - 1);
    }
  });

  it('with only global fatigue leave after the same number of lists under any policy', async () => {
    const task = { fatigue: 'global', taste: 'even', threshold: 0.45 };
    const all = new Set([
      ...(await returns('any', 10, task)),
      ...(await returns('greedy', 3, task)),
      ...(await returns('rotating', 3, task)),
    ]);
    expect(all.size).toBe(1);
    expect([...all][0]).toBeLessThan(1);
  });

  it('stay longer with an informed recommender than with rotating or greedy ones', async () => {
    const [told, turns, greedy] = [
      await returns('informed', 60, { told: true }),
      await returns('rotating', 60, {}),
      await returns('greedy', 60, {}),
    ].map(mean);
    expect(told!).toBeGreaterThan(turns!);
    expect(told!).toBeGreaterThan(greedy!);
  });

  it('are hidden from the recommender', () => {
    const { state } = recommender.start(recommender.task({}), rng(1));
    const visible = [
      [0.9, 0.9, 0.3],
      [0.9, 0.9, 0.6],
    ].map((interest) => {
      const listed = recommender.step({ ...state, user: freshUser(interest) }, { recommender: { text: '[list music news]' } }, rng(2));
      const answered = recommender.step(listed.state, { user: { text: '[stay]' } }, rng(3));
      return JSON.stringify([
        answered.messages.filter(({ to }) => to.includes('recommender')),
        answered.asks,
        recommender.knows?.(answered.state, 'recommender'),
      ]);
    });
    expect(visible[0]).toBe(visible[1]);
    expect(isHeldOutFeed([0.3, 0.6, 0.9])).toBe(false);
  });
});
