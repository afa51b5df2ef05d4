/** @file Plays one episode of a job into the store: from the start, from the end of its log, or not at all if it is finished. */

import type { AnyEnvironment, EndEvent, EpisodeVersions, Limits, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { type Agents, play, resume } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';

export interface EpisodeOptions {
  readonly store: Store;
  readonly id: string;
  readonly run: string;
  readonly versions?: EpisodeVersions | undefined;
  readonly environment: AnyEnvironment;
  readonly agents: Agents;
  readonly seed: Seed;
  readonly task: unknown;
  readonly limits?: Limits | undefined;
  readonly signal: AbortSignal;
  /** Whether the log may exist: the job was leased before, or returned. */
  readonly begun: boolean;
  /** Called when the episode has been played, and the rest is to be stored. */
  readonly onPlayed?: () => void;
  /** Lets timers and signals run after many events. */
  readonly breathe: (events: number) => Promise<void> | null;
}

/** Its result and number of turns; null if it was canceled and its log is left open. Throws errors of the store. */
export async function playJobEpisode(options: EpisodeOptions): Promise<Pick<EndEvent, 'reason' | 'turns'> | null> {
  const { store, id, run, versions, environment, agents, seed, task, limits, signal, begun, breathe, onPlayed } = options;
  const record = begun ? await store.episode(id) : null;
  if (record !== null && record.status !== 'running') return { reason: record.status, turns: record.turns };
  const before = record === null ? [] : await store.events(id);
  const refused = new AbortController();
  const playing = { seed, task: task as never, limits, signal: AbortSignal.any([signal, refused.signal]) };
  const stream = before.length > 0 ? resume(environment, agents, before, playing) : play(environment, agents, playing);
  const recorder = new EpisodeRecorder({ store, episode: id, run, versions, from: before.length, onFailure: () => refused.abort() });
  const end = await recordEpisode(stream, recorder, { leaveOpen: () => true, onEvents: (events) => breathe(events.length) });
  onPlayed?.();
  await recorder.flush();
  return end === null ? null : { reason: end.reason, turns: end.turns };
}
