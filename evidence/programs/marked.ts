/**
 * @file Walks whose outcome is hidden from training, rewarded by a judge that errs at a known rate. Options: by ("items": the recipe
 * cm2, one mark per item of a checklist; "whole": the same recipe with one mark for the walk), forks, noise, rate, games, settings (JSON list of NAME=VALUE), seed. Prints
 * the share of fresh walks that are right at every fork, and the number of walks rewarded by items.
 */

import { join } from 'node:path';
import { comb } from '@ludus-agents/environments/internal/laboratory/comb';
import type { EpisodeEvent, Json } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { freshLogs, learned, paidTo } from './_learned.ts';

const ways = ['[north]', '[east]', '[south]'];

/** For each turn of a walk, whether the fork was taken rightly. */
export function playedRight(log: readonly EpisodeEvent[]): readonly boolean[] {
  const moves = log.flatMap((event) => (event.kind === 'action' ? [event.action.text] : []));
  return moves.map((move, at) => move === ways[rng(0, 'comb', at).int(ways.length)]);
}

export default async function run({
  by = 'items',
  forks = 3,
  noise = 0.15,
  rate = 0.1,
  games = 1280,
  settings: more = '[]',
  seed = 1,
}: ProgramOptions): Promise<Json> {
  const judge = join(import.meta.dirname, '_marks.ts');
  const task = { turns: Number(forks), every: 1, ways: ways.length };
  const grading = { by: judge, reference: { form: by, noise } };
  const settings = [
    'training.environment=comb',
    `training.task=${JSON.stringify(task)}`,
    'training.seats={"walker":"learner"}',
    `training.rate=${JSON.stringify({ from: rate, to: rate })}`,
    `training.games=${games}`,
    'training.batch=64',
    ...(by === 'items'
      ? [`assignment=${JSON.stringify({ kind: 'checklist', ...grading })}`]
      : [
          'assignment={"kind":"return-to-go","discount":1}',
          `rewards=${JSON.stringify({ environment: { weight: 0 }, mark: { weight: 1, ...grading } })}`,
        ]),
    ...(JSON.parse(String(more)) as readonly string[]),
  ];
  const { policy } = await learned('cm2', settings, Number(seed));
  const logs = await freshLogs(comb, { walker: policy() }, { task, seed: Number(seed), games: 400 });
  return { right: paidTo(logs, ['walker']), itemized: by === 'items' ? games : 0 };
}
