/** @file `attack`: searches for inputs that make an agent fail, and measures their success rate. */

import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { loadDesk } from '@ludus-agents/desk/internal/desks';
import type { DeskDocument } from '@ludus-agents/desk/internal/environment/document';
import type { Model } from '@ludus-agents/kernel/internal/core/index';
import { type AttackReport, attack as attackAgent } from '@ludus-agents/learning/internal/improving/attack';
import type { AttackOptions } from '@ludus-agents/learning/internal/improving/attack-range';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import '@ludus-agents/servers/internal/kinds';
import { type AgentRef, programTrust, type Ref, specOf } from './refs.ts';

/** The options of `attack`. */
export interface AttackRequest
  extends Partial<Pick<AttackOptions, 'budget' | 'seed' | 'store' | 'clauses' | 'rounds' | 'arsenal' | 'cwd' | 'signal'>>,
    Pick<AttackOptions, 'with'> {
  /** The attacked agent. */
  readonly agent: AgentRef;
  /** The model that writes the attacks; without it they are composed of known parts. */
  readonly attacker?: Ref<Model>;
  /** For threats: the model that reflects on failures. */
  readonly reflect?: Ref<Model>;
  /** The desk for injection, twins, and threats; the sample desk by default. */
  readonly desk?: Ref<DeskDocument>;
}

export async function attack(request: AttackRequest): Promise<AttackReport> {
  const { agent, attacker, reflect, desk, cwd = process.cwd(), store = memoryStore(), budget = 100, seed = 1, ...rest } = request;
  const trust = programTrust(cwd);
  const named = specOf(agent);
  const model = async (wanted: Ref<Model> | undefined) => (typeof wanted === 'string' ? loadModel(wanted, cwd, trust) : wanted);
  return attackAgent({
    ...rest,
    ...{ budget, seed, store, cwd, trust },
    target: typeof named === 'string' ? await readSpec(named, cwd, trust) : named,
    attacker: await model(attacker),
    reflect: await model(reflect),
    desk: typeof desk === 'string' ? loadDesk(desk, cwd, trust) : desk,
  });
}
