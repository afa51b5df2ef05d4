/** @file `compare`: two agents or two runs, by stored episodes or on the tasks of a suite. */

import { isPath } from '@ludus-agents/agents/internal/workspace/environments';
import { compareResults, readResults } from '@ludus-agents/desk/internal/gate';
import { diffRuns, type RunDiff } from '@ludus-agents/desk/internal/run-diff';
import { agentInRuns } from '@ludus-agents/evaluation/internal/agent-in-runs';
import type { CaseFileOptions } from '@ludus-agents/evaluation/internal/cases/case-suite';
import { changedSinceText } from '@ludus-agents/evaluation/internal/changed-since';
import { checkSameAgents, type Side, sides } from '@ludus-agents/evaluation/internal/comparison';
import { cardFrom } from '@ludus-agents/evaluation/internal/judges';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import { contest } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import type { Comparison } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import { type NoWorse, noWorseText } from '@ludus-agents/evaluation/internal/scoring/statistics/no-worse';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import type { KeptCard } from '@ludus-agents/evaluation/internal/scoring/trust/use';
import { Fault, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { compareSpecs, type SpecComparison } from '@ludus-agents/learning/internal/improving/compare-specs';
import { compareStories, type TrainingStory, trainingStory } from '@ludus-agents/learning/internal/training/training-story';
import { findRun, loadRun } from '@ludus-agents/store/internal/stores';
import { type AgentRef, type CallPlace, changeStore, findSpec, placeOf, type Ref, readStore, type StoreCallOptions } from './refs.ts';

/** The options of `compare`. */
export interface CompareRequest extends StoreCallOptions {
  /** An agent, or the id of a run. */
  readonly a: AgentRef;
  readonly b: AgentRef;
  /** Compare agents only within this run. */
  readonly run?: string | undefined;
  /** The score to compare; by default, that of the suite, or the return. */
  readonly score?: string | undefined;
  /** The trust card of the judge, or its file. */
  readonly card?: Ref<KeptCard> | undefined;
  /** A relevant difference: reports how many more episodes would detect it. */
  readonly target?: number | undefined;
  readonly over?: Over | undefined;
  /** Compare two runs case by case, or decide whether the second is no worse than the first. */
  readonly by?: 'cases' | 'no-worse' | undefined;
  /** The margin that still counts as no worse. */
  readonly margin?: number | undefined;
  /** With `by`: the agent whose episodes count. */
  readonly agent?: string | undefined;
  /** Play both agents on the tasks of this suite, or of a file of cases. */
  readonly on?: Ref<Suite> | undefined;
  /** How a file of cases is read. */
  readonly cases?: CaseFileOptions | undefined;
  /** With `on`: the improvement whose random edits are the control. */
  readonly control?: string | undefined;
  /** With `on`: episodes of each agent. */
  readonly plays?: number | undefined;
  /** With `on`: use stored episodes of agents that cannot be fingerprinted; they are played again without it. */
  readonly reuse?: boolean | undefined;
  readonly seed?: number | undefined;
}

/** Two agents by their stored episodes; on a suite; two runs case by case, or the second as no worse than the first; or two trainings. */
export type Compared =
  | (Comparison & { readonly kind: 'results'; readonly score: string; readonly earlier: number; readonly saved: readonly string[] })
  | (SpecComparison & { readonly kind: 'suite' })
  | (RunDiff & { readonly kind: 'cases' })
  | (NoWorse & { readonly kind: 'no-worse'; readonly before: string; readonly after: string; readonly words: string })
  | { readonly kind: 'trainings'; readonly a: TrainingStory; readonly b: TrainingStory; readonly words: readonly string[] };

/** Compares two agents, or two runs, on the tasks and seeds that both have played. */
export async function compare(request: CompareRequest, place: CallPlace = placeOf(request)): Promise<Compared> {
  const { on, by, agent, margin, score, target, over } = request;
  if (on !== undefined) return compareOn({ ...request, on }, place);
  const card = typeof request.card === 'object' ? request.card : cardFrom(request.card, place.cwd);
  return readStore(request, place, async (store): Promise<Compared> => {
    if (by !== undefined) {
      const [a, b] = [runIn(request.a), runIn(request.b)];
      const [before, after] = [(await loadRun(store, a)).id, (await loadRun(store, b)).id];
      if (by === 'cases') return { kind: 'cases', ...(await diffRuns(store, before, after, agent)) };
      const [old, fresh] = [await readResults(store, before, agent), await readResults(store, after, agent)];
      checkSameAgents([old, fresh]);
      const verdict = compareResults(old.results, fresh.results, margin);
      return { kind: 'no-worse', before: a, after: b, ...verdict, words: noWorseText(verdict) };
    }
    const run = request.run === undefined ? null : await loadRun(store, request.run);
    const trainings = run === null ? await trainingsBehind(store, request) : null;
    if (trainings !== null) return { kind: 'trainings', ...trainings, words: compareStories(trainings.a, trainings.b) };
    const pair = await sidesFor(store, request, place, run ?? undefined);
    const compared = await sides(store, pair, { run: run?.id, score, card });
    const saved = await savedBehind(store, { runs: run === null ? compared.runs : [run.id], cwd: place.cwd });
    const comparison = contest(compared.a, compared.b, { over, ...(target !== undefined && { target }) });
    const leftOut = comparison.leftOut + compared.leftOut;
    return { kind: 'results', score: compared.score, ...comparison, leftOut, earlier: compared.earlier, saved };
  });
}

function runIn(name: AgentRef): string {
  if (typeof name === 'string') return name;
  throw new Fault('input', 'Runs are compared by their ids. Pass the id of a run.');
}

/** Both by their stored names: a file has a name in each run. */
async function sidesFor(
  store: Store,
  { a, b }: Pick<CompareRequest, 'a' | 'b'>,
  place: CallPlace,
  run?: RunRecord,
): Promise<readonly [Side, Side]> {
  const runs = run === undefined ? await store.runs() : [run];
  const sideOf = async (agent: AgentRef): Promise<Side> => {
    if (typeof agent === 'string' && !isPath(agent)) return agent;
    const spec = await findSpec(agent, place);
    return (await agentInRuns(store, { spec, runs }, place)) ?? spec.name;
  };
  const [first, second] = [await sideOf(a), await sideOf(b)];
  if (typeof first !== 'string' || first !== second || a === b) return [first, second];
  throw new Fault(
    'input',
    `Both agents are called "${first}", so their stored episodes cannot be distinguished. Rename one of them, or play both with --on SUITE.`,
  );
}

async function trainingsBehind(store: Store, { a, b }: Pick<CompareRequest, 'a' | 'b'>) {
  if (typeof a !== 'string' || typeof b !== 'string') return null;
  const [first, second] = [await findRun(store, a), await findRun(store, b)];
  if (first?.work?.kind !== 'train' || second?.work?.kind !== 'train') return null;
  return { a: await trainingStory(store, first), b: await trainingStory(store, second) };
}

/** A message for each run about files that changed after the compared episodes were played or scored. */
async function savedBehind(
  store: Store,
  { runs, cwd }: { readonly runs: readonly string[]; readonly cwd: string },
): Promise<readonly string[]> {
  const records = await Promise.all(runs.map((id) => store.run(id)));
  const texts = await Promise.all(records.map((record) => (record === null ? null : changedSinceText(store, record, cwd))));
  return texts.filter((text) => text !== null);
}

/** Plays two agents on the tasks of a suite. */
async function compareOn({ on, ...request }: CompareRequest & { readonly on: Ref<Suite> }, place: CallPlace): Promise<Compared> {
  const { cwd, trust } = place;
  const { plays = 48, seed = 1, control: run, reuse, signal } = request;
  const [before, after] = [await findSpec(request.a, place), await findSpec(request.b, place)];
  const suite = typeof on === 'string' ? await loadSuite(on, cwd, trust, request.cases) : on;
  return changeStore(request, place, async (store) => ({
    kind: 'suite',
    ...(await compareSpecs({ before, after, suite, run, plays, seed, store, cwd, trust, reuse, signal })),
  }));
}
