/** @file A release gate: plays a suite and decides by rules whether the bot may be released. Failures quote their task, turn, and words. */

import { readNulls, testedAmong } from '@ludus-agents/evaluation/internal/comparison';
import { readScoredRows } from '@ludus-agents/evaluation/internal/score-run';
import { resultName, type ScoreRow, standingsOf } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { arePoints } from '@ludus-agents/evaluation/internal/scoring/evaluation/row';
import { logOf } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { type NoWorse, noWorse, noWorseText, type TaskResults } from '@ludus-agents/evaluation/internal/scoring/statistics/no-worse';
import { clusteredRate } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import type { EpisodeRecord, Evidence, Json, Score, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { faultPrefix } from './faults/detector.ts';
import { dialogueOf } from './faults/dialogue.ts';
import { listUnchecked } from './faults/unchecked.ts';
import { type AgentFaults, faultsIn } from './found-faults.ts';
import type { GateFloor } from './gate-floor.ts';
import { type RiskRow, risksIn } from './risks.ts';

/** One failed try. */
export interface GateFailure {
  readonly episode: string;
  readonly seed: number;
  /** The reasons, in sentences. */
  readonly reason: string;
  readonly turn: number | null;
  readonly quotes: readonly { readonly quote: string; readonly note: string }[];
}

export interface GateTask {
  readonly scene: string;
  readonly task: string;
  /** The tested seat: a task may be played from several. */
  readonly seat: string;
  readonly tries: number;
  readonly passes: number;
  /** Passed in some tries only: a single result is not reliable. */
  readonly flaky: boolean;
  readonly failures: readonly GateFailure[];
}

export interface TestGateRule {
  readonly rule: string;
  readonly ok: boolean;
  readonly says: string;
}

export interface GateReport {
  readonly suite: string;
  readonly run: string;
  readonly agent: string;
  /** Whether every rule was met. */
  readonly passed: boolean;
  readonly tries: number;
  /** The share of tries that passed. */
  readonly rate: number;
  /** The mean score over scenes, each counted the same, as `ludus eval` and `ludus compare` show it; null if a scene has no value or scores are not shares. */
  readonly meanOfScenes: number | null;
  /** How often the best baseline agent passes; null if it was not played. */
  readonly floor: GateFloor | null;
  /** The 95% interval; tries of one task are treated as correlated. */
  readonly interval: Interval;
  /** What the interval generalizes to. */
  readonly over: Over;
  readonly tasks: readonly GateTask[];
  readonly flaky: readonly string[];
  /** The probability that two tries of a task end differently. */
  readonly flips: number | null;
  readonly rules: readonly TestGateRule[];
  readonly faults: AgentFaults | null;
  /** Risk and service, by the customers' intent. */
  readonly risks: readonly RiskRow[];
  readonly comparison: NoWorse | null;
  /** Whether the agent's actions were visible, or only its messages. */
  readonly wordsOnly: boolean;
  /** What could not be checked because the agent doesn't show it, with the number of conversations. */
  readonly unchecked: readonly Unchecked[];
  /** Customer messages in a model's words, and those where the script's words replaced them. */
  readonly wordings: { readonly used: number; readonly replaced: number };
  readonly audits: { readonly checked: number; readonly contradicted: number };
}

interface Unchecked {
  readonly what: string;
  readonly conversations: number;
}

export interface GateOptions {
  readonly suite: string;
  readonly run: string;
  readonly agent: string;
  readonly failUnder?: number | undefined;
  readonly mustPass?: readonly string[] | undefined;
  readonly allowFaults?: readonly string[] | undefined;
  /** The baseline that it must not fall below. */
  readonly baseline?: { readonly name: string; readonly results: readonly GateResult[] } | undefined;
  readonly margin?: number | undefined;
  readonly floor?: GateFloor | null | undefined;
  /** Treats unverifiable parts as failed. */
  readonly strict?: boolean | undefined;
}

/** The results of one task, stored in a file for later comparisons. */
export interface GateResult {
  readonly scene: string;
  readonly task: string;
  /** Files of earlier versions have none. */
  readonly seat?: string;
  readonly values: readonly number[];
  /** The seed of each value; files of "ludus test --save" have none. */
  readonly seeds?: readonly Seed[];
}

export async function runGate(store: Store, options: GateOptions): Promise<GateReport> {
  const { run, agent, failUnder, mustPass = [], allowFaults = [], strict = false } = options;
  const scored = await readScoredRows(store, { run, agents: [agent] });
  const { rows, records, scores } = scored;
  const scoreRows = rows.filter((row) => row.agent === agent);
  if (scoreRows.length === 0) throw new Fault('input', `${agent} has no results in ${run}. Were any episodes played?`);
  const tasks = tasksOf(scoreRows, { records, scores, causes: await causesOf(store, scoreRows) });
  const [tries, passes] = [scoreRows.length, scoreRows.filter(({ passed }) => passed === true).length];
  const rate = passes / tries;
  const { interval, over } = clusteredRate(scoreRows.map((row) => ({ ...row, hit: row.passed === true })));
  const faults = faultsIn(scored, [agent])[0] ?? null;
  const risks = faults === null ? [] : (risksIn(scored, [agent])[0]?.rows ?? []);
  const rules: TestGateRule[] = [];
  const failed = scoreRows.filter(({ end }) => end === 'error').length;
  const last = tasks.flatMap(({ failures }) => failures).find(({ reason }) => reason.startsWith('error: '));
  if (failed > 0)
    rules.push({
      rule: 'plays to the end',
      ok: false,
      says: `${failed} of ${tries} tries ended in an error${last === undefined ? '' : `: ${last.reason.slice(7)}`}`,
    });
  if (failUnder !== undefined)
    rules.push({
      rule: `--fail-under ${failUnder}`,
      ok: rate >= failUnder,
      says: `${passes} of ${tries} tries passed (${(100 * rate).toFixed(1)}%).`,
    });
  for (const name of mustPass) rules.push(mustPassRule(name, tasks));
  for (const { fault, hits, n, found, examples } of faults?.faults ?? []) {
    if (!found) continue;
    const allowed = allowFaults.includes(fault);
    const example = examples[0];
    const quoted = example === undefined ? '' : ` ${example.note}: “${example.quote}”`;
    rules.push({
      rule: `fault: ${fault}`,
      ok: allowed,
      says: `found in ${hits} of ${n} conversations${allowed ? ', which is allowed' : ''}.${quoted}`,
    });
  }
  const comparison =
    options.baseline === undefined ? null : compareResults(options.baseline.results, resultsOf(tasks, scoreRows), options.margin);
  if (comparison !== null && options.baseline !== undefined) {
    const isMet = comparison.noWorse || (!strict && !comparison.worse);
    rules.push({ rule: `--no-worse-than ${options.baseline.name}`, ok: isMet, says: noWorseText(comparison) });
  }
  // By default, every try must pass, except for failures that consist only of allowed faults.
  if (failUnder === undefined && mustPass.length === 0 && comparison === null && rules.every(({ ok }) => ok)) {
    const excused = scoreRows.filter((row) => row.passed !== true && hasOnlyFaults(scores.get(row.episode) ?? [], allowFaults)).length;
    const besides = excused === 0 ? '' : `, and ${excused} fail by nothing but faults that are allowed`;
    rules.push({ rule: 'every try is passed', ok: passes + excused === tries, says: `${passes} of ${tries} tries were passed${besides}.` });
  }
  return {
    ...{ suite: options.suite, run, agent, passed: rules.every(({ ok }) => ok), tries, rate, interval, over },
    meanOfScenes: arePoints(scoreRows) ? (standingsOf(scoreRows).agents[0]?.value ?? null) : null,
    ...{
      floor: options.floor ?? null,
      tasks,
      flaky: tasks.filter(({ flaky }) => flaky).map(({ task }) => task),
      flips: flipsOf(tasks),
      rules,
      faults,
      risks,
      comparison,
    },
    wordsOnly: faults !== null && faults.conversations > 0 && faults.wordsOnly === faults.conversations,
    ...(faults === null ? { unchecked: [], wordings: { used: 0, replaced: 0 } } : await readConversations(store, scoreRows)),
    audits: auditsIn([...scores.values()].flat()),
  };
}

/** Whether a conversation at a desk came out right, with no faults but these. */
function hasOnlyFaults(scores: readonly Score[], allowed: readonly string[]): boolean {
  const matchingScores = scores.filter(({ name, value }) => name.startsWith(faultPrefix) && value === 1);
  const outcome = scores.findLast(({ name }) => name === 'desk')?.parts?.['outcome'];
  return outcome === 1 && matchingScores.every(({ name }) => allowed.includes(name.slice(faultPrefix.length)));
}

/** The chance that two tries of one task differ, without bias: the mean of 2x(R − x)/(R(R − 1)). */
function flipsOf(tasks: readonly GateTask[]): number | null {
  const repeated = tasks.filter(({ tries }) => tries > 1);
  if (repeated.length === 0) return null;
  return repeated.reduce((sum, { passes, tries }) => sum + (2 * passes * (tries - passes)) / (tries * (tries - 1)), 0) / repeated.length;
}

function auditsIn(scores: readonly Score[]): GateReport['audits'] {
  const ownScores = scores.filter(({ name }) => name === 'audits');
  const part = (name: string) => ownScores.reduce((sum, { parts }) => sum + (parts?.[name] ?? 0), 0);
  return { checked: part('checked'), contradicted: part('contradicted') };
}

function mustPassRule(name: string, tasks: readonly GateTask[]): TestGateRule {
  const meant = tasks.filter(({ task, scene }) => task === name || `${scene}/${task}` === name || scene === name);
  if (meant.length === 0) {
    const knownNames = tasks.slice(0, 12).map(({ task }) => task);
    throw new Fault(
      'input',
      `--must-pass ${name}: unknown task. Available: ${knownNames.join(', ')}${tasks.length > knownNames.length ? ', …' : ''}.${didYouMean(name, knownNames)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  }
  const failed = meant.filter(({ passes, tries }) => passes < tries);
  const first = failed[0]?.failures[0];
  const says =
    failed.length === 0
      ? 'passed in every try.'
      : `${failed.map(({ task, passes, tries }) => `${task} was passed in ${passes} of ${tries} tries`).join(', ')}: ${first?.reason ?? ''}`;
  return { rule: `--must-pass ${name}`, ok: failed.length === 0, says };
}

interface Kept {
  readonly records: ReadonlyMap<string, EpisodeRecord>;
  readonly scores: ReadonlyMap<string, readonly Score[]>;
  /** The reasons for aborted episodes, quoted from their logs. */
  readonly causes?: ReadonlyMap<string, string>;
}

async function readConversations(store: Store, rows: readonly ScoreRow[]): Promise<Pick<GateReport, 'unchecked' | 'wordings'>> {
  const counts = new Map<string, number>();
  const wordings = { used: 0, replaced: 0 };
  for (const { episode, seat } of rows) {
    const events = [...(await store.events(episode))];
    const dialogue = dialogueOf(logOf({ id: episode, events }), seat);
    for (const what of dialogue === null ? [] : listUnchecked(dialogue)) counts.set(what, (counts.get(what) ?? 0) + 1);
    for (const event of events) {
      const voiced = event.kind === 'action' && isObject(event.mind) ? event.mind['voiced'] : undefined;
      if (typeof voiced === 'boolean') wordings[voiced ? 'used' : 'replaced']++;
    }
  }
  return { unchecked: [...counts].map(([what, conversations]) => ({ what, conversations })), wordings };
}

async function causesOf(store: Store, rows: readonly ScoreRow[]): Promise<ReadonlyMap<string, string>> {
  const causes = new Map<string, string>();
  for (const { episode, end } of rows) {
    if (end !== 'error' || causes.has(episode)) continue;
    const last = (await store.events(episode)).at(-1);
    if (last?.kind === 'end' && last.fault !== undefined) causes.set(episode, last.fault.message);
  }
  return causes;
}

function tasksOf(rows: readonly ScoreRow[], { records, scores, causes }: Kept): readonly GateTask[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify([row.scene, row.task, row.seat]));
  return [...groups.values()].map((group): GateTask => {
    const first = group[0];
    const passes = group.filter(({ passed }) => passed === true).length;
    const failures = group
      .filter(({ passed }) => passed !== true)
      .map((row) => failureOf(row, scores.get(row.episode) ?? [], causes?.get(row.episode)));
    const task = nameOfTask(records.get(first.episode)?.task ?? null) ?? first.task;
    return {
      scene: first.scene,
      task,
      seat: first.seat,
      tries: group.length,
      passes,
      flaky: passes > 0 && passes < group.length,
      failures,
    };
  });
}

/** The id that a task defines, as the cases of a desk do. */
export function nameOfTask(task: Json): string | null {
  const inner = isObject(task) ? task['case'] : undefined;
  const id = isObject(inner) ? inner['id'] : isObject(task) ? (task['id'] ?? task['name']) : undefined;
  return typeof id === 'string' ? id : null;
}

function failureOf(row: ScoreRow, scores: readonly Score[], cause?: string): GateFailure {
  const result = scores.findLast(({ name }) => name === resultName);
  const evidence: readonly Evidence[] = result?.evidence ?? [];
  const quotes = evidence.filter(({ supports }) => !supports).map(({ quote, note = '' }) => ({ quote, note }));
  const reason =
    row.end === 'error'
      ? `error: ${cause ?? row.reason ?? 'the episode ended in an error'}`
      : (row.reason ?? quotes[0]?.note ?? `the score is ${row.value ?? 'missing'}`);
  return {
    episode: row.episode,
    seed: Number(row.seed),
    reason,
    turn: scores.findLast(({ name }) => name === 'desk')?.turn ?? null,
    quotes,
  };
}

// ── baselines ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Results by task, saved for later comparisons. A try without a value counts as 0: a gate passes nothing unverified. */
function resultsOf(tasks: readonly GateTask[], rows: readonly ScoreRow[]): readonly GateResult[] {
  const byTask = [...Map.groupBy(rows, (row) => JSON.stringify([row.scene, row.task, row.seat])).values()];
  return tasks.map(({ scene, task, seat }, i) => {
    const tries = byTask[i] ?? [];
    return { scene, task, seat, values: tries.map(({ passed }) => (passed === true ? 1 : 0)), seeds: tries.map(({ seed }) => seed) };
  });
}

/** The results of the selected agents of a run (the named one, or all but the baselines), and their names. */
export async function readResults(store: Store, run: string, agent: string | undefined): Promise<RunResults> {
  const { rows, records, scores } = await readScoredRows(store, { run });
  const agents = testedAmong(
    rows.map((row) => row.agent),
    agent,
    await readNulls(store, run),
  );
  // Items without a score of this kind neither passed nor failed.
  const scoreRows = rows.filter((row) => agents.includes(row.agent) && row.status !== 'not-applicable');
  return { run, agents, results: resultsOf(tasksOf(scoreRows, { records, scores }), scoreRows) };
}

interface RunResults {
  readonly run: string;
  readonly agents: readonly string[];
  readonly results: readonly GateResult[];
}

/** The tasks that both have played. */
export function compareResults(before: readonly GateResult[], after: readonly GateResult[], margin?: number): NoWorse {
  const key = ({ scene, task, seat }: Pick<GateResult, 'scene' | 'task' | 'seat'>) => JSON.stringify([scene, task, seat ?? null]);
  const old = new Map(before.map((gateResult) => [key(gateResult), gateResult]));
  const pairs = after.flatMap(({ scene, task, seat = '', ...tries }): TaskResults[] => {
    const was = old.get(key({ scene, task, seat })) ?? old.get(key({ scene, task }));
    return was === undefined ? [] : [{ scene, task, place: seat, before: was, after: tries }];
  });
  return noWorse(pairs, margin === undefined ? {} : { margin });
}

export function gateResults({ tasks }: GateReport): readonly GateResult[] {
  return tasks.map(({ scene, task, seat, tries, passes }) => ({
    scene,
    task,
    seat,
    values: Array.from({ length: tries }, (_, i) => (i < passes ? 1 : 0)),
  }));
}
