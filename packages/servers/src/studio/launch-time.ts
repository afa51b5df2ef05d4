/** @file Estimates the duration of a plan: scripts are timed in a few of its episodes, models by their stored calls. */

import { modelsOfSpec, nestedSpecs } from '@ludus-agents/agents/internal/kind-rules';
import type { AgentOf } from '@ludus-agents/agents/internal/kinds';
import type { CostEstimate } from '@ludus-agents/evaluation/internal/estimate';
import type { Agent, AgentSpec, Cast, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { meanOrNull, meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { PlanTasks } from '@ludus-agents/kernel/internal/engine/plan';
import { play } from '@ludus-agents/kernel/internal/engine/play';

/** Concurrent episodes, as in the launcher. */
export const atOnce = 8;
/** Assumed seconds per call without measurements. */
const assumed = 2;
const [mostPilots, mostTurns, newest] = [3, 200, 20];

export interface TimeEstimate {
  /** Null if it depends on a bot or user code, which an estimate never calls. */
  readonly seconds: number | null;
  /** Its basis, as text. */
  readonly basis: string;
}

export async function timeOf(
  sheet: PlanTasks,
  { store, make, estimate }: { readonly store: Store; readonly make: AgentOf; readonly estimate: CostEstimate | null },
): Promise<TimeEstimate> {
  const all = sheet.scenes.flatMap(({ environment, task, casts }) => casts.map((cast) => ({ environment, task, cast })));
  const scripted = all.filter(({ cast }) => Object.values(cast).every(isTimable));
  const timed: number[] = [];
  for (const { environment, task, cast } of scripted.slice(0, mostPilots)) {
    const agents: Record<Seat, Agent> = {};
    for (const [seat, spec] of Object.entries(cast)) agents[seat] = await make(spec, seat, environment);
    const began = performance.now();
    for await (const _ of play(environment, agents, { task, seed: 0, limits: { turns: mostTurns } }));
    timed.push((performance.now() - began) / 1000);
  }
  const share = all.length === 0 ? 0 : scripted.length / all.length;
  if (all.some(({ cast }) => Object.values(cast).some(callsOut)))
    return { seconds: null, basis: 'Your agent is not called before you start.' };
  const seconds = meanOrZero(timed) * sheet.planned * share;
  if (estimate === null)
    return { seconds, basis: `measured with ${timed.length === 1 ? 'one episode' : `${timed.length} episodes`} just now` };
  const call = await callSeconds(store, new Set(all.flatMap(({ cast }) => modelsIn(cast))));
  return {
    seconds: seconds + (estimate.calls.likely * (call ?? assumed)) / atOnce,
    basis:
      call === null
        ? `assuming ${assumed} s per call; none of these models has been used here yet`
        : 'by the calls these models have answered here',
  };
}

/** Rule-based and trained players on this machine: they cost nothing and make no network calls. */
function isTimable(spec: AgentSpec | string): boolean {
  const { kind, ...rest } = typeof spec === 'string' ? { kind: spec } : spec;
  const isLocal = kind === 'random' || kind === 'authored' || /^(?:scripted|explorer)(?::|$)/.test(kind) || kind.startsWith('local/');
  return isLocal && nestedSpecs(rest).every(isTimable);
}

/** Whether casting the spec may call a bot, start a process, or run a file of the user. */
export function callsOut(spec: AgentSpec | string): boolean {
  if (isTimable(spec)) return false;
  const whole: Partial<AgentSpec> = typeof spec === 'string' ? { kind: spec } : spec;
  return modelsOfSpec(spec).length === 0 || nestedSpecs(whole).some(callsOut);
}

function modelsIn(cast: Cast): readonly string[] {
  return Object.values(cast).flatMap((spec) => modelsOfSpec(typeof spec === 'string' ? ({ name: spec, kind: spec } as AgentSpec) : spec));
}

/** The duration of these models' calls in the newest episodes of the store. */
async function callSeconds(store: Store, models: ReadonlySet<string>): Promise<number | null> {
  const matches: number[] = [];
  for (const { id } of await store.episodes({ limit: newest }))
    for (const event of await store.events(id))
      if (event.kind === 'action')
        for (const { model, milliseconds } of event.calls ?? [])
          if (models.has(model) && milliseconds !== undefined) matches.push(milliseconds / 1000);
  return meanOrNull(matches);
}
