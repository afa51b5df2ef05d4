/** @file Finds the stored conversations that a request to forget covers, and records that they were forgotten. */

import { appendFileSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { type EpisodeQuery, type EpisodeRecord, Fault, type Store } from '@ludus-agents/kernel/internal/core/index';
import { type Bound, choose, plays } from './exports/index.ts';
import { type ForgetReport, isFile } from './open-store.ts';
import { checkAgentPlayed, findEpisode, findRun, loadRun, type WorkingFolder } from './stores.ts';

export interface ForgetWish {
  /** Episodes or runs by id, or the first letters of one. */
  readonly named: readonly string[];
  readonly run?: string | undefined;
  readonly environment?: string | undefined;
  readonly agent?: string | undefined;
  readonly bounds?: readonly Bound[] | undefined;
  /** Conversations in which this name is on a seat, or is mentioned. */
  readonly person?: string | undefined;
  /** Names of episodes that are old enough; null where age does not matter. */
  readonly old: ReadonlySet<string> | null;
}

export interface ForgetSelection {
  readonly episodes: readonly string[];
  /** Runs that go as a whole, with their journals. */
  readonly runs: readonly string[];
}

const statuses: readonly EpisodeRecord['status'][] = ['running', 'over', 'limit', 'error', 'abort'];

/** The selection. Filters are combined with AND; ids are deleted as given. */
export async function chooseForgotten(store: Store, wish: ForgetWish): Promise<ForgetSelection> {
  const runs: string[] = [];
  const episodes = new Set<string>();
  for (const typed of wish.named) {
    const run = (await store.find(typed, 1)).length === 0 ? await findRun(store, typed) : null;
    if (run === null) episodes.add((await findEpisode(store, typed)).id);
    else runs.push(run.id);
  }
  for (const run of runs) for (const id of (await store.statuses(run)).keys()) episodes.add(id);
  const { person, bounds, old, run: typedRun, environment, agent } = wish;
  if ([person, bounds, typedRun, environment, agent].every((item) => item === undefined) && old === null)
    return { episodes: [...episodes], runs };
  const run = typedRun === undefined ? undefined : await loadRun(store, typedRun);
  if (agent !== undefined) await checkAgentPlayed(store, agent);
  const query: EpisodeQuery = {
    ...(run === undefined ? {} : { run: run.id }),
    ...(environment === undefined ? {} : { environment }),
    ...(agent === undefined ? {} : { agent }),
  };
  for (const choice of await choose(store, { query, statuses })) {
    if (old !== null && !old.has(choice.id)) continue;
    if (person !== undefined && !(await speaksOf(store, choice.id, person))) continue;
    if (bounds !== undefined && !(await fits(store, choice, bounds))) continue;
    episodes.add(choice.id);
  }
  return { episodes: [...episodes], runs };
}

async function fits(
  store: Store,
  choice: Parameters<typeof plays>[1] extends Iterable<infer C> ? C : never,
  bounds: readonly Bound[],
): Promise<boolean> {
  for await (const _ of plays(store, [choice], { filter: { statuses, bounds }, split: { evalShare: 0, seed: 0 } })) return true;
  return false;
}

/** The name as a separate word, anywhere in the log: on a seat, in the task, in a message. */
async function speaksOf(store: Store, id: string, person: string): Promise<boolean> {
  const wanted = person.normalize('NFKC').toLowerCase();
  if (wanted.trim() === '') throw new Fault('input', '--person: expected a name, got an empty string.');
  const text = JSON.stringify([await store.events(id), await store.scores(id)])
    .normalize('NFKC')
    .toLowerCase();
  const inside = JSON.stringify(wanted).slice(1, -1);
  for (let at = text.indexOf(inside); at >= 0; at = text.indexOf(inside, at + 1)) {
    const [before, after] = [text[at - 1] ?? '', text[at + inside.length] ?? ''];
    if (!/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

/** "30d", "12h", "6w" or "2y" in milliseconds. */
export function readAge(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([hdwy])$/.exec(text.trim()) ?? [];
  if (amount === undefined) throw new Fault('input', `--older-than: expected an age such as 30d, 12h, 6w, or 2y, got "${text}".`);
  const hours = { h: 1, d: 24, w: 168, y: 8766 }[unit as 'h' | 'd' | 'w' | 'y'];
  return Number(amount) * hours * 3_600_000;
}

/** Records that something was forgotten, but never its content. Returns the file. */
export function recordForgotten(where: string, place: WorkingFolder, report: ForgetReport, wish: string): string {
  const file = isFile(where) ? `${where}.forgotten.jsonl` : join(place.cwd, '.ludus', 'forgotten.jsonl');
  mkdirSync(dirname(file), { recursive: true });
  const line = { at: new Date().toISOString(), by: userName(), episodes: report.episodes, runs: report.runs, parts: report.parts, wish };
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
  return file;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
