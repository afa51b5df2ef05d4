/**
 * @file Trained agents by name: `local/RUN@best`, `local/RUN@last` or `local/RUN@step-N` is an agent anywhere a spec may name one; a
 * recipe's name means its newest run.
 */

import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isPath, resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { digestFile } from '@ludus-agents/agents/internal/workspace/programs';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Agent, AnyEnvironment, Learner, Policy, Reply, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, isObject, lastSeen, nameOf } from '@ludus-agents/kernel/internal/core/index';
import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import { Gaussian, MatchingLearner, Tabular } from '../learners/index.ts';
import { loadLearner } from '../loaders.ts';
import type { Recipe } from '../rl/recipe.ts';
import { withCases } from './folder-cases.ts';
import { loadRoles, rolesOf } from './learner-roles.ts';
import { isPromptView, viewPolicy } from './learner-view.ts';
import { checkpointNames, newestRun, readCheckpoint, readRun, type Stored } from './run-folder.ts';
import { environmentsOf, groundOf, isOwnLearner, type TrainingRun, tableOn, taskOf } from './training-run.ts';

interface Found {
  readonly folder: string;
  readonly at: string;
  readonly run: TrainingRun;
  readonly stored: Stored;
}

/** Keyed by folder, checkpoint and modification time, so that a run in progress is reloaded. */
const loaded = new PromiseCache<Learner>();

export function isTrainedName(name: string): boolean {
  return name.startsWith('local/');
}

/** The learner of a checkpoint, with its weights. */
export function loadTrainedModel(name: string, cwd: string): Promise<Learner> {
  return learnerAt(name, find(name, cwd), cwd);
}

interface SeatPlace {
  readonly cwd: string;
  /** Set if the agent will be a member of a team on the seat. */
  readonly as?: 'member' | undefined;
}

/** The agent of a checkpoint on a seat. It plays the environments it was trained in, and refuses others with a message. */
export async function loadTrainedAgent(name: string, environment: AnyEnvironment, { cwd, as }: SeatPlace): Promise<Agent> {
  const match = find(name, cwd);
  const learned = environmentsOf(match.run.recipe);
  const { view } = match.run.recipe;
  const on = async (ground: AnyEnvironment) => {
    const learner = await learnerAt(name, match, cwd);
    const policy = isPromptView(view) ? viewPolicy(learner, view, { environment: ground, cwd, trust: Trust.runFolder }) : learner.policy();
    const agent = agentOf(name, policy, await trainedWindow(match.run.recipe, cwd));
    return learner instanceof Tabular ? warnsOfOtherTasks(agent, learner, match.run.recipe) : agent;
  };
  for (const item of learned) if (await plays(item, environment, cwd)) return on(environment);
  const crews = learned.filter((item) => item.startsWith('crew:'));
  for (const crew of crews)
    if (as === 'member' && (await plays(groundOfCrew(crew), environment, cwd)))
      return { ...(await on(await resolveEnvironment(crew, cwd, Trust.runFolder))), speaks: 'member' };
  const hint =
    crews.length > 0 && as === undefined
      ? 'It was trained as a member of a team: name it among the members of one.'
      : 'Train an agent for it.';
  throw new Fault('input', `${name} was trained on ${learned.join(', ')} and cannot play ${nameOf(environment)}. ${hint}`);
}

/** The environment of "crew:TEAM@ENVIRONMENT". */
function groundOfCrew(crew: string): string {
  return crew.slice(crew.lastIndexOf('@') + 1);
}

/**
 * An environment from a file is identified by its own id, whatever the file's path; an agent trained in a dream may play the dreamed
 * environment.
 */
async function plays(name: string, environment: AnyEnvironment, cwd: string): Promise<boolean> {
  if (name === nameOf(environment) || name === environment.id) return true;
  if (!isPath(name)) return false;
  const { id } = await resolveEnvironment(name, cwd, Trust.runFolder);
  return id === environment.id || id.startsWith(`dream-of-${nameOf(environment)}-wrong-`);
}

const viewVersion = 2;

/** The hash of a checkpoint: of its recipe and its weights, independent of time and place. */
export function digestCheckpoint(name: string, cwd: string): string {
  const { folder, run, stored } = find(name, cwd);
  const text = JSON.stringify(stored.checkpoint);
  const weights = readdirSync(folder).filter((file) => file.endsWith('.safetensors') && text.includes(file));
  // Files with the same weights may have different names.
  const plain = weights.reduce((shorter, file) => shorter.replaceAll(file, ''), text).replaceAll(JSON.stringify(folder).slice(1, -1), '');
  // The version changes when trained agents read other views, so that older episodes are not reused.
  return hash([run.recipe, plain, weights.map((file) => digestFile(join(folder, file))).sort(), viewVersion]).slice(0, 32);
}

function find(name: string, cwd: string): Found {
  const [, called = '', at = 'best'] = name.match(/^local\/([^@]*)(?:@(.*))?$/) ?? [];
  const folder = newestRun(cwd, called);
  const run = readRun(folder);
  const stored = readCheckpoint(folder, at);
  if (stored !== null) return { folder, at, run, stored };
  const there = checkpointNames(folder);
  const hint = there.length === 0 ? 'it has no checkpoints yet' : `it has ${there.join(', ')}`;
  throw new Fault('input', `The run ${called} has no checkpoint "${at}"; ${hint}.`);
}

function learnerAt(name: string, { folder, at, run, stored }: Found, cwd: string): Promise<Learner> {
  const file = join(folder, `${at}.json`);
  const key = `${file} ${statSync(file).mtimeMs}`;
  return loaded.get(key, () => load(name, run, { stored, folder, cwd }));
}

interface Kept {
  readonly stored: Stored;
  readonly folder: string;
  readonly cwd: string;
}

async function load(id: string, { recipe, seed }: TrainingRun, { stored, folder, cwd }: Kept): Promise<Learner> {
  const plain = (weights: string) => loadPlain(id, recipe, { weights, folder, cwd });
  const roles = rolesOf(recipe);
  if (roles === null) return plain(stored.checkpoint.learner);
  const environment = await resolveEnvironment(recipe.training.environment, cwd, Trust.runFolder);
  return loadRoles(roles, stored.checkpoint.learner, {
    id,
    environment,
    task: taskOf(recipe),
    seed,
    cwd,
    trust: Trust.runFolder,
    load: plain,
  });
}

async function loadPlain(
  id: string,
  recipe: Recipe,
  { weights, folder, cwd }: { readonly weights: string; readonly folder: string; readonly cwd: string },
): Promise<Learner> {
  const { learner: kind = 'table' } = recipe.training;
  if (kind === 'transformer') {
    const { Transformer } = await import('../learners/transformer/index.ts');
    // The folder may have been moved since.
    return Transformer.from(weights.startsWith('data:') ? weights : join(folder, basename(weights)), {
      id,
      constrained: recipe.roles?.kind === 'skills',
    });
  }
  if (kind === 'tinker') {
    const { serverLearner } = await import('./server-learner.ts');
    const learner = await (await serverLearner(recipe, { seed: 0, cwd, trust: Trust.runFolder }))();
    await learner.load(weights);
    return learner;
  }
  if (isOwnLearner(kind)) {
    const make = await loadLearner(kind, cwd, Trust.runFolder);
    const learner = await make({ id, seed: 0 });
    await learner.load(weights);
    return learner;
  }
  if (kind === 'gaussian' || kind === 'matching') {
    const learner = kind === 'gaussian' ? new Gaussian({ id }) : new MatchingLearner({ id });
    await learner.load(weights);
    return learner;
  }
  const environment = await resolveEnvironment(recipe.training.environment, cwd, Trust.runFolder);
  const ground = groundOf(recipe, environment);
  const learner = ground.kind === 'tree' ? tableOn(recipe, ground) : new Tabular({ id, optimiser: recipe.training.optimiser });
  await learner.load(weights);
  return learner;
}

/** The number of latest messages that a seat read in training, or null for all. A table recognizes only views of this length. */
async function trainedWindow(recipe: Recipe, cwd: string): Promise<number | null> {
  const task = taskOf(await withCases(recipe, cwd, Trust.runFolder));
  const window = isObject(task) ? task['window'] : undefined;
  return typeof window === 'number' && window > 0 ? window : null;
}

const warned = new WeakSet<Tabular>();

/** A table plays at random in situations it was not trained on. Warns once if its first one is new, or most of many: the task is another. */
function warnsOfOtherTasks(agent: Agent, learner: Tabular, recipe: Recipe): Agent {
  const before = { ...learner.lookups };
  return {
    ...agent,
    async act(turn, signal): Promise<Reply> {
      const reply = await agent.act(turn, signal);
      const [all, unknown] = [learner.lookups.all - before.all, learner.lookups.unknown - before.unknown];
      const isElsewhere = unknown > 0 && (all === 1 || (all >= 20 && 2 * unknown > all));
      if (isElsewhere && !warned.has(learner)) {
        warned.add(learner);
        const task = `${environmentsOf(recipe).join(', ')} with the task ${JSON.stringify(taskOf(recipe))}`;
        process.emitWarning(
          `${agent.name} plays at random here, because its table has no entry for this situation. It was trained on ${task}. Use that task, or train an agent for this one.`,
          'ModelWarning',
        );
      }
      return reply;
    },
  };
}

function agentOf(name: string, policy: Policy, window: number | null): Agent {
  const asTrained = (turn: Turn): Turn =>
    window === null || turn.ask.window !== undefined ? turn : { ...turn, view: { ...turn.view, seen: lastSeen(turn.view.seen, window) } };
  return {
    name,
    async act(turn): Promise<Reply> {
      return (await policy.act([asTrained(turn)]))[0];
    },
  };
}
