/** @file What suites are played with: their scenes as the environments read them, and the agents that are to play. */

import { modelsOfSpec } from '../agents/nested-specs.ts';
import { type AgentSpec, Fault, type Json } from '../core/index.ts';
import type { ReadScene } from '../scoring/evaluation/index.ts';
import { builtInSuite, type Suite, suiteNames, suiteRun } from '../scoring/suites/index.ts';
import { readSpec } from './agents.ts';
import type { CodeSource } from './consent.ts';
import { resolveEnvironment } from './environments.ts';
import { loadSuite } from './evaluation-loaders.ts';

/** The suite that a run was played for: one that is named, or one that comes along and whose run this is. */
export async function suiteBehind(run: string, named: string | undefined, cwd: string): Promise<Suite | null> {
  if (named !== undefined) return loadSuite(named, cwd);
  for (const name of suiteNames()) {
    if (!run.startsWith(`${name}-`)) continue;
    const suite = await builtInSuite(name);
    if (suiteRun(suite) === run) return suite;
  }
  return null;
}

/** The scenes of a suite with their tasks as the environments read them. */
export async function readScenes(suite: Suite, cwd: string, source: CodeSource = 'user'): Promise<readonly ReadScene[]> {
  return Promise.all(
    suite.scenes.map(async (scene) => {
      const environment = await resolveEnvironment(scene.environment, cwd, source);
      return { scene, environment: environment.id, tasks: scene.tasks.map((task) => environment.task(task) as Json) };
    }),
  );
}

/** The agents of `--agents a,b`: each the name of a kind, like "random" or "scripted:honest", or a file or package of the user's own. */
export async function contestants(typed: string | undefined, cwd: string): Promise<readonly AgentSpec[]> {
  if (typed === undefined) return [];
  const words = typed
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0)
    throw new Fault('input', '--agents is empty: name at least one agent, such as random or ./agent.json, with commas between several.');
  const specs = await Promise.all(words.map((word) => readSpec(word, cwd)));
  const twice = specs.find(({ name }, i) => specs.findIndex((one) => one.name === name) < i);
  if (twice !== undefined) throw new Fault('input', `--agents names "${twice.name}" twice; each agent is told apart by its name.`);
  for (const { name } of specs)
    if (name.startsWith('house:'))
      throw new Fault('input', `"${name}" cannot be an agent's name: "house:" marks the agents that a suite seats.`);
  return specs;
}

/** May playing it cost money? */
export function callsModels(spec: AgentSpec): boolean {
  return modelsOfSpec(spec).length > 0;
}
