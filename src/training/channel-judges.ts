/** @file Who pays the channels of a recipe's rewards: the length of answers, any scorer by its name, or a file of the user's own. */

import { resolve } from 'node:path';
import { Fault, rng } from '../core/index.ts';
import type { EpisodeJudge } from '../learning/rl/judging.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import { checkCode } from '../workspace/consent.ts';
import { importFile } from '../workspace/environments.ts';
import { isFileName } from '../workspace/load.ts';
import { loadScorer } from '../workspace/loaders.ts';

/** A judge for each channel that neither the environment nor its penalties pay. */
export async function channelJudges({ rewards = {}, phases = [] }: Recipe, cwd: string): Promise<Readonly<Record<string, EpisodeJudge>>> {
  const all = Object.assign({}, rewards, ...phases.map((phase) => phase.rewards ?? {})) as NonNullable<Recipe['rewards']>;
  const judged = Object.entries(all).filter(([name]) => name !== 'environment' && name !== 'penalty');
  return Object.fromEntries(await Promise.all(judged.map(async ([name, { by = name }]) => [name, await judgeBy(by, cwd)] as const)));
}

async function judgeBy(by: string, cwd: string): Promise<EpisodeJudge> {
  if (by === 'length') return ({ sample }) => sample.turns.map(({ written }) => written.length);
  if (!isFileName(by)) return byScorer(by, cwd);
  const { default: found } = await importFile(checkCode(resolve(cwd, by), 'user', { cwd, env: process.env }));
  if (typeof found === 'function') return found as EpisodeJudge;
  throw new Fault(
    'input',
    `${by} exports no judge: expected a default function of an episode that gives one reward for each turn of its seat.`,
  );
}

/** The mean of a scorer's values, paid to the last turn; a score that speaks of a turn of the seat is paid to that turn. */
async function byScorer(name: string, cwd: string): Promise<EpisodeJudge> {
  const scorer = await loadScorer(name, cwd);
  const signal = new AbortController().signal;
  return async ({ log, seat, sample }) => {
    const episodes = [{ id: 'training', events: log }];
    const scores = (await scorer.score({ episodes, seat, rng: rng(0, 'judge', name) }, signal)).filter(
      (score) => score.value !== null && (score.seat === undefined || score.seat === seat),
    );
    const out = sample.turns.map(() => 0);
    const last = out.length - 1;
    for (const { value, turn, lowerIsBetter } of scores) {
      const at = turn === undefined ? last : Math.min(last, turn);
      if (at >= 0) out[at] = out[at]! + ((lowerIsBetter === true ? -1 : 1) * (value as number)) / scores.length;
    }
    return out;
  };
}
