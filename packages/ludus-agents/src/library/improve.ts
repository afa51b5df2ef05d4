/** @file `improve`: improves an agent's texts on a suite, behind a gate. */

import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import type { AgentSpec, Store } from '@ludus-agents/kernel/internal/core/index';
import type { ImproveRequest as ImproveSettings } from '@ludus-agents/learning/internal/improving/improve';
import { createImproveServices, improveRun } from '@ludus-agents/learning/internal/improving/improve';
import { checkPrices } from '@ludus-agents/learning/internal/improving/plan';
import { improve as improveSteps } from '@ludus-agents/learning/internal/prompts/improve';
import type { ImproveReport } from '@ludus-agents/learning/internal/prompts/report';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import '@ludus-agents/servers/internal/kinds';
import { programTrust, type Ref } from './refs.ts';

/** The options of `improve`. */
export interface ImproveOptions extends Omit<ImproveSettings, 'agent' | 'suite' | 'recipe' | 'seed'> {
  /** The agent to improve: a spec, or its file. */
  readonly agent: Ref<AgentSpec>;
  /** The suite for the improvement. */
  readonly suite: Ref<Suite>;
  readonly seed?: number;
  readonly store?: Store;
  readonly cwd?: string;
}

export async function improve(options: ImproveOptions): Promise<ImproveReport> {
  const { agent, suite, seed = 1, store = memoryStore(), cwd = process.cwd(), ...settings } = options;
  const trust = programTrust(cwd);
  const request = {
    ...settings,
    seed,
    agent: typeof agent === 'string' ? await readSpec(agent, cwd, trust) : agent,
    suite: typeof suite === 'string' ? await loadSuite(suite, cwd, trust) : suite,
  };
  const run = await improveRun(request, cwd, trust);
  await checkPrices(run, process.env);
  await store.putRun(run);
  const steps = improveSteps(run.work, await createImproveServices(store, run, { cwd, trust }));
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
  }
}
