/** @file Asks a character probes: each is a separate conversation in the environment "chat", stored in a store. */

import { once } from '@ludus-agents/agents/internal/once';
import { chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, EpisodeEvent, Json, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { Probe, ProbeAnswers } from './probe.ts';

export interface PlayProbesOptions {
  readonly persona: Persona;
  /** The character for a probe; most are the same for all. */
  agent(probe: Probe): Agent | Promise<Agent>;
  /** An agent that talks with the character instead of the probe's lines; the first of those lines still opens the conversation. */
  partner?(probe: Probe): Agent | Promise<Agent>;
  readonly seed: Seed;
  /** Conversations at once. */
  readonly concurrency?: number;
  readonly store?: ProbeStore | undefined;
  readonly run?: string | undefined;
  /** Stored conversations of the run by seed: the same questions are not asked again. All other players must be the same. */
  readonly stored?: StoredProbes | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

export type ProbeStore = Pick<Store, 'append' | 'episode' | 'episodes' | 'events'>;

/** Episodes of a run by their seed. */
export type StoredProbes = ReadonlyMap<Seed, readonly string[]>;

/** The finished conversations of a run. */
export async function storedProbes(store: Pick<Store, 'episodes'>, run: string): Promise<StoredProbes> {
  const stored = new Map<Seed, string[]>();
  const page = 1000;
  for (let before: number | undefined; ; ) {
    const records = await store.episodes({ run, limit: page, ...(before === undefined ? {} : { before }) });
    for (const { id, seed, status } of records)
      if (status === 'over' || status === 'limit') stored.set(seed, [...(stored.get(seed) ?? []), id]);
    if (records.length < page) return stored;
    before = records.at(-1)?.order;
  }
}

/** The name of the visitor who asks. */
export const visitorName = 'the visitor';

/** The number of consecutive failed conversations allowed for a model: more than run concurrently. */
const mostFailures = 10;

/** Asks all probes, and returns the answers in order. A failed conversation has empty answers, which are broken, not wrong. */
export async function playProbes(probes: readonly Probe[], options: PlayProbesOptions): Promise<readonly ProbeAnswers[]> {
  const { concurrency = 8, signal } = options;
  const answered = new Array<ProbeAnswers>(probes.length);
  let next = 0;
  let done = 0;
  let row = 0;
  const stop = new AbortController();
  const until = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const onFailure = (cause: string | null) => {
    row = cause === null ? 0 : row + 1;
    if (cause === null || row < mostFailures || stop.signal.aborted) return;
    const message = `${row} conversations in a row failed, so no more are held. The last error: ${cause}`;
    stop.abort(new Fault('model', message, { code: 'E_CALLS_FAILED', details: { failures: row } }));
  };
  const lane = async () => {
    for (let i = next++; i < probes.length; i = next++) {
      until.throwIfAborted();
      answered[i] = await playProbe(probes[i], { ...options, signal: until }, onFailure);
      options.onProgress?.(++done, probes.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, probes.length) }, lane));
  return answered;
}

async function playProbe(probe: Probe, options: PlayProbesOptions, onEnd: (failure: string | null) => void): Promise<ProbeAnswers> {
  const { persona, agent, partner, seed, store, run, signal } = options;
  const dice = Number.parseInt(hash([seed, probe.id]).slice(0, 8), 16);
  const stored = await answeredBefore(probe, dice, options);
  if (stored !== null) return stored;
  const environment = await builtInEnvironment('chat');
  const opening = chatTask(persona, { user: visitorName, turns: probe.turns.length }) as { readonly [key: string]: Json };
  // The visitor starts, because a greeting would answer a question that was not asked.
  const task = { ...opening, greeting: '' };
  const lines = scripted('probe', (turn) => {
    const requestedLength = turn.view.seen.filter((item) => item.kind === 'action').length;
    return { text: probe.turns[requestedLength] ?? '/quit' };
  });
  const user = partner === undefined ? lines : once(probe.turns[0] ?? '', await partner(probe));
  const events: EpisodeEvent[] = [];
  const stream = play(
    environment,
    { character: await agent(probe), user },
    { task, seed: dice, ...(signal === undefined ? {} : { signal }) },
  );
  for await (const event of stream) events.push(event);
  const end = events.at(-1);
  if (end?.kind === 'end' && end.reason === 'abort') signal?.throwIfAborted();
  const fault = end?.kind === 'end' && end.reason === 'error' ? end.fault : undefined;
  onEnd(fault?.boundary === 'model' ? fault.message : null);
  const answers = answersIn(events, probe);
  if (store === undefined) return { probe, answers };
  const episode = hash(events).slice(0, 20);
  if ((await store.episode(episode)) === null) await store.append(episode, 0, events, run);
  return { probe, answers, episode };
}

/** The stored answers to exactly the same questions; null if there are none. */
async function answeredBefore(probe: Probe, dice: Seed, { store, stored }: PlayProbesOptions): Promise<ProbeAnswers | null> {
  for (const episode of stored?.get(dice) ?? []) {
    const events = (await store?.events(episode)) ?? [];
    const userLines = linesOf(events, 'user').filter((text) => text !== '/quit');
    if (userLines.join('\n') === probe.turns.join('\n')) return { probe, answers: answersIn(events, probe), episode, reused: true };
  }
  return null;
}

function answersIn(events: readonly EpisodeEvent[], probe: Probe): readonly string[] {
  const lines = linesOf(events, 'character');
  return probe.turns.map((_, i) => lines[i] ?? '');
}

function linesOf(events: readonly EpisodeEvent[], seat: 'character' | 'user'): readonly string[] {
  return events.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text] : []));
}
