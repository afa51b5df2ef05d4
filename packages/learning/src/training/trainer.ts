/** @file Sets up a training: the learner, the players of all seats, how it is played, and how it is measured. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import type { RewardCard } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-card';
import type { AnyEnvironment, Json, Learner, Policy, Seed, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { type Mechanism, mechanismOf } from '../rl/counters.ts';
import { heedInstructions, InstructionGuide } from '../rl/guidance/instructions.ts';
import { textsInKept } from '../rl/kept-lessons.ts';
import { comparesKept } from '../rl/kept-pairs.ts';
import type { ReadyEnvironment } from '../rl/play-environments.ts';
import type { Recipe } from '../rl/recipe.ts';
import { RoleLearner } from '../rl/roles/role-learner.ts';
import type { Rollouts } from '../rl/rollouts.ts';
import { createStepGame } from '../rl/step-game.ts';
import { type LoopCheckpoint, type LoopParts, TrainingLoop } from '../rl/training-loop.ts';
import { type ShowRows, warmUp } from '../rl/warm-up.ts';
import { assignmentJudge, channelJudges } from './channel-judges.ts';
import { demonstrationRows } from './demonstrations.ts';
import { FigureTally } from './figure-tally.ts';
import { withCases } from './folder-cases.ts';
import { type FreshReturns, freshGrounds, freshReturns, type GainGround } from './gain.ts';
import { guidesOf } from './guides.ts';
import { type HeldTask, heldTasks } from './held-tasks.ts';
import { instructedEnvironment, tasksOf } from './instructed.ts';
import { type KeptLook, keptLook } from './kept-fit.ts';
import { keptEpisodes } from './kept-source.ts';
import { beginsWithKept, imitateKept } from './kept-warm-up.ts';
import { LeagueSchedule, type LeagueState } from './league-schedule.ts';
import { isPromptView } from './learner-view.ts';
import { learnerFor, type Playground, type Ready } from './learners.ts';
import { outsideAgents, overlapFor } from './overlap.ts';
import { preferenceOf } from './preference-file.ts';
import { RewardGuide } from './reward-guide.ts';
import { opponentBy } from './seat-policies.ts';
import { castBy, personasOf, type Seating, seatingOf } from './seating.ts';
import { SelfPlayGain } from './self-play-gain.ts';
import { refuseElsewhere } from './sparring.ts';
import { taughtTasks } from './taught-tasks.ts';
import { type Ground, groundOf, type TrainingRun, type UpdateFigures } from './training-run.ts';
import { policyThroughView } from './view-play.ts';

/** A training that is ready to run. */
export interface Trainer {
  readonly updates: number;
  readonly learner: Learner;
  /** How it is played, and why. */
  readonly how: string;
  /** Whether the learner plays token by token; without any tokens, it had nothing to learn from. */
  readonly byTokens: boolean;
  /** False if all games so far had the same return, so that there was nothing to learn from. */
  varied(): boolean;
  /** The current learner's returns in fresh episodes; null if it is measured exactly. The first call is the baseline. */
  fresh(): Promise<FreshReturns | null>;
  /** The results of each policy of a set on its held-out tasks; empty if there are none. */
  held(): Promise<readonly HeldTask[]>;
  /** The current fit to stored episodes; undefined if the training uses none. */
  readonly fit?: KeptLook | undefined;
  update(): number;
  /** Runs the imitation before the first game. */
  begin(): Promise<void>;
  /** Continues to the given number of updates; returns a sentence if the run stops early. */
  run(updates: number): Promise<string | null>;
  measure(): Promise<UpdateFigures>;
  /** The mean reward of an episode from the environment and from each judge's channel, over the last tenth of the updates. */
  channels(): Readonly<Record<string, number>>;
  /** The recipe's counters; null if nothing is counted, such as on a whole game tree. */
  mechanism(): Mechanism | null;
  /** How often each mechanism of the recipe acted so far. */
  acted(): Readonly<Record<string, number>>;
  /** The exploitability of the average of all policies, if one is maintained. */
  average(): number | null;
  /** The figures of a task proposer, if there is one. */
  proposals?(): ProposalReport;
  /** The trust card of the reward model trained alongside the policy, if there is one. */
  rewardCard?(): RewardCard | null;
  save(): Promise<{ readonly learner: string }>;
  load(checkpoint: unknown): Promise<void>;
}

/**
 * The success rate on the latest proposed tasks, the share of valid ones, the proposer's reward, and why they no longer teach anything, or
 * null.
 */
export type ProposalReport = {
  readonly rate: number;
  readonly valid: number;
  readonly paid: number;
  readonly alarm: string | null;
};

export interface TrainerServices {
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  /** The folder for weights that are too large for a checkpoint. */
  readonly folder: string | null;
  /** Receives messages: how it is played and why, the end of a stage. */
  readonly say?: (sentence: string) => void;
  /** The store of kept episodes, for recipes that use them. */
  readonly store?: Store;
  /** Tasks whose texts the vocabulary of a language model covers, if it plays others than those of the recipe. */
  readonly readTasks?: readonly Json[];
  /** Plays a learner's episodes elsewhere. */
  readonly rollouts?: (recipe: Recipe, learner: Learner) => Rollouts;
}

/** Creates the training of a recipe on a seed. */
export async function createTrainer({ recipe: written, seed }: TrainingRun, services: TrainerServices): Promise<Trainer> {
  const { cwd, trust, folder, rollouts } = services;
  const recipe = await withCases(written, cwd, trust);
  const { training } = recipe;
  if (recipe.coevolution !== undefined) {
    if (rollouts !== undefined) throw new Fault('input', `${recipe.name} proposes tasks in this process. Train it without --workers.`);
    return (await import('./coevolution-trainer.ts')).coevolutionTrainer({ recipe, seed }, services);
  }
  if (recipe.experiment !== undefined) {
    if (rollouts !== undefined)
      throw new Fault('input', `${recipe.name} is led by an experimenter in this process. Train it without --workers.`);
    return (await import('./experiment-trainer.ts')).experimentTrainer({ recipe, seed }, services);
  }
  const environments = await loadEnvironments(recipe, cwd, trust);
  const plain = environments[0]?.environment ?? gameOf(recipe, await resolveEnvironment(training.environment, cwd, trust));
  const isInstructed = recipe.guidance?.kind === 'instruct';
  const environment = isInstructed ? await instructedEnvironment(recipe, plain, cwd, trust) : plain;
  if (rollouts !== undefined) refuseElsewhere(recipe);
  const ground: Ground =
    rollouts === undefined ? groundOf(recipe, environment) : { kind: 'rollout', why: 'By rollout: workers play the games.' };
  const seating =
    ground.kind === 'rollout' && environments.length === 0
      ? await seatingOf(recipe, environment, cwd, trust)
      : { mine: [], others: {}, shown: {} };
  const { shown } = seating;
  const grounds: readonly Playground[] =
    environments.length > 0
      ? environments.map(({ environment: rules, settings, others: scripts }) => ({
          environment: rules,
          task: settings.task,
          others: scripts,
        }))
      : tasksOf(recipe).map((task) => ({ environment, task, others: shown }));
  const { kept } = recipe;
  const compares = comparesKept(recipe);
  const played = environments.length > 0 ? environments : [{ environment, mine: seating.mine }];
  const stored =
    kept === undefined
      ? undefined
      : (
          await Promise.all(
            played.map((place) =>
              keptEpisodes(kept, { environment: place.environment, seats: place.mine, cwd, trust, store: services.store, compares }),
            ),
          )
        ).flat();
  const ready = await learnerFor(recipe, grounds, {
    seed,
    folder,
    cwd,
    trust,
    ground,
    ...(stored !== undefined && { keptTexts: textsInKept(stored) }),
    ...(services.readTasks !== undefined && { readIn: services.readTasks.map((task) => ({ environment, task, others: shown })) }),
  });
  const { learner } = ready;
  const schedule = training.opponents === 'league' ? new LeagueSchedule(recipe, environment, { ready, seed }) : null;
  const prefer = await preferenceOf(recipe, cwd, trust);
  const tally = new FigureTally(learner);
  const { warmUp: imitate } = training;
  const overlap = ground.kind === 'rollout' && rollouts === undefined ? overlapFor(recipe, environment) : undefined;
  const { policy: ownPolicy, show } = policyThroughView(recipe, learner, { environment, cwd, trust, overlap });
  const policy = isInstructed ? heedInstructions(learner, ownPolicy, recipe.guidance?.heed) : ownPolicy;
  if (environments.length > 0 && (recipe.guidance !== undefined || recipe.rewardModel !== undefined))
    throw new Fault('input', `${recipe.name} has teachers or a reward model for one environment. Name one in training.environment.`);
  const say = (sentence: string) => services.say?.(sentence);
  const guides = await guidesOf(recipe, { environment, cwd, trust, learner, policy, seed, seating, folder, stored, say });
  const instructions = guides.find((guide) => guide instanceof InstructionGuide);
  const taught =
    instructions === undefined
      ? await taughtTasks(recipe, { environment, cwd, trust })
      : { tasks: instructions.tasks, teacher: instructions };
  const measured = instructions?.best ?? taught?.tasks ?? grounds.map(({ task }) => task);
  const contexts = recipe.view?.kind === 'episodes' ? recipe.view : undefined;
  const seated: GainGround = {
    ...{ environment, tasks: measured, seed, ...seating, contexts },
    turns: kept === undefined ? undefined : training.turns,
  };
  if (contexts !== undefined) say(`Fresh episodes are the last of ${contexts.count} in one context.`);
  const judge = await assignmentJudge(recipe, cwd, trust, { learner, ground: seated });
  const loop = new TrainingLoop(recipe, {
    ...(guides.length > 0 && { guides }),
    ...{ environment, learner, seed, overlap, ahead: Number(training.ahead ?? 0) },
    ...((isPromptView(recipe.view) || isInstructed) && { policy }),
    ...(ready.decisions !== null && { decisions: ready.decisions }),
    ...(prefer !== undefined && { prefer }),
    ...(taught !== undefined && { taught }),
    personas: await personasOf(recipe, cwd, trust),
    judges: await channelJudges(recipe, cwd, trust, { learner, ground: seated }),
    ...(judge !== undefined && { judge }),
    ...(ground.kind === 'tree' && { game: flatten(ground.tree), ...(ready.texts !== undefined && { texts: ready.texts }) }),
    before: async () => {
      if (beginsWithKept(recipe)) await imitateKept(recipe, learner, { episodes: stored ?? [], seed, say });
      else if (imitate !== undefined) await warmUp(learner, grounds, { ...imitate, seed, ...show });
      if (learner instanceof RoleLearner) await learner.shareTrunk();
    },
    ...(environments.length > 0
      ? { environments }
      : await createPlay(recipe, { environment, cwd, trust, learner, seed, schedule, seating, ...show })),
    ...(rollouts !== undefined && { rollouts: rollouts(recipe, learner) }),
    say: (sentence) => services.say?.(sentence),
    tell: (metrics) => {
      tally.heard(metrics);
      schedule?.heard(metrics);
    },
  });
  // If no opponent plays against the learner, its return shows its progress; it is also measured without help.
  const single = seating.mine.length === 1;
  const isPaid = single || Object.keys(seating.others).length > 0;
  const alone = isPaid && ((training.opponents ?? 'self') === 'self' || taught !== undefined);
  const fresh = environments.length > 0 ? freshGrounds(environments, seed) : alone ? [seated] : null;
  // Against a fixed opponent, a learner is rewarded for its wins and may be exploitable itself.
  const exact =
    ((training.opponents ?? 'self') === 'self' || schedule !== null) && training.seats === undefined ? ready.exploitability : null;
  // An imported conversation has no rewards, so the measure is the fit to its answers.
  const isUnpaid = environment.id.startsWith('relay@') && kept !== undefined;
  for (const name of outsideAgents(recipe, environment))
    services.say?.(
      `${name} plays in ${training.games} games of training and may call models in each; --max-calls, --max-cost, and --max-total-tokens limit that.`,
    );
  const isSelfPlay = (training.opponents ?? 'self') === 'self' || taught !== undefined;
  const selfPlay = !isUnpaid && seating.mine.length > 1 && fresh === null && isSelfPlay && exact === null;
  // Weights on a server are not copied just for a figure.
  const gain =
    selfPlay && training.learner !== 'tinker'
      ? await SelfPlayGain.create(seated, () => frozen(recipe, ready, { environment, cwd, trust }))
      : null;
  const fit = stored === undefined || training.learner === 'tinker' ? undefined : keptLook(learner, stored, compares);
  const heldOut = () => heldTasks(recipe, learner, { environment, seed });
  const trainer = trainerOf(loop, {
    recipe,
    ready,
    exact,
    policy,
    ground,
    schedule,
    tally,
    fresh: isUnpaid ? null : fresh,
    gain,
    isUnpaid,
    held: heldOut,
    fit,
    even: taught !== undefined,
  });
  const reward = guides.find((guide) => guide instanceof RewardGuide);
  return reward === undefined ? trainer : Object.assign(trainer, { rewardCard: () => reward.card });
}

/** The game to play: the environment, or a game about single steps of an expert in it. */
function gameOf({ stepGame }: Recipe, environment: AnyEnvironment): AnyEnvironment {
  return stepGame === undefined ? environment : createStepGame(environment, stepGame);
}

interface TrainerParts {
  readonly recipe: Recipe;
  readonly policy: Policy;
  readonly ready: Ready;
  /** Exploitability, if it can be computed and is meaningful. */
  readonly exact: Ready['exploitability'];
  readonly ground: Ground;
  readonly schedule: LeagueSchedule | null;
  readonly tally: FigureTally;
  readonly fresh: readonly GainGround[] | null;
  /** Set if only the learner plays and cannot be measured exactly. */
  readonly gain: SelfPlayGain | null;
  /** Whether to measure on all tasks equally, because returns on a teacher's chosen tasks reflect its choice more than the learner. */
  readonly even: boolean;
  readonly held: Trainer['held'];
  readonly fit: Trainer['fit'];
  /** Whether the games have no meaningful rewards. */
  readonly isUnpaid: boolean;
}

function trainerOf(loop: TrainingLoop, parts: TrainerParts): Trainer {
  const { recipe, ready, exact, policy, ground, schedule, tally, fresh, gain, held, fit, even, isUnpaid } = parts;
  const tenth = Math.max(1, Math.ceil(loop.updates / 10));
  return {
    get updates() {
      return loop.updates;
    },
    learner: ready.learner,
    how: ground.why,
    byTokens: ground.kind === 'rollout',
    // Imitation learns without rewards.
    varied: () => tally.varied || recipe.loss.kind === 'imitation' || fit !== undefined,
    fresh: async () =>
      fresh === null ? ((await gain?.measure(policy)) ?? null) : { against: 'others', episodes: await freshReturns(policy, fresh) },
    held,
    fit,
    update: () => loop.update,
    begin: () => loop.begin(),
    async run(updates) {
      while (loop.update < updates && loop.update < loop.updates) {
        const collapsed = await loop.run(Math.min(updates, Math.floor(loop.update / tenth) * tenth + tenth));
        if (collapsed !== null) return collapsed;
        if (loop.update % tenth === 0) await schedule?.remember(`step-${loop.update}`);
      }
      return null;
    },
    async measure() {
      const figures = tally.figures();
      const returned = even && fresh !== null ? meanOrZero((await freshReturns(policy, fresh)).map(({ paid }) => paid)) : figures.returned;
      // In a constant-sum game the mean return shows nothing, and must not decide the best checkpoint.
      const { exploitability, legal } = (await exact?.()) ?? { exploitability: null, legal: null };
      return { ...figures, returned: gain?.constantSum === true || isUnpaid ? null : returned, exploitability, legal };
    },
    channels: () => tally.channels(Math.max(1, Math.floor(loop.updates / 10))),
    mechanism() {
      const { acts } = tally;
      if (acts === null) return null;
      return mechanismOf(recipe, { ...acts, 'stages ended': loop.stagesEnded, 'past selves met': schedule?.pastMet ?? 0 });
    },
    acted: () => tally.acted(),
    average() {
      const strategy = loop.average();
      return strategy === null ? null : (ready.worth?.(strategy) ?? null);
    },
    save: async () => ({ ...(await loop.save()), ...(schedule !== null && { league: schedule.write() }) }),
    async load(checkpoint) {
      const { league, ...rest } = checkpoint as LoopCheckpoint & { readonly league?: LeagueState };
      await loop.load(rest);
      if (league !== undefined) await schedule?.read(league);
    },
  };
}

/** A copy of the current learner that does not change. */
async function frozen(
  recipe: Recipe,
  { learner, another }: Ready,
  place: { readonly environment: AnyEnvironment; readonly cwd: string; readonly trust: Trust },
): Promise<Policy> {
  const copy = await another();
  await copy.load(await learner.save());
  return policyThroughView(recipe, copy, place).policy;
}

/** The environments of a recipe with their rules, seats and anchors; empty if it plays a single one. */
async function loadEnvironments({ training }: Recipe, cwd: string, trust: Trust): Promise<readonly ReadyEnvironment[]> {
  return Promise.all(
    (training.environments ?? []).map(async (settings) => {
      const environment = await resolveEnvironment(settings.environment, cwd, trust);
      const seating = await seatingOf({ training: { ...training, tasks: [settings.task], seats: {} } }, environment, cwd, trust);
      return {
        settings,
        environment,
        ...seating,
        anchor: settings.anchor === undefined ? null : opponentBy(settings.anchor.script, environment),
      };
    }),
  );
}

interface Play {
  readonly environment: AnyEnvironment;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  readonly learner: Learner;
  readonly seed: Seed;
  readonly schedule: LeagueSchedule | null;
  readonly seating: Seating;
  /** Creates demonstrations for a learner that plays through prompts. */
  readonly show?: ShowRows;
}

/** Sets up the other seats' policies and the demonstrations. On a tree the learner has all seats, and there are no demonstrations. */
async function createPlay(
  recipe: Recipe,
  { environment, cwd, trust, learner, seed, schedule, seating, show }: Play,
): Promise<Partial<LoopParts>> {
  if (seating.mine.length === 0) return {};
  const hasGuidedData = recipe.kept !== undefined || recipe.rounds !== undefined || recipe.guidance !== undefined;
  const imitates = !hasGuidedData && (recipe.loss.kind === 'imitation' || recipe.loss.imitation !== undefined);
  const demonstrationData = imitates ? demonstrationRows(recipe, environment, { learner, seed, others: seating.others, show }) : undefined;
  const opponentDraw = schedule === null ? {} : { drawn: (update: number) => schedule.cast(update) };
  return {
    ...(await castBy(recipe, { environment, cwd, trust, seating, ...opponentDraw })),
    ...(demonstrationData !== undefined && { shown: demonstrationData }),
  };
}
