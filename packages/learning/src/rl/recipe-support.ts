/** @file Decides how a recipe can be trained: on a whole game tree, by rollout, or only with parts that the user supplies. */

import type { GroupField, Recipe } from './recipe.ts';

/** Comparisons that a game tree does not support. */
const ofTurns: readonly GroupField[] = ['turn', 'state', 'deal', 'position', 'opponents'];

/** The feature of a recipe that tree play does not support, or null: a tree has no turns, tokens or texts. */
export function beyondTree({
  assignment,
  rewards,
  baseline,
  loss,
  rollout,
  replay,
  curriculum,
  importance,
  training,
  phases,
  view,
  roles,
  kept,
  rounds,
  coevolution,
  experiment,
  guidance,
  rewardModel,
  stepGame,
}: Recipe): string | null {
  if (experiment !== undefined) return 'is led by an experimenter';
  if (coevolution !== undefined) return 'has tasks proposed by a learner';
  if (assignment.kind !== 'outcome') return `pays turns by ${assignment.kind}`;
  if ((view ?? { kind: 'whole' }).kind !== 'whole') return 'shows the learner only a part of the conversation';
  if ((roles ?? { kind: 'one' }).kind !== 'one') return 'has roles';
  if (kept !== undefined || rounds !== undefined) return 'learns from stored episodes';
  if (guidance !== undefined) return 'has teachers';
  if (rewardModel !== undefined) return 'has a reward model';
  if (stepGame !== undefined) return 'plays single steps of an expert';
  if (rewards !== undefined) return 'weighs channels of rewards';
  if (phases !== undefined || training.turns !== undefined) return 'has stages, or bounds the turns of an episode';
  if (baseline.kind === 'value' || baseline.kind === 'utterances' || baseline.kind === 'bought') return 'has a critic';
  if (rollout.kind === 'branch' || rollout.kind === 'adaptive' || rollout.kind === 'resample' || replay.kind !== 'none')
    return 'branches, resamples or replays';
  const isReshaped = baseline.kind === 'group' && baseline.entropy !== undefined;
  if (isReshaped || loss.band !== undefined || loss.imitation !== undefined || importance !== null) return 'weighs tokens one by one';
  if (loss.kind === 'mirror') return curriculum.kind === 'uniform' ? null : `chooses tasks (${curriculum.kind})`;
  if (rollout.kind === 'explore' || baseline.kind === 'positions') return 'explores a game tree without the loss "mirror"';
  if (baseline.kind !== 'none' && baseline.key.some((field) => ofTurns.includes(field))) return 'compares turns or states';
  if (baseline.kind === 'group' && baseline.plus !== undefined) return 'compares turns or states';
  if (loss.kind !== 'policy-gradient' && loss.kind !== 'clipped') return `learns by ${loss.kind}`;
  if ((loss.epochs ?? 1) > 1 || (loss.minibatches ?? 1) > 1) return 'goes over its episodes in several steps';
  if (curriculum.kind !== 'uniform' && curriculum.kind !== 'opening') return `chooses tasks (${curriculum.kind})`;
  if (loss.norm !== undefined || loss.kl?.follow !== undefined || training.squares !== undefined || training.average !== undefined)
    return 'steers the optimiser of a network';
  return null;
}

/** The reward channels of a recipe and of all its stages. */
export function channelsOf({ rewards = {}, phases = [] }: Pick<Recipe, 'rewards' | 'phases'>): NonNullable<Recipe['rewards']> {
  return Object.assign({}, rewards, ...phases.map((phase) => phase.rewards ?? {}));
}

/** Channels without a judge. */
const paidByEnvironment = ['environment', 'penalty'];

const judged = ['information-gain', 'checklist', 'human-gain'];

/** The inputs of the loop besides an environment and a learner. */
export interface Handed {
  /** A judge that rewards turns. */
  readonly judge?: boolean;
  /** Demonstrations. */
  readonly shown?: boolean;
  /** Judges of channels, by name. */
  readonly judges?: Readonly<Record<string, unknown>>;
  /** A teacher with tasks to choose from. */
  readonly taught?: boolean;
}

/** The feature of a recipe that the loop does not support, or null. */
export function beyondLoop(
  { assignment, baseline, loss, rollout, curriculum, rewards = {}, phases = [], guidance }: Recipe,
  { judge = false, shown = false, judges = {}, taught = false }: Handed = {},
): string | null {
  if (loss.kind === 'mirror' || rollout.kind === 'explore' || baseline.kind === 'positions')
    return 'needs mirror steps on a game tree, but this environment has none that is small enough';
  const channels = Object.keys(channelsOf({ rewards, phases }));
  const unpaid = channels.find((name) => !paidByEnvironment.includes(name) && !Object.hasOwn(judges, name));
  if (unpaid !== undefined) return `has a reward channel "${unpaid}" without a reward source`;
  const byEnvironment = assignment.kind === 'information-gain' && assignment.by === 'world';
  if (judged.includes(assignment.kind) && !judge && !byEnvironment)
    return `rewards turns by ${assignment.kind}, which needs a judge (--set assignment.by=./judge.ts, or a scorer)`;
  if (loss.kind === 'imitation' && !shown) return 'learns by imitation, but has no demonstrations';
  if (guidance !== undefined && !shown) return 'has teachers, but none are loaded';
  if (loss.imitation !== undefined && !shown) return 'mixes in demonstrations, but has none';
  if (curriculum.kind === 'teacher' && !taught) return 'has a task teacher, but none is loaded';
  if (curriculum.kind === 'opening') return 'opens with random moves, which takes a tree';
  return null;
}
