/**
 * @file A recipe from a file of the user's own: "base" names the recipe it changes, and its fields replace that recipe's choices.
 *
 * Every choice is checked here with its range, so that a training does not fail, or silently learn nothing, an hour later.
 */

import { Fault, type Json, type JsonObject } from '../core/index.ts';
import { isObject } from '../core/json.ts';
import { didYouMean } from '../core/suggest.ts';
import { recipes } from '../learning/rl/recipes/index.ts';
import { languageRecipes } from '../learning/rl/recipes/language.ts';
import type { AnyRecipe } from './training-run.ts';

/** What a setting may be. */
type Check = readonly [fits: (value: Json) => boolean, expected: string];

const number = (from: number, to: number): Check => [
  (value) => typeof value === 'number' && value >= from && value <= to,
  `a number from ${from} to ${to}`,
];
const above: Check = [(value) => typeof value === 'number' && value > 0 && value <= 1000, 'a number above 0, at most 1000'];
const count: Check = [(value) => Number.isSafeInteger(value) && (value as number) >= 1, 'a whole number of 1 or more'];
const share = number(0, 1);
const finite = number(-1e9, 1e9);
const yesno: Check = [(value) => typeof value === 'boolean', 'true or false'];
const text: Check = [(value) => typeof value === 'string' && value !== '', 'a text'];
const anything: Check = [() => true, 'as the environment reads it'];
const oneOf = (...names: readonly string[]): Check => [(value) => names.includes(value as string), `one of ${names.join(', ')}`];
const orNull = ([fits, expected]: Check): Check => [(value) => value === null || fits(value), `${expected}, or null`];
const listOf = ([fits, expected]: Check): Check => [(value) => Array.isArray(value) && value.every(fits), `a list, each ${expected}`];
const inside = (shape: Shape): Check => [isObject, `an object with ${Object.keys(shape).join(', ')}`];

type Shape = Readonly<Record<string, Check | { readonly inner: Shape }>>;

const key = listOf(oneOf('environment', 'seat', 'prompt', 'turn', 'state'));
const fromTo = { inner: { from: above, to: above } };

/** The choices of each slot, and the settings of each choice. */
const slots: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  assignment: {
    ...{ outcome: {}, checklist: {}, 'win-rate': {}, 'human-gain': {} },
    'return-to-go': { discount: share },
    'information-gain': { discount: share, by: oneOf('judge', 'world') },
    critic: { discount: share },
  },
  baseline: {
    none: {},
    group: {
      key,
      center: oneOf('none', 'mean', 'leave-one-out', 'median'),
      scale: oneOf('none', 'std', 'batch-std'),
      plus: { inner: { key, weight: finite, discount: share } },
    },
    running: { key, decay: share },
    value: { level: oneOf('token', 'turn', 'two-level'), discount: share, trace: share },
  },
  rollout: {
    ...{ iid: {}, even: {}, group: { size: count } },
    branch: { size: count, trunk: count, chance: share, slope: finite },
    resample: { size: count, keep: count },
  },
  replay: {
    none: {},
    inject: { keep: count },
    imitate: { room: count, age: count, rise: number(0, 1e9) },
    band: { low: finite, high: finite },
  },
  curriculum: {
    ...{ uniform: {}, mixed: {}, learnable: {} },
    ...{ spread: { share }, unsolved: { share } },
    horizon: { turns: listOf(count), every: count },
    'replayed-levels': { temperature: above },
    opening: { share, moves: count },
  },
};

const lossKinds = ['policy-gradient', 'clipped', 'log-clipped', 'kept-gradient', 'squared', 'preference', 'desirability', 'imitation'];

const loss: Shape = {
  kind: oneOf(...lossKinds),
  clip: listOf(number(0, 1e9)),
  dual: above,
  aggregation: oneOf('token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum', 'constant'),
  length: above,
  kl: { inner: { weight: number(0, 1e6), estimate: oneOf('exact', 'k1', 'k2', 'k3'), refresh: orNull(count) } },
  entropy: { inner: { from: number(0, 1e6), to: number(0, 1e6) } },
  band: { inner: { low: finite, high: finite, weight: number(0, 1e6) } },
  beta: above,
  epochs: count,
  minibatches: count,
  imitation: { inner: { from: share, to: share, updates: count } },
};

const warmUp: Shape = { games: count, steps: count, rate: above, rows: count, slips: share };
const sizes: Shape = { width: count, layers: count, heads: count, context: count, vocabulary: count };

const training: Shape = {
  environment: text,
  task: anything,
  optimiser: oneOf('adam', 'sgd'),
  rate: fromTo,
  games: count,
  batch: count,
  learner: oneOf('table', 'transformer'),
  sizes: { inner: sizes },
  opponents: text,
  seats: anything,
  ahead: yesno,
  warmUp: { inner: warmUp },
};

const language: Shape = {
  worlds: listOf([
    (value) => isObject(value) && typeof (value as JsonObject)['environment'] === 'string',
    'an object with environment, task and scale',
  ]),
  sizes: { inner: sizes },
  warmUp: { inner: warmUp },
  ...{ games: count, batch: count, rate: fromTo, ramp: number(0, 1e9), kl: fromTo, reference: fromTo },
  deals: oneOf('rolled', 'even'),
  compare: oneOf('seat', 'deal', 'position'),
  credit: oneOf('game', 'later'),
  ...{ fine: number(0, 1e6), decay: share, clip: above },
};

const words = ['$schema', 'base', 'name', 'method', 'source', 'differs'];
const slotNames = [...Object.keys(slots), 'loss', 'importance', 'training'];

/** What a setting of a recipe may be, by its path as --set takes it: "loss.kl.weight". */
export function rangeAt(recipe: AnyRecipe, path: string): string | null {
  const [slot = '', ...rest] = path.split('.');
  const chosen = (recipe as unknown as JsonObject)[slot];
  const kind = isObject(chosen) ? String(chosen['kind']) : '';
  if (rest[0] === 'kind' && slot !== 'loss') return Object.keys(slots[slot] ?? {}).join(' ');
  let shape: Shape = { ...language, loss: { inner: loss }, training: { inner: training }, importance: orNull(above) };
  if (slots[slot]?.[kind] !== undefined) shape = { [slot]: { inner: slots[slot][kind] } };
  for (const step of path.split('.')) {
    const check: Shape[string] | undefined = shape[step];
    if (check === undefined) return null;
    if (!('inner' in check)) return check[1];
    shape = check.inner;
  }
  return null;
}

/** Reads a recipe; undefined where it is something else. */
export function readRecipe(value: unknown, where: string): AnyRecipe | undefined {
  if (!isObject(value) || !('base' in value || ('training' in value && 'loss' in value) || value['kind'] === 'language')) return undefined;
  const { $schema: _, base: called, ...own } = value;
  const base = called === undefined ? {} : baseOf(called, where);
  const merged = mergedWith(base, own);
  const isLanguage = merged['kind'] === 'language';
  checkFields(where, merged, [...words, ...(isLanguage ? ['kind', ...Object.keys(language)] : slotNames)]);
  const { name } = own;
  if (typeof name !== 'string' || !/^[\w.-]{1,60}$/.test(name)) throw wrong(where, 'name', 'letters, digits, dots or dashes', name);
  if (isLanguage)
    checkShape(where, merged, { ...language, kind: anything, name: text, method: anything, source: anything, differs: anything });
  else checkSlots(where, merged);
  const told = { method: `changed from ${String(called ?? 'nothing')}`, source: where, differs: 'see the file' };
  return { ...told, ...merged, ...pick(own, ['method', 'source', 'differs']) } as unknown as AnyRecipe;
}

function baseOf(called: Json, where: string): JsonObject {
  const all = [...recipes, ...languageRecipes] as readonly AnyRecipe[];
  const found = all.find((one) => one.name === called);
  const names = all.map((one) => one.name);
  if (found === undefined)
    throw new Fault(
      'input',
      `${where}: there is no recipe ${JSON.stringify(called)} to begin from.${didYouMean(String(called), names)} "ludus list recipes" shows all.`,
    );
  return found as unknown as JsonObject;
}

/** A given value replaces the old one; another choice of a slot replaces the whole slot. */
function mergedWith(base: JsonObject, own: JsonObject): JsonObject {
  const out: Record<string, Json> = { ...base };
  for (const [name, value] of Object.entries(own)) {
    const before = base[name];
    const other = isObject(value) && isObject(before) && value['kind'] !== undefined && value['kind'] !== before['kind'];
    out[name] = isObject(value) && isObject(before) && !other && name !== 'task' ? mergedWith(before, value) : value;
  }
  return out;
}

function checkSlots(where: string, recipe: JsonObject): void {
  for (const [slot, choices] of Object.entries(slots)) {
    const chosen = recipe[slot];
    const names = Object.keys(choices);
    if (!isObject(chosen)) throw wrong(where, slot, `an object whose kind is one of ${names.join(', ')}`, chosen);
    const { kind, ...settings } = chosen;
    if (typeof kind !== 'string' || !Object.hasOwn(choices, kind)) throw wrong(where, `${slot}.kind`, `one of ${names.join(', ')}`, kind);
    const shape = choices[kind] as Shape;
    checkShape(`${where}: ${slot}`, settings, shape);
    for (const name of Object.keys(shape))
      if (settings[name] === undefined && name !== 'plus') throw missing(where, `${slot}.${name}`, shape[name]);
  }
  const { loss: said, training: on, importance = null } = recipe;
  for (const [name, part, shape, needed] of [
    ['loss', said, loss, ['kind', 'aggregation']],
    ['training', on, training, ['environment', 'optimiser', 'rate', 'games', 'batch']],
  ] as const) {
    if (!isObject(part)) throw wrong(where, name, 'an object', part);
    checkShape(`${where}: ${name}`, part, shape);
    for (const field of needed) if (part[field] === undefined) throw missing(where, `${name}.${field}`, shape[field]);
  }
  if (!orNull(above)[0](importance)) throw wrong(where, 'importance', orNull(above)[1], importance);
}

function checkShape(where: string, given: JsonObject, shape: Shape): void {
  checkFields(where, given, Object.keys(shape));
  for (const [name, value] of Object.entries(given)) {
    const check = shape[name] as Shape[string];
    const [fits, expected] = 'inner' in check ? inside(check.inner) : check;
    if (!fits(value)) throw wrong(where, name, expected, value);
    if ('inner' in check) checkShape(`${where}.${name}`, value as JsonObject, check.inner);
  }
}

function checkFields(where: string, given: JsonObject, names: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Fault(
      'input',
      `${where} has nothing called "${unknown}".${didYouMean(unknown, names)} It knows ${names.filter((name) => !name.startsWith('$')).join(', ')}.`,
    );
}

function missing(where: string, field: string, check: Shape[string] | undefined): Fault {
  const expected = check === undefined ? 'given' : 'inner' in check ? inside(check.inner)[1] : check[1];
  return wrong(where, field, expected, undefined);
}

function wrong(where: string, field: string, expected: string, found: Json | undefined): Fault {
  const came = found === undefined ? 'is missing' : `came as ${JSON.stringify(found).slice(0, 80)}`;
  return new Fault('input', `${where}: ${field} must be ${expected}, but ${came}.`);
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as JsonObject;
}
