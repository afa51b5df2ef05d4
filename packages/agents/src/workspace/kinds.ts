/**
 * @file The kinds that agents need: environments, agents, models, personas, populations, and tools; their built-in entries, and the parsers
 * of the user's own. Dependencies are imported when a kind is used, so that a command loads only the modules it needs.
 */

import type { AnyEnvironment, Json, JsonObject, Kind } from '@ludus-agents/kernel/internal/core/index';
import { addKinds } from '@ludus-agents/kernel/internal/core/kind-registry';
import type { Persona } from '../personas/persona.ts';
import type { AgentSource } from './agents.ts';
import { as, hasFunctions, hasText, isRecord, table } from './kind-values.ts';
import type { ModelSource } from './models.ts';
import { addNameResolver } from './name-resolvers.ts';
import type { ToolSource } from './tools.ts';

export const environmentKind: Kind<AnyEnvironment> = {
  name: 'environments',
  one: 'environment',
  about: 'the rules of a world: seats, turns, rewards',
  entries: async () => (await import('@ludus-agents/environments/internal/built-in')).environmentEntries(),
  expects: 'an object with id, about, parameters, task, seats, start and step, a story, or a dream as "ludus env dream" writes it',
  async read(value, where) {
    if (hasText(value, 'id') && hasFunctions(value, 'task', 'seats', 'start', 'step')) return as<AnyEnvironment>(value);
    const { readStory } = await import('@ludus-agents/environments/internal/story/story');
    return readStory(value, where) ?? (await import('@ludus-agents/environments/internal/dream/dream')).readDream(value, where);
  },
};

export const agentKind: Kind<AgentSource> = {
  name: 'agents',
  one: 'agent',
  about: 'who takes a seat: chance, scripts, people, language models, what was trained',
  async entries() {
    const { agentKinds } = await import('../kinds.ts');
    return table(agentKinds, ({ kind, about }) => [kind, about, (): AgentSource => ({ name: kind, kind })]);
  },
  expects: 'a spec with "name" and "kind", an agent with name and act, or a function that makes one for a seat',
  read: async (value, where) => (await import('./agents.ts')).readAgent(value, where),
};

export const modelKind: Kind<ModelSource> = {
  name: 'models',
  one: 'model',
  about: 'what answers prompts: servers, files, endpoints of the configuration',
  async entries() {
    const { modelKinds } = await import('../models/index.ts');
    const { endpointLines } = await import('../models/kinds.ts');
    return table([...modelKinds, ...endpointLines()], ({ kind, about }) => [kind, about, (): ModelSource => kind]);
  },
  expects: 'a model with id and complete, or an endpoint with "url"',
  read: async (value, where) => (await import('./models.ts')).readModel(value, where),
};

export const personaKind: Kind<Persona> = {
  name: 'personas',
  one: 'persona',
  about: 'characters: who they are, what they want and know, and how they speak',
  async entries() {
    const { gallery } = await import('../personas/index.ts');
    const lineOf = ({ name, identity }: Persona) =>
      [name, identity.social.occupation?.title].filter((item) => item !== undefined).join(', ');
    return table(Object.values(gallery), (persona) => [persona.id, lineOf(persona), () => persona]);
  },
  expects: 'a persona document with at least a name',
  read: async (value) => (hasText(value, 'name') ? (await import('../personas/index.ts')).parsePersona(value as JsonObject) : undefined),
};

export const populationKind: Kind<Json> = {
  name: 'populations',
  one: 'population',
  about: 'who there are: shares, joint tables, constraints, quotas',
  async entries() {
    const { customers } = await import('../personas/index.ts');
    return { customers: { about: 'customers of an internet provider', load: () => customers } };
  },
  expects: 'an object with "attributes" or "joints"',
  async read(value) {
    if (!isRecord(value) || !('attributes' in value || 'joints' in value || 'microdata' in value)) return undefined;
    // People in a file are loaded once the location of the file is known.
    if (isRecord(value['microdata']) && 'file' in value['microdata']) return value as Json;
    (await import('../personas/index.ts')).readSpecification(value as Json);
    return value as Json;
  },
};

export const toolKind: Kind<ToolSource> = {
  name: 'tools',
  one: 'tool',
  about: 'what language agents may use; LUDUS_TOOLS names a file with servers',
  entries: async () => ({
    sandbox: { about: 'runs JavaScript in a process without network, files or clock', load: (): ToolSource => 'sandbox' },
    calculator: { about: 'calculates exactly with whole numbers and fractions', load: (): ToolSource => 'calculator' },
  }),
  expects: 'a tool with spec (name, description, parameters) and call, or an MCP server with "command" or "url"',
  read: async (value, where) => (await import('./tools.ts')).readTool(value, where),
};

addKinds([environmentKind, agentKind, modelKind, personaKind, populationKind, toolKind]);

addNameResolver<AnyEnvironment>('environments', {
  // Requires a path, so that a folder never hides a built-in environment with the same name.
  matches: async (name, cwd) => /[\\/]/.test(name) && (await import('./content-folder.ts')).isContentFolder(name, cwd),
  resolve: async (name, place) => (await import('./content-folder.ts')).loadContentFolder(name, place),
  contents: (name) => ({ tasks: name }),
});

/** "council:ENVIRONMENT": its seats agree on a plan before they move. */
addNameResolver<AnyEnvironment>('environments', {
  matches: (name) => /^council:./s.test(name),
  async resolve(name, { cwd, trust }) {
    const { createCouncil } = await import('@ludus-agents/environments/internal/discussion/council');
    const { resolveEnvironment } = await import('./environments.ts');
    return createCouncil(await resolveEnvironment(name.slice('council:'.length), cwd, trust));
  },
  contents: (name) => ({ environment: name.slice('council:'.length) }),
});
