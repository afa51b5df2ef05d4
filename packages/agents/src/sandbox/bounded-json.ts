/** @file JSON from untrusted code: bounded in length and depth, and without keys that could change a prototype. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';

/** Deeper values overflow the stack of code that walks them later. */
export const deepest = 100;

/** The value, or undefined if the text is nested too deeply or is not JSON. */
export function parseBounded(text: string, depth = deepest): Json | undefined {
  if (isDeeper(text, depth)) return undefined;
  try {
    return withoutProto(JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/** Counts brackets outside strings, so that no deep value is ever built. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let i = 0, quoted = false; i < text.length; i++) {
    const sign = text[i];
    if (quoted) {
      if (sign === '\\') i++;
      else if (sign === '"') quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === '[' || sign === '{') {
      if (++depth > most) return true;
    } else if (sign === ']' || sign === '}') depth--;
  }
  return false;
}

/** JSON.parse creates an own key "__proto__", which a later Object.assign would use to set the prototype. */
function withoutProto(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (const item of value) withoutProto(item);
    return value;
  }
  Reflect.deleteProperty(value, '__proto__');
  for (const item of Object.values(value)) withoutProto(item);
  return value;
}
