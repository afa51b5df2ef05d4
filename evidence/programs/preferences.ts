/**
 * @file Cyclic preferences over five answers. The policy is rewarded either by the share of its samples that an answer beats, or by a
 * Bradley–Terry reward model fitted to the same comparisons. Options: by ("win-rate" or "reward-model"), matrix ("cyclic" or
 * "transitive"), seed. Prints how often the best opponent is preferred to the average policy (.5 is the best possible).
 */

import { bradleyTerry } from '@ludus-agents/evaluation/internal/scoring/ratings/bradley-terry';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { preferSamples } from '@ludus-agents/learning/internal/rl/judging';
import type { ProgramOptions } from '../arms.ts';

const answers = 5;
const size = 10;
const updates = 300;

export default async function run({ by = 'win-rate', matrix = 'cyclic', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'preferences');
  const beats = Array.from({ length: answers }, () => new Array<number>(answers).fill(0.5));
  for (let a = 0; a < answers; a++)
    for (let b = a + 1; b < answers; b++) {
      // In a cycle each answer beats the two after it; else the earlier one wins.
      const wins = matrix === 'transitive' || b - a <= 2;
      beats[a][b] = (wins ? 0.6 : 0.1) + 0.3 * random.next();
      beats[b][a] = 1 - beats[a][b];
    }
  const logits = new Array<number>(answers).fill(0);
  const total = new Array<number>(answers).fill(0);
  const games: { readonly first: string; readonly second: string; readonly score: number }[] = [];
  let payment = 0;
  for (let update = 0; update < updates; update++) {
    const policy = softmax(logits);
    for (const [i, chance] of policy.entries()) total[i] += chance / updates;
    const samples = Array.from({ length: size }, () => random.weighted(policy));
    const played = samples.map((answer, i) => ({ sample: { prompt: 0, seat: 'writer', game: i, answer }, log: [] }));
    const compared = await preferSamples(played as never, (left, right) => {
      const [a, b] = [answerOf(left), answerOf(right)];
      const won = random.next() < beats[a][b] ? 1 : 0;
      if (a !== b) games.push({ first: String(a), second: String(b), score: won });
      return won;
    });
    const rewards =
      by === 'win-rate' ? compared.map(({ sample }) => (sample as { readonly won: number }).won) : preferenceModel(games, samples);
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / size;
    if (by === 'win-rate') payment += size;
    for (const [i, answer] of samples.entries()) logits[answer] += 0.3 * (rewards[i] - mean);
  }
  const worst = Math.max(...beats.map((row) => row.reduce((sum, chance, b) => sum + chance * total[b], 0)));
  return { worst, paid: payment };
}

function answerOf({ sample }: { readonly sample: unknown }): number {
  return (sample as { readonly answer: number }).answer;
}

let fitted: { readonly games: number; readonly rates: ReadonlyMap<string, number> } = { games: 0, rates: new Map() };

/** The chance of each answer to beat the mean one, by strengths fitted to all comparisons so far; fitted again after every 300. */
function preferenceModel(
  games: readonly { readonly first: string; readonly second: string; readonly score: number }[],
  samples: readonly number[],
): readonly number[] {
  if (games.length < fitted.games || games.length - fitted.games >= 300 || fitted.rates.size === 0) {
    const { ratings } = bradleyTerry(games.slice(-3000), { prior: 1 });
    fitted = { games: games.length, rates: new Map(ratings.map(({ name, rating }) => [name, 1 / (1 + 10 ** ((1000 - rating) / 400))])) };
  }
  return samples.map((answer) => fitted.rates.get(String(answer)) ?? 0.5);
}

function softmax(logits: readonly number[]): readonly number[] {
  const weights = logits.map((logit) => Math.exp(logit));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}
