/** @file What a request asks, read once at the door: every value is checked, and what is wrong is named. */

import type { Context as HonoCall } from 'hono';
import { Fault, type Json, type JsonObject } from '../../core/index.ts';
import { brief } from '../../core/json.ts';
import { jsonOf } from '../body.ts';

/** The body as an object. */
export async function bodyOf(call: HonoCall): Promise<JsonObject> {
  const body = await jsonOf(call);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Fault('input', `The body must be a JSON object, but came as ${brief(body)}.`);
  return body as JsonObject;
}

/** A text of the body, of at least one and at most so many characters. */
export function textIn(body: JsonObject, name: string, most = 200): string {
  const value = body[name];
  if (typeof value !== 'string' || value.trim() === '' || value.length > most)
    throw new Fault('input', `"${name}" must be a text of 1 to ${most} characters, but came as ${brief(value ?? null)}.`);
  return value;
}

/** The same where it may be left out: undefined, null and an empty text are alike. */
export function textOr(body: JsonObject, name: string, most = 200): string | undefined {
  const value = body[name];
  return value === undefined || value === null || value === '' ? undefined : textIn(body, name, most);
}

export interface Range {
  readonly from: number;
  readonly to: number;
  readonly otherwise: number;
}

/** A whole number of the body or the address. */
export function wholeIn(given: Json | undefined, name: string, { from, to, otherwise }: Range): number {
  if (given === undefined || given === null || given === '') return otherwise;
  const number = typeof given === 'string' && /^-?\d{1,16}$/.test(given) ? Number(given) : given;
  if (!Number.isSafeInteger(number) || (number as number) < from || (number as number) > to)
    throw new Fault('input', `"${name}" must be a whole number from ${from} to ${to}, but came as ${brief(given)}.`);
  return number as number;
}

/** A word of the address, or undefined. */
export function wordOf(call: HonoCall, name: string, most = 200): string | undefined {
  const value = call.req.query(name);
  if (value === undefined || value === '') return undefined;
  if (value.length > most) throw new Fault('input', `"${name}" may have ${most} characters, but has ${value.length}.`);
  return value;
}
