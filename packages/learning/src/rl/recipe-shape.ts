/** @file The schema of a recipe: the choices of each slot, and their settings with ranges. Recipe files and --set are validated against it. */

import { specShape } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import {
  anything,
  boolean,
  either,
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
  type ShapeValue,
  text,
  whole,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { coevolution } from './coevolution-shape.ts';
import type { Guidance, KeptSource, Recipe, RewardChannel, RewardModelSettings, Training, TrainingEnvironment } from './recipe.ts';
import {
  assignment,
  baseline,
  changing,
  count,
  curriculum,
  finite,
  loss,
  positive,
  replay,
  roles,
  rollout,
  share,
  slot,
  span,
  view,
  weight,
} from './recipe-slots.ts';
import { rounds } from './rounds-shape.ts';
import type { WarmUp } from './warm-up.ts';

const games = whole(1, 1e12);

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
  learner: optional(words, 'table, matching, gaussian, transformer, tinker, or a file that creates one'),
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
  seats: optional(
    record(either<string | AgentSpec>('the name of an agent, or its specification', words, specShape)),
    'the agent of a seat in every episode: "learner", or any agent',
  ),
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

const phase = object({
  name: required(words),
  updates: required(count, 'the maximum number of updates'),
  until: optional(
    object({
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

/** A stage of a run: its rewards, its tasks, its turn limit and its end. */
export type Phase = ShapeValue<typeof phase>;

const weigh = slot({
  alike: {},
  return: {},
  reward: { temperature: required(positive) },
  'monte-carlo': { discount: required(share), beta: required(positive) },
  implicit: { discount: required(share), expectile: required(number(0.01, 0.99)), beta: required(positive) },
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
  negatives: optional(one('corrupted', 'plain'), 'negatives: truncated and looping copies of good episodes, or failures only'),
  pays: optional(one('model', 'rule'), 'the reward source: the model, or as a control the rule, on labeled episodes only'),
  steps: optional(weight, 'weight of the model’s scores of single steps'),
});

const experiment = object({
  by: required(words, 'the experimenter: any agent, or "rule"'),
  skills: required(record(anything), 'tasks of the environment by name'),
  look: required(count, 'updates between two checks of the returns'),
  propose: optional(count, 'maximum number of proposed skills before listed ones are chosen'),
  writer: optional(words, 'the author of proposed skills instead of the experimenter: any agent, "frontier", or "uniform"'),
  checks: optional(list(words), 'checks that a proposed skill must pass'),
});

/** The experimenter who leads a training, its skills, and how often it sees the returns. */
export type ExperimentSettings = ShapeValue<typeof experiment>;

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
  experiment: optional(experiment, 'an experimenter chooses which skill to train'),
  phases: optional(list(phase, { from: 1 }), 'successive stages, each with its own settings'),
});

/** Validates a whole recipe, so that an unusable setting is refused before play begins. */
export function checkRecipe(recipe: object, where: string): Recipe {
  return readAs(recipeShape, recipe, { where, called: 'a recipe' });
}
