/** @file Channels of rewards that look at more than the outcome: labels of calls, the learner's own chance, a partner's gain, personas. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, choose, type EpisodeEvent, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { callLabels, labelCalls, shortness } from '../rl/call-labels.ts';
import type { NoScore } from '../rl/judging.ts';
import { ownChance, paidAnswer } from '../rl/own-chance.ts';
import { samplesOf } from '../rl/samples.ts';
import { helpedGain } from './helped-gain.ts';
import { personasOf } from './seating.ts';

const seat = 'player';

/** Two questions, of which each halves what it may be, and then a guess. */
const halves: AnyEnvironment = {
  id: 'halves@1',
  about: { summary: 'A number from 0 to 3.', tasks: [{}], turns: 3, complete: true },
  parameters: {},
  task: () => ({}),
  seats: () => [seat],
  start: (_, rng) => ({ state: { hidden: rng.int(4) }, messages: [], asks: [{ seat, choices: all }] }),
  step(state: { hidden: number }, actions) {
    const read = choose(actions[seat]!, all);
    const move = read.ok ? read.move : '';
    if (move === '[high?]') return told(state, state.hidden > 1 ? 'high' : 'low');
    if (move === '[odd?]') return told(state, state.hidden % 2 === 1 ? 'odd' : 'even');
    return { state, messages: [], asks: [], rewards: { [seat]: move === `[${state.hidden}]` ? 1 : 0 } };
  },
};
const all = ['[0]', '[1]', '[2]', '[3]', '[high?]', '[odd?]'];
const told = (state: { hidden: number }, text: string) => ({ state, messages: [{ to: [seat], text }], asks: [{ seat, choices: all }] });

/** A learner that plays a list of moves in order; its chances are a table's, taught to rule out what is known to be wrong. */
async function taught(): Promise<Tabular> {
  const learner = new Tabular();
  const asks = { seat, choices: all };
  const seen = (texts: readonly (readonly [string, string])[]) =>
    texts.flatMap(([move, text]) => [
      { kind: 'action' as const, action: { text: move } },
      { kind: 'message' as const, to: [seat], text },
    ]);
  const show = async (texts: readonly (readonly [string, string])[], answers: readonly string[]) => {
    const turn = { view: { seat, seen: seen(texts) }, ask: asks, rng: undefined as never };
    for (let step = 0; step < 400; step++) {
      await learner.forwardBackward(
        answers.map((answer) => ({ ...learner.rowOf(turn, answer), weights: [0, 1 / answers.length] })),
        'cross_entropy',
      );
      await learner.optimStep({ rate: 0.1 });
    }
  };
  await show([], ['[0]', '[1]', '[2]', '[3]']);
  for (const high of ['high', 'low']) {
    await show([['[high?]', high]], high === 'high' ? ['[2]', '[3]'] : ['[0]', '[1]']);
    for (const odd of ['odd', 'even'])
      await show(
        [
          ['[high?]', high],
          ['[odd?]', odd],
        ],
        [`[${(high === 'high' ? 2 : 0) + (odd === 'odd' ? 1 : 0)}]`],
      );
  }
  return learner;
}

async function played(moves: readonly string[], find = false): Promise<readonly EpisodeEvent[]> {
  let at = 0;
  const policy = scriptedPolicy('listed', ({ view }) => {
    const knownNames = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
    const right = (knownNames.includes('high') ? 2 : 0) + (knownNames.includes('odd') ? 1 : 0);
    return { text: moves[at++] ?? (find ? `[${right}]` : '[0]') };
  });
  const withCalls = {
    ...policy,
    act: async (turns: Parameters<typeof policy.act>[0]) =>
      (await policy.act(turns)).map((reply) => ({
        ...reply,
        calls: [
          {
            ...{ model: 'listed', prompt: { messages: [] }, text: reply.action.text, finish: 'stop' as const, cost: 0 },
            usage: { promptTokens: 1, completionTokens: 1 },
            ...{ promptTokenIds: [0], tokenIds: [1], logprobs: [-1] },
          },
        ],
      })),
  };
  return (await rollout(halves, { [seat]: withCalls }, { seeds: [1] }))[0]!;
}

const episodeOf = (log: readonly EpisodeEvent[]) => ({ log, seat, sample: samplesOf(log, [seat], { prompt: 0 })[0]! });

const rewardsIn = (input: readonly number[] | NoScore) => ('missing' in input ? [] : input);

describe('reward channels', () => {
  it("pay learning progress by the learner's confidence: a quarter, a half, and all", async () => {
    const learner = await taught();
    const gains = rewardsIn(await ownChance(learner, paidAnswer)(episodeOf(await played(['[high?]', '[odd?]'], true))));
    expect(gains.map((gain) => Math.round(100 * gain) / 100)).toEqual([0.25, 0.5, 0]);
    // A question that was asked before brings nothing, and an episode that found nothing has no answer to gain.
    const untaught = rewardsIn(await ownChance(new Tabular(), paidAnswer)(episodeOf(await played(['[high?]', '[odd?]'], true))));
    expect(untaught.every((value) => Math.abs(value) < 1e-9)).toBe(true);
    const wrong = await played(['[high?]', '[high?]', '[9]']);
    expect(await ownChance(learner, paidAnswer)(episodeOf(wrong))).toEqual([0, 0, 0]);
    expect(await ownChance(learner, () => '[3]')(episodeOf(wrong))).not.toEqual([0, 0, 0]);
  });

  it('label a repeated call as redundant and pay it less', async () => {
    const log = await played(['[high?]', '[high?]', '[odd?]'], true);
    expect(labelCalls(log, seat).map(({ label }) => label)).toEqual(['new', 'redundant', 'new', 'new']);
    expect(await callLabels(episodeOf(log))).toEqual([1, -1, 1, 1]);
  });

  it('treat a new number as new information, but not a new turn number', () => {
    const said = (texts: readonly string[]) =>
      labelCalls(
        texts.flatMap((text, i) => [
          { kind: 'action' as const, seat, action: { text: `[look ${i}]` } },
          { kind: 'message' as const, to: [seat], text },
        ]),
        seat,
      ).map(({ label }) => label);
    expect(said(['You are on floor 1.', 'You are on floor 2.', 'You are on floor 2.'])).toEqual(['new', 'new', 'redundant']);
    expect(said(['Nothing here. Turn 1.', 'Nothing here. Turn 2.', 'Nothing here. 3 turns left.'])).toEqual(['new', 'redundant', 'new']);
  });

  it('pay brevity in a separate channel, so that long wrong answers cannot win', () => {
    const turn = (tokens: number) => ({ read: [], written: Array(tokens).fill(1), logprobs: [], reward: 0, penalty: 0, at: 1 });
    const paid = (tokens: number) =>
      (shortness({ log: [], seat, sample: { turns: [turn(tokens)] } as never }) as readonly number[])[0]! * 1000;
    expect([1 + paid(2000), 1 + paid(500), paid(10_000)]).toEqual([0.5, -1, -0.1]);
  });

  it("pay a helper its partner's gain, and nothing if the partner wins alone", async () => {
    const pair = (helped: number, alone: number): AnyEnvironment => ({
      ...halves,
      id: 'pair@1',
      seats: () => ['helper', 'partner'],
      start: () => ({ state: {}, messages: [], asks: [{ seat: 'helper', choices: ['[help]', '[rest]'] }] }),
      step: (state, actions) => ({
        ...{ state, messages: [], asks: [] },
        rewards: { helper: 0, partner: actions['helper']!.text === '[help]' ? helped : alone },
      }),
    });
    const saying = (text: string) => scriptedPolicy(text, () => ({ text }));
    const gain = async (environment: AnyEnvironment) => {
      const others = { partner: saying('[rest]') };
      const judge = helpedGain({ environment, tasks: [{}], seed: 1, mine: ['helper'], others }, saying('[rest]'));
      const [log] = await rollout(environment, { helper: saying('[help]'), ...others }, { seeds: [1] });
      const turns = [{ read: [], written: [], logprobs: [], reward: 0, penalty: 0, at: 2 }];
      return judge({ log: log!, seat: 'helper', sample: { turns } as never });
    };
    expect(await gain(pair(1, 0.25))).toEqual([0.75]);
    expect(await gain(pair(1, 1))).toEqual([0]);
    expect(await gain(pair(0, 1))).toEqual([0]);
  });

  it('receive the personas of the other seats', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'ludus-persona-'));
    writeFileSync(
      join(cwd, 'ann.json'),
      JSON.stringify({ name: 'Ann', kind: 'random', persona: { name: 'Ann', statements: ['Ann is a clerk.'] } }),
    );
    const training = { seats: { partner: './ann.json', helper: 'learner', third: 'random' } } as never;
    expect(await personasOf({ training }, cwd, Trust.commandLine)).toMatchObject({ partner: { name: 'Ann' } });
  });

  it('do not read a model name as a persona file', async () => {
    const training = {
      seats: { partner: 'llm:ollama/qwen3-8b', third: 'scripted:minimax', fourth: 'bot:http://localhost:1/chat' },
    } as never;
    expect(await personasOf({ training }, tmpdir(), Trust.commandLine)).toEqual({});
  });
});
