import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { debate, payoff } from '@ludus-agents/environments/internal/debate/debate';
import { chanceBy, hands, sum, totalsAfter, winChance } from '@ludus-agents/environments/internal/debate/odds';
import { calibration } from '@ludus-agents/evaluation/internal/scoring/rules/calibration';
import { confidence } from '@ludus-agents/evaluation/internal/scoring/rules/confidence';
import { ruleScorer } from '@ludus-agents/evaluation/internal/scoring/scorer';
import type { ActionEvent, EndEvent, EpisodeEvent, JsonObject, Script } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';

const scripts = debate.scripts as Readonly<Record<string, Script>>;
const seeds = (n: number) => Array.from({ length: n }, (_, i) => i);

async function plays(
  cast: readonly [string, string, string?],
  n: number,
  task: JsonObject = {},
): Promise<readonly (readonly EpisodeEvent[])[]> {
  const [proposition, opposition, judge = 'judge'] = cast;
  const policies = Object.fromEntries(
    Object.entries({ proposition, opposition, judge }).map(([seat, name]) => [seat, scriptedPolicy(name, scripts[name]!)]),
  );
  return rollout(debate, policies, { seeds: seeds(n), task });
}

const returnOf = (log: readonly EpisodeEvent[], seat: string) => (log.at(-1) as EndEvent).returns[seat]!;
const meanReturn = (logs: readonly (readonly EpisodeEvent[])[], seat: string) =>
  logs.reduce((total, log) => total + returnOf(log, seat), 0) / logs.length;

describe('the probabilities of a debate', () => {
  it('count every hand once, with the totals of dice throws', () => {
    const all = [...hands(4, 5)];
    expect(all).toHaveLength(70);
    // Weights are orders over 4!, so that they add up to 5^4/4!.
    expect(sum(all.map(({ weight }) => weight))).toBeCloseTo(625 / 24, 10);
    const totals = new Map(totalsAfter([], { rounds: 1, cards: 2 }));
    // The better of two: 5 in 9 of 25 cases.
    expect(totals.get(5)).toBeCloseTo(9 / 25, 12);
    expect(new Map(totalsAfter([3], { rounds: 2, cards: 2 })).get(6)).toBeCloseTo(1 / 5, 12);
  });

  it('are even without information, and are a step function without noise', () => {
    for (const noise of [0, 1, 2]) {
      const odds = totalsAfter([], { rounds: 3, cards: 4 });
      const even = odds.reduce((total, [own, p]) => total + p * winChance(own, odds, noise), 0);
      expect(even).toBeCloseTo(0.5, 12);
    }
    expect([chanceBy(1, 0), chanceBy(0, 0), chanceBy(-1, 0), chanceBy(0, 3)]).toEqual([1, 0.5, 0, 0.5]);
  });

  it('make honest bets best under the Brier rule, and certainty best under linear payouts', () => {
    const expected = (bet: number, p: number, payout: 'brier' | 'linear') =>
      p * payoff(bet, true, payout) + (1 - p) * payoff(bet, false, payout);
    for (const p of [0.1, 0.37, 0.5, 0.8]) {
      const bets = seeds(101).map((bet) => bet / 100);
      const best = (payout: 'brier' | 'linear') => bets.reduce((a, b) => (expected(b, p, payout) > expected(a, p, payout) ? b : a));
      expect(best('brier')).toBeCloseTo(p, 10);
      if (p !== 0.5) expect(best('linear')).toBe(p > 0.5 ? 1 : 0);
    }
    expect([payoff(0.5, true, 'brier'), payoff(1, true, 'brier'), payoff(1, false, 'brier')]).toEqual([0, 1, -3]);
  });
});

describe('debaters', () => {
  it('gain by calibrated bets, lose by certainty, and break even with 50', async () => {
    const n = 400;
    const honest = await plays(['calibrated', 'calibrated'], n);
    // Both sides together: winning adds up to 0, so the sum is the result of the bets.
    const gained = meanReturn(honest, 'proposition') + meanReturn(honest, 'opposition');
    expect(gained).toBeGreaterThan(0.2);
    const certain = await plays(['certain', 'even'], n);
    expect(Math.abs(meanReturn(certain, 'opposition') + meanReturn(certain, 'proposition') + 1)).toBeLessThan(0.5);
    // One bet for all three speeches without strengths shown: the exact gain is the spread of the chance, 4 var(p).
    const blind = await plays(['calibrated', 'even'], n, { strengths: false, rounds: 3, spare: 1 });
    const odds = totalsAfter([], { rounds: 3, cards: 4 });
    const exact = odds.reduce((total, [own, p]) => total + p * 4 * (winChance(own, odds, 2) - 0.5) ** 2, 0);
    const brier = blind.map((log) => returnOf(log, 'proposition') + returnOf(log, 'opposition'));
    const mean = sum(brier) / n;
    const sd = Math.sqrt(sum(brier.map((x) => (x - mean) ** 2)) / n);
    expect(Math.abs(mean - exact)).toBeLessThan((4.9 * sd) / Math.sqrt(n) + 0.01);
  });

  it('with honest bets sum to 100 on average, in every round', async () => {
    const logs = await plays(['calibrated', 'calibrated'], 400);
    for (const round of [0, 1, 2]) {
      const sums = logs.map((log) => {
        const bets = (side: string) =>
          log.flatMap((event) =>
            event.kind === 'action' && event.seat === side ? [(event.action.data as { confidence: number }).confidence] : [],
          );
        return bets('proposition')[round]! + bets('opposition')[round]!;
      });
      expect(Math.abs(sum(sums) / sums.length - 100)).toBeLessThan(5);
    }
  });

  it('win more with strong arguments, with a full reward for a strict judge', async () => {
    const logs = await plays(['even', 'weakest', 'strict-judge'], 100, { spare: 3 });
    expect(meanReturn(logs, 'proposition')).toBeGreaterThan(0.8);
    expect(logs.every((log) => returnOf(log, 'judge') >= 0.5)).toBe(true);
  });
});

describe('bets', () => {
  it('are hidden from the other side and the judge unless public', async () => {
    const [log] = await plays(['certain', 'even'], 1);
    const seen = (events: readonly EpisodeEvent[], seat: string) =>
      JSON.stringify(
        viewOf(events, seat)
          .seen.filter(({ kind }) => kind === 'message')
          .slice(1),
      );
    for (const seat of ['opposition', 'judge']) expect(seen(log!, seat)).not.toMatch(/bet|confidence|100/);
    const [open] = await plays(['certain', 'even'], 1, { bets: 'public' });
    expect(seen(open!, 'opposition')).toContain('proposition bets 100');
    expect(seen(open!, 'judge')).not.toMatch(/bets 100/);
    const task = debate.task({});
    const start = debate.start(task, rng(1));
    const [ground] = start.state.hands.proposition[0]!;
    const after = [10, 90].map((bet) => debate.step(start.state, { proposition: { text: `Well. [argue ${ground}, bet ${bet}]` } }, rng(2)));
    expect(after[0]!.messages).toEqual(after[1]!.messages);
    expect(debate.knows?.(after[0]!.state, 'opposition')).toEqual(debate.knows?.(after[1]!.state, 'opposition'));
  });

  it('are read from brackets or data, and requested if missing', () => {
    const { state, asks } = debate.start(debate.task({}), rng(3));
    const [ground] = state.hands.proposition[0]!;
    const put = (text: string, data?: JsonObject) =>
      debate.step(state, { proposition: data === undefined ? { text } : { text, data } }, rng(4));
    expect(put(`[argue ${ground}, bet 70]`).state.speeches.proposition[0]?.bet).toBe(70);
    expect(put(`[argue ${ground}]`, { confidence: 70 }).state.speeches.proposition[0]?.bet).toBe(70);
    expect(put(`[argue ${ground}]`).messages[0]?.text).toContain('how likely you are to win');
    expect(put(`[argue ${ground}]`, { confidence: 170 }).penalties).toEqual({ proposition: 1 });
    expect(asks[0]?.fields).toMatchObject({ required: ['confidence'] });
  });

  it('come from language agents as data, without appearing in the text', async () => {
    for (const [form, answer] of [
      ['labels', (ground: string) => `Speech: It pays for itself.\nAction: [argue ${ground}]\nData: {"confidence": 64}`],
      [
        'json',
        (ground: string) => JSON.stringify({ speech: 'It pays for itself.', action: `[argue ${ground}]`, data: { confidence: 64 } }),
      ],
      ['plain', (ground: string) => `It pays for itself. [argue ${ground}]\nData: {"confidence": 64}`],
    ] as const) {
      const prompts: string[] = [];
      const model = fakeModel({
        answers: (prompt) => {
          const text = prompt.messages.map(({ content }) => content).join('\n');
          prompts.push(text);
          const left = /Your moves: \[argue (\w+),/.exec(text.slice(text.lastIndexOf('Your moves:')))?.[1] ?? 'cost';
          return answer(left);
        },
      });
      const agent = await llmAgent({ spec: { name: 'm', kind: 'llm', settings: { answer: form } }, seat: 'proposition', model });
      const others = Object.fromEntries(
        ['opposition', 'judge'].map((seat) => [
          seat,
          { name: seat, act: (turn: never) => ({ action: scripts[seat === 'judge' ? 'judge' : 'even']!(turn) as never }) },
        ]),
      );
      const log = await Array.fromAsync(play(debate, { proposition: agent, ...others }, { seed: 5 }));
      const actionEvents = log.filter((event): event is ActionEvent => event.kind === 'action' && event.seat === 'proposition');
      expect(actionEvents).toHaveLength(3);
      for (const { action } of actionEvents) {
        expect(action.data).toEqual({ confidence: 64 });
        expect(action.text).not.toMatch(/64|Data/);
      }
      expect((log.at(-1) as EndEvent).penalties['proposition']).toBe(0);
      expect(prompts[0]).toContain('"confidence"');
    }
  });

  it('are scored jointly by confidence, and per seat by calibration', async () => {
    const [log] = await plays(['certain', 'even'], 1);
    const input = { episodes: [{ id: 'e', events: log! }], rng: rng(1) };
    const signal = new AbortController().signal;
    const [joint] = await ruleScorer(confidence).score(input, signal);
    expect(joint?.value).toBe(50);
    const scores = await ruleScorer(calibration).score(input, signal);
    const won = (log!.at(-1) as EndEvent).returns['proposition']! > 0;
    expect(scores.map(({ seat, value }) => [seat, value])).toEqual([
      ['proposition', won ? 0 : 1],
      ['opposition', 0.25],
      ['judge', null],
    ]);
    expect(scores[0]?.parts).toMatchObject({ opening: 100, closing: 100, n90: 3, sum90: 300 });
  });
});
