/** @file Removes keys from specs before they are stored. A key belongs in a variable, ${NAME}, which is stored unchanged. */

import type { AgentSpec } from './agent.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { linear } from './linear.ts';
import type { Cast, Plan } from './plan.ts';

/** The replacement of a key. */
const left = '(not kept)';

/** Fields and parameters that contain keys, by their last word. */
const secret = /(?:authorization|cookie|key|token|secret|password)$/i;
const login = linear(/(\/\/)[^@/\s]+:[^@/\s]*@/g);
const parameter = linear(/([?&][\w.-]*(?:key|token|secret|password)=)[^&#\s]+/gi);
/** A variable or a placeholder, which is not a key. */
const blank = /\$?\{\w+\}/;

/** Parts of a spec that are prose, not settings. */
const textFields: ReadonlySet<string> = new Set(['persona', 'others', 'texts', 'notes']);

/** A plan whose specs contain no keys. */
export function withoutKeys(plan: Plan): Plan {
  const hide = (cast: Cast) => Object.entries(cast).map(([seat, spec]) => [seat, hideKeys(spec as Json)] as const);
  return { ...plan, casts: plan.casts.map((cast) => Object.fromEntries(hide(cast)) as Cast) };
}

/** Whether a spec contains a key. */
export function hasKeys(spec: AgentSpec | string): boolean {
  return JSON.stringify(hideKeys(spec as Json)) !== JSON.stringify(spec);
}

/** Whether a key was removed from a spec when it was stored. */
export function lacksKeys(spec: AgentSpec | string): boolean {
  return JSON.stringify(spec).includes(left);
}

function hideKeys(value: Json, name = ''): Json {
  if (typeof value === 'string') {
    if (secret.test(name) && value !== '' && !blank.test(value)) return left;
    return value.replace(login, `$1${left}@`).replace(parameter, (whole, before) => (blank.test(whole) ? whole : `${before}${left}`));
  }
  if (Array.isArray(value)) return value.map((item: Json) => hideKeys(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [key, textFields.has(key) ? item : hideKeys(item, key)]),
  );
}
