/** @file How many tokens a second the transformer samples in games whose texts grow from turn to turn, with many episodes at once. */

import { ticTacToe } from '@ludus-agents/environments/internal/kinarow';
import { leduc } from '@ludus-agents/environments/internal/leduc';
import { twentyQuestions } from '@ludus-agents/environments/internal/twenty-questions';
import { type AnyEnvironment, type JsonObject, type Policy, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { hasRuntime, learnVocabulary, Transformer } from '@ludus-agents/learning/internal/learners/transformer/index';
import { textsOf } from '@ludus-agents/learning/internal/rl/vocabulary-texts';
import { warmUp } from '@ludus-agents/learning/internal/rl/warm-up';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface SampledGame {
  readonly name: string;
  readonly environment: AnyEnvironment;
  readonly task: JsonObject;
  readonly context: number;
  readonly maxTokens: number;
  /** Who is imitated, and who has the other seats; random play on all seats unless set. */
  readonly script?: string;
  readonly others?: Readonly<Record<string, Policy>>;
  readonly episodes: readonly number[];
}

const games: readonly SampledGame[] = [
  { name: 'tic_tac_toe', environment: ticTacToe, task: {}, context: 256, maxTokens: 8, episodes: [64, 512] },
  { name: 'leduc', environment: leduc, task: {}, context: 256, maxTokens: 8, episodes: [64, 512] },
  {
    name: 'twenty_questions',
    environment: twentyQuestions,
    task: { shown: false },
    context: 512,
    maxTokens: 16,
    script: 'binary-search',
    others: { oracle: scriptedPolicy('oracle', twentyQuestions.scripts!['oracle']) },
    episodes: [64],
  },
];

/** Steps and games of imitation, and the most episodes at once. */
interface Amounts {
  readonly steps: number;
  readonly played: number;
  readonly most: number;
}

/** The sizes of `many-lm`, after so much imitation that most answers are moves. */
const sizes = { width: 64, layers: 1, heads: 8 };

export async function sampling(flags: Flags): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const amounts = {
    steps: sizeOf(flags, 'warm', 80, 1),
    played: sizeOf(flags, 'imitated', 300, 10),
    most: sizeOf(flags, 'episodes', 512, 4),
  };
  for (const game of games.slice(0, sizeOf(flags, 'sampled-games', games.length, 1))) {
    if (hasRuntime()) figures.push(...(await measureSampling(game, amounts)));
    else figures.push({ name: `sampling.${game.name}`, value: null, unit: '', note: 'onnxruntime-node is not installed' });
  }
  return figures;
}

async function measureSampling(
  { name, environment, task, context, maxTokens, script, others = {}, episodes }: SampledGame,
  { steps, played, most }: Amounts,
) {
  const texts = await textsOf(environment, { games: 100, seed: 1, task, others, script });
  const model = await Transformer.create({ vocabulary: learnVocabulary(texts, 512), seed: 1, context, maxTokens, ...sizes });
  await warmUp(model, [{ environment, task, others }], {
    ...{ games: played, steps, rate: 3e-3, rows: 24, seed: 1 },
    ...(script !== undefined && { script }),
  });
  const weights = await model.weights();
  const policy = model.policy();
  const seats: readonly string[] = environment.seats(environment.task(task));
  const cast = Object.fromEntries(seats.map((seat) => [seat, others[seat] ?? policy]));
  const figures: Figure[] = [];
  for (const count of new Set(episodes.map((wanted) => Math.min(wanted, most)))) {
    const speeds: number[] = [];
    let prompts = 0;
    for (let round = 0; round < 3; round++) {
      // Nothing is kept of the round before.
      await model.load(weights);
      model.sampled = 0;
      const clock = process.cpuUsage();
      const seeds = Array.from({ length: count }, (_, i) => i + 1);
      const logs = await rollout(environment, cast, { seeds, task, width: count });
      const { user, system } = process.cpuUsage(clock);
      speeds.push(model.sampled / ((user + system) / 1e6));
      prompts = meanPrompt(logs);
    }
    figures.push({
      name: `sampling.${name}_${count}.tokens_per_cpu_s`,
      value: speeds.toSorted((a, b) => a - b)[speeds.length >> 1],
      unit: 'tokens',
      note: `${count} episodes at once, ${model.sampled} tokens, after ${Math.round(prompts)} on average; play included`,
    });
  }
  return figures;
}

function meanPrompt(logs: Awaited<ReturnType<typeof rollout>>): number {
  const read = logs.flatMap((log) =>
    log.flatMap((event) => (event.kind === 'action' ? (event.calls ?? []).map(({ usage }) => usage?.promptTokens ?? 0) : [])),
  );
  return read.reduce((sum, value) => sum + value, 0) / Math.max(1, read.length);
}
