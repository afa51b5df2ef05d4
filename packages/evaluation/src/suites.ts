/** @file What suites are played with: their scenes as the environments read them, and the agents that are to play. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { modelsOfSpec } from '@ludus-agents/agents/internal/kind-rules';
import { distinguish } from '@ludus-agents/agents/internal/workspace/agent-names';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AgentSpec, Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { loadSuite } from './loaders.ts';
import type { ReadScene } from './scoring/evaluation/index.ts';
import { builtInSuite, type Suite, suiteNames, suiteRun } from './scoring/suites/index.ts';

/** The suite that a run was played for: one that is named, or one that comes along and whose run this is. */
export async function suiteBehind(run: string, named: string | undefined, cwd: string, trust: Trust): Promise<Suite | null> {
  if (named !== undefined) return loadSuite(named, cwd, trust);
  for (const name of suiteNames()) {
    if (!run.startsWith(`${name}-`)) continue;
    const suite = await builtInSuite(name);
    if ([suiteRun(suite), demoRun(suiteRun(suite))].includes(run)) return suite;
  }
  return suiteInFolder(run, cwd, trust);
}

/** The file or desk in the folder with the name of a run, where it still is what was played. */
async function suiteInFolder(run: string, cwd: string, trust: Trust): Promise<Suite | null> {
  const name = linear(/^([\w.-]+)-[0-9a-f]{8}$/).exec(run)?.[1];
  if (name === undefined) return null;
  for (const file of ['', '.json', '.csv'].map((end) => `./${name}${end}`)) {
    if (!existsSync(join(cwd, file))) continue;
    const suite = await loadSuite(file, cwd, trust).catch(() => null);
    if (suite !== null && suiteRun(suite) === run) return suite;
  }
  return null;
}

/** The run of a demonstration, apart from the user's own run of the same suite or arena. */
export function demoRun(run: string): string {
  return `${run}-demo`;
}

/** The scenes of a suite with their tasks as the environments read them. */
export async function readScenes(suite: Suite, cwd: string, trust: Trust): Promise<readonly ReadScene[]> {
  return Promise.all(
    suite.scenes.map(async (scene) => {
      const environment = await resolveEnvironment(scene.environment, cwd, trust);
      return { scene, environment: environment.id, tasks: scene.tasks.map((task) => environment.task(task) as Json) };
    }),
  );
}

/** The agents of `--agents a,b`: each the name of a kind, like "random" or "scripted:honest", or a file or package of the user's own. */
export async function contestants(typed: string | undefined, cwd: string, trust: Trust): Promise<readonly AgentSpec[]> {
  if (typed === undefined) return [];
  const words = typed
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0)
    throw new Fault('input', '--agents is empty. Name at least one agent, such as random or ./agent.json. Separate several with commas.');
  const specs = distinguish(await Promise.all(words.map((word) => readSpec(word, cwd, trust))), words, cwd);
  for (const { name } of specs)
    if (name.startsWith('house:'))
      throw new Fault('input', `"${name}" is not a valid agent name: the prefix "house:" is reserved for agents of a suite.`);
  return specs;
}

/** May playing it cost money? */
export function callsModels(spec: AgentSpec): boolean {
  return modelsOfSpec(spec).length > 0;
}
