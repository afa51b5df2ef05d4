/** @file The agents that can take a seat of an environment, by name: the user's agents, the environment's scripts, and agents trained for it. */

import { castable } from '@ludus-agents/agents/internal/kinds';
import { agentKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { type AnyEnvironment, nameOf, type Store } from '@ludus-agents/kernel/internal/core/index';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';
import { checkpointNames, runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { environmentsOf } from '@ludus-agents/learning/internal/training/training-run';
import { ownNames } from '../describe.ts';
import { ownFiles } from './own-files.ts';

/** "local/RUN" and "bot:URL" are patterns, not names. */
const written = /(?:^|[:/])[A-Z]{3,}$|\/\/HOST$/;

export async function seatable(
  environment: AnyEnvironment,
  { store, cwd }: { readonly store: Store; readonly cwd: string },
): Promise<string[]> {
  const builtIn = castable(environment).filter((name) => name !== 'human' && !written.test(name));
  return [
    ...(await ownNames(agentKind, cwd)),
    ...ownFiles(cwd).agents.map(({ name }) => name),
    ...builtIn,
    ...(await trainedAgents(environment, store, cwd)),
  ];
}

/** The best and the last checkpoint of every training in this environment, newest first. */
async function trainedAgents(environment: AnyEnvironment, store: Store, cwd: string): Promise<string[]> {
  const ownTrainedRuns = (await trainedRuns(store, cwd)).filter(({ recipe }) =>
    environmentsOf(recipe).some((otherEnvironment) => otherEnvironment === nameOf(environment) || otherEnvironment === environment.id),
  );
  return ownTrainedRuns.flatMap(({ name, kept }) => kept.map((at) => `local/${name}@${at}`));
}

interface TrainedRun {
  readonly name: string;
  readonly recipe: Recipe;
  /** The existing ones of "best" and "last". */
  readonly kept: readonly string[];
}

/** Every training that has a checkpoint, newest first. */
export async function trainedRuns(store: Store, cwd: string): Promise<readonly TrainedRun[]> {
  const runs = (await store.runs()).filter(({ work }) => work?.kind === 'train').toReversed();
  return runs.flatMap(({ work }) => {
    const { recipe, name } = work as { readonly kind: string; readonly recipe: Recipe; readonly name: string };
    const there = checkpointNames(runFolder(cwd, name));
    const retained = ['best', 'last'].filter((at) => there.includes(at));
    return retained.length === 0 ? [] : [{ name, recipe, kept: retained }];
  });
}
