/**
 * @file Named objects of a program. Plans, recipes, and logs are plain data, so an agent or environment that exists only in memory is
 * referenced by a name that this process resolves. Other processes cannot resolve it: agents for workers must be in a file.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

const prefix = 'object:';
const objects = new Map<string, object>();
const names = new WeakMap<object, string>();

/** The name of an object in this process; the same object gets the same name. */
export function nameObject(object: object, label: string): string {
  const existing = names.get(object);
  if (existing !== undefined) return existing;
  const word = label.replaceAll(/[^\w.@-]/g, '-');
  let name = `${prefix}${word}`;
  for (let i = 2; objects.has(name); i++) name = `${prefix}${word}-${i}`;
  objects.set(name, object);
  names.set(object, name);
  return name;
}

/** The object with this name; undefined for an ordinary name. */
export function objectNamed(name: string): object | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const object = objects.get(name);
  if (object === undefined)
    throw new Fault(
      'input',
      `${name} exists only in the program that created it, and this process has no such object. To use it in workers, or to continue a stored run with it, put it in a file and name the file.`,
    );
  return object;
}
