/** @file What a recipe may be: the choices of each slot, the settings of each choice and their ranges. Files and --set are held against it. */

import {
  above,
  anything,
  choice,
  type Field,
  type Fields,
  list,
  number,
  object,
  one,
  optional,
  or,
  orNull,
  pattern,
  readAs,
  record,
  required,
  type Shape,
  text,
  whole,
  words,
  yesno,
} from '../../core/shape.ts';
import type { Assignment, Baseline, Curriculum, GroupField, Loss, Recipe, Replay, RolloutSettings, Training } from './recipe.ts';
import type { LanguageRecipe, TrainingEnvironment } from './recipes/language.ts';
import type { WarmUp } from './warm-up.ts';

const count = whole(1, 1e7);
const games = whole(1, 1e12);
const share = number(0, 1);
const finite = number(-1e9, 1e9);
const weight = number(0, 1e6);
const positive = above(0, 1000);
const key: Shape<readonly GroupField[]> = list(one('environment', 'seat', 'prompt', 'turn', 'state'));

/** A slot: one object for each choice, told apart by its kind. */
function slot<T extends { readonly kind: string }>(choices: Readonly<Record<T['kind'], Readonly<Record<string, Field<never>>>>>): Shape<T> {
  const variants = Object.entries(choices as Readonly<Record<string, object>>).map(([kind, settings]) => {
    const shape = object({ kind: required(one(kind)), ...settings } as Fields<{ kind: string }>);
    return [kind, shape] as const;
  });
  return choice<T>('kind', Object.fromEntries(variants));
}

/** Any shape as a setting of a choice. */
const set = (shape: Shape<unknown>): Field<never> => required(shape) as Field<never>;
const maybe = (shape: Shape<unknown>): Field<never> => optional(shape) as Field<never>;

const assignment = slot<Assignment>({
  outcome: {},
  'return-to-go': { discount: set(share) },
  'information-gain': { discount: set(share), by: set(one('judge', 'world')) },
  checklist: {},
  'win-rate': {},
  'human-gain': {},
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
  },
  running: { key: set(key), decay: set(share) },
  value: { level: set(one('token', 'turn', 'two-level')), discount: set(share), trace: set(share) },
});

const rollout = slot<RolloutSettings>({
  iid: {},
  even: {},
  group: { size: set(count) },
  branch: { size: set(count), trunk: set(count), chance: set(share), slope: set(finite) },
  resample: { size: set(count), keep: set(count) },
});

const replay = slot<Replay>({
  none: {},
  inject: { keep: set(count) },
  imitate: { room: set(count), age: set(count), rise: set(number(0, 1e9)) },
  band: { low: set(finite), high: set(finite) },
});

const curriculum = slot<Curriculum>({
  uniform: {},
  mixed: {},
  spread: { share: set(share) },
  horizon: { turns: set(list(count)), every: set(count) },
  unsolved: { share: set(share) },
  learnable: {},
  'replayed-levels': { temperature: set(positive) },
  opening: { share: set(share), moves: set(count) },
});

const span = (of: Shape<number>) => object<{ from: number; to: number }>({ from: required(of), to: required(of) });

const loss = object<Loss>({
  kind: required(one('policy-gradient', 'clipped', 'log-clipped', 'kept-gradient', 'squared', 'preference', 'desirability', 'imitation')),
  clip: optional(list(number(0, 1e9), 2) as unknown as Shape<NonNullable<Loss['clip']>>, 'how far the ratio may go below and above 1'),
  dual: optional(positive),
  aggregation: required(one('token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum', 'constant')),
  length: optional(above(0, 1e7), 'what sums are divided by under "constant"'),
  kl: optional(
    object<NonNullable<Loss['kl']>>({
      weight: required(weight),
      estimate: required(one('exact', 'k1', 'k2', 'k3')),
      refresh: required(orNull(count), 'updates between two references; null for never'),
    }),
    'the pull towards the reference',
  ),
  entropy: optional(span(weight)),
  band: optional(object<NonNullable<Loss['band']>>({ low: required(finite), high: required(finite), weight: required(weight) })),
  beta: optional(positive, 'the temperature of preferences'),
  epochs: optional(count, 'how often an update goes over its episodes'),
  minibatches: optional(count, 'into how many steps an epoch is cut'),
  imitation: optional(object<NonNullable<Loss['imitation']>>({ from: required(share), to: required(share), updates: required(count) })),
});

const warmUp = object<WarmUp>({
  games: required(count),
  steps: required(count),
  rate: required(positive),
  rows: optional(count),
  slips: optional(share),
});

type Sizes = LanguageRecipe['sizes'];

const training = object<Training>({
  environment: required(words, 'a name, or a file or package of your own'),
  task: optional(anything, 'parameters of the environment'),
  optimiser: required(one('adam', 'sgd')),
  rate: required(span(positive), 'the learning rate, from the first update to the last'),
  games: required(games),
  batch: required(count, 'games of one update'),
  learner: optional(one('table', 'transformer')),
  sizes: optional(
    object<Partial<Sizes>>({
      width: optional(count),
      layers: optional(count),
      heads: optional(count),
      context: optional(count),
      vocabulary: optional(count),
    }),
    'of a language model',
  ),
  opponents: optional(words, 'who plays the other seats: the learner itself unless told, a league, or any agent'),
  seats: optional(record(words), 'who plays a seat in every episode: "learner", or any agent'),
  ahead: optional(yesno, 'play the next batch while this one’s gradient is computed'),
  warmUp: optional(warmUp),
});

const told = {
  name: required(pattern('letters, digits, dots or dashes', /^[\w.-]{1,60}$/)),
  method: required(text, 'what it is called where it was published'),
};

export const recipeShape: Shape<Recipe> = object<Recipe>({
  ...told,
  source: required(text),
  differs: required(text),
  assignment: required(assignment, 'what a decision is paid'),
  baseline: required(baseline, 'what a return is compared with'),
  loss: required(loss),
  rollout: required(rollout),
  replay: required(replay),
  curriculum: required(curriculum),
  importance: or(orNull(positive), null, 'where truncated importance sampling cuts off'),
  training: required(training),
});

const world = object<TrainingEnvironment>({
  environment: required(words),
  task: or(record(anything), {}),
  scale: or(finite, 1, 'brings its rewards to the size of others’'),
  anchor: optional(object<NonNullable<TrainingEnvironment['anchor']>>({ script: required(words), share: required(share) })),
});

export const languageShape: Shape<LanguageRecipe> = object<LanguageRecipe & { source?: string; differs?: string }>({
  kind: required(one('language')),
  ...told,
  source: optional(text),
  differs: optional(text),
  worlds: required(list(world, { from: 1 })),
  sizes: required(
    object<Sizes>({
      width: required(count),
      layers: required(count),
      heads: required(count),
      context: required(count),
      vocabulary: required(count),
    }),
  ),
  warmUp: required(warmUp),
  games: required(games),
  batch: required(count),
  rate: required(span(positive)),
  ramp: required(number(0, 1e9)),
  kl: required(span(positive)),
  reference: required(span(positive)),
  deals: required(one('rolled', 'even')),
  compare: required(one('seat', 'deal', 'position')),
  credit: required(one('game', 'later')),
  fine: optional(weight),
  decay: required(share),
  clip: required(positive),
});

/** The shape of a recipe, by what kind it says it is. */
export function shapeOfRecipe(recipe: { readonly kind?: unknown }): Shape<Recipe | LanguageRecipe> {
  return recipe.kind === 'language' ? languageShape : recipeShape;
}

/** Reads a whole recipe: a setting that no training can use is refused before anything is played. */
export function checkRecipe(recipe: object, where: string): Recipe | LanguageRecipe {
  return readAs(shapeOfRecipe(recipe), recipe, { where, called: 'a recipe' });
}
