/** @file The kinds of learning: recipes, learners, engines, teachers, proposers and pipelines; and names for a run's results. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import type { AnyEnvironment, Kind, Learner, Model, Scorer, Seed } from '@ludus-agents/kernel/internal/core/index';
import { addKinds } from '@ludus-agents/kernel/internal/core/kind-registry';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { ProposerRecipe } from './curricula/proposers/recipes.ts';
import type { Teacher, TeacherFactory } from './curricula/teachers/index.ts';
import type { Pipeline } from './pipelines/pipeline.ts';
import type { Engine } from './prompts/engine.ts';
import type { Recipe } from './rl/recipe.ts';
import '@ludus-agents/desk/internal/kinds';
import { as, hasFunctions, hasText, isRecord, table } from '@ludus-agents/agents/internal/workspace/kind-values';
import { type AgentForEnvironment, addNameResolver } from '@ludus-agents/agents/internal/workspace/name-resolvers';

export const recipeKind: Kind<Recipe> = {
  name: 'recipes',
  one: 'recipe',
  about: 'training methods as data: one choice per slot',
  async entries() {
    const { recipes } = await import('./rl/recipes/index.ts');
    return table(recipes, (recipe) => [recipe.name, recipe.method, () => recipe]);
  },
  expects: 'an object with "name" and either "base", the recipe it changes, or all slots',
  read: async (value, where) => (await import('./training/recipe-file.ts')).readRecipe(value, where),
};

/** Creates a user's untrained learner; its weights are loaded into it. */
export type LearnerFactory = (options: { readonly id: string; readonly seed: Seed }) => Learner | Promise<Learner>;

export const learnerKind: Kind<string | LearnerFactory> = {
  name: 'learners',
  one: 'learner',
  about: 'models with trainable weights',
  entries: async () => table(learnerLines, ([name, about]) => [name, about, () => name]),
  expects: 'a function of { id, seed } that creates a learner',
  read: (value) => (typeof value === 'function' ? (value as LearnerFactory) : undefined),
};

const learnerLines: readonly (readonly [string, string])[] = [
  ['table', 'a table of what was seen; exact on small environments'],
  ['matching', 'a weight for each way in which a listed move fits the text; carries over to tasks with other words'],
  ['gaussian', 'a policy over numbers, each with a learned mean and deviation; for environments with numeric actions'],
  ['transformer', 'a small language model in this process; needs onnxruntime-node'],
  ['tinker', 'weights on a Tinker server, by its protocol; in the library'],
];

export const engineKind: Kind<Engine> = {
  name: 'engines',
  one: 'engine',
  about: 'ways to improve the texts of an agent, checked by a gate',
  async entries() {
    const { engines } = await import('./prompts/engines/index.ts');
    return table(Object.entries(engines), ([name, engine]) => [name, engine.method, () => engine]);
  },
  expects: 'an engine with name, method, parameters, and run; create one with engine({ … }) of ludus-agents/learning',
  read: (value) =>
    hasText(value, 'name') && hasText(value, 'method') && isRecord(value['parameters']) && hasFunctions(value, 'run')
      ? as<Engine>(value)
      : undefined,
};

export const teacherKind: Kind<TeacherFactory> = {
  name: 'teachers',
  one: 'teacher',
  about: 'which task comes next in a curriculum',
  entries: async () => (await import('./curricula/teachers/index.ts')).teachers,
  expects: 'a teacher with name and weights, or a function of the tasks’ coordinates that creates one',
  read: (value) => {
    if (typeof value === 'function') return value as TeacherFactory;
    return hasText(value, 'name') && hasFunctions(value, 'weights') ? () => as<Teacher>(value) : undefined;
  },
};

export const proposerKind: Kind<ProposerRecipe> = {
  name: 'proposers',
  one: 'proposer',
  about: 'ways to create your own tasks',
  async entries() {
    const { proposerRecipes } = await import('./curricula/proposers/recipes.ts');
    return table(proposerRecipes, (recipe) => [recipe.name, `${recipe.method}: ${recipe.differs}`, () => recipe]);
  },
  expects: 'an object with name, keep (two rates) and reward: a function, or the name of a shape such as learnable',
  read: async (value, where) => {
    if (!hasText(value, 'name') || !('reward' in value) || !Array.isArray(value['keep'])) return undefined;
    return (await import('./curricula/proposers/recipes.ts')).readProposer(value, where);
  },
};

export const pipelineKind: Kind<Pipeline> = {
  name: 'pipelines',
  one: 'pipeline',
  about: 'ways to make data with a model, each item proved or judged',
  entries: async () => (await import('./pipelines/index.ts')).pipelines,
  expects: 'a pipeline with name, about, takes, proof and make; definePipeline({ … }) of ludus-agents/learning gives it its type',
  read: (value, where) => {
    if (!hasText(value, 'name') || !hasFunctions(value, 'make')) return undefined;
    const sorts = ['persona', 'questions', 'text'];
    if (!sorts.includes(String(value['takes'])))
      throw new Fault(
        'input',
        `${where}: "takes" must be one of ${sorts.join(', ')}, but got ${JSON.stringify(value['takes'])}.${didYouMean(value['takes'], sorts)}`,
      );
    if (!hasText(value, 'about') || !hasText(value, 'proof'))
      throw new Fault('input', `${where}: a pipeline needs "about" (what it makes) and "proof" (what an item must pass).`);
    return as<Pipeline>(value);
  },
};

addKinds([recipeKind, learnerKind, engineKind, teacherKind, proposerKind, pipelineKind], { after: 'suites' });

const isTrained = (name: string) => name.startsWith('local/');
const weightsOf = async (name: string, cwd: string) => ({
  weights: (await import('./training/trained-agents.ts')).digestCheckpoint(name, cwd),
});

addNameResolver<Model>('models', {
  matches: isTrained,
  resolve: async (name, { cwd }) => (await import('./training/trained-agents.ts')).loadTrainedModel(name, cwd),
  contents: weightsOf,
});

addNameResolver<AgentForEnvironment>('agents', {
  matches: isTrained,
  resolve: async (name, { cwd }) => {
    const { loadTrainedAgent } = await import('./training/trained-agents.ts');
    return (environment, as) => loadTrainedAgent(name, environment, { cwd, as });
  },
  contents: weightsOf,
});

/** The checkpoint of "critic=RUN", as the name of a model. */
function criticOf(name: string): string {
  const run = name.slice('critic='.length);
  return isTrained(run) ? run : `local/${run}`;
}

addNameResolver<Scorer>('scorers', {
  matches: (name) => /^critic=./s.test(name),
  resolve: async (name, { cwd }) => (await import('./training/step-critic.ts')).stepCritic(criticOf(name), cwd),
  contents: (name, cwd) => weightsOf(criticOf(name), cwd),
});

/** Games about other environments. The environment is named by the same origin as the game. */
const games: Readonly<Record<string, (base: AnyEnvironment) => Promise<AnyEnvironment>>> = {
  'advice:': async (base) => (await import('./rl/advice-game.ts')).createAdviceGame(base),
  'chain:': async (base) => (await import('./rl/chain-game.ts')).createChainGame(base),
  'trace:': async (base) => (await import('./rl/trace-game.ts')).createTraceGame(base),
  'terminal:': async (base) => (await import('@ludus-agents/environments/internal/reproduction/terminal')).createTerminal(base),
  'discussion:': async (base) => (await import('./rl/discussion-game.ts')).createDiscussionGame(base),
};

for (const [prefix, create] of Object.entries(games))
  addNameResolver<AnyEnvironment>('environments', {
    matches: (name) => name.length > prefix.length && name.startsWith(prefix),
    resolve: async (name, { cwd, trust }) => {
      const { resolveEnvironment } = await import('@ludus-agents/agents/internal/workspace/environments');
      return create(await resolveEnvironment(name.slice(prefix.length), cwd, trust));
    },
    contents: (name) => ({ environment: name.slice(prefix.length) }),
  });

/** "questions:FILE.csv": questions over a user's table. */
addNameResolver<AnyEnvironment>('environments', {
  matches: (name) => /^questions:./s.test(name),
  resolve: async (name, place) =>
    (await import('@ludus-agents/agents/internal/tools/table')).tableQuestions(name.slice('questions:'.length), place),
  contents: (name) => ({ tasks: name.slice('questions:'.length) }),
});

/** "crew:TEAM@ENVIRONMENT": the members of a team are seats, and the team takes the first seat of the environment. */
addNameResolver<AnyEnvironment>('environments', {
  matches: (name) => /^crew:.+@./s.test(name),
  resolve: async (name, { cwd, trust }) => (await import('./training/team-training.ts')).loadCrewGame(name, { cwd, trust }),
  contents: (name) => ({ file: name.slice('crew:'.length, name.lastIndexOf('@')), environment: name.slice(name.lastIndexOf('@') + 1) }),
});
