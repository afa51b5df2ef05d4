/** @file Teachers in the loop: each way of helping beats the same loop without help at equal tokens, and no hint is in what is trained. */

import { meanOf } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import type { EpisodeEvent, Learner, Policy, TokenRow, Turn } from '@ludus-agents/kernel/internal/core/index';
import { scriptedPolicy, textOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../../learners/index.ts';
import { chanceToOpen, locks } from '../locks.cases.ts';
import type { Guidance, Recipe } from '../recipe.ts';
import { builtInRecipe } from '../recipes/index.ts';
import { type PlayedEpisode, withSalt } from '../rollouts.ts';
import { samplesOf, shapeSample } from '../samples.ts';
import { type Metrics, TrainingLoop } from '../training-loop.ts';
import { TeacherGuide } from './teacher-guide.ts';

const digits = 4;
const script = (name: string): Policy => scriptedPolicy(name, locks.scripts![name]!);

function inLocks(name: string, games: number, changes: Partial<Guidance> = {}): Recipe {
  const recipe = builtInRecipe(name);
  const guidance = { ...recipe.guidance!, teachers: ['keyholder'], ...changes };
  const training = { environment: 'locks', task: { digits }, optimiser: 'adam', rate: { from: 0.2, to: 0.2 }, games, batch: 32 } as const;
  return { ...recipe, guidance, training };
}

/** Trains on a seed; what it ends at exactly, what it sampled, and what was told on the way. */
async function trained(recipe: Recipe, seed: number, teachers: readonly Policy[] = [script('keyholder')]) {
  const learner = new Tabular();
  const observedMetrics: Metrics[] = [];
  const parts = { environment: locks, learner, policy: learner.policy(), others: {}, guidance: recipe.guidance!, teachers, seed };
  const guides = [new TeacherGuide(parts)];
  await new TrainingLoop(recipe, {
    environment: locks,
    learner,
    seed,
    guides,
    tell: (metrics) => void observedMetrics.push(metrics),
  }).run();
  const guided = observedMetrics.reduce((sum, { guidance }) => sum + (guidance?.['guided'] ?? 0), 0);
  return {
    chance: await chanceToOpen(learner, { digits }),
    tokens: observedMetrics.at(-1)!.games * digits + guided,
    told: observedMetrics,
  };
}

describe('teacher guidance', () => {
  it.each(['agent-rlvr', 'bepa', 'ampo', 'rpd'])('of %s beats training without it at equal tokens on five seeds', async (name) => {
    const gains: number[] = [];
    for (const seed of [1, 2, 3, 4, 5]) {
      const helped = await trained(inLocks(name, 480), seed);
      const alone = await trained(inLocks(name, Math.ceil(helped.tokens / digits / 32) * 32, { share: 0 }), seed);
      expect(alone.tokens).toBeGreaterThanOrEqual(helped.tokens);
      gains.push(helped.chance - alone.chance);
    }
    expect(meanOf(gains).interval[0]).toBeGreaterThan(0);
  });

  it('never appears in training rows, although it was read, over whole training runs', async () => {
    for (const [name, seed] of [
      ['agent-rlvr', 1],
      ['bepa', 2],
      ['agent-rlvr', 3],
      ['bepa', 4],
    ] as const) {
      const { learner, trainedOn, read } = readingLearner();
      const recipe = inLocks(name, 64);
      const parts = { environment: locks, learner, policy: learner.policy(), others: {}, guidance: recipe.guidance!, seed };
      const guides = [new TeacherGuide({ ...parts, teachers: [script('keyholder')] })];
      await new TrainingLoop(recipe, { environment: locks, learner, seed, guides }).run();
      expect(read.some((text) => text.includes('Hint: '))).toBe(true);
      expect(trainedOn.length).toBeGreaterThan(0);
      expect(trainedOn.filter((text) => text.includes('Hint'))).toEqual([]);
    }
  });

  it('is requested only if a whole group fails, and then fills two places', async () => {
    let requestCount = 0;
    const counted: Policy = {
      name: 'counted',
      act(turns) {
        requestCount += turns.length;
        return script('keyholder').act(turns);
      },
    };
    const learner = new Tabular();
    const { guidance } = inLocks('ampo', 32, { share: 1 });
    const guide = new TeacherGuide({
      environment: locks,
      learner,
      policy: learner.policy(),
      others: {},
      guidance: guidance!,
      teachers: [counted],
      seed: 1,
    });
    const batch = await played(learner, 8);
    const good = batch.map((playedEpisode, i) => ({ ...playedEpisode, sample: { ...playedEpisode.sample, returned: i === 3 ? 1 : 0 } }));
    const untouched = await guide.lessons({ update: 0, done: 0, played: good, episodes: good.map(({ sample }) => sample) });
    expect([requestCount, untouched.figures]).toEqual([0, { failed: 0, helped: 0, guided: 0 }]);
    expect(untouched.episodes).toEqual(good.map(({ sample }) => sample));
    const bad = batch.map((playedEpisode) => ({ ...playedEpisode, sample: { ...playedEpisode.sample, returned: 0 } }));
    const { episodes = [] } = await guide.lessons({ update: 1, done: 0, played: bad, episodes: bad.map(({ sample }) => sample) });
    expect(requestCount).toBeGreaterThan(0);
    expect(episodes.filter(({ returned }) => returned === 1)).toHaveLength(1);
    // Tokens of answers count by the slope of p / (p + 0.1): most where the learner is neither sure nor at a loss.
    const slopes = [0.01, 0.1, 0.5, 0.9].map((chance) => {
      const turn = { read: [1], written: [2], logprobs: [Math.log(chance)], reward: 0, penalty: 0, at: 0, shape: 0.1 };
      return Number((shapeSample([{ ...episodes[0]!, turns: [turn] }], [[1]])[0]![0] as readonly number[])[0]!.toFixed(4));
    });
    expect(slopes).toEqual([0.0826, 0.25, 0.1389, 0.09]);
  });

  it("keeps planned successes by task until the learner's successes replace them", async () => {
    const learner = new Tabular();
    const { guidance } = inLocks('bepa', 32, { share: 1, heed: 1 });
    const guide = new TeacherGuide({
      environment: locks,
      learner,
      policy: learner.policy(),
      others: {},
      guidance: guidance!,
      teachers: [script('keyholder')],
      seed: 1,
    });
    const batch = await played(learner, 4);
    const injected: string[] = [];
    const events = ['fail', 'S1', 'fail', 'fail', 'S2', 'fail'];
    for (const [update, event] of events.entries()) {
      const now = batch.map((playedEpisode, i) => ({
        ...playedEpisode,
        sample: { ...playedEpisode.sample, key: 'k', returned: i === 0 && event !== 'fail' ? 1 : 0 },
      }));
      // Own successes are distinguished by what they returned in a second decimal.
      const ownItems = now.map(({ sample }, i) =>
        i === 0 && event !== 'fail' ? { ...sample, returned: event === 'S1' ? 1.1 : 1.2 } : sample,
      );
      const { episodes = [], figures } = await guide.lessons({ update, done: 0, played: now, episodes: ownItems });
      const best = Math.max(...episodes.map(({ returned }) => returned));
      injected.push(figures?.['helped'] === 0 ? '-' : best === 1 ? 'S0' : best === 1.1 ? 'S1' : 'S2');
    }
    expect(injected).toEqual(['S0', '-', 'S1', 'S1', '-', 'S2']);
  });

  it('by moves has a gradient without rewards, only at states the learner visits', async () => {
    const learner = new Tabular();
    const { guidance } = inLocks('rpd', 32);
    const visitedTurns: Turn[] = [];
    const teacher: Policy = {
      name: 'watched',
      act(turns) {
        visitedTurns.push(...turns);
        return script('keyholder').act(turns);
      },
    };
    const guide = new TeacherGuide({
      environment: locks,
      learner,
      policy: learner.policy(),
      others: {},
      guidance: guidance!,
      teachers: [teacher],
      seed: 1,
    });
    const batch = await played(learner, 4);
    const episodes = batch.map(({ sample }) => sample);
    const { terms = [] } = await guide.lessons({ update: 0, done: 0, played: batch, episodes });
    await learner.forwardBackward(terms, 'cross_entropy');
    expect(learner.table.gradient().some((value) => value !== 0)).toBe(true);
    expect(new Set(terms.map(({ tokens }) => tokens[0]))).toEqual(
      new Set(episodes.flatMap(({ turns }) => turns.map(({ read }) => read[0]))),
    );
    expect(visitedTurns).toHaveLength(4 * digits);
    expect((await guide.lessons({ update: 9, done: 1, played: batch, episodes })).terms ?? []).toEqual([]);
  });
});

/** One group of episodes of one lock. */
async function played(learner: Tabular, size: number): Promise<readonly PlayedEpisode[]> {
  const logs: (readonly EpisodeEvent[])[] = [];
  for (let member = 0; member < size; member++)
    logs.push(...(await rollout(locks, { opener: withSalt(learner.policy(), member) }, { seeds: [5], task: { digits } })));
  return logs.flatMap((log, game) => samplesOf(log, ['opener'], { prompt: 0, game }).map((sample) => ({ sample, log })));
}

/** A learner that reads: its tokens are letters, it does as it is told, and it remembers all that it read and was trained on. */
function readingLearner() {
  const [trainedOn, read]: [string[], string[]] = [[], []];
  const codes = (text: string) => Array.from(text, (letter) => letter.codePointAt(0)!);
  const textIn = (tokens: ArrayLike<number>) => String.fromCodePoint(...Array.from(tokens));
  const rowOf = ({ view }: Pick<Turn, 'view'>, text: string): TokenRow => {
    const [prompt, answer] = [codes(textOf(view)), codes(text)];
    return { tokens: [...prompt, ...answer], mask: [...prompt.map(() => 0), ...answer.map(() => 1)] };
  };
  const logprobs: Learner['logprobs'] = async (rows) => rows.map(({ tokens }) => Array.from(tokens, () => -1));
  const learner = {
    id: 'reader',
    policy: () => ({
      name: 'reader',
      act: (turns: readonly Turn[]) =>
        turns.map((turn) => {
          const text = textOf(turn.view);
          read.push(text);
          const move = /Hint: (.)/.exec(text.slice(text.lastIndexOf('Lock')))?.[1] ?? turn.rng.pick(turn.ask.choices!);
          const { tokens, mask } = rowOf(turn, move);
          const [prompt, answer] = [0, 1].map((bit) => Array.from(tokens).filter((_, i) => mask[i] === bit)) as [number[], number[]];
          const usage = { promptTokens: 1, completionTokens: 1 };
          const call = { model: 'reader', prompt: { messages: [] }, text: move, finish: 'stop' as const, usage, cost: 0 };
          return { action: { text: move }, calls: [{ ...call, promptTokenIds: prompt, tokenIds: answer, logprobs: answer.map(() => -1) }] };
        }),
    }),
    rowOf,
    rowFor: (_prompt: unknown, text: string) => ({ tokens: codes(text), mask: codes(text).map(() => 1) }),
    logprobs,
    async forwardBackward(rows: readonly TokenRow[]) {
      for (const { tokens } of rows) trainedOn.push(textIn(tokens));
      return { loss: 0, tokens: 0 };
    },
    async optimStep() {},
    async refer() {},
    save: async () => '',
    async load() {},
    complete: async () => Promise.reject(new Error('It is never asked so.')),
  };
  return { learner: learner as unknown as Learner, trainedOn, read };
}
