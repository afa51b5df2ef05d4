/** @file Probes a character from the form: asks and reports like `ludus persona probe`, paid from the studio's budget. */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { keepCard } from '@ludus-agents/evaluation/internal/probes/kept-card';
import { makeProbes, probeCharacter } from '@ludus-agents/evaluation/internal/probes/probe-character';
import { openProbeRun } from '@ludus-agents/evaluation/internal/probes/probe-run';
import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import type { LaunchRequest, NamedChoice } from './api-launch.ts';
import { walletOf } from './budget.ts';
import type { StudioContext } from './context.ts';
import type { Launch } from './launch.ts';
import { command, some } from './launch-command.ts';
import { personaBy } from './launch-scene.ts';
import { listOwnPersonas } from './own-files.ts';

/** The user's characters before the gallery, by names that `personaBy` accepts. */
export function listPersonas(cwd: string): readonly NamedChoice[] {
  const custom = listOwnPersonas(cwd).flatMap(({ key, persona }) =>
    persona === null ? [] : [{ name: key, about: `${persona.name}, your character` }],
  );
  const names = new Set(custom.map(({ name }) => name));
  const builtIn = Object.entries(gallery).map(([name, persona]) => ({ name, about: `${persona.name}, from the gallery` }));
  return [...custom, ...builtIn.filter(({ name }) => !names.has(name))];
}

export async function launchProbe(
  { store, place, jobs }: StudioContext,
  { persona: name = '', agents = [], from = 0, number: items = 40, reuse = false }: LaunchRequest,
): Promise<Launch> {
  const persona = await personaBy(place.cwd, name);
  const [player] = some('an agent', agents);
  const spec: AgentSpec = { ...(await readSpec(player, place.cwd, Trust.request)), persona };
  const probes = makeProbes(persona, { items, seed: from });
  const file = Object.hasOwn(gallery, name) || name.startsWith('./') ? name : `.ludus/personas/${name}.json`;
  return {
    ...{ title: `Probe of ${persona.name}`, plan: null, plans: [], episodes: probes.length },
    command: command('persona probe', file, { agent: player, items: items === 40 ? undefined : items, seed: from, reuse }),
    async begin() {
      const { modelOf } = walletOf(place);
      const load = createAgentLoader({ ...createAgentServices(place.cwd, Trust.request), model: modelOf });
      const character = await load(spec, 'character', await builtInEnvironment('chat'));
      const fingerprints = { ...place, trust: Trust.request };
      const { run, stored } = await openProbeRun(store, { persona, spec, seed: from, reuse, place: fingerprints });
      jobs.start({ run, title: `Probe of ${persona.name}`, cast: [spec.name], planned: probes.length }, async ({ signal, tell }) => {
        const options = { seed: from, items, store, run, stored, signal, onProgress: tell };
        await keepCard(store, run, await probeCharacter(persona, { ...options, name: spec.name, agent: () => character }));
      });
      return `#/run/${encodeURIComponent(run)}`;
    },
  };
}
