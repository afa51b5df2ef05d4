/** @file Any agent as a policy on a seat: random play, a script of the environment, or any agent that can be loaded. */

import { agentKinds } from '@ludus-agents/agents/internal/kinds';
import { readSeatSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadAgent } from '@ludus-agents/agents/internal/workspace/loaders';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { AgentSpec, AnyEnvironment, Policy, Script, Seat } from '@ludus-agents/kernel/internal/core/index';
import { agentPolicy, Fault, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';

export const randomPolicy: Policy = scriptedPolicy('random', ({ ask, rng: dice }) => {
  if (ask.choices === undefined) throw new Fault('agent', `Seat "${ask.seat}" has no list of moves to choose from at random.`);
  return { text: dice.pick(ask.choices) };
});

/** Any agent as a policy: random play, a script of the environment by its name, or any agent that can be loaded. */
export async function policyFor(
  name: string | AgentSpec,
  {
    seat,
    environment,
    cwd,
    trust,
  }: { readonly seat: Seat; readonly environment: AnyEnvironment; readonly cwd: string; readonly trust: Trust },
): Promise<Policy> {
  // Kinds of agents take precedence: "shell" runs commands, and "scripted:shell" is the script of that name.
  const isKind = agentKinds.some(({ kind }) => kind === name);
  if (typeof name === 'string' && (name === 'random' || (!isKind && Object.hasOwn(environment.scripts ?? {}, name))))
    return opponentBy(name, environment);
  const spec = await readSeatSpec(name, seat, { cwd, trust });
  // Passes a plain name unchanged, so that the agent keeps its own name.
  return agentPolicy(await loadAgent(spec.kind === name ? name : spec, seat, environment, { cwd, trust }), new AbortController().signal);
}

/** An opponent that only needs the environment: random play, or one of its scripts. */
export function opponentBy(name: string, environment: AnyEnvironment): Policy {
  if (name === 'random') return randomPolicy;
  return scriptedPolicy(name, scriptNamed(environment, name));
}

export function scriptNamed(environment: AnyEnvironment, name: string): Script {
  const scripts: Readonly<Record<string, Script>> = environment.scripts ?? {};
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (script === undefined)
    throw new Fault(
      'input',
      `${environment.id} has no opponent "${name}". Available: self, league, random${Object.keys(scripts)
        .map((item) => `, ${item}`)
        .join('')}.`,
    );
  return script;
}
