/** @file Prepares suites for play: their scenes as parsed by the environments, and the agents to test. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { modelsOfSpec } from '@ludus-agents/agents/internal/kind-rules';
import { distinguish } from '@ludus-agents/agents/internal/workspace/agent-names';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AgentSpec, Fault, type Json, type Store } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { isInside } from '@ludus-agents/store/internal/files/portable-path';
import { loadSuite } from './loaders.ts';
import type { ReadScene } from './scoring/evaluation/index.ts';
import { builtInSuite, type Suite, suiteNames, suiteRun } from './scoring/suites/index.ts';
import { readSourceNotes } from './source-notes.ts';

/** Where the suite of a run is looked up: the store has noted its file. */
export interface SuitePlace {
  readonly store: Pick<Store, 'notes'>;
  readonly cwd: string;
  readonly trust: Trust;
}

/** The suite that a run was played for: a named one, a built-in one, or a file of the folder. */
export async function suiteBehind(run: string, named: string | undefined, place: SuitePlace): Promise<Suite | null> {
  if (named !== undefined) return loadSuite(named, place.cwd, place.trust);
  // A run with a name of the user's choice has notes of the automatic names, which identify the versions of its suite.
  const noted = (await place.store.notes(run, suiteJournal)).filter((name) => typeof name === 'string');
  const automatic = noted.length === 0 ? [run] : noted.reverse();
  for (const name of suiteNames()) {
    if (!automatic.some((each) => each.startsWith(`${name}-`))) continue;
    const suite = await builtInSuite(name);
    if ([suiteRun(suite), demoRun(suiteRun(suite))].some((each) => automatic.includes(each))) return suite;
  }
  return suiteInFolder(run, automatic, place);
}

const suiteJournal = 'suite';

/** Notes an automatic name of a run that has another name. */
export async function noteSuite(store: Pick<Store, 'note' | 'notes'>, run: string, automatic: string): Promise<void> {
  const entries = await store.notes(run, suiteJournal);
  if (!entries.includes(automatic)) await store.note(run, suiteJournal, entries.length, [automatic]);
}

/** The file or desk in the folder that was played, or that is named like the run, if a version with its content was played. */
async function suiteInFolder(run: string, automatic: readonly string[], { store, cwd, trust }: SuitePlace): Promise<Suite | null> {
  const names = automatic.flatMap((each) => linear(/^([\w.-]+)-[0-9a-f]{8}$/).exec(each)?.[1] ?? []);
  if (names.length === 0) return null;
  // A store may come from elsewhere: only data is read because a store names it, never a program.
  const noted = (await readSourceNotes(store, run)).filter(
    ({ file, use }) => use === 'played' && /\.(?:json|csv|tsv|jsonl)$/i.test(file) && isInside(resolve(cwd, file), cwd),
  );
  const likeRun = names.flatMap((name) => ['', '.json', '.csv'].map((end) => `./${name}${end}`));
  for (const file of new Set([...likeRun, ...noted.map(({ file }) => file)])) {
    if (!existsSync(resolve(cwd, file))) continue;
    const suite = await loadSuite(file, cwd, trust).catch(() => null);
    if (suite !== null && automatic.includes(suiteRun(suite))) return suite;
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
