/**
 * @file Automatic domain randomization (ADR; Akkaya et al. 2019, as TeachMyAgent has it): tasks come from a box in the space of parameters.
 * Half of them are on one of its bounds; if ten outcomes there are good the bound moves out, if they are bad it moves in.
 *
 * Differs: the box starts at the first solved task, since the easy corner is unknown, and a step is at least the distance to the next task.
 */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { Teacher } from './task-teacher.ts';

export interface AdrOptions {
  readonly points: readonly (readonly number[])[];
  readonly step?: number;
  /** The number of outcomes of a bound that are evaluated together. */
  readonly window?: number;
  /** A mean above moves the bound out, one below moves it in. */
  readonly high?: number;
  readonly low?: number;
}

type Side = 'low' | 'high';
type Box = { readonly low: readonly number[]; readonly high: readonly number[] };

export function adr({ points, step = 0.03, window = 10, high = 0.5, low = 0.1 }: AdrOptions): Teacher {
  const axes = points[0]?.map((_, axis) => axis) ?? [];
  const steps = axes.map((axis) => Math.max(step, spacing(points.map((point) => point[axis]))));
  let box: Box | null = null;
  let queues: Record<string, readonly number[]> = {};
  const near = (a: number, b: number) => Math.abs(a - b) < 1e-9;
  const isInside = ({ low: from, high: to }: Box, point: readonly number[]) =>
    axes.every((axis) => point[axis] >= from[axis] - 1e-9 && point[axis] <= to[axis] + 1e-9);
  const bounds = ({ low: from, high: to }: Box, point: readonly number[]): readonly (readonly [number, Side])[] =>
    axes.flatMap((axis): readonly (readonly [number, Side])[] => [
      ...(near(point[axis], from[axis]) ? [[axis, 'low'] as const] : []),
      ...(near(point[axis], to[axis]) ? [[axis, 'high'] as const] : []),
    ]);
  /** Shrinks the box to the outermost tasks within it. */
  const fitted = (wanted: Box): Box => {
    const ownPoints = points.filter((point) => isInside(wanted, point));
    const at = (pick: (...values: number[]) => number) => axes.map((axis) => pick(...ownPoints.map((point) => point[axis])));
    return { low: at(Math.min), high: at(Math.max) };
  };
  const moved = (from: Box, axis: number, side: Side, out: boolean): Box => {
    const by = (side === 'low') === out ? -steps[axis] : steps[axis];
    const next = { ...from, [side]: from[side].with(axis, Math.min(1, Math.max(0, from[side][axis] + by))) };
    // A box without tasks is discarded in favor of the old one.
    return points.some((point) => isInside(next, point)) ? fitted(next) : from;
  };
  return {
    name: 'adr',
    weights(tasks) {
      const now = box;
      if (now === null) return tasks.map(() => 0);
      const inside = points.map((point) => (isInside(now, point) ? 1 : 0));
      const edge = points.map((point, i) => (inside[i] === 1 && bounds(now, point).length > 0 ? 1 : 0));
      const [all, out] = [inside, edge].map((list) => list.reduce<number>((sum, item) => sum + item, 0)) as [number, number];
      return points.map((_, i) => inside[i] / (2 * all) + (out === 0 ? 0 : edge[i] / (2 * out)));
    },
    hear(task, outcome) {
      const point = points[task];
      if (box === null) {
        if (outcome >= high) box = { low: point, high: point };
        return;
      }
      if (!isInside(box, point)) return;
      for (const [axis, side] of bounds(box, point)) {
        const key = `${axis} ${side}`;
        const queue = [...(queues[key] ?? []), outcome];
        queues = { ...queues, [key]: queue.length < window ? queue : [] };
        if (queue.length < window) continue;
        const mean = meanOrZero(queue);
        if (mean >= high) box = moved(box, axis, side, true);
        else if (mean <= low) box = moved(box, axis, side, false);
      }
    },
    write: () => ({ box: box, queues }),
    read(from) {
      const state = from as JsonObject;
      box = state['box'] as Box | null;
      queues = state['queues'] as Record<string, readonly number[]>;
    },
  };
}

/** The smallest distance between two different values. */
function spacing(values: readonly number[]): number {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  return Math.min(1, ...sorted.slice(1).map((value, i) => value - sorted[i]));
}
