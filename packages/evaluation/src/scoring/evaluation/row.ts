/** @file A row is one agent's result on one seat of one episode: the basis of tables, comparisons, and reports. */

import type { EpisodeRecord, Json, Score, ScoreStatus, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { canonical, hash } from '@ludus-agents/kernel/internal/core/index';
import { isBuiltInAgent } from '../suites/suite.ts';

/** One score of one seat in one episode, with everything that it can be grouped by. */
export interface ScoreRow {
  readonly episode: string;
  /** The scene of a suite, or the environment. */
  readonly scene: string;
  /** Environment and task. */
  readonly task: string;
  readonly seed: Seed;
  readonly seat: Seat;
  readonly agent: string;
  /** The other agents at the table, by seat. */
  readonly company: string;
  /** How the episode ended. */
  readonly end: EpisodeRecord['status'];
  /** Missing is null, and `status` gives the reason. */
  readonly value: number | null;
  readonly status: ScoreStatus;
  /** The error, if any. */
  readonly reason?: string;
  /** Whether it passed; null if passing is not defined, or the value is missing. */
  readonly passed: boolean | null;
}

/** The source of an episode's row values. */
export interface RowSource {
  readonly record: EpisodeRecord;
  readonly scores: readonly Score[];
  /** The score that decides. */
  readonly score: string;
  readonly scene?: string;
  /** The environment pays nothing, so its returns are no scores. */
  readonly unpaid?: boolean;
}

/** The score that a suite gives an episode: the deciding scorer's value on the scene's scale. */
export const resultName = 'result';

/** One row for each seat under test; the other agents of a suite have none. */
export function rowsOf({ record, scores, score, scene, unpaid = false }: RowSource): readonly ScoreRow[] {
  const from = importOf(record);
  return testedSeats(record).map((seat) => {
    const agent = record.cast[seat];
    // The rule that reads returns gives 0 where nothing was paid, too.
    const isUnpaid = score === 'return' && (unpaid || from?.rewarded?.includes(seat) === false || isUnrewarded(scores, seat));
    const match = isUnpaid ? null : (latest(scores, score, seat) ?? (score === 'return' ? returnOf(record, seat) : null));
    const part = match?.parts?.['passed'];
    const mark = score === 'return' ? from?.pass : undefined;
    const pass = part ?? (mark === undefined || match === null || match.value === null ? null : Number(match.value >= mark));
    return {
      episode: record.id,
      scene: scene ?? from?.format ?? record.environment.split('@', 1)[0],
      task: from === null ? taskName(record.environment, record.task) : taskName(from.format, from.task),
      seed: record.seed,
      seat,
      agent,
      company: companyOf(record.cast, seat),
      end: record.status,
      value: match?.value ?? null,
      status: match?.status ?? 'not-applicable',
      ...(match?.reason === undefined ? {} : { reason: match.reason }),
      passed: pass === null ? null : pass === 1,
    };
  });
}

/**
 * The seats under test. Agents that a suite assigns are not, nor is an agent that runs an environment from the seat "world". In a
 * conversation from elsewhere the user is who the assistant works for.
 */
export function testedSeats({ environment, cast }: Pick<EpisodeRecord, 'environment' | 'cast'>): readonly Seat[] {
  const relayed = environment.startsWith('relay@');
  const imported = relayed && cast['world']?.startsWith('import:') === true && Object.keys(cast).length > 2;
  return Object.keys(cast).filter(
    (seat) => !isBuiltInAgent(cast[seat]) && !(relayed && seat === 'world') && !(imported && seat === 'user'),
  );
}

interface Imported {
  readonly format: string;
  readonly task: Json;
  /** The task is done from this return on. */
  readonly pass: number | undefined;
  /** The seats for which the file has a reward; imports of earlier versions do not say. */
  readonly rewarded: readonly Json[] | undefined;
}

/** The task of an imported conversation, independent of its file; null for any other episode. */
function importOf({ environment, task, cast }: EpisodeRecord): Imported | null {
  const name = cast['world'];
  if (!environment.startsWith('relay@') || name === undefined || !name.startsWith('import:')) return null;
  const about = (task as { readonly world?: { readonly task?: Json; readonly pass?: Json; readonly rewarded?: Json } | null } | null)
    ?.world;
  const { pass, rewarded } = about ?? {};
  return {
    format: name.slice('import:'.length),
    task: about?.task ?? null,
    pass: typeof pass === 'number' ? pass : undefined,
    rewarded: Array.isArray(rewarded) ? rewarded : undefined,
  };
}

/** Whether the missing reward was recorded: an import of an earlier edition did not distinguish it from a reward of 0. */
function isUnrewarded(scores: readonly Score[], seat: Seat): boolean {
  return scores.some((score) => score.name === 'return' && score.seat === seat && score.status === 'not-applicable');
}

/** The newest score of a name for a seat, or for the whole episode. */
export function latest(scores: readonly Score[], name: string, seat: Seat): Score | null {
  return (
    scores.findLast((score) => score.name === name && score.seat === seat) ??
    scores.findLast((score) => score.name === name && score.seat === undefined) ??
    null
  );
}

type Found = Pick<Score, 'value' | 'status' | 'reason' | 'parts'>;

/** The environment's payment is in the record. An episode that failed or was cut off says nothing about the agent. */
function returnOf({ status, returns }: EpisodeRecord, seat: Seat): Found | null {
  if (status === 'error') return { value: null, status: 'error' };
  if (status === 'running' || status === 'abort') return null;
  const value = returns?.[seat];
  return value === undefined ? null : { value, status: 'ok' };
}

/** Texts that are made of an object and a word, written once for objects that many records share. */
class Texts {
  readonly #made = new WeakMap<object, Map<string, string>>();

  get(of: object, word: string, make: () => string): string {
    const texts = this.#made.get(of) ?? new Map<string, string>();
    if (texts.size === 0) this.#made.set(of, texts);
    const text = texts.get(word) ?? make();
    texts.set(word, text);
    return text;
  }
}

const companies = new Texts();

/** The other agents in a cast. */
function companyOf(cast: EpisodeRecord['cast'], seat: Seat): string {
  return companies.get(cast, seat, () => canonical(Object.fromEntries(Object.entries(cast).filter(([other]) => other !== seat))));
}

const names = new Map<string, string>();
const taskNames = new Texts();

function taskName(environment: string, task: Json): string {
  const write = () => writeTaskName(environment, task);
  return task === null || typeof task !== 'object' ? write() : taskNames.get(task, environment, write);
}

/** "kuhn-poker@1 {"rounds":4}", shortened by a hash where the task is long. */
function writeTaskName(environment: string, task: Json): string {
  const text = canonical(task);
  if (text.length <= 60) return `${environment} ${text}`;
  let name = names.get(text);
  if (name === undefined) {
    name = `${text.slice(0, 40)}… ${hash(task).slice(0, 8)}`;
    names.set(text, name);
  }
  return `${environment} ${name}`;
}

/** Values from 0 to 1 are shown as points of a hundred, wherever they are shown. */
export function arePoints(rows: readonly Pick<ScoreRow, 'value'>[]): boolean {
  const values = rows.flatMap(({ value }) => value ?? []);
  return values.length > 0 && values.every((value) => value >= 0 && value <= 1);
}
