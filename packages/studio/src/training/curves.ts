/** @file Curves of several trainings on one axis: smoothed, brought together by recipe, and what their settings differ in. */

import type { ComparedTraining, TrainingProgress } from '@ludus-agents/servers/internal/studio/api';
import type { Look } from '../colours.ts';
import type { Bounds, Curve } from '../parts/curve.ts';

export type Metric = 'exploitability' | 'legal' | 'returned' | 'won' | 'entropy' | 'kl' | 'invalid' | 'tokensPerSecond';

/** Default smoothing of curves. */
export const usualSmoothing = 0.5;

const shares: readonly string[] = ['legal', 'won', 'invalid', 'clipped'];

/** The axis of a share is the whole of it, and any other axis includes 0: small changes are drawn as small as they are. */
export function boundsOf(metric: string): Bounds {
  return shares.includes(metric) ? [0, 1] : 'zero';
}

/** The mean of a curve's past, the nearer the heavier; the first points are not drawn towards 0. */
export function smoothValues(values: readonly (number | null)[], weight: number): readonly (number | null)[] {
  let [sum, mass] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    sum = weight * sum + (1 - weight) * value;
    mass = weight * mass + (1 - weight);
    return sum / mass;
  });
}

/** The value of a run after so many games, between its measurements in proportion; null outside of them. */
function valueAt(games: readonly number[], values: readonly (number | null)[], x: number): number | null {
  const after = games.findIndex((game) => game >= x);
  if (after === -1) return null;
  const [right, left] = [values[after] ?? null, values[after - 1] ?? null];
  if (games[after] === x) return right;
  if (after === 0 || right === null || left === null) return null;
  const [from, to] = [games[after - 1]!, games[after]!];
  return left + ((right - left) * (x - from)) / (to - from);
}

interface Together {
  readonly x: readonly number[];
  readonly curves: readonly Curve[];
}

/** One curve for each run, or for each recipe with the least and the most of its seeds as a band. */
export function together(
  runs: readonly ComparedTraining[],
  {
    metric,
    weight,
    grouped,
    named,
  }: {
    readonly metric: Metric;
    readonly weight: number;
    readonly grouped: boolean;
    readonly named: (run: ComparedTraining) => readonly [string, Look];
  },
): Together {
  const observations = runs.flatMap((run) => {
    const rows = run.metrics.filter((metric) => metric.games > 0);
    const values = rows.map((row) => ((row as TrainingProgress)[metric as keyof TrainingProgress] ?? null) as number | null);
    return values.every((value) => value === null)
      ? []
      : [{ run, games: rows.map(({ games }) => games), values: smoothValues(values, weight) }];
  });
  const x = [...new Set(observations.flatMap(({ games }) => games))].sort((a, b) => a - b);
  const groups = Map.groupBy(observations, ({ run }) => (grouped ? run.recipe : run.id));
  const curves = [...groups.values()].map((members): Curve => {
    const at = x.map((place) => members.flatMap(({ games, values }) => valueAt(games, values, place) ?? []));
    const mean = at.map((all) => (all.length === 0 ? null : all.reduce((sum, value) => sum + value, 0) / all.length));
    const [name, look] = named(members[0]!.run);
    const band = at.map((all): readonly [number, number] | null => (all.length === 0 ? null : [Math.min(...all), Math.max(...all)]));
    return {
      name: members.length > 1 ? `${name}, ${members.length} seeds` : name,
      look,
      values: mean,
      ...(members.length > 1 ? { band } : {}),
    };
  });
  return { x, curves };
}

/** Settings that are not the same in all of them, with each one's value. */
export function differences(
  runs: readonly Pick<ComparedTraining, 'config'>[],
): readonly (readonly [string, readonly (string | undefined)[]])[] {
  const names = [...new Set(runs.flatMap(({ config }) => Object.keys(config)))].sort();
  return names.map((name) => [name, runs.map(({ config }) => config[name])] as const).filter(([, values]) => new Set(values).size > 1);
}
