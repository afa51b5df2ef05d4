/** @file A recipe is a training method as data: one choice for each slot, and the publication it is from. */

import { type AgentSpec, canonical, type Json, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { CoevolutionSettings } from './coevolution-shape.ts';
import type { Guidance, KeptSource, RewardModelSettings, Rounds } from './lesson-sources.ts';
import type { ExperimentSettings, Phase } from './recipe-shape.ts';
import type { Assignment, Baseline, Curriculum, LearnerView, Loss, Replay, Roles, RolloutSettings } from './recipe-slots.ts';
import type { RewardChannel } from './reward-settings.ts';
import type { WarmUp } from './warm-up.ts';

export type { CoevolutionSettings } from './coevolution-shape.ts';
export type { Guidance, KeptSource, RewardModelSettings, Rounds, Weighing } from './lesson-sources.ts';
export type { ExperimentSettings, Phase } from './recipe-shape.ts';
export type {
  Aggregation,
  Assignment,
  Baseline,
  Curriculum,
  GroupField,
  LearnerView,
  Loss,
  Replay,
  Roles,
  RolloutSettings,
  Setting,
} from './recipe-slots.ts';
export type { PaySource, RewardChannel } from './reward-settings.ts';

/** One of several environments that are played at once. */
export type TrainingEnvironment = {
  readonly environment: string;
  readonly task: JsonObject;
  /** Scales its rewards to the magnitude of the others': a chip, a mark, a point of a bargain. */
  readonly scale: number;
  /**
   * A script of the environment that plays one of the seats in a share of the episodes: an anchor, for skills that self-play does not
   * teach.
   */
  readonly anchor?: { readonly script: string; readonly share: number };
};

/** An environment and its task as a key. */
export function environmentKey({ environment, task }: Pick<TrainingEnvironment, 'environment' | 'task'>): string {
  return Object.keys(task).length === 0 ? environment : `${environment} ${canonical(task as Json)}`;
}

/** What a recipe trains on by default, and for how long. */
export type Training = {
  readonly environment: string;
  readonly task?: Json;
  /** Several tasks of the environment, in turn, instead of the single one. */
  readonly tasks?: readonly Json[];
  /** Several environments for one learner, instead of the single one: every update plays all of them. */
  readonly environments?: readonly TrainingEnvironment[];
  /** The maximum turns of an episode; the environment's own limit if unset. */
  readonly turns?: number;
  readonly optimiser: 'adam' | 'sgd' | 'mirror';
  /** The learning rate, from the first update to the last, along a geometric line. */
  readonly rate: { readonly from: number; readonly to: number };
  /**
   * Updates over which the rate rises from zero. After imitation, the optimizer is adapted to small gradients: at full rate the first large
   * ones could move attention heads to a place from which they do not recover.
   */
  readonly ramp?: number;
  /** The decay of Adam's squared gradients; the learner's default if unset. */
  readonly squares?: number;
  /**
   * The final share of the updates over which the weights are averaged; the run ends with their mean. This removes noise of single updates
   * from the final policy at no cost.
   */
  readonly average?: number;
  /** The final share of the updates in which a model that takes mirror steps is trained towards the average of its policies (NFSP). */
  readonly distill?: number;
  readonly games: number;
  /** Ends the run once the learner has written this many tokens, if its games last that long: for comparing methods at equal cost. */
  readonly tokens?: number;
  /** Episodes of one update. */
  readonly batch: number;
  /**
   * The learner: "table" over views by default, "matching" for listed moves, "gaussian" for numbers, "transformer", "tinker" on a server, or a file that creates one.
   */
  readonly learner?: string;
  /** Sizes of a language model: width, layers, heads, the maximum tokens of input and answer, and the vocabulary size; small by default. */
  readonly sizes?: {
    readonly width?: number;
    readonly layers?: number;
    readonly heads?: number;
    readonly context?: number;
    readonly answer?: number;
    readonly vocabulary?: number;
  };
  /** Settings of a learner on a server: its URL, the model it trains, the rank of the adapter, and the file with its tokenizer. */
  readonly server?: { readonly url: string; readonly base: string; readonly rank?: number; readonly tokenizer?: string };
  /**
   * The opponents: the learner itself by default, a league, or any agent: "random", a script of the environment, "local/RUN@best", "llm:…",
   * a file; or several of them, comma-separated, one after the other. The learner faces each from every seat in turn.
   */
  readonly opponents?: string;
  /**
   * The player of a seat in every game: "learner", or any agent. A seat that is left out is played by the script of that name, else by the
   * learner.
   */
  readonly seats?: Readonly<Record<Seat, string | AgentSpec>>;
  readonly personas?: Readonly<Record<Seat, string>>; // The persona of a seat, for reward sources; agents bring their own.
  readonly team?: string; // Its members are seats; `member` names those that learn.
  readonly member?: string;
  /** Play the next batch, or the next few, during this one's gradient, so that the learner does not wait for slow play or slow judges. */
  readonly ahead?: boolean | number;
  /**
   * Episodes run independently, up to the given number concurrently (64 for true), instead of in lock-step, and updates do not wait for
   * them. On by default if the learner has tools or a seat is played by an external agent.
   */
  readonly overlap?: boolean | number;
  /** The learner's first training: imitating a script or random legal play. */
  readonly warmUp?: WarmUp;
};

/** A training method as data: one choice for each slot. */
export type Recipe = {
  readonly name: string;
  /** The name of the published method, and its source. */
  readonly method: string;
  readonly source: string;
  /** The difference from its closest relative, or from the publication. */
  readonly differs: string;
  /** The parts of the published method that are left out. */
  readonly omits?: string;
  readonly assignment: Assignment;
  /** The whole view if unset. */
  readonly view?: LearnerView;
  /** One learner for all seats if unset. */
  readonly roles?: Roles;
  readonly baseline: Baseline;
  readonly loss: Loss;
  readonly rollout: RolloutSettings;
  readonly replay: Replay;
  readonly curriculum: Curriculum;
  /** The cutoff of truncated importance sampling; null for none. */
  readonly importance: number | null;
  /** Settings by path for a learner on a server, which trains an adapter of a large model; the user's settings take precedence. */
  readonly onServer?: Readonly<Record<string, number>>;
  readonly training: Training;
  /** A learner proposes tasks and the solver attempts them; both learn. */
  readonly coevolution?: CoevolutionSettings;
  /**
   * The reward channels of turns: `environment` and `penalty`, with weight 1 by default, and judges' channels by name. Each weight may
   * change during the run.
   */
  readonly rewards?: Readonly<Record<string, RewardChannel>>;
  /** An experimenter leads the training through skills and decides how long each lasts. */
  readonly experiment?: ExperimentSettings;
  /** Kept episodes to train on besides play, or instead of it. */
  readonly kept?: KeptSource;
  readonly rounds?: Rounds;
  readonly guidance?: Guidance;
  /** Replaces the environment's reward once its trust card allows it; reported returns remain the environment's. */
  readonly rewardModel?: RewardModelSettings;
  /**
   * Plays a game about single steps of an expert in the environment, instead of the environment: a generator of errors against a critic.
   */
  readonly stepGame?: { readonly expert: string; readonly episodes: number };
  /** Consecutive stages, each with its own choices; the run ends with the last one. */
  readonly phases?: readonly Phase[];
};
