/** @file What a request asks, read once at the door: every value is checked, and what is wrong is named. */

import type { Context as HonoCall, MiddlewareHandler, TypedResponse } from 'hono';
import { Fault, type Json, type JsonObject } from '../../core/index.ts';
import { brief } from '../../core/json.ts';
import { jsonOf } from '../body.ts';

/** The body as an object. */
async function bodyOf(call: HonoCall): Promise<JsonObject> {
  const body = await jsonOf(call);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Fault('input', `The body must be a JSON object, but came as ${brief(body)}.`);
  return body as JsonObject;
}

/** A body as it came: the fields of T by name, each still to be checked. */
export type Sent<T> = { readonly [K in keyof T]?: Json };

/** The parameters of an address, all of them texts that may be left out. */
export type Asked<K extends string> = { readonly [N in K]?: string };

/** A route that takes T as its body. The page is held to T by its type; what comes is read as `Sent<T>`, field by field. */
// biome-ignore lint/suspicious/noExplicitAny: a middleware for every app.
export function takes<T extends object>(): MiddlewareHandler<any, string, { in: { json: T }; out: { json: Sent<T> } }> {
  return async (call, next) => {
    call.req.addValidatedData('json', await bodyOf(call));
    await next();
  };
}

/** A route that reads these parameters of its address. */
export function asks<K extends string>(): MiddlewareHandler<
  // biome-ignore lint/suspicious/noExplicitAny: a middleware for every app.
  any,
  string,
  { in: { query: Asked<K> }; out: { query: Asked<K> } }
> {
  return async (call, next) => {
    call.req.addValidatedData('query', call.req.query());
    await next();
  };
}

/** An answer in JSON that the page knows by its type. */
export function reply<T>(call: HonoCall, value: T): Response & TypedResponse<T, 200, 'json'> {
  return call.json(value as object) as unknown as Response & TypedResponse<T, 200, 'json'>;
}

/** A text of the body, of at least one and at most so many characters. */
export function textIn<B extends object>(body: B, name: keyof B & string, most = 200): string {
  const value = body[name] as Json | undefined;
  if (typeof value !== 'string' || value.trim() === '' || value.length > most)
    throw new Fault('input', `"${name}" must be a text of 1 to ${most} characters, but came as ${brief(value ?? null)}.`);
  return value;
}

/** The same where it may be left out: undefined, null and an empty text are alike. */
export function textOr<B extends object>(body: B, name: keyof B & string, most = 200): string | undefined {
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
export function wordOf<K extends string>(asked: Asked<K>, name: K, most = 200): string | undefined {
  const value = asked[name];
  if (value === undefined || value === '') return undefined;
  if (value.length > most) throw new Fault('input', `"${name}" may have ${most} characters, but has ${value.length}.`);
  return value;
}
