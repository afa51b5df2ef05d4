/** @file Parses requests with shapes: every value is checked on entry, and errors are named. */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { type Fields, leaf, type ObjectOptions, object, readAs, type Shape } from '@ludus-agents/kernel/internal/core/shape';
import type { Context as HonoCall, MiddlewareHandler, TypedResponse } from 'hono';
import { jsonOf } from '../body.ts';

/** The parameters of an address: all of them are texts, and any may be left out. */
type Asked<T> = { readonly [K in keyof T]?: string };

/** A route that takes T as its body, as the page knows it by its type, and reads it as R: T with its defaults. With `empty`, an empty text is one. */
export function takes<T extends object, R extends object = T>(
  fields: Fields<R>,
  { empty = false }: { readonly empty?: boolean } = {},
  // biome-ignore lint/suspicious/noExplicitAny: a middleware for every app.
): MiddlewareHandler<any, string, { in: { json: T }; out: { json: R } }> {
  const shape = empty ? object<R>(fields) : form(fields);
  return async (call, next) => {
    call.req.addValidatedData('json', readAs(shape, await jsonOf(call), { where: 'The body', called: 'the body' }));
    await next();
  };
}

/** A route that reads these parameters of its address. Others may stand there too: any page may have made the address. */
export function asks<T extends object>(
  fields: Fields<T>,
  // biome-ignore lint/suspicious/noExplicitAny: a middleware for every app.
): MiddlewareHandler<any, string, { in: { query: Asked<T> }; out: { query: T } }> {
  const shape = form(fields, { open: true });
  return async (call, next) => {
    call.req.addValidatedData('query', readAs(shape, call.req.query(), { where: 'The address', called: 'the address' }));
    await next();
  };
}

/** An answer in JSON that the page knows by its type. */
export function reply<T>(call: HonoCall, value: T): Response & TypedResponse<T, 200, 'json'> {
  return call.json(value as object) as unknown as Response & TypedResponse<T, 200, 'json'>;
}

/** An object of a page. A field that a person left empty comes as null or as an empty text, and counts as missing. */
function form<T extends object>(fields: Fields<T>, options: ObjectOptions = {}): Shape<T> {
  const shape = object<T>(fields, options);
  const withoutEmpty = (value: object) => Object.fromEntries(Object.entries(value).filter(([, input]) => input !== null && input !== ''));
  return { ...shape, read: (value, problems) => shape.read(isObject(value) ? withoutEmpty(value) : value, problems) };
}

/** A text with at least one character that is not white space, and at most this many. */
export function line(most = 200): Shape<string> {
  return leaf(
    `a string of 1 to ${most} characters`,
    { type: 'string', minLength: 1, maxLength: most, pattern: '\\S' },
    (value) => typeof value === 'string' && value.trim() !== '' && value.length <= most,
  );
}

/** A number as an address has it: in digits. */
export function digits(shape: Shape<number>): Shape<number> {
  return {
    ...shape,
    read: (value, problems) => shape.read(typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value, problems),
  };
}

/** A list as an address has it: as JSON. */
export function listShape<T>(shape: Shape<readonly T[]>): Shape<readonly T[]> {
  const read = (value: unknown) => {
    try {
      return typeof value === 'string' ? JSON.parse(value) : value;
    } catch {
      return value;
    }
  };
  return { ...shape, read: (value, problems) => shape.read(read(value), problems) };
}
