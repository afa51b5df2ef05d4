/** @file Overrides on the command line: `loss.kl.weight=0.3` changes one setting of a recipe and leaves the rest. */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Shape } from '@ludus-agents/kernel/internal/core/shape';
import { checkRecipe, recipeShape } from './recipe-shape.ts';

/** A recipe with settings replaced or added, each "path=value"; values are JSON or plain text. Unknown settings are refused. */
export function override<R extends object>(recipe: R, settings: readonly string[]): R {
  let changed = recipe as unknown as JsonObject;
  // The environment is applied first, so that task settings apply to the new environment, in whatever order they were given.
  const moves = (setting: string) => Number(setting.startsWith('training.environment='));
  for (const setting of [...settings].sort((a, b) => moves(b) - moves(a))) {
    const at = setting.indexOf('=');
    if (at < 1) throw new Fault('input', `Expected a setting such as loss.kl.weight=0.3, but got "${setting}".`);
    const [path, value] = [setting.slice(0, at).split('.'), read(setting.slice(at + 1))];
    if (path.join('.') === 'training.environment') changed = moveToEnvironment(value, changed);
    changed = put(changed, { path, value, setting, at: 0, recipe: changed }) as JsonObject;
  }
  return (settings.length === 0 ? recipe : checkRecipe(changed, '--set')) as R;
}

/** Tasks and seats belong to their environment: moving a recipe to another one resets them to the defaults, unless they are set. */
function moveToEnvironment(environment: Json, recipe: JsonObject): JsonObject {
  const { training } = recipe;
  if (!isObject(training) || training['environment'] === environment) return recipe;
  const { task: _task, tasks: _tasks, seats, personas, ...rest } = training;
  // Games about another environment, such as advice:NAME, all have the same seats.
  const isSameGame = familyOf(environment) !== null && familyOf(environment) === familyOf(training['environment']);
  const same = isSameGame ? Object.entries({ seats, personas }).filter(([, value]) => value !== undefined) : [];
  return { ...recipe, training: { ...rest, ...(Object.fromEntries(same) as JsonObject) } };
}

function familyOf(environment: Json | undefined): string | null {
  return typeof environment === 'string' ? (/^([a-z]+):/.exec(environment)?.[1] ?? null) : null;
}

interface Change {
  readonly path: readonly string[];
  readonly value: Json;
  readonly setting: string;
  readonly recipe: Json;
  /** The number of path steps already taken. */
  readonly at: number;
}

function put(value: Json | undefined, change: Change): Json {
  const { path, at, setting, recipe } = change;
  const step = path[at];
  if (step === undefined) return checkChange(value, change);
  const inside = isObject(value) ? value : {};
  if (!Object.hasOwn(inside, step) && !mayHave(path.slice(0, at + 1), recipe)) {
    const there = isObject(value) ? `; there are ${Object.keys(value).join(', ')}` : '';
    throw new Fault('input', `The recipe has no "${step}" for "${setting}"${there}.`);
  }
  return { ...inside, [step]: put(inside[step], { ...change, at: at + 1 }) };
}

/** Whether recipes can have such a setting, regardless of their other settings. */
function mayHave(path: readonly string[], recipe: Json): boolean {
  let shape: Shape<unknown> = recipeShape;
  let value: Json | undefined = recipe;
  for (const step of path) {
    // Free names, such as seats, are all accepted; the complete recipe is checked later.
    if (shape.inner === undefined) return true;
    const next: Shape<unknown> | undefined = shape.inner(step, value);
    if (next === undefined) return false;
    shape = next;
    value = isObject(value) ? value[step] : undefined;
  }
  return true;
}

/** A number must stay a number and a choice a choice; a setting that is off accepts any value. */
function checkChange(before: Json | undefined, { value, setting }: Change): Json {
  if (before === undefined || before === null || value === null || eitherOf(before, value)) return value;
  if (typeof before !== typeof value)
    throw new Fault('input', `"${setting}" should be a ${typeof before}, such as ${JSON.stringify(before)}, but is a ${typeof value}.`);
  return value;
}

/** Some settings are a number or a pair, or are enabled by a number. */
function eitherOf(before: Json, value: Json): boolean {
  const kinds = [before, value].map((item) => (isObject(item) ? 'object' : typeof item));
  return kinds[0] !== kinds[1] && kinds.includes('number') && (kinds.includes('object') || kinds.includes('boolean'));
}

function read(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
