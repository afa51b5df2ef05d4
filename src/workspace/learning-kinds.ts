/** @file The kinds of learning: recipes, learners, engines, teachers, proposers and pipelines; and names of what a run has learned. */

import { Fault } from '../core/fault.ts';
import type { AnyEnvironment, Kind, Learner, Model, Scorer, Seed } from '../core/index.ts';
import { addKinds } from '../core/kind-registry.ts';
import { didYouMean } from '../core/suggest.ts';
import type { ProposerRecipe } from '../learning/curricula/proposers/recipes.ts';
import type { Teacher, TeacherFactory } from '../learning/curricula/teachers/index.ts';
import type { Pipeline } from '../learning/pipelines/pipeline.ts';
import type { Engine } from '../learning/prompts/engine.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import './desk-kinds.ts';
import { as, hasFunctions, hasText, isRecord, table } from './kind-values.ts';
import { type AgentForEnvironment, addNameResolver } from './name-resolvers.ts';

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

addKinds([recipeKind, learnerKind, engineKind, teacherKind, proposerKind, pipelineKind], { after: 'suites' });

const isTrained = (name: string) => name.startsWith('local/');
const weightsOf = async (name: string, cwd: string) => ({ weights: (await import('./trained-agents.ts')).digestCheckpoint(name, cwd) });

addNameResolver<Model>('models', {
  matches: isTrained,
  resolve: async (name, { cwd }) => (await import('./trained-agents.ts')).loadTrainedModel(name, cwd),
  contents: weightsOf,
});

addNameResolver<AgentForEnvironment>('agents', {
  matches: isTrained,
  resolve: async (name, { cwd }) => {
    const { loadTrainedAgent } = await import('./trained-agents.ts');
    return (environment) => loadTrainedAgent(name, environment, cwd);
  },
  contents: weightsOf,
});

/** The checkpoint that "critic=RUN" means, as a name of a model. */
function criticOf(name: string): string {
  const run = name.slice('critic='.length);
  return isTrained(run) ? run : `local/${run}`;
}

addNameResolver<Scorer>('scorers', {
  matches: (name) => /^critic=./s.test(name),
  resolve: async (name, { cwd }) => (await import('./step-critic.ts')).stepCritic(criticOf(name), cwd),
  contents: (name, cwd) => weightsOf(criticOf(name), cwd),
});

/** Games about other environments. The environment is named by the same origin as the game. */
const games: Readonly<Record<string, (base: AnyEnvironment) => Promise<AnyEnvironment>>> = {
  'advice:': async (base) => (await import('../learning/rl/advice-game.ts')).createAdviceGame(base),
  'discussion:': async (base) => (await import('../learning/rl/discussion-game.ts')).createDiscussionGame(base),
};

for (const [prefix, create] of Object.entries(games))
  addNameResolver<AnyEnvironment>('environments', {
    matches: (name) => name.length > prefix.length && name.startsWith(prefix),
    resolve: async (name, { cwd, trust }) => {
      const { resolveEnvironment } = await import('./environments.ts');
      return create(await resolveEnvironment(name.slice(prefix.length), cwd, trust));
    },
    contents: (name) => ({ environment: name.slice(prefix.length) }),
  });
