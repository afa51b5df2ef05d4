/** @file Scores stored episodes where scores are missing, and reads them back as rows. */

import { setImmediate as breath } from 'node:timers/promises';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { isUnpaid } from '@ludus-agents/environments/internal/built-in';
import type { EpisodeRecord, Json, Score, Scorer, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { equal, hash, readEpisodes } from '@ludus-agents/kernel/internal/core/index';
import { portionsOf } from '@ludus-agents/store/internal/portions';
import { type PersonasOf, personasInRun } from './episode-personas.ts';
import { Fingerprints } from './fingerprint.ts';
import { sourcesOfJudge } from './judges.ts';
import { loadScorer } from './loaders.ts';
import { currentScores } from './scoring/evaluation/current-scores.ts';
import type { ReadScene, ScoreRow } from './scoring/evaluation/index.ts';
import { resultName, resultsOf, rowsOf, sceneHash, sceneOf, testedSeats } from './scoring/evaluation/index.ts';
import { failuresIn } from './scoring/failures.ts';
import { usualScorers } from './scoring/index.ts';
import type { Judge } from './scoring/judges/index.ts';
import { type ScoreOptions, type Subject, scoreEpisodes } from './scoring/score.ts';
import { personasOf, type Suite, type SuiteScene } from './scoring/suites/index.ts';
import { type KeptCard, permitRanking } from './scoring/trust/use.ts';
import type { ScoringReport } from './scoring-report.ts';
import { noteSources } from './source-notes.ts';
import { breathing, pagesIn, readStoredRun, type StoredRun, scoredPages } from './stored-run.ts';
import { judgeHashIn, storedVerdicts } from './stored-verdicts.ts';

/** Episodes whose scores are written together. What models are paid for is written sooner, so that little is lost where a budget ends. */
const batch = { free: 500, paid: 32 } as const;

export interface ScoreRequest {
  readonly store: Store;
  readonly run: string;
  readonly suite: Suite | null;
  /** The scene that an episode was played for. */
  sceneOf(record: EpisodeRecord, scores: readonly Score[]): SuiteScene | null;
  /** Names or files of rules and small models (default: those of the suite, if any, otherwise the standard ones). */
  readonly scorers?: readonly string[] | undefined;
  /** Judges, created by callers that have a model; they are asked after the rules, and only about the seats under test. */
  readonly judges?: readonly Judge[] | undefined;
  /** Personas of seats that neither the suite nor the episode defines: imported conversations name none. */
  readonly personas?: Readonly<Record<Seat, Json>> | undefined;
  /** Where files of the user's own are meant from; the folder of the process without it. */
  readonly cwd?: string | undefined;
  /** The origin of their names. */
  readonly trust: Trust;
  /** Already loaded data of the run; loaded if omitted. */
  readonly read?: StoredRun | undefined;
  /** Score episodes again that already have their scores. */
  readonly again?: boolean | undefined;
  /** Keep verdicts of judges whose model may have changed since; by default they are asked again. */
  readonly reuse?: boolean | undefined;
  readonly options?: Omit<ScoreOptions, 'scorers' | 'store'> | undefined;
}

/** How a run that is read again distinguishes scenes: by the results it has, else by environment, task and cast. */
export function sceneByLog(suite: Suite, scenes: readonly ReadScene[]): ScoreRequest['sceneOf'] {
  return (record, scores) => {
    const name = scores.findLast((score) => score.name === resultName)?.provenance?.['scene'];
    return suite.scenes.find((scene) => scene.name === name) ?? sceneOf(scenes, record);
  };
}

/**
 * Scores the finished episodes of a run: rules and small models first, judges only if there are any. What was scored by the same scorers, to
 * the letter of their files, is left alone.
 */
export async function scoreRun(scoring: ScoreRequest): Promise<ScoringReport> {
  const { store, run, again = false } = scoring;
  const counts = {
    scored: 0,
    before: 0,
    judgedAgain: 0,
    judgedByOther: 0,
    restored: 0,
    rescored: 0,
    results: 0,
    scores: 0,
    missing: 0,
    stopped: false,
  };
  const failed: Score[] = [];
  const changed: string[] = [];
  const values = new Set<string>();
  const toReport = (stopped: boolean): ScoringReport => ({
    ...counts,
    stopped,
    changed,
    values: [...values],
    failures: failuresIn(failed),
  });
  const signal = scoring.options?.signal;
  const byScene = new Map<SuiteScene | null, ToScore[]>();
  const ruleOf = await rulesOf(scoring);
  for await (const scoredEpisodes of scoring.read === undefined ? scoredPages(store, { run }) : pagesIn(scoring.read)) {
    for (const { record, scores: inputScores } of scoredEpisodes) {
      if (record.status === 'running') continue;
      const scene = scoring.sceneOf(record, inputScores);
      const rule = scene === null ? null : ruleOf(scene);
      if (scoring.suite === null && ruleBehind(inputScores) !== undefined) counts.results++;
      if (!again && isScored(inputScores, rule, scoring)) {
        counts.before++;
        continue;
      }
      if (!again && isScored(inputScores, rule, { ...scoring, reuse: true })) counts.judgedAgain++;
      if (rule !== null && (ruleBehind(inputScores) ?? rule) !== rule) counts.rescored++;
      const otherJudges = (scoring.judges ?? []).filter((judge) => (judgeHashIn(inputScores, judge) ?? judge.hash) !== judge.hash);
      if (otherJudges.some((judge) => verdictsOf(judge, inputScores, scoring) === null)) counts.judgedByOther++;
      else if (otherJudges.length > 0) counts.restored++;
      const list = byScene.get(scene) ?? [];
      list.push({ record, given: inputScores });
      byScene.set(scene, list);
    }
  }
  const played = byScene.size === 0 ? () => ({}) : await personasInRun(store, run);
  changed.push(...(await noteScorers(scoring, byScene.keys())));
  for (const [scene, episodes] of byScene) {
    const scorers = await scorersFor(scene, scoring);
    const rule = scene === null ? null : ruleOf(scene);
    const isFree = (scoring.judges ?? []).length === 0 && scorers.every(({ tier }) => tier === 'rule');
    const size = isFree ? batch.free : batch.paid;
    for (let from = 0; from < episodes.length; from += size) {
      // Rules never wait, and a Ctrl-C is only noticed while something waits.
      await breath();
      if (signal?.aborted === true) return toReport(true);
      const inputs = await scoreBatch(scoring, { scene, rule, scorers, played, episodes: episodes.slice(from, from + size) }).catch(
        (thrown: unknown) => {
          if (signal?.aborted === true) return null;
          throw thrown;
        },
      );
      if (inputs === null) return toReport(true);
      counts.scored += inputs.length;
      for (const score of inputs.flat()) {
        counts.scores++;
        if (score.value === null) counts.missing++;
        else values.add(score.name);
        if (score.name !== resultName && score.status !== 'ok') failed.push(score);
      }
    }
  }
  return toReport(false);
}

function idsOf(records: readonly EpisodeRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}

/** An episode to score, with the scores that it has. */
interface ToScore {
  readonly record: EpisodeRecord;
  readonly given: readonly Score[];
}

interface Scoring {
  readonly scene: SuiteScene | null;
  readonly rule: string | null;
  readonly scorers: readonly Scorer[];
  readonly played: PersonasOf;
}

/** Logs are read first and scores written last: a store that is read while it writes has to finish writing each time. */
async function scoreBatch(
  scoring: ScoreRequest,
  { episodes, ...batch }: Scoring & { readonly episodes: readonly ToScore[] },
): Promise<readonly (readonly Score[])[]> {
  const results: (readonly Score[])[] = [];
  const records = episodes.map(({ record }) => record);
  // The logs of a portion are let go before the next ones are read.
  for (const portion of portionsOf(records))
    results.push(...(await scorePortion(scoring, { ...batch, episodes: episodes.filter(({ record }) => portion.includes(record)) })));
  const fresh = results.map((scores, i) => scores.map((score) => asNewest(score, episodes[i].given)));
  await Promise.all(fresh.map((scores, i) => scoring.store.putScores(records[i].id, scores)));
  return fresh;
}

/** The newest score of a name counts, and a store keeps each once: one that was given before, and then others, is made another. */
function asNewest(score: Score, scores: readonly Score[]): Score {
  const alike = scores.filter(({ name, seat, turn }) => name === score.name && seat === score.seat && turn === score.turn);
  const isEarlier = alike.slice(0, -1).some((otherScore) => equal(otherScore, score));
  return isEarlier ? { ...score, provenance: { ...score.provenance, again: String(scores.length) } } : score;
}

async function scorePortion(
  scoring: ScoreRequest,
  { scene, rule, scorers, episodes, played }: Scoring & { readonly episodes: readonly ToScore[] },
): Promise<readonly (readonly Score[])[]> {
  const records = episodes.map(({ record }) => record);
  const { store, suite, options } = scoring;
  const reference = scene === null ? {} : { reference: scene.reference };
  const meant = { ...(scene === null ? {} : personasOf(scene)), ...scoring.personas };
  const subjects: Subject[] = [];
  for (const [id, { events }] of await readEpisodes(store, idsOf(records), { events: true }))
    subjects.push({ episode: { id, events }, personas: { ...meant, ...played(events) }, ...reference });
  const free: (readonly Score[])[] = [];
  for await (const { scores } of scoreEpisodes(subjects, { ...options, scorers })) free.push(scores);
  const judged = await verdicts(scoring, episodes, subjects);
  return records.map((record, i): readonly Score[] => {
    const all = [...free[i], ...(judged.get(record.id) ?? [])];
    const results =
      scene === null || suite === null
        ? []
        : resultsOf(suite, scene, { record, scores: decidingScores(scene, scorers, all), ...(rule === null ? {} : { rule }) });
    // Where a rule does not apply no score is expected; a result that is missing is reported with its reason.
    return [...all.filter(({ status }) => status !== 'not-applicable'), ...results];
  });
}

/** A scene may name the scorer that decides by its file; its scores are called as the scorer calls itself. */
export function decidingScores({ score }: SuiteScene, [deciding]: readonly Scorer[], scores: readonly Score[]): readonly Score[] {
  if (deciding === undefined || deciding.name === score) return scores;
  return scores.map((otherScore) => (otherScore.name === deciding.name ? { ...otherScore, name: score } : otherScore));
}

/** The judges' scores of the seats under test; no verdict on the other seats is paid for. */
async function verdicts(
  scoring: ScoreRequest,
  episodes: readonly ToScore[],
  subjects: readonly Subject[],
): Promise<ReadonlyMap<string, readonly Score[]>> {
  const statement = new Map<string, Score[]>();
  const add = (episode: string, scores: readonly Score[]) => statement.set(episode, [...(statement.get(episode) ?? []), ...scores]);
  for (const judge of scoring.judges ?? []) {
    const requestedSubjects = subjects.flatMap((subject, i): readonly Subject[] => {
      const { record, given } = episodes[i];
      const stored = verdictsOf(judge, given, scoring);
      if (stored !== null) add(record.id, stored);
      const seats = stored === null ? testedSeats(record) : [];
      return seats.map((seat): Subject => {
        const persona = subject.personas?.[seat];
        return { ...subject, seat, ...(persona === undefined ? {} : { persona }) };
      });
    });
    for await (const { episode, scores } of scoreEpisodes(requestedSubjects, { ...scoring.options, scorers: [judge] }))
      add(episode, scores);
  }
  return statement;
}

/** The stored verdicts of a judge that count; null where it is asked. */
function verdictsOf(judge: Judge, scores: readonly Score[], { again = false, reuse = false }: ScoreRequest): readonly Score[] | null {
  return again ? null : storedVerdicts(scores, judge, reuse);
}

function isScored(scores: readonly Score[], rule: string | null, { scorers, judges = [], reuse = false }: ScoreRequest): boolean {
  if ((scorers ?? []).length > 0) return false;
  const isByLast = (judge: Judge) => judgeHashIn(scores, judge) === judge.hash;
  if (!judges.every((judge) => isByLast(judge) && (reuse || judge.unpinned === undefined))) return false;
  if (rule === null) return scores.length > 0;
  return ruleBehind(scores) === rule;
}

/** The rule of an episode's result; undefined if it has none. */
function ruleBehind(scores: readonly Score[]): string | undefined {
  const rule = scores.findLast(({ name }) => name === resultName)?.provenance?.['rule'];
  return typeof rule === 'string' ? rule : undefined;
}

/** Everything that decides the results of each scene: its definition, and the files of its scorers. */
async function rulesOf({ suite, cwd = process.cwd(), trust }: ScoreRequest): Promise<(scene: SuiteScene) => string> {
  const prints = new Fingerprints({ cwd, trust });
  const rules = new Map<SuiteScene, string>();
  for (const scene of suite?.scenes ?? []) {
    const fingerprints = await Promise.all([scene.score, ...scene.also].map((name) => prints.scorer(name)));
    const files = fingerprints.flatMap((print) => print?.hash ?? []);
    rules.set(scene, files.length === 0 ? sceneHash(scene) : hash([sceneHash(scene), ...files]).slice(0, 12));
  }
  return (scene) => rules.get(scene) ?? sceneHash(scene);
}

/** Records the scorers of some scenes, and names those that have changed since the last time. */
async function noteScorers(scoring: ScoreRequest, scenes: Iterable<SuiteScene | null>): Promise<readonly string[]> {
  const { store, run, judges = [], cwd = process.cwd(), trust } = scoring;
  const prints = new Fingerprints({ cwd, trust });
  const judgedScenes = [...scenes];
  for (const name of judgedScenes.flatMap((scene) => scorerNames(scene, scoring))) await prints.scorer(name);
  const sources = [...prints.sources, ...(judgedScenes.length === 0 ? [] : judges.flatMap(sourcesOfJudge))];
  return noteSources(store, { run, use: 'scored', sources, cwd, trust });
}

function scorersFor(scene: SuiteScene | null, request: ScoreRequest): Promise<readonly Scorer[]> {
  const { cwd = process.cwd(), trust } = request;
  return Promise.all(scorerNames(scene, request).map((name) => loadScorer(name, cwd, trust)));
}

function scorerNames(scene: SuiteScene | null, { scorers }: ScoreRequest): readonly string[] {
  const usual = scene === null ? usualScorers : [scene.score, ...scene.also];
  return [...new Set([...(scene === null && scorers !== undefined ? [] : usual), ...(scorers ?? [])])];
}

export interface ScoredRows {
  readonly rows: readonly ScoreRow[];
  /** The score that the rows' values are. */
  readonly score: string;
  readonly records: ReadonlyMap<string, EpisodeRecord>;
  readonly scores: ReadonlyMap<string, readonly Score[]>;
  /** Episodes of earlier versions, which have no rows. */
  readonly earlier: number;
}

export interface RowQuery {
  readonly run?: string;
  readonly agents?: readonly string[];
  /** The deciding score (default: the suite's result, if any, otherwise the return). */
  readonly score?: string | undefined;
  /** The trust card of the judge whose score decides. */
  readonly card?: KeptCard | undefined;
}

/** Rows of a run or of the whole store, with what is kept about their episodes. */
export async function readScoredRows(store: Store, query: RowQuery): Promise<ScoredRows> {
  const { run } = query;
  return scoredRowsIn(await readStoredRun(store, [run === undefined ? {} : { run }]), query);
}

/** The same for rows that were already read. */
export async function scoredRowsIn(stored: StoredRun, { agents, score, card }: Omit<RowQuery, 'run'>): Promise<ScoredRows> {
  const { records, earlier = 0 } = stored;
  const currentLists = new Map([...new Set(stored.scores.values())].map((list) => [list, currentScores(list)]));
  const scores = new Map([...stored.scores].map(([episode, list]) => [episode, currentLists.get(list) as readonly Score[]]));
  const deciding = score ?? (hasResults(scores) ? resultName : 'return');
  if (deciding.startsWith('judge/'))
    permitRanking(
      card,
      [...scores.values()].flat().filter(({ name }) => name === deciding),
    );
  const unpaid = deciding === 'return' ? await unpaidIn(records.values()) : new Set();
  const rows: ScoreRow[] = [];
  /** Rows by lists of scores that many episodes share. */
  const shared = new Map<readonly Score[], { readonly record: EpisodeRecord; readonly rows: readonly ScoreRow[] }>();
  let since = 0;
  for (const record of [...records.values()].reverse()) {
    if (since++ % breathing === 0) await breath();
    const list = scores.get(record.id) as readonly Score[];
    const existing = shared.get(list);
    if (existing !== undefined && isAlike(existing.record, record)) {
      for (const row of existing.rows) rows.push({ ...row, episode: record.id, seed: record.seed });
      continue;
    }
    const scene = list.findLast(({ name }) => name === resultName)?.provenance?.['scene'];
    // Where a suite's results decide, episodes that belong to no suite have none to miss.
    if (score === undefined && deciding === resultName && scene === undefined) continue;
    const source = { record, scores: list, score: deciding, unpaid: unpaid.has(record.environment) };
    const scoreRows = rowsOf({ ...source, ...(scene === undefined ? {} : { scene }) }).filter(
      ({ agent }) => agents === undefined || agents.includes(agent),
    );
    rows.push(...scoreRows);
    if (Object.isFrozen(list)) shared.set(list, { record, rows: scoreRows });
  }
  return { rows, score: deciding, records, scores, earlier };
}

/** Environments in which nothing is paid. One that has paid something is not looked up. */
async function unpaidIn(records: Iterable<EpisodeRecord>): Promise<ReadonlySet<string>> {
  const silent = new Map<string, boolean>();
  for (const { environment, returns } of records)
    if (silent.get(environment) !== false)
      silent.set(
        environment,
        Object.values(returns ?? {}).every((value) => value === 0),
      );
  const names = [...silent].flatMap(([environment, isSilent]) => (isSilent ? [environment] : []));
  const answers = await Promise.all(names.map(isUnpaid));
  return new Set(names.filter((_, i) => answers[i]));
}

function hasResults(scores: StoredRun['scores']): boolean {
  for (const list of scores.values()) if (list.some(({ name }) => name === resultName)) return true;
  return false;
}

/** Whether two episodes differ in nothing but their id, their seed and their place: with the same scores they have the same rows. */
function isAlike(episodeRecord: EpisodeRecord, other: EpisodeRecord): boolean {
  return (
    episodeRecord.cast === other.cast &&
    episodeRecord.task === other.task &&
    episodeRecord.returns === other.returns &&
    episodeRecord.status === other.status &&
    episodeRecord.environment === other.environment
  );
}
