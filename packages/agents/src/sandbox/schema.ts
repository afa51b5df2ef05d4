/** @file Checks arguments against the part of JSON Schema that tools use; an unknown keyword is ignored. */

import { equal, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';

/** The first violation, in one sentence, or null. */
export function misfit(schema: Json | undefined, value: Json, at = 'the arguments'): string | null {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema === false ? `${at} must be left out` : null;
  const { type, enum: allowed, const: only, minimum, maximum, minLength, maxLength, items } = schema as JsonObject;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).some((item) => isType(item as Json, value)))
    return `${at} must be ${[type].flat().join(' or ')}, but got ${briefJson(value)}`;
  if (Array.isArray(allowed) && !allowed.some((item) => equal(item as Json, value)))
    return `${at} must be one of ${briefJson(allowed)}, but got ${briefJson(value)}`;
  if (only !== undefined && !equal(only, value)) return `${at} must be ${briefJson(only)}, but got ${briefJson(value)}`;
  if (typeof value === 'number' && ((typeof minimum === 'number' && value < minimum) || (typeof maximum === 'number' && value > maximum)))
    return `${at} must be from ${briefJson(minimum ?? null)} to ${briefJson(maximum ?? null)}, but got ${value}`;
  if (typeof value === 'string' && value.length < Number(minLength ?? 0)) return `${at} must have ${minLength} characters or more`;
  if (typeof value === 'string' && value.length > Number(maxLength ?? Infinity)) return `${at} must have ${maxLength} characters or fewer`;
  if (Array.isArray(value)) return firstOf(value.map((item, i) => () => misfit(items, item, `${at}[${i}]`)));
  if (typeof value === 'object' && value !== null) return fieldMisfit(schema as JsonObject, value as JsonObject, at);
  return null;
}

function fieldMisfit({ properties = {}, required = [], additionalProperties }: JsonObject, value: JsonObject, at: string): string | null {
  const jsonObject = properties as JsonObject;
  for (const name of required as readonly string[]) if (!Object.hasOwn(value, name)) return `${at} must have "${name}"`;
  return firstOf(
    Object.entries(value).map(([name, item]) => () => {
      if (Object.hasOwn(jsonObject, name)) return misfit(jsonObject[name], item, `"${name}"`);
      if (additionalProperties === false)
        return `${at} must not have "${name.slice(0, 40)}"; known are ${Object.keys(jsonObject).join(', ') || 'none'}`;
      return misfit(additionalProperties, item, `"${name.slice(0, 40)}"`);
    }),
  );
}

function firstOf(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const match = check();
    if (match !== null) return match;
  }
  return null;
}

function isType(type: Json, value: Json): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function briefJson(value: Json): string {
  return JSON.stringify(value).slice(0, 80);
}
