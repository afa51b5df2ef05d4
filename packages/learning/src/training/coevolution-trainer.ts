/**
 * @file Sets up a training with written tasks: the writer, the learners of all roles, the checks, and the tasks that measure the solver.
 */

import { resolve } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { AnyEnvironment, Json, JsonObject, Learner, Policy } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { readDocumentFolder } from '@ludus-agents/store/internal/document-folder';
import { Coevolution } from '../curricula/coevolution.ts';
import type { PastMoves } from '../curricula/proposers/choice-classes.ts';
import { type DraftForm, draftForm, sampleTasks } from '../curricula/proposers/drafts.ts';
import { judgingEnvironment } from '../curricula/proposers/judging-environment.ts';
import { createProposerEnvironment } from '../curricula/proposers/proposer-environment.ts';
import type { ProposerRecipe } from '../curricula/proposers/recipes.ts';
import { loadProposer } from '../loaders.ts';
import type { Mechanism } from '../rl/counters.ts';
import type { Recipe } from '../rl/recipe.ts';
import { warmUp } from '../rl/warm-up.ts';
import { assignmentJudge, channelJudges } from './channel-judges.ts';
import { FigureTally } from './figure-tally.ts';
import { freshReturns, type GainGround } from './gain.ts';
import { guidesOf } from './guides.ts';
import { keptEpisodes } from './kept-source.ts';
import { learnerFor, type Playground } from './learners.ts';
import { policyFor } from './seat-policies.ts';
import { seatingOf } from './seating.ts';
import { taskChecks } from './task-checks.ts';
import type { Trainer, TrainerServices } from './trainer.ts';
import type { TrainingRun } from './training-run.ts';

const usualTasks = 64;

export async function coevolutionTrainer({ recipe, seed }: TrainingRun, services: TrainerServices): Promise<Trainer> {
  const { cwd, trust, folder, say } = services;
  const { coevolution, training, view } = recipe;
  if (coevolution === undefined) throw new Fault('input', `${recipe.name} has no task proposer.`);
  const isReadable = view === undefined || view.kind === 'whole' || view.kind === 'offers' || view.kind === 'moves';
  if (training.environments !== undefined || training.tasks !== undefined || !isReadable)
    throw new Fault(
      'input',
      `${recipe.name} writes tasks for one environment. Remove training.tasks, training.environments, and views other than moves and offers.`,
    );
  if ((training.opponents ?? 'self') !== 'self')
    throw new Fault(
      'input',
      `${recipe.name} writes tasks, and its other seats are played by the solver or by training.seats. Remove training.opponents, or train xland, which has a league.`,
      { code: 'E_LEAGUE_WITH_WRITER' },
    );
  if (coevolution.one === true && recipe.roles !== undefined)
    throw new Fault(
      'input',
      `${recipe.name} has one learner that writes, solves, and judges (coevolution.one). Remove it, or remove roles.`,
      {
        code: 'E_UNSUPPORTED',
      },
    );
  const environment = await resolveEnvironment(training.environment, cwd, trust);
  const proposal = await loadProposer(coevolution.proposer, cwd, trust);
  const { parameters, tasks: count = usualTasks, by } = coevolution;
  const documents =
    coevolution.documents === undefined ? {} : { documents: readDocumentFolder(resolve(cwd, coevolution.documents)).documents as Json };
  const base: JsonObject = { ...((training.task ?? {}) as JsonObject), ...documents };
  const form = draftForm(environment, { task: base, ...(parameters !== undefined && { parameters }) });
  const measured = readable(environment, coevolution.originals, base);
  const originals = measured ?? sampleTasks(environment, form, count);
  if (originals.length === 0) throw new Fault('input', `No task of ${environment.id} could be written from its parameters.`);
  const first = { ...recipe, training: { ...training, task: originals[0] } };
  const seating = await seatingOf(first, environment, cwd, trust);
  const { imitations, ...learners } = await learnersOf(recipe, {
    environment,
    proposal,
    form,
    tasks: originals,
    seed,
    cwd,
    trust,
    folder,
    others: seating.others,
  });
  const tally = new FigureTally(learners.solver);
  const steps = by === 'random' || by?.startsWith('local/') === true;
  const workshop = createProposerEnvironment(environment, { reward: proposal.reward, form, base, steps });
  const writer = by === undefined ? undefined : await policyFor(by, { seat: 'proposer', environment: workshop, cwd, trust });
  const policy = learners.solver.policy();
  const place = { environment, cwd, trust, seat: seating.mine[0], others: seating.others };
  const checks = await taskChecks(coevolution.checks, proposal.checks, { ...place, base, say: (item) => say?.(item) });
  const guides = await guidesOf(first, {
    ...{ environment, cwd, trust, learner: learners.solver, policy, seed, seating, folder },
    stored: first.kept === undefined ? undefined : await keptEpisodes(first.kept, { ...place, seats: seating.mine, store: services.store }),
    say: (item) => say?.(item),
  });
  const ground: GainGround = { environment, tasks: originals, seed, ...seating };
  const judgedGame = { learner: learners.solver, ground };
  const judges = await channelJudges(recipe, cwd, trust, judgedGame);
  const process = new Coevolution(recipe, {
    judges,
    payer: await assignmentJudge(recipe, cwd, trust, judgedGame),
    ...{ environment, proposal, form, base, checks, seed, guides, steps, ...learners, ...seating, tell: (metrics) => tally.heard(metrics) },
    ...(coevolution.practice !== undefined && { originals }),
    ...(writer !== undefined && { writer }),
  });
  const updates = Math.ceil(training.games / training.batch);
  return {
    updates,
    learner: learners.solver,
    how: `By rollout: ${by ?? `a learner rewarded as in ${proposal.method}`} writes tasks for ${environment.id}, checked by ${checks.map(({ name }) => name).join(', ') || 'its schema alone'}; the solver is measured on ${originals.length} ${measured === null ? 'tasks drawn evenly' : 'original tasks'}.`,
    byTokens: true,
    varied: () => tally.varied,
    fresh: async () => ({ against: 'others', episodes: await freshReturns(policy, [ground]) }),
    update: () => process.update,
    async begin() {
      if (training.warmUp === undefined || process.update > 0) return;
      const { script, errs, ...plain } = training.warmUp;
      for (const { learner, grounds } of imitations) {
        // A script plays the environment; for writing tasks there is none, so random legal ones are shown.
        const hasScript = learner === learners.solver && learner !== learners.proposer;
        await warmUp(learner, grounds, { ...(hasScript ? training.warmUp : plain), seed });
      }
    },
    async run(until) {
      while (process.update < Math.min(until, updates)) await process.step();
      const { rate, valid, paid } = process.figures;
      say?.(
        `Update ${process.update}: written tasks are solved at a rate of ${rate.toFixed(2)}, ${Math.round(100 * valid)}% are valid, the writer earns ${paid.toFixed(3)}.${process.alarm === null ? '' : ` ${process.alarm}`}`,
      );
      return null;
    },
    async measure() {
      const { tokens: _, ...figures } = tally.figures();
      const tokens = countSampled([learners.solver, learners.proposer]) ?? process.sampled;
      const returned = meanOrZero((await freshReturns(policy, [ground])).map(({ paid }) => paid));
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
    mechanism: () => writingMechanism(process.acts),
    acted: () => ({ ...tally.acted(), ...process.acts }),
    average: () => null,
    proposals: () => ({ ...process.figures, alarm: process.alarm }),
    async save() {
      const saved = await process.save();
      return { ...saved, learner: (saved['solver'] as { readonly learner: string }).learner };
    },
    load: (checkpoint) => process.load(checkpoint as JsonObject),
  };
}

/** The number of tokens sampled by the learners, each learner once; null if they do not count them. */
function countSampled(learners: readonly Learner[]): number | null {
  const counts = [...new Set(learners)].map((learner) => (learner as { readonly sampled?: number }).sampled);
  return counts.reduce<number | null>((sum, count) => (sum === null || count === undefined ? null : sum + count), 0);
}

/** The original tasks; null if there are none, or if they belong to another environment. */
function readable(environment: AnyEnvironment, originals: readonly Json[] | undefined, base: JsonObject): readonly Json[] | null {
  const tasks = (originals ?? []).flatMap((task) => {
    try {
      return [environment.task({ ...base, ...(task as JsonObject) }) as Json];
    } catch {
      return [];
    }
  });
  return tasks.length === 0 ? null : tasks;
}

/** The counters of a run with a writer; its mechanism acted if the solver trained on written tasks. */
function writingMechanism(acts: Readonly<Record<string, number>>): Mechanism {
  const counts = { 'tasks written': 0, 'tasks learned from': 0, ...acts };
  const idle = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [name] : []));
  return { counts, idle, acted: counts['tasks learned from'] > 0 };
}

interface Making {
  readonly environment: AnyEnvironment;
  readonly proposal: ProposerRecipe;
  readonly form: DraftForm;
  /** Tasks for vocabularies and table layouts. */
  readonly tasks: readonly Json[];
  readonly seed: number;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  readonly folder: string | null;
  readonly others: Readonly<Record<string, Policy>>;
}

/** The learners of the roles: three separate ones, or one for all. */
async function learnersOf(recipe: Recipe, { environment, proposal, form, tasks, seed, cwd, trust, folder, others }: Making) {
  const workshop: AnyEnvironment = createProposerEnvironment(environment, { reward: proposal.reward, form, steps: true });
  const where = { seed, cwd, trust, folder, ground: { kind: 'rollout' as const, why: '' } };
  const { view: _, ...whole } = recipe;
  const grounds: readonly Playground[] = tasks.slice(0, 4).map((task) => ({ environment, task, others }));
  const proposing: readonly Playground[] = samplePasts(form, seed).map((outcomes) => ({
    environment: workshop,
    task: { outcomes: outcomes as unknown as Json },
    others: {},
  }));
  const imitationGrounds = proposing.map((ground) => ({ ...ground, others: { arena: untried } }));
  const judging: readonly Playground[] = tasks.slice(0, 4).map((task) => ({ environment: judgingEnvironment, task: { task }, others: {} }));
  // Passing several grounds prevents a table layout for the tree of a single task.
  const make = async (playgrounds: readonly Playground[], as: Recipe) =>
    (await learnerFor(as, playgrounds.length > 1 ? playgrounds : [...playgrounds, ...playgrounds], where)).learner;
  if (recipe.coevolution?.one === true) {
    const learner = await make([...grounds, ...proposing, ...(proposal.judged ? judging : [])], whole);
    const imitations = [{ learner, grounds: [...grounds, ...imitationGrounds, ...(proposal.judged ? judging : [])] }];
    return { solver: learner, proposer: learner, judge: proposal.judged ? learner : null, imitations };
  }
  const solver = await make(grounds, recipe);
  const proposer = await make(proposing, whole);
  const judge = proposal.judged ? await make(judging, whole) : null;
  const imitations = [
    { learner: solver, grounds },
    ...(recipe.coevolution?.by === undefined ? [{ learner: proposer, grounds: imitationGrounds }] : []),
    ...(judge === null ? [] : [{ learner: judge, grounds: judging }]),
  ];
  return { solver, proposer, judge, imitations };
}

/** Outcomes of random tasks, from none to many: a writer reads its choices by them, so that each kind must have been read before. */
function samplePasts(form: DraftForm, seed: number): readonly (readonly PastMoves[])[] {
  const dice = rng(seed, 'pasts');
  const writeOne = (): PastMoves => {
    const moves: string[] = [];
    for (let draft = form(moves); 'choices' in draft && moves.length < 64; draft = form(moves)) moves.push(dice.pick(draft.choices));
    return { moves, rate: dice.pick([null, 0, 0.5, 1]) };
  };
  return Array.from({ length: 48 }, (_, i) => Array.from({ length: Math.floor(2 ** (i / 8)) - 1 }, writeOne));
}

/** The arena while a writer imitates: no task is tried. */
const untried: Policy = {
  name: 'untried',
  act: (turns) => turns.map(() => ({ action: { text: '', data: { valid: false, rate: 0, attempts: 0 } } })),
};
