/** @file Commands as a user would type them at a terminal, and the form fields that they require. */

import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { attack, attackRun } from '@ludus-agents/learning/internal/improving/attack';
import { type AttackKind, attackKinds } from '@ludus-agents/learning/internal/improving/attack-kinds';
import type { LaunchRequest } from './api-launch.ts';
import { walletOf } from './budget.ts';
import type { StudioContext } from './context.ts';
import type { Launch } from './launch.ts';

/**
 * Starts an attack on an agent from the form: searches for and measures successful attacks like `ludus attack`, paid from the studio's
 * budget.
 */
export async function launchAttack(
  { store, place, jobs }: StudioContext,
  { agents = [], attack: kind = 'guard', games = 100, from = 1, attacker }: LaunchRequest,
): Promise<Launch> {
  if (!Object.hasOwn(attackKinds, kind))
    throw new Fault('input', `Unknown attack "${kind.slice(0, 60)}". Available: ${Object.keys(attackKinds).join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  const [name] = some('an agent', agents);
  const target = await readSpec(name, place.cwd, Trust.request);
  const { modelOf } = walletOf(place);
  const services = { ...createAgentServices(place.cwd, Trust.request), model: modelOf };
  const wanted = { target, with: kind as AttackKind, seed: from };
  const run = attackRun(wanted);
  const title = `Attack on ${name}`;
  return {
    ...{ title, plan: null, plans: [], episodes: games },
    command: command('attack', name, { with: kind, budget: games, seed: from, attacker }),
    async begin() {
      if ((await store.run(run)) !== null)
        throw new Fault('input', `Run "${run}" already exists in this store. Choose another first seed, or delete that run.`, {
          code: 'E_ALREADY_EXISTS',
        });
      const model = attacker === undefined ? undefined : await modelOf(attacker);
      jobs.start({ run, title, cast: [name], planned: games }, ({ signal, tell }) =>
        attack({
          ...{ ...wanted, budget: games, store, cwd: place.cwd, trust: Trust.request, attacker: model, services, signal },
          onEpisode: tell,
        }),
      );
      return `#/run/${encodeURIComponent(run)}`;
    },
  };
}

/** The first selected item, if any. */
export function some<T>(what: string, choice: readonly T[]): readonly [T, ...T[]] {
  if (choice.length === 0) throw new Fault('input', `Choose ${what} first.`);
  return choice as readonly [T, ...T[]];
}

/** Quotes for a shell: everything except plain words. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

type OptionValue = string | number | boolean | undefined;

/** A list is an option that is repeated. */
export function command(name: string, of: string, options: Readonly<Record<string, OptionValue | readonly string[]>>): string {
  const entries = Object.entries(options).flatMap(([key, value]) => [value].flat().map((item) => [key, item as OptionValue] as const));
  const selectedEntries = entries.filter(([, value]) => value !== undefined && value !== false);
  const args = selectedEntries.flatMap(([key, value]) => [
    key.length === 1 ? `-${key}` : `--${key}`,
    ...(value === true ? [] : [quoteWord(String(value))]),
  ]);
  return ['ludus', name, quoteWord(of), ...args].join(' ');
}
