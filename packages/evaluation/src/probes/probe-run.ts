/** @file The run of a character's probes: the agent that plays it determines the id, and changes since the last probe are reported. */

import { chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type CastRun, castRunId, castRunPrefix, putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { AgentSpec, Json, RunRecord, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { canonical, isObject } from '@ludus-agents/kernel/internal/core/index';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import { type FingerprintPlace, Fingerprints } from '../fingerprint.ts';
import { type StoredProbes, storedProbes, visitorName } from './play-probes.ts';

export interface ProbeRunOptions {
  readonly persona: Persona;
  readonly spec: AgentSpec;
  readonly seed: Seed;
  /** Also reuse answers of agents without a version. */
  readonly reuse: boolean;
  readonly place: WorkingFolder & FingerprintPlace;
}

export interface ProbeRun {
  readonly run: string;
  /** Its earlier conversations. */
  readonly stored: StoredProbes;
  /** The reason why earlier answers are not reused, as a sentence; null if they are, or if there are none. */
  readonly change: string | null;
}

/** Stores the run of a persona and its agent. An agent that cannot be pinned gets a new run each time, unless answers are reused. */
export async function openProbeRun(store: Store, { persona, spec, seed, reuse, place }: ProbeRunOptions): Promise<ProbeRun> {
  const task = (await builtInEnvironment('chat')).task(chatTask(persona, { user: visitorName, turns: 1 })) as Json;
  const cast = { character: spec, user: 'scripted' };
  const common = { kind: 'probe', title: persona.id, environment: 'chat', task, seed, cast };
  const { hash, unpinned } = await new Fingerprints(place).agent(spec.name.startsWith('control:') ? spec.kind : spec);
  const runs = (await store.runs()).filter(({ id }) => id.startsWith(castRunPrefix(common.kind, common.title)));
  const versionAt = (round: number): CastRun => ({ ...common, version: unpinned.length === 0 ? hash : `${hash}~${round}` });
  const isStored = (round: number) => runs.some(({ id }) => id === castRunId(versionAt(round)));
  let round = 1;
  while (unpinned.length > 0 && isStored(round + 1)) round++;
  const isAgain = unpinned.length > 0 && isStored(round) && !reuse;
  const begun = versionAt(isAgain ? round + 1 : round);
  const before = runs.findLast(({ plan }) => characterOf(plan)?.name === spec.name);
  const run = await putCastRun(store, begun, { place });
  const change = isAgain
    ? `agent ${spec.name} may have changed since run ${castRunId(versionAt(round))} (${unpinned.join('; ')}): every question is asked again; --reuse keeps the answers.`
    : before === undefined || runs.some(({ id }) => id === run)
      ? null
      : changeSince(before, { persona, spec });
  return { run, stored: await storedProbes(store, run), change };
}

/** The changes since this agent was last probed: the card, or its program. */
function changeSince({ id, plan }: RunRecord, { persona, spec }: Pick<ProbeRunOptions, 'persona' | 'spec'>): string {
  const stored = characterOf(plan);
  const cardOf = (value: unknown) => (isObject(value as Json) ? canonical(value as Json) : '');
  const what = cardOf(stored?.persona) !== cardOf(persona) ? `persona ${persona.name}` : `agent ${spec.name}`;
  return `${what} changed since run ${id}: every question is asked again.`;
}

function characterOf({ casts }: RunRecord['plan']): AgentSpec | null {
  const agent = casts[0]?.['character'];
  return typeof agent === 'object' ? agent : null;
}
