/** @file Scoring as jobs: batches of a run's episodes, scored with the scorers of the lot. Duplicate scores are stored once. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { judgesFor } from '@ludus-agents/evaluation/internal/judges';
import { sceneByLog, scoreRun } from '@ludus-agents/evaluation/internal/score-run';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import { readScenes, suiteBehind } from '@ludus-agents/evaluation/internal/suites';
import { type EpisodeRecord, Fault, hash, type Lease, type Lot, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { SharedStore } from '@ludus-agents/store/internal/open-store';
import { version } from '@ludus-agents/store/internal/version';
import type { RunContext } from './run-context.ts';

/** Episodes per job. */
const slice = 50;

/** The scorers; by default, the suite of the run or the usual rules. */
export type ScoringWork = {
  readonly suite?: string;
  readonly scorers?: readonly string[];
  readonly rubric?: string;
  readonly judge?: string;
  readonly again?: boolean;
  readonly reuse?: boolean;
  /** Fingerprints of the scorers: a changed scorer makes a new job, which is done again. */
  readonly versions?: readonly string[];
};

/** Enqueues the finished episodes of a run for scoring; returns their number. */
export async function enqueueScoring({ store, jobs }: SharedStore, run: string, work: ScoringWork = {}): Promise<number> {
  const ended: string[] = [];
  for await (const { id, status } of recordsOf(store, { run })) if (status !== 'running') ended.push(id);
  const scene = { run, environmentName: '', environment: '', task: {}, casts: [], models: [], version, work };
  const lot: Lot = { id: hash(['score', scene]).slice(0, 20), ...scene };
  const offered = Array.from({ length: Math.ceil(ended.length / slice) }, (_, i) => {
    const episodes = ended.slice(i * slice, (i + 1) * slice);
    return { id: `score/${hash([lot.id, episodes]).slice(0, 20)}`, kind: 'score', payload: { episodes } };
  });
  await jobs.offer(lot, offered);
  return ended.length;
}

/** The worker's side. */
export function scoreWork(
  store: Store,
  cwd: string,
): (lease: Lease, lot: Lot, runContext: RunContext, signal: AbortSignal) => Promise<void> {
  return async ({ run, payload }, { work = {} }, _, signal) => {
    const { suite: named, scorers, again, reuse, versions: _versions, ...judging } = work as ScoringWork;
    const suite = await suiteBehind(run, named, { store, cwd, trust: Trust.job });
    const sceneOf = suite === null ? () => null : sceneByLog(suite, await readScenes(suite, cwd, Trust.job));
    const { episodes } = payload as { readonly episodes: readonly string[] };
    const records = await Promise.all(episodes.map((id) => store.episode(id)));
    const judges = await judgesFor(judging, { cwd, trust: Trust.job });
    await scoreRun({
      ...{ run, suite, sceneOf, scorers, judges, again, reuse, cwd, trust: Trust.job },
      store: only(store, records),
      options: { signal },
    });
  };
}

/** A view of the store that contains only these episodes. */
function only(store: Store, records: readonly (EpisodeRecord | null)[]): Store {
  const episodeRecords = records.filter((record) => record !== null);
  if (episodeRecords.length < records.length) throw new Fault('store', 'A job names episodes to score that are not in this store.');
  const part: Partial<Store> = {
    episodes: async () => episodeRecords,
    events: (id, from) => store.events(id, from),
    run: (id) => store.run(id),
    notes: (id, journal) => store.notes(id, journal),
    scores: (id) => store.scores(id),
    putScores: (id, scores) => store.putScores(id, scores),
  };
  return part as Store;
}
