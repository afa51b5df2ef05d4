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
  step: optional(changing(positive), 'step size of mirror descent: one number, or "from" and "to"'),
  clip: optional(list(number(0, 1e9), 2) as Shape<NonNullable<Loss['clip']>>, 'clip range of the ratio, below and above 1'),
  dual: optional(positive),
  aggregation: required(one('token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum', 'constant', 'games')),
  length: optional(above(0, 1e7), 'divisor of the aggregation "constant"'),
  kl: optional(
    object<NonNullable<Loss['kl']>>({
      weight: required(changing(weight), 'one number, or "from" and "to"'),
      estimate: required(one('exact', 'k1', 'k2', 'k3')),
      refresh: required(orNull(count), 'updates between copies of the weights to the reference; null for a fixed reference'),
      follow: optional(span(positive), 'how far the reference moves toward the weights at each update, from 0 to 1'),
    }),
    'KL penalty: the pull toward the reference',
  ),
  norm: optional(positive, 'maximum gradient norm'),
  entropy: optional(span(weight)),
  band: optional(object<NonNullable<Loss['band']>>({ low: required(finite), high: required(finite), weight: required(weight) })),
  beta: optional(positive, 'temperature of the preference loss'),
  epochs: optional(count, 'epochs per update'),
  minibatches: optional(count, 'minibatches per epoch'),
  imitation: optional(object<NonNullable<Loss['imitation']>>({ from: required(share), to: required(share), updates: required(count) })),
});

const warmUp = object<WarmUp>({
  games: required(count),
  steps: required(whole(0, 1e7), 'steps of imitation; 0 for none, as a control'),
  rate: required(positive),
  rows: optional(count),
  slips: optional(share),
  script: optional(words, 'the script to imitate (default: random legal play)'),
  errs: optional(
    object<NonNullable<WarmUp['errs']>>({ script: required(words), share: required(share) }),
    'a second script that answers instead of the first in a share of the turns',
  ),
});

type Sizes = NonNullable<Training['sizes']>;
const environment = object<TrainingEnvironment>({
  environment: required(words),
  task: withDefault(record(anything), {}),
  scale: withDefault(finite, 1, 'factor that scales its rewards to those of the other environments'),
  anchor: optional(object<NonNullable<TrainingEnvironment['anchor']>>({ script: required(words), share: required(share) })),
});

const training = object<Training>({
  environment: required(words, 'a name, a file, or a package'),
  task: optional(anything, 'parameters of the environment'),
  tasks: optional(list(anything, { from: 1 }), 'several tasks of the environment, in turn, instead of one'),
  environments: optional(
    list(environment, { from: 1 }),
    'several environments at once, instead of one; a seat with a script of the same name is played by that script',
  ),
  turns: optional(count, 'maximum number of turns per episode'),
  optimiser: required(one('adam', 'sgd', 'mirror')),
  rate: required(span(positive), 'learning rate, from the first update to the last'),
  ramp: optional(number(1, 1e9), 'updates over which the learning rate rises from 0'),
  squares: optional(share, 'β₂ of Adam: the decay of squared gradients'),
  average: optional(share, 'the share of updates, at the end, whose weights are averaged for the result'),
  distill: optional(share, 'the share of updates, at the end, in which a language model is trained toward the average of its policies'),
  games: required(games),
  tokens: optional(games, 'stop once the learner has generated this many tokens'),
  batch: required(count, 'games per update'),
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
    'sizes of a language model in this process',
  ),
  server: optional(
    object<NonNullable<Training['server']>>({
      url: required(words, 'address of a server with the Tinker API'),
      base: required(words, 'the model to train, as the server names it'),
      rank: optional(count, 'rank of the trained low-rank weights'),
      tokenizer: optional(words, 'a file that exports encode, decode, and stop'),
    }),
    'settings of a learner on a server',
  ),
  opponents: optional(words, 'the opponents: the learner itself (default), a league, or any agent'),
  seats: optional(record(words), 'the agent of a seat in every episode: "learner", or any agent'),
  personas: optional(record(words), 'the persona of a seat, for reward sources: a name or a file'),
  team: optional(words, 'the file of a team that plays the first seat of the environment; its members are seats of the training'),
  member: optional(words, 'the team members that learn, separated by commas (default: the first)'),
  ahead: optional(
    either<boolean | number>('true, false, or an integer', boolean, whole(0, 64)),
    'play the next batch, or the next n, while the gradient of the current one is computed',
  ),
  overlap: optional(
    either<boolean | number>('true, false, or an integer', boolean, whole(1, 4096)),
    'number of episodes played at a time, without lock-step',
  ),
  warmUp: optional(warmUp),
});

const headFields = {
  name: required(pattern('letters, digits, dots, or dashes', /^[\w.-]{1,60}$/)),
  method: required(text, 'published name of the method'),
};

const channel = object<RewardChannel>({
  weight: required(changing(finite), 'one number, or "from" and "to"'),
  by: optional(words, 'the reward source: a scorer, a file, judge=RUBRIC,MODEL, critic=RUN'),
  reference: optional(anything, 'correct answers for the reward source: JSON, or a JSON file'),
  card: optional(words, 'the trust card of a judge, as printed by "ludus judge trust --json"; "none" for no card'),
});

const phase = object<Phase>({
  name: required(words),
  updates: required(count, 'the maximum number of updates'),
  until: optional(
    object<NonNullable<Phase['until']>>({
      figure: required(one('returned', 'won')),
      least: required(finite, 'the mean at which the stage ends'),
      over: required(count, 'number of updates in the mean'),
    }),
    'a stop rule',
  ),
  rewards: optional(record(channel)),
  tasks: optional(list(anything, { from: 1 })),
  turns: optional(count, 'maximum number of turns per episode'),
});

const weigh = slot<Weighing>({
  alike: {},
  return: {},
  reward: { temperature: set(positive) },
  'monte-carlo': { discount: set(share), beta: set(positive) },
  implicit: { discount: set(share), expectile: set(number(0.01, 0.99)), beta: set(positive) },
});

const retainedShape = object<KeptSource>({
  from: required(words, 'a run in the store, or a file written by ludus data export'),
  where: optional(list(words), 'only seats that match this score, such as "return>=1"'),
  mask: optional(list(words), 'turns that match this score are context only and not trained on, such as "penalty>0"'),
  maskQuotes: optional(list(words), 'the same, but only for the quoted part of the answer'),
  seats: optional(list(words)),
  limit: optional(count, 'limit to the n most recent episodes'),
  top: optional(share, 'only the best share of them, by return'),
  weigh: optional(weigh, 'how turns are weighted'),
  rows: optional(count, 'rows per update, drawn each time'),
});

const helps = ['hint', 'plan', 'answer', 'action', 'recall', 'instruct'] as const;
const reviews = ['correct', 'refine', 'revise', 'experience', 'rationale', 'feedback', 'shun'] as const;
const guidance = object<Guidance>({
  kind: required(one(...helps, ...reviews)),
  teachers: required(list(words), 'any agents: scripts, "local/RUN@best", "llm:…", files'),
  share: required(changing(weight), 'the share of failed groups that get help, or the weight of the term; "from" and "to" to fade it'),
  tries: optional(count, 'attempts with guidance per failed group'),
  heed: optional(share, 'the probability that a learner that cannot read follows a suggested move'),
  instructions: optional(list(words), 'initial instructions; an empty one is always included'),
  places: optional(count, 'number of failures that guided answers replace, or maximum number of instructions'),
  shape: optional(positive, 'γ of the weight p / (p + γ) of answers by others'),
  success: optional(finite, 'the return above which an episode is a success'),
  temperature: optional(positive, 'τ of the weight exp(reward / τ) of refined answers'),
  games: optional(count, 'episodes of the expert, if none are stored'),
  skills: optional(share, 'the share of the run in which the teacher’s feedback is imitated'),
  reflect: optional(boolean, 'whether a sentence on alternatives comes before the expert’s move'),
});

const rewardModel = object<RewardModelSettings>({
  rule: required(words, 'which episodes are good: "return>=1", or a threshold on a scorer (name or file)'),
  labels: required(changing(share), 'the share of episodes labeled by the rule while the model is trusted'),
  updates: required(count, 'updates between trainings of the model'),
  budget: optional(count, 'maximum number of labels in the run; with it, "labels" also applies before the model is trusted'),
  negatives: optional(
    one('corrupted', 'plain'),
    'whether truncated and looping copies of good episodes count as negatives, or failures only',
  ),
  pays: optional(one('model', 'rule'), 'the reward source: the model, or as a control the rule, on labeled episodes only'),
  steps: optional(weight, 'weight of the model’s scores of single steps'),
});

export const recipeShape: Shape<Recipe> = object<Recipe>({
  ...headFields,
  source: required(text),
  differs: required(text),
  omits: optional(text, 'parts of the published method that are left out'),
  assignment: required(assignment, 'how rewards are assigned to decisions'),
  rewards: optional(record(channel), 'reward channels and their weights'),
  view: optional(view, 'what the learner sees (default: everything)'),
  roles: optional(roles, 'the learner on each seat (default: one for all)'),
  baseline: required(baseline, 'the baseline that is subtracted from returns'),
  loss: required(loss),
  rollout: required(rollout),
  replay: required(replay),
  curriculum: required(curriculum),
  importance: withDefault(orNull(positive), null, 'cap of truncated importance sampling'),
  onServer: optional(record(finite), 'settings by path for a learner on a server'),
  training: required(training),
  kept: optional(retainedShape, 'stored episodes to learn from'),
  stepGame: optional(
    object<NonNullable<Recipe['stepGame']>>({ expert: required(words), episodes: required(count) }),
    'a game of planted errors in an expert’s steps against a critic',
  ),
  guidance: optional(guidance, 'teachers and the help they give'),
  rewardModel: optional(rewardModel, 'an outcome model that is trained alongside the policy and provides its reward'),
  rounds: optional(rounds, "rounds of learning from the learner's own successes"),
  coevolution: optional(coevolution, 'a learner proposes tasks, and the solver attempts them'),
  experiment: optional(
    object<NonNullable<Recipe['experiment']>>({
      by: required(words, 'the experimenter: any agent, or "rule"'),
      skills: required(record(anything) as Shape<NonNullable<Recipe['experiment']>['skills']>, 'tasks of the environment by name'),
      look: required(count, 'updates between two checks of the returns'),
      propose: optional(count, 'maximum number of proposed skills before listed ones are chosen'),
      writer: optional(words, 'the author of proposed skills instead of the experimenter: any agent, "frontier", or "uniform"'),
      checks: optional(list(words), 'checks that a proposed skill must pass'),
    }),
    'an experimenter chooses which skill to train',
  ),
  phases: optional(list(phase, { from: 1 }), 'successive stages, each with its own settings'),
});

/** Validates a whole recipe, so that an unusable setting is refused before play begins. */
export function checkRecipe(recipe: object, where: string): Recipe {
  return readAs(recipeShape, recipe, { where, called: 'a recipe' });
}
