/** @file `ludus serve proxy`: an OpenAI-compatible proxy in front of any model that records every call as an episode. */

import { keyVariableFor } from '@ludus-agents/agents/internal/models/key-origins';
import { readPrices } from '@ludus-agents/agents/internal/models/priced';
import { BudgetCounter } from '@ludus-agents/kernel/internal/core/index';
import type { ProxyOptions } from '@ludus-agents/servers/internal/proxy/routes';
import type { CommandRun } from '../../command.ts';
import { budgetOf, type SpendingOptions } from '../../spending.ts';
import { type CharacterOptions, checkModelName, readPersonas } from './a2a.ts';
import { type Owner, open, type ServeFlags } from './running-server.ts';

export interface RecordingOptions extends SpendingOptions, CharacterOptions {
  readonly upstream?: string;
  readonly keyFrom?: string;
  readonly tokens?: boolean;
  readonly run?: string;
  readonly expire?: number;
  readonly model?: readonly string[];
}

export const proxy: CommandRun<ServeFlags & RecordingOptions> = {
  async run({ options, terminal }) {
    return open(terminal, options, async (owner) => ({ routes: await recordingRoutes(options, owner), named: { proxy: '/v1' } }));
  },
};

export async function recordingRoutes(options: RecordingOptions, { store, terminal }: Owner) {
  const { proxyRoutes } = await import('@ludus-agents/servers/internal/proxy/routes');
  const { upstream, tokens, run, expire, character } = options;
  await checkModelName(character);
  // A named variable assigns its key to that server; otherwise the key assigned to its origin is used.
  const keyFrom = options.keyFrom ?? (upstream === undefined ? undefined : keyVariableFor(upstream, terminal.env));
  const behind: ProxyOptions['upstream'] =
    upstream === undefined ? undefined : { url: upstream, keyFrom, env: terminal.env, tokens: tokens !== false };
  const personas = await readPersonas(options, terminal);
  const limits = budgetOf(options);
  // The callers decide how many consecutive failures are too many.
  const budget = Object.keys(limits).length === 0 ? undefined : new BudgetCounter({ ...limits, failures: Number.POSITIVE_INFINITY });
  const file = terminal.env['LUDUS_PRICES'];
  const prices = file === undefined || file === '' ? undefined : await readPrices(file);
  const local = { cwd: terminal.cwd, model: character, models: options.model, personas };
  return proxyRoutes({ store, local, upstream: behind, run, idleSeconds: expire, budget, prices }).routes;
}
