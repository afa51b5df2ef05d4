/** @file Parses requests with schemas: every value is checked on entry, and errors are named. */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { type Fields, leaf, type ObjectOptions, object, readAs, type Shape } from '@ludus-agents/kernel/internal/core/shape';
import type { Context as HonoCall, MiddlewareHandler, TypedResponse } from 'hono';
import { jsonOf } from '../body.ts';

/** The query parameters: all are texts and optional. */
type Asked<T> = { readonly [K in keyof T]?: string };

/** A route with a body of type T, as the page sends it, parsed as R: T with its defaults. With `empty`, an empty body is allowed. */
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

/** A route with these query parameters. Unknown parameters are allowed, because any page may have created the address. */
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

/** A JSON response whose type the page knows. */
export function reply<T>(call: HonoCall, value: T): Response & TypedResponse<T, 200, 'json'> {
  return call.json(value as object) as unknown as Response & TypedResponse<T, 200, 'json'>;
}

/** An object sent by the page. Fields left empty arrive as null or as empty texts, and count as missing. */
function form<T extends object>(fields: Fields<T>, options: ObjectOptions = {}): Shape<T> {
  const shape = object<T>(fields, options);
  const withoutEmpty = (value: object) => Object.fromEntries(Object.entries(value).filter(([, input]) => input !== null && input !== ''));
  return { ...shape, read: (value, problems) => shape.read(isObject(value) ? withoutEmpty(value) : value, problems) };
}

/** A text with at least one non-space character and a maximum length. */
export function line(most = 200): Shape<string> {
  return leaf(
    `a string of 1 to ${most} characters`,
    { type: 'string', minLength: 1, maxLength: most, pattern: '\\S' },
    (value) => typeof value === 'string' && value.trim() !== '' && value.length <= most,
  );
}

/** A number in an address, in digits. */
export function digits(shape: Shape<number>): Shape<number> {
  return {
    ...shape,
    read: (value, problems) => shape.read(typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value, problems),
  };
}

/** A list in an address, as JSON. */
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
