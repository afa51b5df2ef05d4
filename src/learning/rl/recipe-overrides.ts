/** @file Overrides on the command line: `loss.kl.weight=0.3` changes one setting of a recipe and leaves the rest. */

import { Fault, type Json, type JsonObject } from '../../core/index.ts';
import { checkRecipe } from './recipe-shape.ts';

/** A recipe with settings replaced, each "path=value"; values are JSON, or else plain words. Only what is there can be replaced. */
export function override<R extends object>(recipe: R, settings: readonly string[]): R {
  let changed = recipe as unknown as JsonObject;
  for (const setting of settings) {
    const at = setting.indexOf('=');
    if (at < 1) throw new Fault('input', `A setting is written path=value, like loss.kl.weight=0.3, but came as "${setting}".`);
    const [path, value] = [setting.slice(0, at).split('.'), read(setting.slice(at + 1))];
    changed = put(changed, { path, value, setting }) as JsonObject;
  }
  return (settings.length === 0 ? recipe : checkRecipe(changed, '--set')) as R;
}

interface Change {
  readonly path: readonly string[];
  readonly value: Json;
  readonly setting: string;
}

function put(value: Json | undefined, change: Change): Json {
  const [step, ...rest] = change.path;
  if (step === undefined) return checked(value, change);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, step)) {
    const there = typeof value === 'object' && value !== null ? `; there are ${Object.keys(value).join(', ')}` : '';
    throw new Fault('input', `The recipe has nothing called "${step}" where "${change.setting}" looks for it${there}.`);
  }
  return { ...(value as JsonObject), [step]: put((value as JsonObject)[step], { ...change, path: rest }) };
}

/** A number stays a number and a choice a choice; what is switched off may be given anything. */
function checked(before: Json | undefined, { value, setting }: Change): Json {
  if (before !== null && value !== null && typeof before !== typeof value)
    throw new Fault('input', `"${setting}" should be a ${typeof before}, like ${JSON.stringify(before)}, but is a ${typeof value}.`);
  return value;
}

function read(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
