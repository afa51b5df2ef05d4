/**
 * @file Two agents on fresh tasks of a suite, under dice that no improvement has used: the one before, the one after, the suite's floors, and
 * what random edits had found at equal cost.
 */

import { type AgentSpec, Fault, type RunRecord, type Seed, type Store } from '../core/index.ts';
import { meanOrZero } from '../core/mean.ts';
import { createFirstCandidate } from '../learning/prompts/candidate.ts';
import { Evaluator } from '../learning/prompts/evaluator.ts';
import { errorOf } from '../learning/prompts/gate.ts';
import { differenceOf, type ScoreDifference } from '../learning/prompts/report.ts';
import type { TrialRecord } from '../learning/prompts/trial-ledger.ts';
import type { Suite } from '../scoring/suites/index.ts';
import { createAgentServices } from '../workspace/agent-services.ts';
import type { Trust } from '../workspace/trust.ts';
import { workOf } from './improve.ts';
import { candidateIn, improvementBy, improveReport } from './lineage.ts';
import { createSuiteTrials } from './suite-trials.ts';

export interface SpecSide {
  readonly name: string;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly plays: number;
}

export interface SpecComparison {
  readonly suite: string;
  readonly before: SpecSide;
  readonly after: SpecSide;
  readonly floors: readonly SpecSide[];
  /** What random edits found at the cost of the improvement, where that is named. */
  readonly control: SpecSide | null;
  readonly gain: ScoreDifference;
  readonly overControl: ScoreDifference | null;
  readonly words: readonly string[];
}

export interface CompareSpecsOptions {
  readonly before: AgentSpec;
  readonly after: AgentSpec;
  readonly suite: Suite;
  /** The improvement whose random edits are the control, and whose division of tasks says which are fresh. */
  readonly run?: string | undefined;
  readonly plays: number;
  readonly seed: Seed;
  readonly store: Store;
  readonly cwd: string;
  /** The origin of the names in the request. */
  readonly trust: Trust;
  readonly signal?: AbortSignal | undefined;
}

/** Dice of comparisons begin here, above those of improvements that are usual. */
const freshDice = 7_000_000;

export async function compareSpecs(options: CompareSpecsOptions): Promise<SpecComparison> {
  const { before, after, suite, plays, seed, store, cwd, trust, signal } = options;
  const run = options.run === undefined ? null : await improvementBy(store, options.run);
  const control = run === null ? null : await randomEdit(store, run);
  const id = `compare-${before.name}-${suite.name}-${seed}`.replace(/[^\w.-]+/g, '-');
  const division = run === null ? 1 : workOf(run).seed;
  await store.putRun({ id, plan: { name: id, environments: [], seeds: [seed], casts: [] }, episodes: 0 });
  const ground = await createSuiteTrials({
    store,
    run: id,
    suite,
    seed: division,
    start: before,
    cwd,
    trust,
    agents: createAgentServices(cwd, trust),
  });
  const tasks = { propose: 1, select: 1, report: plays };
  const evaluator = new Evaluator({
    ground,
    engine: 'compare',
    seed: freshDice + seed,
    tasks,
    ...(signal === undefined ? {} : { signal }),
  });
  const floors = suite.nulls.map((kind): AgentSpec => ({ name: `floor-${kind}`, kind }));
  const all = [before, after, ...(control === null ? [] : [control]), ...floors];
  const rows = await evaluator.report(all.map(createFirstCandidate));
  const [first = [], second = [], ...rest] = rows;
  const third = control === null ? null : (rest.shift() ?? []);
  const found = {
    ...{ suite: suite.name, before: sideOf('before', first), after: sideOf('after', second) },
    floors: floors.map(({ kind }, i) => sideOf(kind, rest[i] ?? [])),
    control: third === null ? null : sideOf('random edits', third),
    gain: differenceOf(first, second),
    overControl: third === null ? null : differenceOf(third, second),
  };
  return { ...found, words: wordsFor(found) };
}

/** What random edits found in an improvement. */
async function randomEdit(store: Store, run: RunRecord): Promise<AgentSpec> {
  const report = await improveReport(store, run.id);
  if (report === null)
    throw new Fault('input', `The run "${run.id}" has no report yet; "ludus improve --resume ${run.id}" goes on with it.`);
  return (await candidateIn(store, run, report.baselines.random.candidate)).candidate.spec;
}

function sideOf(name: string, records: readonly TrialRecord[]): SpecSide {
  const scores = records.flatMap(({ score }) => (score === null ? [] : [score]));
  const [mean, error] = [meanOrZero(scores), errorOf(scores)];
  return { name, mean, low: mean - 1.96 * error, high: mean + 1.96 * error, plays: scores.length };
}

function wordsFor({ before, after, floors, gain, overControl }: Omit<SpecComparison, 'words'>): readonly string[] {
  const floor = floors.toSorted((a, b) => b.mean - a.mean)[0];
  return [
    `On ${after.plays} fresh tasks it scores ${after.mean.toFixed(3)} after and ${before.mean.toFixed(3)} before: ${differenceWords(gain)}.`,
    ...(overControl === null ? [] : [`Beside random edits at equal cost: ${differenceWords(overControl)}.`]),
    ...(floor === undefined
      ? []
      : [`The best floor, ${floor.name}, scores ${floor.mean.toFixed(3)}${floor.mean >= after.mean ? ', which is no less' : ''}.`]),
  ];
}

function differenceWords({ mean, low, high }: ScoreDifference): string {
  const sure = low > 0 ? 'surely better' : high < 0 ? 'surely worse' : 'which may be luck';
  return `${mean < 0 ? '−' : '+'}${Math.abs(mean).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}), ${sure}`;
}
