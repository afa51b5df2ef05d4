/** @file Suites by name or from a file of the user's own, and the agents that are to play them. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AgentSpec, Fault, type Json, type JsonObject } from '../core/index.ts';
import type { ReadScene } from '../scoring/evaluation/index.ts';
import { readSuite, type Suite, suiteNames, suiteOf, suiteRun } from '../scoring/suites/index.ts';
import type { Source } from './consent.ts';
import { jsonFrom, reasonOf } from './files.ts';
import { didYouMean } from './suggest.ts';
import { worldOf } from './worlds.ts';

/** A suite that comes along, or one from a JSON file. */
export async function suiteFrom(name: string, cwd: string): Promise<Suite> {
  if (suiteNames.includes(name)) return suiteOf(name);
  if (!/[\\/]|\.json$/.test(name))
    throw new Fault(
      'input',
      `There is no suite "${name}".${didYouMean(name, suiteNames)} There are ${suiteNames.join(', ')}, or name a JSON file.`,
    );
  return readSuite(jsonFrom(fileText(name, cwd, 'The suite'), `The suite ${name}`));
}

/** The suite that a run was played for: one that is named, or one that comes along and whose run this is. */
export async function suiteBehind(run: string, named: string | undefined, cwd: string): Promise<Suite | null> {
  if (named !== undefined) return suiteFrom(named, cwd);
  for (const name of suiteNames) {
    if (!run.startsWith(`${name}-`)) continue;
    const suite = await suiteOf(name);
    if (suiteRun(suite) === run) return suite;
  }
  return null;
}

/** The scenes of a suite with their tasks as the worlds read them. */
export async function readScenes(suite: Suite, cwd: string, source: Source = 'user'): Promise<readonly ReadScene[]> {
  return Promise.all(
    suite.scenes.map(async (scene) => {
      const world = await worldOf(scene.environment, cwd, source);
      return { scene, environment: world.id, tasks: scene.tasks.map((task) => world.task(task) as Json) };
    }),
  );
}

/** The agents of `--agents a,b`: each the name of a kind, like "random" or "scripted:honest", or a JSON file with a spec. */
export function contestants(typed: string, cwd: string): readonly AgentSpec[] {
  const words = typed
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const specs = words.map((word): AgentSpec => (word.endsWith('.json') ? specFrom(word, cwd) : { name: word, kind: word }));
  const twice = specs.find(({ name }, i) => specs.findIndex((one) => one.name === name) < i);
  if (twice !== undefined) throw new Fault('input', `--agents names "${twice.name}" twice; each agent is told apart by its name.`);
  for (const { name } of specs)
    if (name.startsWith('house:'))
      throw new Fault('input', `"${name}" cannot be an agent's name: "house:" marks the agents that a suite seats.`);
  return specs;
}

function specFrom(file: string, cwd: string): AgentSpec {
  const spec = jsonFrom(fileText(file, cwd, 'The agent'), `The agent ${file}`) as JsonObject | null;
  if (typeof spec !== 'object' || typeof spec?.['name'] !== 'string' || typeof spec['kind'] !== 'string')
    throw new Fault('input', `The agent ${file} must be an object with at least "name" and "kind".`);
  return spec as unknown as AgentSpec;
}

function fileText(file: string, cwd: string, what: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${what} ${file} cannot be read: ${reasonOf(thrown)}.`);
  }
}

/** May playing it cost money? */
export function callsModels({ model, kind }: AgentSpec): boolean {
  return model !== undefined || kind.split(':', 1)[0] === 'llm';
}
