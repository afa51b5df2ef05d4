/** @file A recipe is a training method as data: one choice for each slot, and the publication it is from. */

import { canonical, type Json, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Guidance, KeptSource, RewardModelSettings, Rounds } from './lesson-sources.ts';
import type { PaySource, RewardChannel } from './reward-settings.ts';
import type { CoevolutionSettings, ExperimentSettings, Phase } from './stages.ts';
import type { WarmUp } from './warm-up.ts';

export type { Guidance, KeptSource, RewardModelSettings, Rounds, Weighing } from './lesson-sources.ts';
export type { PaySource, RewardChannel } from './reward-settings.ts';
export type { CoevolutionSettings, ExperimentSettings, Phase } from './stages.ts';

/** The reward of a decision: one number for each turn of a seat. */
export type Assignment =
  | { readonly kind: 'outcome' }
  /** `penalties: 'own'`: a turn is only penalized for the rule that it broke itself. */
  | { readonly kind: 'return-to-go'; readonly discount: number; readonly penalties?: 'own' | 'later' }
  /** From a judge that knows the answer, or from the environment itself, if it rewards the information that a turn revealed. */
  | { readonly kind: 'information-gain'; readonly discount: number; readonly by: 'judge' | 'world' }
  /** `by`: the reward source of the turns: any that a reward channel may name. */
  | ({ readonly kind: 'checklist' } & PaySource)
  /** The share of the others of its group that an episode beats: by its return, or by a preference function in a file. */
  | { readonly kind: 'win-rate'; readonly by?: string }
  | ({ readonly kind: 'human-gain' } & PaySource)
  | { readonly kind: 'critic'; readonly discount: number };

/**
 * The fields that define comparison groups; with none, the whole batch is one group. Events before a move are not its effect, whether its
 * seat could see them or not, so `deal` (the first chance outcome), `position` (the deal and all moves since) and `opponents` may be part
 * of the comparison.
 */
export type GroupField = 'environment' | 'seat' | 'prompt' | 'turn' | 'state' | 'deal' | 'position' | 'opponents';

/** A setting that may change during the run, along a geometric line. */
export type Setting = number | { readonly from: number; readonly to: number };

export type Baseline =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'group';
      readonly key: readonly GroupField[];
      readonly center: 'none' | 'mean' | 'leave-one-out' | 'median';
      readonly scale: 'none' | 'std' | 'batch-std';
      /** A second group whose advantage is added: GiGPO's states. */
      readonly plus?: { readonly key: readonly GroupField[]; readonly weight: number; readonly discount: number };
      /** AEPO: the extra weight of a token for each standard deviation of its surprise above the mean. */
      readonly entropy?: number;
    }
  | { readonly kind: 'running'; readonly key: readonly GroupField[]; readonly decay: number }
  /** Learned values of every position of a game tree, including hidden information: control variates for choices and chance (VR-MCCFR). */
  | { readonly kind: 'positions'; readonly decay: number }
  | {
      readonly kind: 'value';
      readonly level: 'token' | 'turn' | 'two-level';
      readonly discount: number;
      readonly trace: number;
      /** A trace that depends on the episode's length: 1 − 1/(α·tokens) for the policy, and 1 for the critic (UI-TARS-2, VAPO). */
      readonly alpha?: number;
      /** The number of initial updates that train only the critic. */
      readonly warm?: number;
      /** Turns of all the learner's seats form one chain, in order of play, and share the seats' rewards (MARFT). */
      readonly joint?: boolean;
    }
  /**
   * Critics of utterances with target networks, trained on a replay of past transitions too (ArCHer). A table by text, unless set to
   * `states` of the network that reads the text, so that similar texts have similar values.
   */
  | {
      readonly kind: 'utterances';
      readonly discount: number;
      readonly room: number;
      readonly sweeps: number;
      readonly by?: 'texts' | 'states';
    }
  /**
   * A baseline from the seat's observations, and a central one by the position, including hidden information, used where it is worth its
   * price (MANSA): decided by a rule, or by a learned switch. `cost`: the price of a use in units of return. `budget`: the maximum share of
   * returns compared by the central one.
   */
  | {
      readonly kind: 'bought';
      readonly cost: number;
      readonly decay: number;
      readonly switch?: 'rule' | 'learned';
      readonly budget?: number;
    };

/** `games`: the sum over all games of an environment, divided by their number, regardless of their number of turns. */
export type Aggregation = 'token-mean' | 'sequence-mean-token-mean' | 'sequence-mean-token-sum' | 'constant' | 'games';

export type Loss = {
  readonly kind:
    | 'policy-gradient'
    | 'clipped'
    | 'log-clipped'
    | 'kept-gradient'
    | 'squared'
    | 'preference'
    | 'desirability'
    | 'imitation'
    | 'mirror';
  readonly step?: Setting;
  readonly clip?: readonly [number, number];
  readonly dual?: number;
  /** The number of passes over an update's episodes; one if unset. Ratios are relative to the policy that played them. */
  readonly epochs?: number;
  /** The number of parts of an update, with a step after each; prompts stay whole. One if unset. */
  readonly minibatches?: number;
  readonly aggregation: Aggregation;
  /** The divisor of sums under `constant`, besides the number of sequences. */
  readonly length?: number;
  /**
   * A penalty on the divergence from the reference. exact: of whole distributions, if the learner computes them. `refresh`: updates between
   * two references. `follow`: the share of the distance to the current weights that the reference moves at each update, from the first to
   * the last.
   */
  readonly kl?: {
    readonly weight: Setting;
    readonly estimate: 'exact' | 'k1' | 'k2' | 'k3';
    readonly refresh: number | null;
    readonly follow?: { readonly from: number; readonly to: number };
  };
  /** The gradient norm above which gradients are scaled down. */
  readonly norm?: number;
  readonly entropy?: { readonly from: number; readonly to: number };
  /** Pulls entropy back into this band around its past mean: EPO. */
  readonly band?: { readonly low: number; readonly high: number; readonly weight: number };
  /** The temperature of preferences: beta of DPO and KTO, 1/eta of SPPO. */
  readonly beta?: number;
  /** The share of imitation in the loss, falling along a cosine over this number of updates: CHORD. */
  readonly imitation?: { readonly from: number; readonly to: number; readonly updates: number };
};

export type RolloutSettings =
  | { readonly kind: 'iid' }
  /** Deals are spread evenly over the first chance outcomes. */
  | { readonly kind: 'even' }
  /** On a game tree: one seat, in turn, explores by choosing uniformly with this probability, and learns. */
  | { readonly kind: 'explore'; readonly share: number }
  | { readonly kind: 'group'; readonly size: number }
  /**
   * The group size depends on the task's success so far: full up to `above`, then fewer, down to `least` for a task that always succeeds
   * (DART). Its tasks come from a pool. `longer`: the turn limit of a solved task, as a multiple of its longest success; unsolved tasks
   * have the full limit.
   */
  | { readonly kind: 'adaptive'; readonly size: number; readonly least: number; readonly above: number; readonly longer?: number }
  /**
   * `fatigue`: how much each consecutive branch reduces the chance of the next one. `probe`: the trunk is a probe; the less certain its
   * first turns are relative to later ones, the more episodes start from the beginning (AEPO).
   */
  | {
      readonly kind: 'branch';
      readonly size: number;
      readonly trunk: number;
      readonly chance: number;
      readonly slope: number;
      readonly fatigue?: number;
      readonly probe?: boolean;
    }
  | { readonly kind: 'resample'; readonly size: number; readonly keep: number };

export type Replay =
  | { readonly kind: 'none' }
  /** `rescale`: scales the loss up to compensate for groups without a lesson. */
  | { readonly kind: 'inject'; readonly keep: number; readonly rescale?: boolean }
  | { readonly kind: 'imitate'; readonly room: number; readonly age: number; readonly rise: number }
  | { readonly kind: 'band'; readonly low: number; readonly high: number }
  /**
   * After every n updates, a generation, its good logs are imitated and the rest replayed, each for a number of generations (UI-TARS-2).
   * `least`: the minimum return of a good log. `rows`: the maximum of each kind in one update. `weight`: of imitation in the loss.
   */
  | {
      readonly kind: 'route';
      readonly updates: number;
      readonly least: number;
      readonly keep: number;
      readonly rows: number;
      readonly weight: number;
    };

export type Curriculum =
  | { readonly kind: 'uniform' }
  | { readonly kind: 'mixed' }
  | { readonly kind: 'spread'; readonly share: number }
  | { readonly kind: 'horizon'; readonly turns: readonly number[]; readonly every: number }
  | { readonly kind: 'unsolved'; readonly share: number }
  | { readonly kind: 'learnable' }
  /**
   * Each of this many tasks is played several times before training; only tasks with a success rate strictly between these bounds are
   * trained on (ARPO for GUIs).
   */
  | { readonly kind: 'first-pass'; readonly tasks: number; readonly tries: number; readonly above: number; readonly below: number }
  | { readonly kind: 'replayed-levels'; readonly temperature: number }
  | { readonly kind: 'opening'; readonly share: number; readonly moves: number }
  /** A teacher, by name or file, chooses tasks of the parameters; the reported figure is the mean return over all of them equally. */
  | {
      readonly kind: 'teacher';
      readonly teacher: string;
      /** The parameters that vary, optionally with their bounds. */
      readonly parameters?: Readonly<Record<string, readonly [number, number]>> | readonly string[];
      /** The maximum number of tasks to choose from. */
      readonly tasks?: number;
      /** The share of tasks drawn uniformly. */
      readonly even?: number;
    };

/**
 * The learner's input. whole: everything, as its own policy reads it. Otherwise it plays through the prompts of language agents: with a
 * window of the latest messages, a summary that it writes when the window is nearly full (SUPO), or a memo that it rewrites every turn
 * (MEM1); its notes to itself are part of its answers and are trained like them. episodes: several episodes of one task in one context
 * (ReLIC). latest: only the text of the latest message, whichever seat reads it, so that similar seats share their experience. moves: the
 * available moves and its own last one, reduced to the words of the environment's grammar, so that unknown names change nothing. offers:
 * each available move by its verb, its symbols and the place where its words were mentioned, without names and numbers.
 */
export type LearnerView =
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'window' | 'summary' | 'memo';
      /** The maximum tokens of a prompt, estimated as one per four characters. */
      readonly tokens: number;
      /** The maximum tokens of its notes to itself. */
      readonly memo?: number;
      /** Whether it may write a thought before its move, which is trained and not shown to other seats. */
      readonly thoughts?: boolean;
      /** Tools that it may use before it answers, and the maximum calls per turn; their results are input and not trained on. */
      readonly tools?: readonly string[];
      readonly steps?: number;
    }
  /**
   * `partial`: whether each update trains on its episode immediately, not only at the end of the context; true if unset. `sinks` and
   * `window`: the number of first and latest earlier episodes shown; all if unset. `shuffle`: they are shown in random order.
   */
  | {
      readonly kind: 'episodes';
      readonly count: number;
      readonly partial?: boolean;
      readonly sinks?: number;
      readonly window?: number;
      readonly shuffle?: boolean;
    }
  | { readonly kind: 'moves' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'offers' };

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

/**
 * The learner's policies on its seats. one: the same on all of them. own: one learner for each seat, trained together, or in turn for a
 * number of steps each (MARFT). opponents: it is told the type of its opponent, derived from its own observations (CLAM). set: several
 * latent strategies, with the best one used for each task (MRA). skills: it chooses among frozen agents, with initial preferences from
 * their results against known opponents (robot table tennis).
 */
export type Roles =
  | { readonly kind: 'one' }
  /** `shared`: imitation trains one network, which is then frozen; each seat has its own head on top. */
  | { readonly kind: 'own'; readonly alternate?: number; readonly shared?: boolean }
  /** `reads`: the number of latest messages in the input; all if unset. */
  | { readonly kind: 'opponents'; readonly codes: number; readonly reads?: number }
  /** `held`: tasks held out from training; at the end the best of the set is selected for each. */
  | { readonly kind: 'set'; readonly size: number; readonly reads?: number; readonly held?: readonly Json[] }
  /** `weight`: the initial weight of the measured results. */
  | { readonly kind: 'skills'; readonly skills: readonly string[]; readonly known: readonly string[]; readonly weight: number };

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
   * The learner: "table" over views by default, "gaussian" for numbers, "transformer", "tinker" on a server, or a file that creates one.
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
  readonly seats?: Readonly<Record<Seat, string>>;
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
