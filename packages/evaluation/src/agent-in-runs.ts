/** @file Finds the runs and names under which an agent from a file has played: another agent may use its name in a run. */

import { nameInRun, originOf, readRunAgents, wordFor } from '@ludus-agents/agents/internal/workspace/agent-names';
import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import type { AgentSpec, RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { playedNames } from './changed-since.ts';
import { type FingerprintPlace, Fingerprints } from './fingerprint.ts';

/** An agent with its name in each run that it may have played in. */
export interface AgentInRuns {
  readonly name: string;
  readonly word: string;
  readonly names: ReadonlyMap<string, string>;
  /** The files that use its name in other runs. */
  readonly others: readonly string[];
  /** Its current fingerprints under these names. */
  readonly current: ReadonlySet<string>;
}

/** Finds an agent that was read from a file in some runs; null for any other agent. */
export async function agentInRuns(
  store: Pick<Store, 'notes' | 'run'>,
  { spec, runs }: { readonly spec: AgentSpec; readonly runs: readonly RunRecord[] },
  place: FingerprintPlace,
): Promise<AgentInRuns | null> {
  const origin = originOf(spec);
  if (origin === undefined) return null;
  const { name, word } = origin;
  const names = new Map<string, string>();
  const others = new Set<string>();
  for (const { id, plan } of runs) {
    const agents = await readRunAgents(store, id, place.cwd);
    const label = nameInRun(agents, spec);
    const namesake = agents.get(name);
    if (label !== undefined) names.set(id, label);
    else if (namesake?.word !== undefined) others.add(namesake.word);
    // An older run has recorded only files, or nothing.
    else if (namesake !== undefined ? (await playedNames(store, id)).some((file) => wordFor(file, place.cwd) === word) : mayHave(plan))
      names.set(id, name);
  }
  function mayHave({ casts }: RunRecord['plan']): boolean {
    const files = casts.flatMap((cast) => Object.values(cast)).filter((input) => typeof input === 'string' && isFileName(input));
    return files.length === 0 || files.some((file) => wordFor(String(file), place.cwd) === word);
  }
  const current = new Set<string>();
  const labels = new Set(names.values());
  const prints = new Fingerprints({ ...place, isLenient: true });
  if (labels.size > 1)
    for (const label of labels) {
      const { hash, unpinned } = await prints.agent({ ...spec, name: label });
      if (unpinned.length === 0) current.add(hash);
    }
  return { name, word, names, others: [...others], current };
}
