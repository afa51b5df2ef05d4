/** @file Finds the personas of an episode's seats. The start event names them by hash; the run stores the documents. */

import { hashOfPersona } from '@ludus-agents/agents/internal/personas/parse';
import { readPlayedSpecs } from '@ludus-agents/agents/internal/workspace/versions';
import type { AgentSpec, EpisodeEvent, Json, Plan, Seat, Store } from '@ludus-agents/kernel/internal/core/index';

/** The persona documents of an episode, by seat. */
export type PersonasOf = (events: readonly EpisodeEvent[]) => Readonly<Record<Seat, Json>>;

/** Finds the personas of a run's episodes. A run without a plan in the store, or without personas, has none. */
export async function personasInRun(store: Pick<Store, 'run' | 'notes'>, run: string): Promise<PersonasOf> {
  const record = await store.run(run);
  if (record === null) return () => ({});
  const later = (await readPlayedSpecs(store, run)).map(({ spec }) => ({ [spec.name]: spec }));
  return personasInPlan({ casts: [...record.plan.casts, ...later] });
}

function personasInPlan(plan: Pick<Plan, 'casts'>): PersonasOf {
  const byHash = new Map<string, Json>();
  /** Documents by agent name, for logs whose start event does not name personas; null where two documents differ. */
  const byAgent = new Map<string, Json | null>();
  for (const cast of plan.casts)
    for (const spec of Object.values(cast)) {
      const document = documentOf(spec);
      if (document === undefined) continue;
      const { name } = spec as AgentSpec;
      const address = hashOfPersona(document);
      const previousDocument = byAgent.get(name);
      byAgent.set(
        name,
        previousDocument === undefined || (previousDocument !== null && hashOfPersona(previousDocument) === address) ? document : null,
      );
      byHash.set(address, document);
    }
  return (events) => {
    const [start] = events;
    if (start?.kind !== 'start' || byHash.size === 0) return {};
    const matches = start.seats.flatMap((seat) => {
      const address = start.personas?.[seat];
      const document =
        start.personas === undefined ? byAgent.get(start.cast[seat] ?? '') : address === undefined ? undefined : byHash.get(address);
      return document === undefined || document === null ? [] : [[seat, document] as const];
    });
    return Object.fromEntries(matches);
  };
}

function documentOf(spec: AgentSpec | string): Json | undefined {
  return typeof spec === 'object' && typeof spec.persona === 'object' && spec.persona !== null ? spec.persona : undefined;
}
