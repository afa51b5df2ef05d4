/** @file Compares trainings: downsampled curves, settings as flat names and values, and the value of random play. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { Json, RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { policyTable } from '@ludus-agents/learning/internal/training/policy-table';
import type { TrainingProgress } from '@ludus-agents/learning/internal/training/train';
import type { ComparedTraining, TrainingComparison } from './api-pages.ts';

/** The number of points in a drawn curve. */
const mostPoints = 400;

export async function compareTrainings(store: Store, runs: readonly RunRecord[], cwd: string): Promise<TrainingComparison> {
  const compared = await Promise.all(runs.map((run) => readTraining(store, run)));
  const [first] = compared;
  return { runs: compared, random: first === undefined ? null : await chanceOf(first.name, cwd) };
}

async function readTraining(store: Store, { id, work }: RunRecord): Promise<ComparedTraining> {
  const { recipe, seed, name } = work as unknown as {
    readonly recipe: Json & { readonly name: string };
    readonly seed: number;
    readonly name: string;
  };
  const metrics = (await store.notes(id, 'metrics')) as readonly TrainingProgress[];
  return { id, name, recipe: recipe.name, seed, metrics: thinList(metrics), config: { ...flat(recipe), seed: String(seed) } };
}

/** Keeps the first and last point. */
function thinList<T>(all: readonly T[]): readonly T[] {
  if (all.length <= mostPoints) return all;
  return Array.from({ length: mostPoints }, (_, i) => all[Math.round((i * (all.length - 1)) / (mostPoints - 1))]!);
}

/** A document by the paths of its values: {"training.games": "1000"}. */
function flat(value: Json, path = ''): Readonly<Record<string, string>> {
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.assign({}, ...Object.entries(value).map(([key, part]) => flat(part as Json, path === '' ? key : `${path}.${key}`)));
  return { [path]: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** A perfect opponent's win against random play, if the game is small enough to solve. */
async function chanceOf(name: string, cwd: string): Promise<number | null> {
  try {
    return (await policyTable(name, 'last', cwd, Trust.runFolder)).random;
  } catch {
    return null;
  }
}
