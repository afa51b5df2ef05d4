/** @file The table rows of a log: the values of an append, the summary, and the agents. Nothing here needs a database. */

import { hash } from '@ludus-agents/kernel/internal/core/index';
import type { Insertable } from 'kysely';
import { advance, type LogLength, type Portion, unbegun } from './append-rules.ts';
import type { EpisodesTable, Tables } from './schema.ts';

/** An append, packed; it opens a log when it has the start event. */
export interface Append {
  readonly kind: 'append';
  readonly episode: string;
  readonly run: string | null;
  /** Who sends appends without waiting for the last one. */
  readonly writer?: number | undefined;
  readonly portion: Portion;
  readonly body: string;
  readonly opening: NewEpisode | null;
}

/** The columns that a start event fills. */
export interface NewEpisode {
  readonly environment: string;
  readonly seed: number;
  readonly casting: string;
  readonly task: string;
  /** The fingerprints of environment and agents, as JSON. */
  readonly versions: string | null;
}

export interface ScoreWrite {
  readonly kind: 'scores';
  readonly episode: string;
  readonly scores: readonly { readonly address: string; readonly text: string }[];
}

export type Write = Append | ScoreWrite;

export function writerOf(write: Write): number | undefined {
  return write.kind === 'append' ? write.writer : undefined;
}

/** A log as this transaction has seen and changed it. */
export interface GrowingLog {
  readonly id: string;
  position: number | null;
  readonly opening: NewEpisode & { readonly run: string | null };
  readonly progress: LogLength;
  readonly stored: number;
  readonly bodies: string[];
}

/** The log that an append opens. */
export function newLog({ episode, run, portion, body, opening }: Append): GrowingLog {
  const progress = unbegun();
  advance(progress, portion);
  return { id: episode, position: null, opening: { ...(opening as NewEpisode), run }, progress, stored: 0, bodies: [body] };
}

export function rowOf({ id, opening, progress }: GrowingLog): Insertable<EpisodesTable> {
  const { status, events, begun, end } = progress;
  return {
    id,
    ...opening,
    status,
    events,
    begun,
    turns: end?.turns ?? null,
    returns: end === null ? null : JSON.stringify(end.returns),
    added: Date.now(),
  };
}

/** Written when a log is opened and when it ends; in between nothing in them changes. */
export function appearancesOf({ position, opening, progress, stored }: GrowingLog): Tables['appearances'][] {
  const { status } = progress;
  if (stored > 0 && status === 'running') return [];
  const { environment, run, casting } = opening;
  const agents = new Set(Object.values(JSON.parse(casting) as Record<string, string>).map(searchable));
  return [...agents].map((agent) => ({ agent, episode: position as number, status, environment, run }));
}

/** Agents may have any name. One that SQL text cannot represent is looked up as JSON, and one too long for an index by its hash. */
export function searchable(agent: string): string {
  if (agent.length > longest) return hash(agent);
  return agent.isWellFormed() && !agent.includes('\0') ? agent : JSON.stringify(agent);
}

const longest = 600;
