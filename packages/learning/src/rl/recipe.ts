/** @file A recipe is a training method as data: one choice for each slot, and where it was published. */

import { canonical, type Json, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Guidance, KeptSource, RewardModelSettings, Rounds } from './lesson-sources.ts';
import type { PaySource, RewardChannel } from './reward-settings.ts';
import type { CoevolutionSettings, ExperimentSettings, Phase } from './stages.ts';
import type { WarmUp } from './warm-up.ts';

export type { Guidance, KeptSource, RewardModelSettings, Rounds, Weighing } from './lesson-sources.ts';
export type { PaySource, RewardChannel } from './reward-settings.ts';
export type { CoevolutionSettings, ExperimentSettings, Phase } from './stages.ts';

/** What a decision is paid: one number for each turn of a seat. */
export type Assignment =
  | { readonly kind: 'outcome' }
  /** `penalties: 'own'`: a turn pays for the rule that it broke itself, and for no later one. */
  | { readonly kind: 'return-to-go'; readonly discount: number; readonly penalties?: 'own' | 'later' }
  /** By a judge who knows the answer, or by the environment itself, where it pays for what a turn has revealed. */
  | { readonly kind: 'information-gain'; readonly discount: number; readonly by: 'judge' | 'world' }
  /** `by`: the reward source of the turns: any that a channel of rewards may name. */
  | ({ readonly kind: 'checklist' } & PaySource)
  /** The share of the others of its group that an episode beats: by its return, or by a preference function in a file. */
  | { readonly kind: 'win-rate'; readonly by?: string }
  | ({ readonly kind: 'human-gain' } & PaySource)
  | { readonly kind: 'critic'; readonly discount: number };

/**
 * Who is compared with whom. Nothing named: the whole batch. What came before a move is not its effect, whether its seat could see it or not,
 * so `deal` (what chance did first), `position` (the deal and all moves since) and `opponents` may be part of the comparison.
 */
export type GroupField = 'environment' | 'seat' | 'prompt' | 'turn' | 'state' | 'deal' | 'position' | 'opponents';

/** A setting that may change over the run, along a geometric line. */
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
      /** How much more a token counts for each deviation that it was less certain than others: AEPO. */
      readonly entropy?: number;
    }
  | { readonly kind: 'running'; readonly key: readonly GroupField[]; readonly decay: number }
  /** Learned values of every position of a game tree, hidden information included: control variates for choices and chance (VR-MCCFR). */
  | { readonly kind: 'positions'; readonly decay: number }
  | {
      readonly kind: 'value';
      readonly level: 'token' | 'turn' | 'two-level';
      readonly discount: number;
      readonly trace: number;
      /** The trace by the length of an episode: 1 − 1/(α·tokens) for the policy, and 1 for the critic (UI-TARS-2, VAPO). */
      readonly alpha?: number;
      /** Updates in which the critic learns and the policy stays as it is. */
      readonly warm?: number;
      /** Turns of all the learner's seats are one chain, in the order they were made, and share what the seats are paid (MARFT). */
      readonly joint?: boolean;
    }
  /**
   * Critics of utterances with targets, learned from so many transitions of old policies too (ArCHer). By texts, each for itself, unless set; by
   * `states` of the network that reads them, so that what reads alike is judged alike.
   */
  | {
      readonly kind: 'utterances';
      readonly discount: number;
      readonly room: number;
      readonly sweeps: number;
      readonly by?: 'texts' | 'states';
    }
  /**
   * A baseline of what a seat sees, and a central one by the position, hidden things included, where that pays (MANSA): by a rule, or by a switch
   * that learns. `cost`: the price of a use in units of return. `budget`: the share of returns that the central one may compare, at most.
   */
  | {
      readonly kind: 'bought';
      readonly cost: number;
      readonly decay: number;
      readonly switch?: 'rule' | 'learned';
      readonly budget?: number;
    };

/** `games`: sums over the games of an environment, divided by their number, however many turns they took. */
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
  /** How often an update goes over its episodes; once unless set. Ratios keep to the policy that played them. */
  readonly epochs?: number;
  /** Into how many parts, with a step after each, an update is cut; prompts stay whole. One unless set. */
  readonly minibatches?: number;
  readonly aggregation: Aggregation;
  /** What sums are divided by under `constant`, besides the number of sequences. */
  readonly length?: number;
  /**
   * A pull towards the reference. exact: of whole distributions, where the learner sees them. `refresh`: updates between two references.
   * `follow`: the share of the way to the weights as they are that the reference goes at each update, from the first to the last.
   */
  readonly kl?: {
    readonly weight: Setting;
    readonly estimate: 'exact' | 'k1' | 'k2' | 'k3';
    readonly refresh: number | null;
    readonly follow?: { readonly from: number; readonly to: number };
  };
  /** The longest gradient that is applied as it is. */
  readonly norm?: number;
  readonly entropy?: { readonly from: number; readonly to: number };
  /** Entropy outside this band around its past mean is drawn back in: EPO. */
  readonly band?: { readonly low: number; readonly high: number; readonly weight: number };
  /** The temperature of preferences: beta of DPO and KTO, 1/eta of SPPO. */
  readonly beta?: number;
  /** The share of imitation in the loss, falling along a cosine over so many updates: CHORD. */
  readonly imitation?: { readonly from: number; readonly to: number; readonly updates: number };
};

export type RolloutSettings =
  | { readonly kind: 'iid' }
  /** Deals are spread evenly over what chance can do first. */
  | { readonly kind: 'even' }
  /** On a game tree: one seat, in turn, chooses uniformly with this probability, and learns. */
  | { readonly kind: 'explore'; readonly share: number }
  | { readonly kind: 'group'; readonly size: number }
  /**
   * By the success of a task so far: up to `above` in full number, then fewer, and `least` where it never fails (DART). Its tasks come from a
   * pool. `longer`: a task that was solved is given so many times the turns of its longest success; one that never was, all there are.
   */
  | { readonly kind: 'adaptive'; readonly size: number; readonly least: number; readonly above: number; readonly longer?: number }
  /**
   * `fatigue`: by how much each branch in a row makes the next one less likely. `probe`: the trunk is a probe, after which more episodes begin
   * afresh the less certain their first turns are next to later ones (AEPO).
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
  /** `rescale`: what is learned counts more by as much as there are groups without a lesson. */
  | { readonly kind: 'inject'; readonly keep: number; readonly rescale?: boolean }
  | { readonly kind: 'imitate'; readonly room: number; readonly age: number; readonly rise: number }
  | { readonly kind: 'band'; readonly low: number; readonly high: number }
  /**
   * After every n updates, a generation, its good logs go to imitation and the rest to replay, each for so many generations (UI-TARS-2).
   * `least`: what a good one returns. `rows`: of each kind, the most that one update learns from. `weight`: of imitation in the loss.
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
   * This many tasks are played so many times before anything is learned; those whose share of success was above and below these bounds are the
   * ones that are trained on (ARPO for GUIs).
   */
  | { readonly kind: 'first-pass'; readonly tasks: number; readonly tries: number; readonly above: number; readonly below: number }
  | { readonly kind: 'replayed-levels'; readonly temperature: number }
  | { readonly kind: 'opening'; readonly share: number; readonly moves: number }
  /** A teacher chooses among tasks of the parameters, by name or by file; what is reported is what the learner is paid on all of them alike. */
  | {
      readonly kind: 'teacher';
      readonly teacher: string;
      /** Which parameters vary, or within which bounds. */
      readonly parameters?: Readonly<Record<string, readonly [number, number]>> | readonly string[];
      /** Tasks to choose from, at most. */
      readonly tasks?: number;
      /** The share that is drawn evenly. */
      readonly even?: number;
    };

/**
 * What the learner sees. whole: everything, as its own policy reads it. Else it plays through the prompts of language agents, with a window
 * of the latest, a summary that it writes when the window is nearly full (SUPO), or a memo that it rewrites every turn (MEM1); what it wrote
 * to itself is part of its answers, and is trained like the rest of them. episodes: so many episodes of one task in one context (ReLIC).
 * latest: the text of the latest message alone, whichever seat reads it, so that seats that are alike share what they learn.
 * moves: the moves on offer and its own last one, in the words of the environment's grammar alone, so that names it has never met change nothing.
 * offers: each move on offer by its verb, its signs and where the words in it were said, so that neither names nor numbers are read.
 */
export type LearnerView =
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'window' | 'summary' | 'memo';
      /** The most tokens of a prompt, one for four letters. */
      readonly tokens: number;
      /** The most tokens of what it writes to itself. */
      readonly memo?: number;
      /** Whether it may write a thought before its move, which is trained, and which no other seat ever reads. */
      readonly thoughts?: boolean;
      /** Tools that it may use before it answers, and how often in one turn: what they give is read and never trained. */
      readonly tools?: readonly string[];
      readonly steps?: number;
    }
  /**
   * `partial`: whether each update learns from its episode at once, and not at the end of the context alone; true unless set. `sinks` and
   * `window`: of the earlier episodes, the first and the latest that are shown; all unless set. `shuffle`: they are shown in a drawn order.
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
  /** Brings its rewards to the size of others': a chip, a mark, a point of bargain. */
  readonly scale: number;
  /** A script of the environment that takes one of the seats in a share of the episodes: an anchor, for what a model cannot teach itself. */
  readonly anchor?: { readonly script: string; readonly share: number };
};

/** An environment and its task as a key. */
export function environmentKey({ environment, task }: Pick<TrainingEnvironment, 'environment' | 'task'>): string {
  return Object.keys(task).length === 0 ? environment : `${environment} ${canonical(task as Json)}`;
}

/**
 * Who the learner is on its seats. one: the same on all of them. own: one learner for each seat, trained together, or one after the other
 * for so many steps each (MARFT). opponents: it is told which of a few kinds its opponent is like, by what it observed itself (CLAM). set:
 * so many latent strategies, of which each task comes to be played by the best (MRA). skills: it chooses among agents that stay as they
 * are, beginning with what they brought against known opponents (robot table tennis).
 */
export type Roles =
  | { readonly kind: 'one' }
  /** `shared`: imitation trains one network, which stays as it is from then on; each seat has a head of its own upon it. */
  | { readonly kind: 'own'; readonly alternate?: number; readonly shared?: boolean }
  /** `reads`: how many of the latest messages are read besides; all unless set. */
  | { readonly kind: 'opponents'; readonly codes: number; readonly reads?: number }
  /** `held`: tasks that are not trained on; at the end the best of the set is sought for each. */
  | { readonly kind: 'set'; readonly size: number; readonly reads?: number; readonly held?: readonly Json[] }
  /** `weight`: how much what was measured counts at the beginning. */
  | { readonly kind: 'skills'; readonly skills: readonly string[]; readonly known: readonly string[]; readonly weight: number };

/** What a recipe trains on by default, and for how long. */
export type Training = {
  readonly environment: string;
  readonly task?: Json;
  /** Several tasks of the environment, in turn, in place of the one. */
  readonly tasks?: readonly Json[];
  /** Several environments at once, by one learner, in place of the one: every update plays all of them. */
  readonly environments?: readonly TrainingEnvironment[];
  /** The most turns of an episode; the environment's own limit unless set. */
  readonly turns?: number;
  readonly optimiser: 'adam' | 'sgd' | 'mirror';
  /** The learning rate, from the first update to the last, along a geometric line. */
  readonly rate: { readonly from: number; readonly to: number };
  /**
   * Updates over which the rate rises from nothing. What imitation leaves behind is an optimizer used to small gradients: at full rate the
   * first large ones would throw the heads of attention to wherever they look first, and they would not look back.
   */
  readonly ramp?: number;
  /** How slowly Adam forgets squares of gradients; the learner's own choice unless set. */
  readonly squares?: number;
  /**
   * The share of the updates, at the end, over which the weights are averaged; the run ends with their mean. What is left of the noise of
   * single updates goes out of the last policy that way, at no cost.
   */
  readonly average?: number;
  /** The share of the updates, at the very end, in which a model that takes mirror steps is trained towards the average of its policies (NFSP). */
  readonly distill?: number;
  readonly games: number;
  /** The run ends once the learner has written so many tokens, if its games last so long: methods are compared at equal cost. */
  readonly tokens?: number;
  /** Episodes of one update. */
  readonly batch: number;
  /** The learner: "table" by views unless set, "gaussian" for numbers, "transformer", "tinker" on a server, or a file that makes one. */
  readonly learner?: string;
  /**
   * Of a language model: how wide, how many layers and heads, the most tokens it can read, the most it answers, and how large a vocabulary it
   * learns; small ones by default.
   */
  readonly sizes?: {
    readonly width?: number;
    readonly layers?: number;
    readonly heads?: number;
    readonly context?: number;
    readonly answer?: number;
    readonly vocabulary?: number;
  };
  /** Of a learner on a server: where it is, which model it trains, the rank of what is trained of it, and the file with its tokenizer. */
  readonly server?: { readonly url: string; readonly base: string; readonly rank?: number; readonly tokenizer?: string };
  /**
   * Who plays the other seats: the learner itself unless set, a league, or any agent: "random", a script of the environment, "local/RUN@best",
   * "llm:…", a file; or several of them, with commas, one after the other. The learner faces each from every seat in turn.
   */
  readonly opponents?: string;
  /** Who plays a seat in every game: "learner", or any agent. A seat that is left out goes to the script named after it, else to the learner. */
  readonly seats?: Readonly<Record<Seat, string>>;
  readonly personas?: Readonly<Record<Seat, string>>; // Whom a seat is meant to be, for reward sources; agents bring their own.
  readonly team?: string; // Its members are seats; `member` names those that learn.
  readonly member?: string;
  /** Play the next batch, or the next few, while this one's gradient is computed: the learner does not wait for slow play or slow judges. */
  readonly ahead?: boolean | number;
  /**
   * Episodes go on one by one, as many at a time as is said (64 for true), instead of in lock-step, and updates do not wait for them. On unless
   * set where the learner has tools or a seat is played by an agent from outside.
   */
  readonly overlap?: boolean | number;
  /** What a learner does first: imitate a script, or random legal play. */
  readonly warmUp?: WarmUp;
};

/** A training method as data: one choice for each slot. */
export type Recipe = {
  readonly name: string;
  /** What it is called where it was published, and where that was. */
  readonly method: string;
  readonly source: string;
  /** How it differs from the one it is nearest to, or from what was published. */
  readonly differs: string;
  /** What of the published method it does not do. */
  readonly omits?: string;
  readonly assignment: Assignment;
  /** The whole unless set. */
  readonly view?: LearnerView;
  /** One learner for all seats unless set. */
  readonly roles?: Roles;
  readonly baseline: Baseline;
  readonly loss: Loss;
  readonly rollout: RolloutSettings;
  readonly replay: Replay;
  readonly curriculum: Curriculum;
  /** Where truncated importance sampling cuts off; null for none. */
  readonly importance: number | null;
  /** Settings by path for a learner on a server, where a large model is trained by an adapter; what the user sets goes before them. */
  readonly onServer?: Readonly<Record<string, number>>;
  readonly training: Training;
  /** Tasks are proposed by a learner and tried by the solver; both learn. */
  readonly coevolution?: CoevolutionSettings;
  /**
   * What turns are paid by: `environment` and `penalty`, which count 1 unless set, and channels of judges by their names. Each counts by its
   * weight, which may change over the run.
   */
  readonly rewards?: Readonly<Record<string, RewardChannel>>;
  /** An experimenter leads the training through skills, each as long as it says. */
  readonly experiment?: ExperimentSettings;
  /** Kept episodes that are learned from besides play, or in its place. */
  readonly kept?: KeptSource;
  readonly rounds?: Rounds;
  readonly guidance?: Guidance;
  /** Pays episodes in place of the environment once its card allows it; the environment pays what is reported. */
  readonly rewardModel?: RewardModelSettings;
  /** A game about single steps of an expert in the environment is what is played, in its place: a generator of errors against a critic. */
  readonly stepGame?: { readonly expert: string; readonly episodes: number };
  /** Stages one after the other, each with its own choices; the run ends with the last of them. */
  readonly phases?: readonly Phase[];
};
