/** @file `score`: scores the stored episodes of a run, in this process, by workers, or against another run. */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { changedSinceText } from '@ludus-agents/evaluation/internal/changed-since';
import { Fingerprints } from '@ludus-agents/evaluation/internal/fingerprint';
import { type JudgeUsage, judgesFor, judgeUsageOf, pairwiseJudge } from '@ludus-agents/evaluation/internal/judges';
import { loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import { type ScoreMean, scoreMeansIn } from '@ludus-agents/evaluation/internal/measures';
import { compareRuns, type PairwiseReport } from '@ludus-agents/evaluation/internal/pairwise-run';
import { sceneByLog, scoreRun } from '@ludus-agents/evaluation/internal/score-run';
import type { Rubric } from '@ludus-agents/evaluation/internal/scoring/judges/index';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import type { ScoringReport } from '@ludus-agents/evaluation/internal/scoring-report';
import { readStoredRun } from '@ludus-agents/evaluation/internal/stored-run';
import { readScenes, type SuitePlace, suiteBehind } from '@ludus-agents/evaluation/internal/suites';
import { Fault, type Json, type Model, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { waitForRun } from '@ludus-agents/servers/internal/fleet/rollout-jobs';
import { enqueueScoring, type ScoringWork } from '@ludus-agents/servers/internal/fleet/score-jobs';
import { withSharedStore, withWorkerPool } from '@ludus-agents/servers/internal/fleet/with-runner';
import { loadRun } from '@ludus-agents/store/internal/stores';
import { type CallPlace, findPersona, placeOf, type Ref, readStore, type StoreCallOptions } from './refs.ts';

/** The options of `score`. */
export interface RunScoringRequest extends StoreCallOptions {
  /** The id of a run, or its first letters. */
  readonly run: string;
  /** Names or files of scorers; those of the suite, or the usual ones, by default. */
  readonly scorers?: readonly string[] | undefined;
  /** The suite of the run; built-in suites are recognized automatically. */
  readonly suite?: Ref<Suite> | undefined;
  /** The rubric, and the judge. */
  readonly rubric?: Ref<Rubric> | undefined;
  readonly judge?: Ref<Model> | undefined;
  /** Another run, or "source": a pairwise rubric compares the episodes of both. */
  readonly against?: string | undefined;
  /** The personas of seats, if neither the suite nor the episode defines them. */
  readonly personas?: Readonly<Record<Seat, Ref<Persona>>> | undefined;
  /** Score episodes again that already have these scores. */
  readonly again?: boolean | undefined;
  /** Keep verdicts of judges whose model may have changed since. */
  readonly reuse?: boolean | undefined;
  /** The number of workers that replace this process; 0 relies on workers that run elsewhere. */
  readonly workers?: number | undefined;
}

/** Scores of episodes; or the win rates of agents against those of another run; or the number of episodes scored by workers. */
export type ScoredRun =
  | (ScoringReport & {
      readonly kind: 'episodes';
      readonly run: string;
      readonly suite: string | null;
      /** The means of the named scorers for each agent; empty if none was named. */
      readonly means: readonly ScoreMean[];
      readonly judges: readonly JudgeUsage[];
      /** A message about files that changed after the episodes were played; null if none has. */
      readonly notice: string | null;
    })
  | (PairwiseReport & {
      readonly kind: 'pairs';
      readonly run: string;
      readonly against: string;
      readonly judge: JudgeUsage;
      /** A message about files that changed after either run was played; null if none has. */
      readonly notice: string | null;
    })
  | { readonly kind: 'workers'; readonly run: string; readonly scored: number; readonly stopped: boolean };

/** Scores the stored episodes of a run, for the first time or again, without playing them. */
export async function score(request: RunScoringRequest, place: CallPlace = placeOf(request)): Promise<ScoredRun> {
  const { scorers, again, reuse, signal = new AbortController().signal } = request;
  const { cwd, trust } = place;
  // Missing or broken scorers are reported before anything is scored.
  for (const name of scorers ?? []) await loadScorer(name, cwd, trust);
  if (request.against !== undefined) return comparePairs({ ...request, against: request.against, signal }, place);
  const judges = await judgesFor(request, place);
  const personas: Record<Seat, Json> = {};
  for (const [seat, persona] of Object.entries(request.personas ?? {})) personas[seat] = (await findPersona(persona, place)) as Json;
  if (request.workers !== undefined) return scoreByWorkers({ ...request, workers: request.workers, signal }, place);
  return readStore(request, place, async (store) => {
    const run = (await loadRun(store, request.run)).id;
    const suite = await findSuite(run, request, { store, cwd, trust });
    const sceneOf = suite === null ? () => null : sceneByLog(suite, await readScenes(suite, cwd, trust));
    const report = await scoreRun({
      ...{ store, run, suite, sceneOf, scorers, judges, personas, again, reuse, cwd, trust },
      options: { signal },
    });
    const notice = await changedSinceText(store, { id: run }, cwd);
    const means = scorers === undefined ? [] : scoreMeansIn(await readStoredRun(store, [{ run }]), [...scorers, ...report.values]);
    return { kind: 'episodes', run, suite: suite?.name ?? null, ...report, means, judges: judgeUsageOf(judges), notice };
  });
}

async function findSuite(run: string, { suite }: Pick<RunScoringRequest, 'suite'>, place: SuitePlace): Promise<Suite | null> {
  return typeof suite === 'object' ? suite : suiteBehind(run, suite, place);
}

type Stoppable = RunScoringRequest & { readonly signal: AbortSignal };

/** A pairwise judge over the episodes of two runs. */
async function comparePairs(request: Stoppable & { readonly against: string }, place: CallPlace): Promise<ScoredRun> {
  const judge = await pairwiseJudge(request, place);
  return readStore(request, place, async (store) => {
    const run = (await loadRun(store, request.run)).id;
    const against = request.against === 'source' ? 'source' : (await loadRun(store, request.against)).id;
    const report = await compareRuns({ store, run, against, judge, reuse: request.reuse, signal: request.signal });
    const [usage] = judgeUsageOf([judge]) as [JudgeUsage];
    const played = against === 'source' || against === run ? [run] : [run, against];
    const notices = await Promise.all(played.map((id) => changedSinceText(store, { id }, place.cwd)));
    const notice = notices.filter((text) => text !== null).join(' ') || null;
    return { kind: 'pairs', run, against, judge: usage, ...report, notice };
  });
}

/** The same by workers, in batches. They can load names and files, but no objects of this process. */
async function scoreByWorkers(request: Stoppable & { readonly workers: number }, place: CallPlace): Promise<ScoredRun> {
  const { suite, scorers, rubric, judge, again, reuse, workers, signal, store, readOnly } = request;
  if (request.personas !== undefined)
    throw new Fault('input', '--persona only works in this process. Remove --workers.', { code: 'E_UNSUPPORTED' });
  if ([suite, rubric, judge, store].some((ref) => typeof ref === 'object'))
    throw new Fault('input', 'Workers cannot use objects of this process. Pass names or files, or leave out workers.');
  const named = { suite, scorers, rubric, judge, again, reuse };
  const work = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) as ScoringWork;
  const options = { ...(typeof store === 'string' && { store }), ...(readOnly !== undefined && { readOnly }) };
  return withSharedStore(place, options, async (sharedStore, where) => {
    const run = (await loadRun(sharedStore.store, request.run)).id;
    try {
      const versions = await scorerVersions(run, request, { ...place, store: sharedStore.store });
      const scored = await enqueueScoring(sharedStore, run, versions.length === 0 ? work : { ...work, versions });
      await withWorkerPool({ where, cwd: place.cwd, workers }, async (startPool) => {
        if (workers > 0) startPool(2);
        await waitForRun(sharedStore, run, signal);
      });
      return { kind: 'workers', run, scored, stopped: false };
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      await sharedStore.jobs.callOff(run);
      return { kind: 'workers', run, scored: 0, stopped: true };
    }
  });
}

/** Fingerprints of scorer files: episodes that workers scored with other versions are scored again. */
async function scorerVersions(run: string, request: RunScoringRequest, place: CallPlace & SuitePlace): Promise<readonly string[]> {
  const suite = await findSuite(run, request, place);
  const names = new Set([...(request.scorers ?? []), ...(suite?.scenes ?? []).flatMap(({ score: deciding, also }) => [deciding, ...also])]);
  const fingerprints = new Fingerprints(place);
  const prints = await Promise.all([...names].map((name) => fingerprints.scorer(name)));
  return prints.flatMap((print) => print?.hash ?? []);
}
