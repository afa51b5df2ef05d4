/** @file The slots of a recipe: the choices of each, their settings with ranges, and the types of both. */

import type { AnyFields, Field, ObjectOf, Shape, ShapeValue } from '@ludus-agents/kernel/internal/core/shape';
import {
  above,
  anything,
  boolean,
  choice,
  either,
  list,
  number,
  object,
  one,
  optional,
  orNull,
  record,
  required,
  whole,
  words,
} from '@ludus-agents/kernel/internal/core/shape';

export const count = whole(1, 1e7);
export const share = number(0, 1);
export const finite = number(-1e9, 1e9);
export const weight = number(0, 1e6);
export const positive = above(0, 1000);

const groupField = one('environment', 'seat', 'prompt', 'turn', 'state', 'deal', 'position', 'opponents');
/**
 * The fields that define comparison groups; with none, the whole batch is one group. Events before a move are not its effect, whether its
 * seat could see them or not, so `deal` (the first chance outcome), `position` (the deal and all moves since) and `opponents` may be part
 * of the comparison.
 */
export type GroupField = ShapeValue<typeof groupField>;
const key = list(groupField);

type SlotOf<C extends Readonly<Record<string, AnyFields>>> = {
  [K in keyof C]: ObjectOf<{ readonly kind: Field<K, 'required'> } & C[K]>;
}[keyof C];

/** A slot: one object for each choice, distinguished by its kind. */
export function slot<const C extends Readonly<Record<string, AnyFields>>>(choices: C): Shape<SlotOf<C>> {
  const variants = Object.entries(choices).map(([kind, settings]) => [kind, object({ kind: required(one(kind)), ...settings })] as const);
  return choice<SlotOf<C>>('kind', Object.fromEntries(variants));
}

/** A setting that may change during the run, along a geometric line. */
export type Setting = number | { readonly from: number; readonly to: number };

export const span = (of: Shape<number>) => object({ from: required(of), to: required(of) });
/** One number for the whole run, or one that changes during the run. */
export const changing = (of: Shape<number>): Shape<Setting> => either<Setting>('a number, or "from" and "to"', of, span(of));

/** The reward source of the turns: any that a reward channel may name. */
const source = { by: optional(words), reference: optional(anything), card: optional(words) };

export const assignment = slot({
  outcome: {},
  /** `penalties: 'own'`: a turn is only penalized for the rule that it broke itself. */
  'return-to-go': { discount: required(share), penalties: optional(one('own', 'later')) },
  /** From a judge that knows the answer, or from the environment itself, if it rewards the information that a turn revealed. */
  'information-gain': { discount: required(share), by: required(one('judge', 'world')) },
  checklist: source,
  /** The share of the others of its group that an episode beats: by its return, or by a preference function in a file. */
  'win-rate': { by: optional(words) },
  'human-gain': source,
  critic: { discount: required(share) },
});

/** The reward of a decision: one number for each turn of a seat. */
export type Assignment = ShapeValue<typeof assignment>;

export const baseline = slot({
  none: {},
  group: {
    key: required(key),
    center: required(one('none', 'mean', 'leave-one-out', 'median')),
    scale: required(one('none', 'std', 'batch-std')),
    /** A second group whose advantage is added: GiGPO's states. */
    plus: optional(object({ key: required(key), weight: required(finite), discount: required(share) })),
    /** AEPO: the extra weight of a token for each standard deviation of its surprise above the mean. */
    entropy: optional(share),
  },
  running: { key: required(key), decay: required(share) },
  /** Learned values of every position of a game tree, including hidden information: control variates for choices and chance (VR-MCCFR). */
  positions: { decay: required(share) },
  value: {
    level: required(one('token', 'turn', 'two-level')),
    discount: required(share),
    trace: required(share),
    /** A trace that depends on the episode's length: 1 − 1/(α·tokens) for the policy, and 1 for the critic (UI-TARS-2, VAPO). */
    alpha: optional(above(0, 1000)),
    /** The number of initial updates that train only the critic. */
    warm: optional(whole(0, 1e7)),
    /** Turns of all the learner's seats form one chain, in order of play, and share the seats' rewards (MARFT). */
    joint: optional(boolean),
  },
  /**
   * Critics of utterances with target networks, trained on a replay of past transitions too (ArCHer). A table by text, unless set to
   * `states` of the network that reads the text, so that similar texts have similar values.
   */
  utterances: { discount: required(share), room: required(count), sweeps: required(count), by: optional(one('texts', 'states')) },
  /**
   * A baseline from the seat's observations, and a central one by the position, including hidden information, used where it is worth its
   * price (MANSA): decided by a rule, or by a learned switch. `cost`: the price of a use in units of return. `budget`: the maximum share of
   * returns compared by the central one.
   */
  bought: { cost: required(weight), decay: required(share), switch: optional(one('rule', 'learned')), budget: optional(share) },
});

export type Baseline = ShapeValue<typeof baseline>;

const observation = {
  /** The maximum tokens of a prompt, estimated as one per four characters. */
  tokens: required(whole(200, 1e7)),
  /** The maximum tokens of its notes to itself. */
  memo: optional(whole(20, 1e5)),
  /** Whether it may write a thought before its move, which is trained and not shown to other seats. */
  thoughts: optional(boolean),
  /** Tools that it may use before it answers, and the maximum calls per turn; their results are input and not trained on. */
  tools: optional(list(words)),
  steps: optional(whole(0, 64)),
};
export const view = slot({
  whole: {},
  window: observation,
  summary: observation,
  memo: observation,
  /**
   * `partial`: whether each update trains on its episode immediately, not only at the end of the context; true if unset. `sinks` and
   * `window`: the number of first and latest earlier episodes shown; all if unset. `shuffle`: they are shown in random order.
   */
  episodes: {
    count: required(whole(2, 10_000)),
    partial: optional(boolean),
    sinks: optional(count),
    window: optional(count),
    shuffle: optional(boolean),
  },
  moves: {},
  latest: {},
  offers: {},
});

/**
 * The learner's input. whole: everything, as its own policy reads it. Otherwise it plays through the prompts of language agents: with a
 * window of the latest messages, a summary that it writes when the window is nearly full (SUPO), or a memo that it rewrites every turn
 * (MEM1); its notes to itself are part of its answers and are trained like them. episodes: several episodes of one task in one context
 * (ReLIC). latest: only the text of the latest message, whichever seat reads it, so that similar seats share their experience. moves: the
 * available moves and its own last one, reduced to the words of the environment's grammar, so that unknown names change nothing. offers:
 * each available move by its verb, its symbols and the place where its words were mentioned, without names and numbers.
 */
export type LearnerView = ShapeValue<typeof view>;

export const roles = slot({
  one: {},
  /** `shared`: imitation trains one network, which is then frozen; each seat has its own head on top. */
  own: { alternate: optional(count), shared: optional(boolean) },
  /** `reads`: the number of latest messages in the input; all if unset. */
  opponents: { codes: required(whole(1, 64)), reads: optional(whole(0, 1000)) },
  /** `held`: tasks held out from training; at the end the best of the set is selected for each. */
  set: { size: required(whole(1, 64)), reads: optional(whole(0, 1000)), held: optional(list(anything)) },
  /** `weight`: the initial weight of the measured results. */
  skills: { skills: required(list(words, { from: 2 })), known: required(list(words)), weight: required(weight) },
  /** `alone`: the number of steps for which each level is trained alone, in order, before all are trained. */
  levels: { levels: required(list(words, { from: 2 })), alone: optional(list(count)) },
});

/**
 * The learner's policies on its seats. one: the same on all of them. own: one learner for each seat, trained together, or in turn for a
 * number of steps each (MARFT). opponents: it is told the type of its opponent, derived from its own observations (CLAM). set: several
 * latent strategies, with the best one used for each task (MRA). skills: it chooses among frozen agents, with initial preferences from
 * their results against known opponents (robot table tennis). levels: one learner for each level of decisions that asks name (HCSP).
 */
export type Roles = ShapeValue<typeof roles>;

export const rollout = slot({
  iid: {},
  /** Deals are spread evenly over the first chance outcomes. */
  even: {},
  /** On a game tree: one seat, in turn, explores by choosing uniformly with this probability, and learns. */
  explore: { share: required(share) },
  group: { size: required(count) },
  /**
   * The group size depends on the task's success so far: full up to `above`, then fewer, down to `least` for a task that always succeeds
   * (DART). Its tasks come from a pool. `longer`: the turn limit of a solved task, as a multiple of its longest success; unsolved tasks
   * have the full limit.
   */
  adaptive: { size: required(count), least: required(count), above: required(share), longer: optional(number(1, 1000)) },
  /**
   * `fatigue`: how much each consecutive branch reduces the chance of the next one. `probe`: the trunk is a probe; the less certain its
   * first turns are relative to later ones, the more episodes start from the beginning (AEPO).
   */
  branch: {
    size: required(count),
    trunk: required(count),
    chance: required(share),
    slope: required(finite),
    fatigue: optional(share),
    probe: optional(boolean),
  },
  resample: { size: required(count), keep: required(count) },
});

export type RolloutSettings = ShapeValue<typeof rollout>;

export const replay = slot({
  none: {},
  /** `rescale`: scales the loss up to compensate for groups without a lesson. */
  inject: { keep: required(count), rescale: optional(boolean) },
  imitate: { room: required(count), age: required(count), rise: required(number(0, 1e9)) },
  band: { low: required(finite), high: required(finite) },
  /**
   * After every n updates, a generation, its good logs are imitated and the rest replayed, each for a number of generations (UI-TARS-2).
   * `least`: the minimum return of a good log. `rows`: the maximum of each kind in one update. `weight`: of imitation in the loss.
   */
  route: { updates: required(count), least: required(finite), keep: required(count), rows: required(count), weight: required(weight) },
});

export type Replay = ShapeValue<typeof replay>;

/** The parameters that vary, optionally with their bounds. */
export const varying = either<readonly string[] | Readonly<Record<string, readonly [number, number]>>>(
  'a list of names, or bounds by name',
  list(words),
  record(list(finite, 2)) as unknown as Shape<Readonly<Record<string, readonly [number, number]>>>,
);

export const curriculum = slot({
  uniform: {},
  mixed: {},
  spread: { share: required(share) },
  horizon: { turns: required(list(count)), every: required(count) },
  unsolved: { share: required(share) },
  learnable: {},
  /**
   * Each of this many tasks is played several times before training; only tasks with a success rate strictly between these bounds are
   * trained on (ARPO for GUIs).
   */
  'first-pass': { tasks: required(whole(1, 256)), tries: required(count), above: required(number(-1, 1)), below: required(number(0, 2)) },
  'replayed-levels': { temperature: required(positive) },
  opening: { share: required(share), moves: required(count) },
  /**
   * A teacher, by name or file, chooses tasks of the parameters; the reported figure is the mean return over all of them equally. `tasks`:
   * the maximum number to choose from. `even`: the share of tasks drawn uniformly.
   */
  teacher: { teacher: required(words), parameters: optional(varying), tasks: optional(whole(2, 4096)), even: optional(share) },
});

export type Curriculum = ShapeValue<typeof curriculum>;

const aggregation = one('token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum', 'constant', 'games');
/** `games`: the sum over all games of an environment, divided by their number, regardless of their number of turns. */
export type Aggregation = ShapeValue<typeof aggregation>;

export const loss = object({
  kind: required(
    one('policy-gradient', 'clipped', 'log-clipped', 'kept-gradient', 'squared', 'preference', 'desirability', 'imitation', 'mirror'),
  ),
  step: optional(changing(positive), 'step size of mirror descent: one number, or "from" and "to"'),
  clip: optional(list(number(0, 1e9), 2) as Shape<readonly [number, number]>, 'clip range of the ratio, below and above 1'),
  dual: optional(positive),
  aggregation: required(aggregation),
  /** The divisor of sums under `constant`, besides the number of sequences. */
  length: optional(above(0, 1e7), 'divisor of the aggregation "constant"'),
  /**
   * A penalty on the divergence from the reference. exact: of whole distributions, if the learner computes them. `refresh`: updates between
   * two references. `follow`: the share of the distance to the current weights that the reference moves at each update, from the first to
   * the last.
   */
  kl: optional(
    object({
      weight: required(changing(weight), 'one number, or "from" and "to"'),
      estimate: required(one('exact', 'k1', 'k2', 'k3')),
      refresh: required(orNull(count), 'updates between copies of the weights to the reference; null for a fixed reference'),
      follow: optional(span(positive), 'how far the reference moves toward the weights at each update, from 0 to 1'),
    }),
    'KL penalty: the pull toward the reference',
  ),
  norm: optional(positive, 'maximum gradient norm'),
  entropy: optional(span(weight)),
  /** Pulls entropy back into this band around its past mean: EPO. */
  band: optional(object({ low: required(finite), high: required(finite), weight: required(weight) })),
  /** The temperature of preferences: beta of DPO and KTO, 1/eta of SPPO. */
  beta: optional(positive, 'temperature of the preference loss'),
  /** The number of passes over an update's episodes; one if unset. Ratios are relative to the policy that played them. */
  epochs: optional(count, 'epochs per update'),
  /** The number of parts of an update, with a step after each; prompts stay whole. One if unset. */
  minibatches: optional(count, 'minibatches per epoch'),
  /** The share of imitation in the loss, falling along a cosine over this number of updates: CHORD. */
  imitation: optional(object({ from: required(share), to: required(share), updates: required(count) })),
});

export type Loss = ShapeValue<typeof loss>;
