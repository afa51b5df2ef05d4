/**
 * @file Every kind of thing that has a name: its built-in entries, and how one of the user's own is read.
 *
 * Rooms are imported when a kind is used, so that a command loads only what it needs.
 */

import { Fault } from '../core/fault.ts';
import type { AnyEnvironment, Json, JsonObject, Kind, KindEntry, Learner, Scorer, Seed } from '../core/index.ts';
import { findKind } from '../core/kind.ts';
import { didYouMean } from '../core/suggest.ts';
import type { ProposerRecipe } from '../learning/curricula/proposers/recipes.ts';
import type { Teacher, TeacherFactory } from '../learning/curricula/teachers/index.ts';
import type { Pipeline } from '../learning/pipelines/pipeline.ts';
import type { Engine } from '../learning/prompts/engine.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import type { Persona } from '../personas/persona.ts';
import type { Rubric } from '../scoring/judges/rubric.ts';
import type { Suite } from '../scoring/suites/suite.ts';
import type { AgentSource } from './agents.ts';
import type { ModelSource } from './models.ts';
import type { ToolSource } from './tools.ts';
import { Trust } from './trust.ts';

export const environmentKind: Kind<AnyEnvironment> = {
  name: 'environments',
  one: 'environment',
  about: 'the rules of a world: seats, turns, rewards',
  entries: async () => (await import('../environments/index.ts')).environments,
  expects: 'an object with id, about, knobs, task, seats, start and step, a story, or a dream as "ludus dream" writes it',
  async read(value, where) {
    if (hasText(value, 'id') && hasFunctions(value, 'task', 'seats', 'start', 'step')) return as<AnyEnvironment>(value);
    const { readStory } = await import('../environments/story/story.ts');
    return readStory(value, where) ?? (await import('../environments/dream/dream.ts')).readDream(value, where);
  },
};

export const agentKind: Kind<AgentSource> = {
  name: 'agents',
  one: 'agent',
  about: 'who takes a seat: chance, scripts, people, language models, what was trained',
  async entries() {
    const { agentKinds } = await import('../agents/kinds.ts');
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
  about: 'characters: who somebody is, wants, knows and how they speak',
  async entries() {
    const { gallery } = await import('../personas/index.ts');
    const lineOf = ({ name, identity }: Persona) => [name, identity.social.occupation?.title].filter((one) => one !== undefined).join(', ');
    return table(Object.values(gallery), (persona) => [persona.id, lineOf(persona), () => persona]);
  },
  expects: 'a persona document with at least a name',
  read: async (value) => (hasText(value, 'name') ? (await import('../personas/index.ts')).parsePersona(value as JsonObject) : undefined),
};

export const scorerKind: Kind<Scorer> = {
  name: 'scorers',
  one: 'scorer',
  about: 'rules and small models that score episodes',
  entries: async () => (await import('../scoring/index.ts')).scorers,
  expects: 'an object with name, tier and score, a rule with name, version, unit and find, or a reward model of "ludus reward"',
  async read(value, where) {
    if (!hasText(value, 'name')) return undefined;
    if (value['kind'] === 'ludus-reward-model') return (await import('../scoring/reward-model/reward-model.ts')).rewardScorer(as(value));
    if (hasFunctions(value, 'find') && 'unit' in value) return (await import('../scoring/scorer.ts')).ruleScorer(as(value));
    if (!hasFunctions(value, 'score')) return undefined;
    const tiers = ['rule', 'small', 'judge'];
    if (!tiers.includes(String(value['tier'])))
      throw new Fault(
        'input',
        `${where}: the tier of a scorer is one of ${tiers.join(', ')}, but came as ${JSON.stringify(value['tier'])}.${didYouMean(value['tier'], tiers)}`,
      );
    return as<Scorer>(value);
  },
};

export const rubricKind: Kind<Rubric> = {
  name: 'rubrics',
  one: 'rubric',
  about: 'what a judge is asked, as data',
  entries: async () => (await import('../scoring/rubrics/index.ts')).rubrics,
  expects: 'an object with name, version, about, source, plants, form and axes',
  read: async (value, where) => (await import('./rubric-file.ts')).readRubric(value, where),
};

export const judgeKind: Kind<ModelSource> = {
  name: 'judges',
  one: 'judge',
  about: 'control judges of known quality; any model can judge, and "ludus trust" measures it',
  async entries() {
    const { controlWords } = await import('./control-words.ts');
    return table(controlWords, (word) => [word, judgeLines[word] ?? 'a control judge', (): ModelSource => word]);
  },
  expects: 'a model with id and complete, or an endpoint with "url"',
  read: async (value, where) => (await import('./models.ts')).readModel(value, where),
};

const judgeLines: Readonly<Record<string, string>> = {
  'fake:honest': 'sees every planted flaw and no other: what a good judge looks like',
  'fake:random': 'answers by chance',
  'fake:constant': 'always gives the same answer',
  'fake:longest': 'prefers the longer answer',
  'fake:first': 'prefers whatever stands first',
  'fake:length': 'another name of fake:longest',
  'fake:position': 'another name of fake:first',
};

export const suiteKind: Kind<Suite> = {
  name: 'suites',
  one: 'suite',
  about: 'benchmarks as data: scenes, tasks, seeds, scorers, floors',
  entries: async () => (await import('../scoring/suites/index.ts')).suites,
  expects: 'an object with name, nulls and scenes, or a desk with policy and tasks',
  async read(value, where, origin) {
    if (isRecord(value) && 'scenes' in value) return (await import('../scoring/suites/index.ts')).readSuite(value as Json, where);
    const { isDeskDocument, readDeskDocument, suiteOfDesk } = await import('./desks.ts');
    const { castPopulation } = await import('./desk-population.ts');
    return isDeskDocument(value)
      ? suiteOfDesk(await castPopulation(readDeskDocument(value, where), process.cwd(), Trust.from(origin)))
      : undefined;
  },
};

export const recipeKind: Kind<Recipe> = {
  name: 'recipes',
  one: 'recipe',
  about: 'training methods as data: one choice per slot',
  async entries() {
    const { recipes } = await import('../learning/rl/recipes/index.ts');
    return table(recipes, (recipe) => [recipe.name, recipe.method, () => recipe]);
  },
  expects: 'an object with "name" and either "base", the recipe it changes, or all slots',
  read: async (value, where) => (await import('./recipe-file.ts')).readRecipe(value, where),
};

/** Makes a learner of the user's own, without what it has learned: that is loaded into it. */
export type LearnerFactory = (options: { readonly id: string; readonly seed: Seed }) => Learner | Promise<Learner>;

export const learnerKind: Kind<string | LearnerFactory> = {
  name: 'learners',
  one: 'learner',
  about: 'models whose weights change',
  entries: async () => table(learnerLines, ([name, about]) => [name, about, () => name]),
  expects: 'a function of { id, seed } that makes a learner',
  read: (value) => (typeof value === 'function' ? (value as LearnerFactory) : undefined),
};

const learnerLines: readonly (readonly [string, string])[] = [
  ['table', 'a table of what was seen; exact on small environments'],
  ['gaussian', 'a policy of numbers, each with a learned mean and deviation; for environments whose actions are numbers'],
  ['transformer', 'a small language model in this process; needs onnxruntime-node'],
  ['tinker', 'weights on a Tinker server, by its protocol; in the library'],
];

export const engineKind: Kind<Engine> = {
  name: 'engines',
  one: 'engine',
  about: 'ways to improve the texts of an agent behind a gate',
  async entries() {
    const { engines } = await import('../learning/prompts/engines/index.ts');
    return table(Object.entries(engines), ([name, engine]) => [name, engine.method, () => engine]);
  },
  expects: 'an engine with name, method, knobs and run; engine({ … }) of ludus/learning makes one',
  read: (value) =>
    hasText(value, 'name') && hasText(value, 'method') && isRecord(value['knobs']) && hasFunctions(value, 'run')
      ? as<Engine>(value)
      : undefined,
};

export const teacherKind: Kind<TeacherFactory> = {
  name: 'teachers',
  one: 'teacher',
  about: 'which task comes next in a curriculum',
  entries: async () => (await import('../learning/curricula/teachers/index.ts')).teachers,
  expects: 'a teacher with name and weights, or a function of the tasks’ points that makes one',
  read: (value) => {
    if (typeof value === 'function') return value as TeacherFactory;
    return hasText(value, 'name') && hasFunctions(value, 'weights') ? () => as<Teacher>(value) : undefined;
  },
};

export const proposerKind: Kind<ProposerRecipe> = {
  name: 'proposers',
  one: 'proposer',
  about: 'ways to make one’s own tasks',
  async entries() {
    const { proposerRecipes } = await import('../learning/curricula/proposers/recipes.ts');
    return table(proposerRecipes, (recipe) => [recipe.name, `${recipe.method}: ${recipe.differs}`, () => recipe]);
  },
  expects: 'an object with name, keep (two rates) and reward: a function, or the name of a shape such as learnable',
  read: async (value, where) => {
    if (!hasText(value, 'name') || !('reward' in value) || !Array.isArray(value['keep'])) return undefined;
    return (await import('../learning/curricula/proposers/recipes.ts')).readProposer(value, where);
  },
};

export const pipelineKind: Kind<Pipeline> = {
  name: 'pipelines',
  one: 'pipeline',
  about: 'ways to make data with a model, each item proved or judged',
  entries: async () => (await import('../learning/pipelines/index.ts')).pipelines,
  expects: 'a pipeline with name, about, takes, proof and make; definePipeline({ … }) of ludus/learning gives it its type',
  read: (value, where) => {
    if (!hasText(value, 'name') || !hasFunctions(value, 'make')) return undefined;
    const sorts = ['persona', 'questions', 'text'];
    if (!sorts.includes(String(value['takes'])))
      throw new Fault(
        'input',
        `${where}: a pipeline takes one of ${sorts.join(', ')}, but came with ${JSON.stringify(value['takes'])}.${didYouMean(value['takes'], sorts)}`,
      );
    if (!hasText(value, 'about') || !hasText(value, 'proof'))
      throw new Fault('input', `${where}: a pipeline says in "about" what it makes and in "proof" what an item must pass; give it both.`);
    return as<Pipeline>(value);
  },
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
    // People in a file are read once it is known where the file is.
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
  }),
  expects: 'a tool with spec (name, description, parameters) and call, or an MCP server with "command" or "url"',
  read: async (value, where) => (await import('./tools.ts')).readTool(value, where),
};

/** All of them, in the order in which a user meets them. */
export const kinds: readonly Kind[] = [
  ...[environmentKind, agentKind, modelKind, personaKind, scorerKind, rubricKind, judgeKind, suiteKind],
  ...[recipeKind, learnerKind, engineKind, teacherKind, proposerKind, pipelineKind, populationKind, toolKind],
];

export const kindNames: readonly string[] = kinds.map(({ name }) => name);

/** The kind that a word means, or null. */
export function kindOf(word: string): Kind | null {
  return findKind(kinds, word);
}

function table<I, T>(items: readonly I[], row: (item: I) => readonly [string, string, () => T]): Readonly<Record<string, KindEntry<T>>> {
  return Object.fromEntries(
    items.map((item) => {
      const [name, about, load] = row(item);
      return [name, { about, load }];
    }),
  );
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasText(value: unknown, name: string): value is Fields {
  return isRecord(value) && typeof value[name] === 'string' && value[name] !== '';
}

function hasFunctions(value: unknown, ...names: readonly string[]): value is Fields {
  return isRecord(value) && names.every((name) => typeof value[name] === 'function');
}

/** A value whose parts were just looked at. */
function as<T>(value: Fields): T {
  return value as unknown as T;
}
