/** @file The schema of a recipe: the choices of each slot, and their settings with ranges. Recipe files and --set are validated against it. */

import {
  above,
  anything,
  boolean,
  choice,
  either,
  type Field,
  type Fields,
  list,
  number,
  object,
  one,
  optional,
  orNull,
  pattern,
  readAs,
  record,
  required,
  type Shape,
  text,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { coevolution } from './coevolution-shape.ts';
import type {
  Assignment,
  Baseline,
  Curriculum,
  GroupField,
  Guidance,
  KeptSource,
  LearnerView,
  Loss,
  Phase,
  Recipe,
  Replay,
  RewardChannel,
  RewardModelSettings,
  Roles,
  RolloutSettings,
  Setting,
  Training,
  TrainingEnvironment,
  Weighing,
} from './recipe.ts';
import { rounds } from './rounds-shape.ts';
import type { WarmUp } from './warm-up.ts';

const count = whole(1, 1e7);
const games = whole(1, 1e12);
const share = number(0, 1);
const finite = number(-1e9, 1e9);
const weight = number(0, 1e6);
const positive = above(0, 1000);
const key: Shape<readonly GroupField[]> = list(one('environment', 'seat', 'prompt', 'turn', 'state', 'deal', 'position', 'opponents'));

/** A slot: one object for each choice, distinguished by its kind. */
function slot<T extends { readonly kind: string }>(choices: Readonly<Record<T['kind'], Readonly<Record<string, Field<never>>>>>): Shape<T> {
  const variants = Object.entries(choices as Readonly<Record<string, object>>).map(([kind, settings]) => {
    return [kind, object({ kind: required(one(kind)), ...settings } as Fields<{ kind: string }>)] as const;
  });
  return choice<T>('kind', Object.fromEntries(variants));
}

const set = (shape: Shape<unknown>): Field<never> => required(shape) as Field<never>;
const maybe = (shape: Shape<unknown>): Field<never> => optional(shape) as Field<never>;

const source = { by: maybe(words), reference: maybe(anything), card: maybe(words) };
const assignment = slot<Assignment>({
  outcome: {},
  'return-to-go': { discount: set(share), penalties: maybe(one('own', 'later')) },
  'information-gain': { discount: set(share), by: set(one('judge', 'world')) },
  checklist: source,
  'win-rate': { by: maybe(words) },
  'human-gain': source,
  critic: { discount: set(share) },
});

const baseline = slot<Baseline>({
  none: {},
  group: {
    key: set(key),
    center: set(one('none', 'mean', 'leave-one-out', 'median')),
    scale: set(one('none', 'std', 'batch-std')),
    plus: maybe(
      object<{ key: readonly GroupField[]; weight: number; discount: number }>({
        key: required(key),
        weight: required(finite),
        discount: required(share),
      }),
    ),
    entropy: maybe(share),
  },
  running: { key: set(key), decay: set(share) },
  positions: { decay: set(share) },
  value: {
    level: set(one('token', 'turn', 'two-level')),
    discount: set(share),
    trace: set(share),
    alpha: maybe(above(0, 1000)),
    warm: maybe(whole(0, 1e7)),
    joint: maybe(boolean),
  },
  utterances: { discount: set(share), room: set(count), sweeps: set(count), by: maybe(one('texts', 'states')) },
  bought: { cost: set(weight), decay: set(share), switch: maybe(one('rule', 'learned')), budget: maybe(share) },
});

const observation = {
  tokens: set(whole(200, 1e7)),
  memo: maybe(whole(20, 1e5)),
  thoughts: maybe(boolean),
  tools: maybe(list(words)),
  steps: maybe(whole(0, 64)),
};
const view = slot<LearnerView>({
  whole: {},
  window: observation,
  summary: observation,
  memo: observation,
  episodes: { count: set(whole(2, 10_000)), partial: maybe(boolean), sinks: maybe(count), window: maybe(count), shuffle: maybe(boolean) },
  moves: {},
  latest: {},
  offers: {},
});

const roles = slot<Roles>({
  one: {},
  own: { alternate: maybe(count), shared: maybe(boolean) },
  opponents: { codes: set(whole(1, 64)), reads: maybe(whole(0, 1000)) },
  set: { size: set(whole(1, 64)), reads: maybe(whole(0, 1000)), held: maybe(list(anything)) },
  skills: { skills: set(list(words, { from: 2 })), known: set(list(words)), weight: set(weight) },
});

const rollout = slot<RolloutSettings>({
  iid: {},
  even: {},
  explore: { share: set(share) },
  group: { size: set(count) },
  adaptive: { size: set(count), least: set(count), above: set(share), longer: maybe(number(1, 1000)) },
  branch: { size: set(count), trunk: set(count), chance: set(share), slope: set(finite), fatigue: maybe(share), probe: maybe(boolean) },
  resample: { size: set(count), keep: set(count) },
});

const replay = slot<Replay>({
  none: {},
  inject: { keep: set(count), rescale: maybe(boolean) },
  imitate: { room: set(count), age: set(count), rise: set(number(0, 1e9)) },
  band: { low: set(finite), high: set(finite) },
  route: { updates: set(count), least: set(finite), keep: set(count), rows: set(count), weight: set(weight) },
});

const curriculum = slot<Curriculum>({
  uniform: {},
  mixed: {},
  spread: { share: set(share) },
  horizon: { turns: set(list(count)), every: set(count) },
  unsolved: { share: set(share) },
  learnable: {},
  'first-pass': { tasks: set(whole(1, 256)), tries: set(count), above: set(number(-1, 1)), below: set(number(0, 2)) },
  'replayed-levels': { temperature: set(positive) },
  opening: { share: set(share), moves: set(count) },
  teacher: {
    teacher: set(words),
    parameters: maybe(either<unknown>('a list of names, or bounds by name', list(words), record(list(finite, 2)))),
    tasks: maybe(whole(2, 4096)),
    even: maybe(share),
  },
});

const span = (of: Shape<number>) => object<{ from: number; to: number }>({ from: required(of), to: required(of) });
/** One number for the whole run, or one that changes during the run. */
const changing = (of: Shape<number>): Shape<Setting> => either<Setting>('a number, or "from" and "to"', of, span(of));

const loss = object<Loss>({
  kind: required(
    one('policy-gradient', 'clipped', 'log-clipped', 'kept-gradient', 'squared', 'preference', 'desirability', 'imitation', 'mirror'),
  ),
  step: optional(changing(positive), 'the size of a mirror step: one number, or "from" and "to"'),
  clip: optional(list(number(0, 1e9), 2) as Shape<NonNullable<Loss['clip']>>, 'how far the ratio may go below and above 1'),
  dual: optional(positive),
  aggregation: required(one('token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum', 'constant', 'games')),
  length: optional(above(0, 1e7), 'what sums are divided by under "constant"'),
  kl: optional(
    object<NonNullable<Loss['kl']>>({
      weight: required(changing(weight), 'one number, or "from" and "to"'),
      estimate: required(one('exact', 'k1', 'k2', 'k3')),
      refresh: required(orNull(count), 'updates between two references; null for never'),
      follow: optional(span(positive), 'the share of the way to the weights that the reference goes at each update'),
    }),
    'the pull towards the reference',
  ),
  norm: optional(positive, 'the longest gradient that is applied as it is'),
  entropy: optional(span(weight)),
  band: optional(object<NonNullable<Loss['band']>>({ low: required(finite), high: required(finite), weight: required(weight) })),
  beta: optional(positive, 'the temperature of preferences'),
  epochs: optional(count, 'how often an update goes over its episodes'),
  minibatches: optional(count, 'into how many steps an epoch is cut'),
  imitation: optional(object<NonNullable<Loss['imitation']>>({ from: required(share), to: required(share), updates: required(count) })),
});

const warmUp = object<WarmUp>({
  games: required(count),
  steps: required(whole(0, 1e7), 'steps of imitation; 0 starts without any, as a control'),
  rate: required(positive),
  rows: optional(count),
  slips: optional(share),
  script: optional(words, 'the script that is imitated; random legal play unless set'),
  errs: optional(
    object<NonNullable<WarmUp['errs']>>({ script: required(words), share: required(share) }),
    'a second script that answers in place of the first, at a share of the turns',
  ),
});

type Sizes = NonNullable<Training['sizes']>;
const environment = object<TrainingEnvironment>({
  environment: required(words),
  task: withDefault(record(anything), {}),
  scale: withDefault(finite, 1, 'brings its rewards to the size of others’'),
  anchor: optional(object<NonNullable<TrainingEnvironment['anchor']>>({ script: required(words), share: required(share) })),
});

const training = object<Training>({
  environment: required(words, 'a name, a file, or a package'),
  task: optional(anything, 'parameters of the environment'),
  tasks: optional(list(anything, { from: 1 }), 'several tasks of the environment, in turn, in place of the one'),
  environments: optional(
    list(environment, { from: 1 }),
    'several environments at once, instead of one; a seat with a script of the same name is played by that script',
  ),
  turns: optional(count, 'the most turns of an episode'),
  optimiser: required(one('adam', 'sgd', 'mirror')),
  rate: required(span(positive), 'the learning rate, from the first update to the last'),
  ramp: optional(number(1, 1e9), 'updates over which the rate rises from nothing'),
  squares: optional(share, 'how slowly Adam forgets squares of gradients'),
  average: optional(share, 'the share of updates, at the end, whose average weights are the result'),
  distill: optional(share, 'the share of updates, at the end, in which a language model is trained towards the average of its policies'),
  games: required(games),
  tokens: optional(games, 'stop once the learner has generated this many tokens'),
  batch: required(count, 'games of one update'),
  learner: optional(words, 'table, gaussian, transformer, tinker, or a file that creates one'),
  sizes: optional(
    object<Sizes>({
      width: optional(count),
      layers: optional(count),
      heads: optional(count),
      context: optional(count),
      answer: optional(count),
      vocabulary: optional(count),
    }),
    'of a language model in this process',
  ),
  server: optional(
    object<NonNullable<Training['server']>>({
      url: required(words, 'where a server with the Tinker API is'),
      base: required(words, 'the model that is trained, as the server names it'),
      rank: optional(count, 'of the low-rank weights that are trained'),
      tokenizer: optional(words, 'a file that exports encode, decode and stop'),
    }),
    'of a learner on a server',
  ),
  opponents: optional(words, 'the opponents: the learner itself (default), a league, or any agent'),
  seats: optional(record(words), 'the agent of a seat in every episode: "learner", or any agent'),
  personas: optional(record(words), 'the persona of a seat, for reward sources: a name or a file'),
  team: optional(words, 'the file of a team that plays the first seat of the environment; its members are seats of the training'),
  member: optional(words, 'the member of the team that learns, or several with commas; the first member unless set'),
  ahead: optional(
    either<boolean | number>('true, false or an integer', boolean, whole(0, 64)),
    'play the next batch, or the next few, while this one’s gradient is computed',
  ),
  overlap: optional(
    either<boolean | number>('true, false or an integer', boolean, whole(1, 4096)),
    'episodes at a time, without lock-step',
  ),
  warmUp: optional(warmUp),
});

const headFields = {
  name: required(pattern('letters, digits, dots or dashes', /^[\w.-]{1,60}$/)),
  method: required(text, 'its published name'),
};

const channel = object<RewardChannel>({
  weight: required(changing(finite), 'one number, or "from" and "to"'),
  by: optional(words, 'the reward source: a scorer, a file, judge=RUBRIC,MODEL, critic=RUN'),
  reference: optional(anything, 'the right answers for the reward source: JSON, or a file of it'),
  card: optional(words, 'the trust card of a judge, as printed by "ludus judge trust --json"; "none" for no card'),
});

const phase = object<Phase>({
  name: required(words),
  updates: required(count, 'the maximum number of updates'),
  until: optional(
    object<NonNullable<Phase['until']>>({
      figure: required(one('returned', 'won')),
      least: required(finite, 'the mean at which it ends'),
      over: required(count, 'updates that the mean is taken over'),
    }),
    'a stop rule',
  ),
  rewards: optional(record(channel)),
  tasks: optional(list(anything, { from: 1 })),
  turns: optional(count, 'the most turns of an episode'),
});

const weigh = slot<Weighing>({
  alike: {},
  return: {},
  reward: { temperature: set(positive) },
  'monte-carlo': { discount: set(share), beta: set(positive) },
  implicit: { discount: set(share), expectile: set(number(0.01, 0.99)), beta: set(positive) },
});

const retainedShape = object<KeptSource>({
  from: required(words, 'a run of the store, or a file that ludus data export wrote'),
  where: optional(list(words), 'only seats that match this score, such as "return>=1"'),
  mask: optional(list(words), 'turns that match this score are read but not learned, such as "penalty>0"'),
  maskQuotes: optional(list(words), 'the same, but only for the quoted part of the answer'),
  seats: optional(list(words)),
  limit: optional(count, 'limit to the n most recent episodes'),
  top: optional(share, 'only the best share of them, by return'),
  weigh: optional(weigh, 'the weight of a turn relative to the others'),
  rows: optional(count, 'rows per update, drawn again each time'),
});

const helps = ['hint', 'plan', 'answer', 'action', 'recall', 'instruct'] as const;
const reviews = ['correct', 'refine', 'revise', 'experience', 'rationale', 'feedback', 'shun'] as const;
const guidance = object<Guidance>({
  kind: required(one(...helps, ...reviews)),
  teachers: required(list(words), 'any agents: scripts, "local/RUN@best", "llm:…", files'),
  share: required(changing(weight), 'the share of failed groups that are helped, or the weight of the term; "from" and "to" to fade'),
  tries: optional(count, 'tries under guidance for each failed group'),
  heed: optional(share, 'the probability that a learner that cannot read follows a suggested move'),
  instructions: optional(list(words), 'instructions to start with, besides none'),
  places: optional(count, 'failures that answers take the place of, or instructions at most'),
  shape: optional(positive, 'γ of p / (p + γ), by which answers of others are learned'),
  success: optional(finite, 'what a success returns more than'),
  temperature: optional(positive, 'τ of exp(reward / τ), by which refined answers count'),
  games: optional(count, 'episodes of the expert, if none are stored'),
  skills: optional(share, 'the share of the run in which the teacher’s feedback is imitated'),
  reflect: optional(boolean, 'whether a sentence on alternatives comes before the expert’s move'),
});

const rewardModel = object<RewardModelSettings>({
  rule: required(words, 'which episodes are good: "return>=1", or a bound on a scorer by its name or file'),
  labels: required(changing(share), 'the share of episodes that the rule labels while the model is trusted'),
  updates: required(count, 'updates after which the model is trained again'),
  budget: optional(count, 'labels in the whole run, at most; also before the model is trusted, only the share of labels is asked for'),
  negatives: optional(one('corrupted', 'plain'), 'whether cut and circling copies of good episodes are negatives, or failures alone'),
  pays: optional(one('model', 'rule'), 'who pays: the model, or as a control the rule, on the labeled episodes alone'),
  steps: optional(weight, 'the weight of what the model says of single steps'),
});

export const recipeShape: Shape<Recipe> = object<Recipe>({
  ...headFields,
  source: required(text),
  differs: required(text),
  omits: optional(text, 'what of the published method it does not do'),
  assignment: required(assignment, 'what a decision is paid'),
  rewards: optional(record(channel), 'what turns are paid by, each channel with its weight'),
  view: optional(view, 'what the learner sees: everything unless set'),
  roles: optional(roles, 'the learner on each seat (default: one for all)'),
  baseline: required(baseline, 'what a return is compared with'),
  loss: required(loss),
  rollout: required(rollout),
  replay: required(replay),
  curriculum: required(curriculum),
  importance: withDefault(orNull(positive), null, 'where truncated importance sampling cuts off'),
  onServer: optional(record(finite), 'settings by path for a learner on a server'),
  training: required(training),
  kept: optional(retainedShape, 'stored episodes to learn from'),
  stepGame: optional(
    object<NonNullable<Recipe['stepGame']>>({ expert: required(words), episodes: required(count) }),
    'errors in an expert’s steps against a critic',
  ),
  guidance: optional(guidance, 'teachers, and what they give'),
  rewardModel: optional(rewardModel, 'an outcome model that is trained with the policy and rewards it'),
  rounds: optional(rounds, "rounds of learning from the learner's own successes"),
  coevolution: optional(coevolution, 'tasks are proposed by a learner and tried by the solver'),
  experiment: optional(
    object<NonNullable<Recipe['experiment']>>({
      by: required(words, 'the experimenter: any agent, or "rule"'),
      skills: required(record(anything) as Shape<NonNullable<Recipe['experiment']>['skills']>, 'tasks of the environment by name'),
      look: required(count, 'updates between two looks at the returns'),
      propose: optional(count, 'skills that are proposed at most, before listed ones are chosen'),
      writer: optional(words, 'the author of proposed skills instead of the experimenter: any agent, "frontier", or "uniform"'),
      checks: optional(list(words), 'checks that a proposed skill must pass'),
    }),
    'an experimenter leads through skills',
  ),
  phases: optional(list(phase, { from: 1 }), 'stages one after the other, each with its own choices'),
});

/** Validates a whole recipe, so that an unusable setting is refused before play begins. */
export function checkRecipe(recipe: object, where: string): Recipe {
  return readAs(recipeShape, recipe, { where, called: 'a recipe' });
}
