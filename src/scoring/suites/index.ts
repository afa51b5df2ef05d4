/** @file Every suite that comes along, one line each, loaded when it is asked for. */

import { Fault } from '../../core/index.ts';
import type { Suite } from './suite.ts';

export * from './suite.ts';

const suites: Readonly<Record<string, () => Promise<Suite>>> = {
  'games-core': async () => (await import('./games-core.ts')).gamesCore,
  'service-core': async () => (await import('./service-core.ts')).serviceCore,
  'social-core': async () => (await import('./social-core.ts')).socialCore,
  'privacy-core': async () => (await import('./privacy-core.ts')).privacyCore,
  'persona-core': async () => (await import('./persona-core.ts')).personaCore,
};

/** The names of all suites that come along. */
export const suiteNames: readonly string[] = Object.keys(suites);

export async function suiteOf(name: string): Promise<Suite> {
  const load = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (load === undefined)
    throw new Fault('input', `There is no suite "${name}"; there are ${suiteNames.join(', ')}, or name a JSON file of your own.`);
  return load();
}
