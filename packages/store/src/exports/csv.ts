/** @file A spreadsheet of episodes: one row per seat, with its return, its cost, and every score. */

import { csvCell as cell } from '@ludus-agents/kernel/internal/core/csv';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { type ExportEpisode, scoresOf } from './plays.ts';
import { callsIn } from './words.ts';

const fixed = ['episode', 'run', 'environment', 'seed', 'status', 'turns', 'seat', 'agent', 'return', 'penalty'] as const;
const spent = ['calls', 'prompt_tokens', 'completion_tokens', 'cost'] as const;

/** The names of all scores, which are known once every episode has been looked at. */
export async function scoreNames(plays: AsyncIterable<ExportEpisode>): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const play of plays) for (const seat of play.seats) for (const name of Object.keys(scoresOf(play, seat))) names.add(name);
  return [...names].sort();
}

export async function* csvLines(plays: AsyncIterable<ExportEpisode>, scores: readonly string[]): AsyncGenerator<string, void, undefined> {
  const columns = [...fixed, ...spent, ...scores.map((name) => `score:${name}`)];
  yield columns.map(cell).join(',');
  for await (const play of plays) for (const row of rowsOf(play)) yield columns.map((name) => cell(row[name] ?? null)).join(',');
}

/** Entries of a journal as lines: one column for each field of any entry; other values than numbers and text are written as JSON. */
export function* journalLines(entries: readonly JsonObject[]): Generator<string, void, undefined> {
  const columns = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  yield columns.map(cell).join(',');
  for (const entry of entries) yield columns.map((name) => cell(entry[name] ?? null)).join(',');
}

function* rowsOf(play: ExportEpisode): Generator<Readonly<Record<string, JsonObject[string]>>, void, undefined> {
  const { record, start, end, events } = play;
  for (const seat of play.seats) {
    const calls = callsIn(events, seat);
    const scores = Object.entries(scoresOf(play, seat)).map(([name, value]) => [`score:${name}`, value] as const);
    yield {
      episode: record.id,
      run: record.run,
      environment: record.environment,
      seed: record.seed,
      status: record.status,
      turns: record.turns,
      seat,
      agent: start.cast[seat] ?? '',
      return: end?.returns[seat] ?? null,
      penalty: end?.penalties[seat] ?? null,
      calls: calls.length,
      prompt_tokens: calls.reduce((sum, { usage }) => sum + usage.promptTokens, 0),
      completion_tokens: calls.reduce((sum, { usage }) => sum + usage.completionTokens, 0),
      cost: calls.some(({ cost }) => cost === null) ? null : calls.reduce((sum, { cost }) => sum + (cost as number), 0),
      ...Object.fromEntries(scores),
    };
  }
}
