/** @file Sets up a training in which tasks are proposed: the menu of tasks, the learners of all roles, proofs, and what it is measured by. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { type AnyEnvironment, Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { Coevolution } from '../curricula/coevolution.ts';
import { judgingEnvironment } from '../curricula/proposers/judging-environment.ts';
import { createProposerEnvironment } from '../curricula/proposers/proposer-environment.ts';
import type { ProposerRecipe } from '../curricula/proposers/recipes.ts';
import type { Solvable } from '../curricula/proposers/task-checker.ts';
import { taskMenu } from '../curricula/task-menu.ts';
import { loadProposer } from '../loaders.ts';
import { countedOnly } from '../rl/counters.ts';
import type { Recipe } from '../rl/recipe.ts';
import { FigureTally } from './figure-tally.ts';
import { freshReturns, type GainGround } from './gain.ts';
import { learnerFor, type Playground } from './learners.ts';
import { policyFor } from './seat-policies.ts';
import { seatingOf } from './seating.ts';
import type { Trainer, TrainerServices } from './trainer.ts';
import type { TrainingRun } from './training-run.ts';

const usualTasks = 64;
/** Nodes of a tree that is grown to find out whether a task can be solved. */
const mostNodes = 20_000;

export async function coevolutionTrainer({ recipe, seed }: TrainingRun, { cwd, trust, folder, say }: TrainerServices): Promise<Trainer> {
  const { coevolution, training } = recipe;
  if (coevolution === undefined) throw new Fault('input', `${recipe.name} proposes no tasks.`);
  if (training.environments !== undefined || training.tasks !== undefined || recipe.view !== undefined)
    throw new Fault(
      'input',
      `${recipe.name} has tasks proposed for one environment; leave out training.tasks, training.environments and view.`,
    );
  const environment = await resolveEnvironment(training.environment, cwd, trust);
  const proposal = await loadProposer(coevolution.proposer, cwd, trust);
  const { knobs, tasks: count = usualTasks } = coevolution;
  const { tasks: menu } = taskMenu(environment, { count, seed: 0, task: training.task ?? {}, ...(knobs !== undefined && { knobs }) });
  const seating = await seatingOf(recipe, environment, cwd, trust);
  const made = await learnersOf(recipe, { environment, proposal, menu, seed, cwd, trust, folder, others: seating.others });
  const tally = new FigureTally(made.solver);
  const { by } = coevolution;
  const workshop = createProposerEnvironment(environment, { reward: proposal.reward, menu });
  const writer = by === undefined ? undefined : await policyFor(by, { seat: 'proposer', environment: workshop, cwd, trust });
  const process = new Coevolution(recipe, {
    ...{ environment, proposal, menu, seed, ...made, ...seating, tell: (metrics) => tally.heard(metrics) },
    ...(proposal.solvable && { solvable: solvableIn(environment) }),
    ...(writer !== undefined && { writer }),
  });
  const ground: GainGround = { environment, tasks: menu, seed, ...seating };
  const updates = Math.ceil(training.games / training.batch);
  const policy = made.solver.policy();
  let validUpdates = 0;
  return {
    updates,
    learner: made.solver,
    how: `By rollout: ${by ?? `a proposer of ${proposal.method}`} chooses among ${menu.length} tasks of ${environment.id}, and the solver is measured on all of them alike.`,
    byTokens: true,
    varied: () => tally.varied,
    fresh: async () => ({ against: 'others', episodes: await freshReturns(policy, ground) }),
    update: () => process.update,
    begin: async () => {},
    async run(until) {
      while (process.update < Math.min(until, updates)) {
        await process.step();
        if (process.figures.valid > 0) validUpdates++;
      }
      const { rate, valid, paid } = process.figures;
      say?.(
        `Update ${process.update}: proposed tasks are solved at a rate of ${rate.toFixed(2)}, ${Math.round(100 * valid)} % are valid, the proposer is paid ${paid.toFixed(3)}.${process.alarm === null ? '' : ` ${process.alarm}`}`,
      );
      return null;
    },
    async measure() {
      const { tokens: _, ...figures } = tally.figures();
      const { sampled: tokens = process.sampled } = made.solver as { readonly sampled?: number };
      const returned = meanOrZero((await freshReturns(policy, ground)).map(({ paid }) => paid));
      return {
        ...figures,
        tokens,
        update: process.update,
        games: process.update * training.batch,
        returned,
        exploitability: null,
        legal: null,
      };
    },
    held: async () => [],
    channels: () => tally.channels(Math.max(1, Math.floor(updates / 10))),
    mechanism: () => countedOnly('updates with valid tasks', validUpdates),
    acted: () => tally.acted(),
    average: () => null,
    proposals: () => ({ ...process.figures, alarm: process.alarm }),
    async save() {
      const saved = await process.save();
      return { ...saved, learner: (saved['solver'] as { readonly learner: string }).learner };
    },
    load: (checkpoint) => process.load(checkpoint as JsonObject),
  };
}

interface Making {
  readonly environment: AnyEnvironment;
  readonly proposal: ProposerRecipe;
  readonly menu: readonly Json[];
  readonly seed: number;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  readonly folder: string | null;
  readonly others: Playground['others'];
}

/** Learners of the roles: three of a kind, or one for all of them. */
async function learnersOf(recipe: Recipe, { environment, proposal, menu, seed, cwd, trust, folder, others }: Making) {
  const workshop: AnyEnvironment = createProposerEnvironment(environment, { reward: proposal.reward, menu });
  const where = { seed, cwd, trust, folder, ground: { kind: 'rollout' as const, why: '' } };
  const grounds: readonly Playground[] = menu.slice(0, 4).map((task) => ({ environment, task, others }));
  const proposing: readonly Playground[] = [{ environment: workshop, task: {}, others: {} }];
  const judging: readonly Playground[] = menu.slice(0, 4).map((task) => ({ environment: judgingEnvironment, task: { task }, others: {} }));
  // Several grounds keep a table from being laid out for the tree of one task.
  const make = async (some: readonly Playground[]) =>
    (await learnerFor(recipe, some.length > 1 ? some : [...some, ...some], where)).learner;
  if (recipe.coevolution?.one === true) {
    const one = await make([...grounds, ...proposing, ...(proposal.judged ? judging : [])]);
    return { solver: one, proposer: one, judge: proposal.judged ? one : null };
  }
  return { solver: await make(grounds), proposer: await make(proposing), judge: proposal.judged ? await make(judging) : null };
}

/** Whether a task can be won at all, by its whole game tree: the proof that PAE and SSP ask for. */
function solvableIn(environment: AnyEnvironment): Solvable {
  const known = new Map<string, boolean>();
  return (task) => {
    const key = JSON.stringify(task);
    const found =
      known.get(key) ?? gameTree(environment, task, mostNodes).nodes.some((node) => node.kind === 'terminal' && node.returns[0]! > 0);
    known.set(key, found);
    return found;
  };
}
