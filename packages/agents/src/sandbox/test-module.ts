/**
 * @file Modules that the engine provides to tests: `test` with test, describe, and expect, and the driver that runs registered tests.
 * JavaScript as text, for the engine's realm.
 */

const testModule = `
const groups = [];
let registered = [];
export function test(name, body) { registered.push({ name: [...groups, String(name)].join(' > '), body }); }
export const it = test;
export function describe(name, body) { groups.push(String(name)); try { body(); } finally { groups.pop(); } }
export async function runRegistered() {
  const all = registered, results = [];
  registered = [];
  for (const { name, body } of all) {
    try { await body(); results.push({ name, ok: true, why: '' }); }
    catch (thrown) { results.push({ name, ok: false, why: thrown instanceof Failure ? thrown.message : String(thrown) }); }
  }
  return results;
}
class Failure extends Error {}
const format = (value) => {
  if (Object.is(value, -0)) return '-0';
  try { return typeof value === 'function' || typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : JSON.stringify(value) ?? String(value); } catch { return String(value); }
};
function same(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof Map || a instanceof Set) return same([...a], [...b]);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}
export function expect(got) {
  const checks = (wanted) => {
    const say = (holds, words) => { if (holds !== wanted) throw new Failure(wanted ? words : 'not ' + words); };
    return {
      toBe: (value) => say(Object.is(got, value), 'expected ' + format(value) + ', got ' + format(got)),
      toEqual: (value) => say(same(got, value), 'expected ' + format(value) + ', got ' + format(got)),
      toBeCloseTo: (value, digits = 2) => say(Math.abs(got - value) < 10 ** -digits / 2, 'expected about ' + format(value) + ', got ' + format(got)),
      toContain: (value) => say(typeof got === 'string' ? got.includes(value) : [...got].some((one) => Object.is(one, value)), 'expected ' + format(got) + ' to contain ' + format(value)),
      toHaveLength: (value) => say(got.length === value, 'expected length ' + value + ', got ' + got.length),
      toBeGreaterThan: (value) => say(got > value, 'expected more than ' + format(value) + ', got ' + format(got)),
      toBeLessThan: (value) => say(got < value, 'expected less than ' + format(value) + ', got ' + format(got)),
      toBeTruthy: () => say(Boolean(got), 'expected something true, got ' + format(got)),
      toBeFalsy: () => say(!got, 'expected something false, got ' + format(got)),
      toBeNull: () => say(got === null, 'expected null, got ' + format(got)),
      toBeUndefined: () => say(got === undefined, 'expected undefined, got ' + format(got)),
      toBeDefined: () => say(got !== undefined, 'expected something, got undefined'),
      toThrow: (words) => {
        let thrown = null;
        try { got(); } catch (one) { thrown = { words: String(one?.message ?? one) }; }
        say(thrown !== null && (words === undefined || (words instanceof RegExp ? words.test(thrown.words) : thrown.words.includes(String(words)))), 'expected an error' + (words === undefined ? '' : ' with ' + words) + ', got ' + (thrown?.words ?? 'none'));
      },
    };
  };
  return { ...checks(true), not: checks(false) };
}
`;

const driver = `
import { runRegistered } from 'test';
export default async (paths) => {
  const results = [];
  for (const path of paths) {
    try { await import('/' + path); } catch (thrown) { results.push({ name: path, ok: false, why: String(thrown) }); }
    results.push(...(await runRegistered()));
  }
  return results;
};
`;

export const driverName = 'ludus:tests';

/** Built-in modules by name, which need no file. */
export const builtIn: Readonly<Record<string, string>> = {
  test: testModule,
  vitest: "export * from 'test';",
  'node:test': "export * from 'test'; export { test as default } from 'test';",
  [driverName]: driver,
};
