/** @file Finds the simulator error at which looking ahead is no longer better than not looking ahead, by playing at several errors. */

import type { AgentSpec, Json } from '@ludus-agents/kernel/internal/core/index';
import type { Arm } from './ablation-arms.ts';

/** The advantage of looking ahead over reflexes at one error of the simulator. */
export interface ErrorPoint {
  readonly error: number;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

export interface Crossover {
  /** The error at which both are equal; null if looking ahead is better at every tested error. */
  readonly at: number | null;
  /** The crossings of the difference's bounds: the break-even error is between them. */
  readonly low: number | null;
  readonly high: number | null;
  readonly points: readonly ErrorPoint[];
}

const errors = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1];

/** The agent with the given simulator error rate, in the part that its spec names: by default, the executed step. */
export function errorArms(spec: AgentSpec): readonly (Arm & { readonly error: number })[] {
  const dream = (spec.settings?.['dream'] ?? {}) as Readonly<Record<string, Json>>;
  return errors.map((error) => ({
    name: `error ${error}`,
    error,
    spec: { ...spec, name: `${spec.name} error ${error}`, settings: { ...spec.settings, dream: { ...dream, error } } },
  }));
}

/** The zero of the difference, by linear interpolation between two errors. */
export function crossoverOf(points: readonly ErrorPoint[]): Crossover {
  const zero = (value: (point: ErrorPoint) => number): number | null => {
    const after = points.findIndex((point) => value(point) <= 0);
    if (after <= 0) return after === 0 ? (points[0]?.error ?? null) : null;
    const [a, b] = [points[after - 1] as ErrorPoint, points[after] as ErrorPoint];
    return a.error + ((b.error - a.error) * value(a)) / (value(a) - value(b));
  };
  return { at: zero(({ difference }) => difference), low: zero(({ low }) => low), high: zero(({ high }) => high), points };
}

export function crossoverWords({ at, low, high }: Crossover, reflex: string): string {
  const share = (value: number) => value.toFixed(3).replace(/^0/, '');
  if (at === null) return `Looking ahead is worth more than ${reflex} at every error that was tried.`;
  const bounds = `${low === null ? 'none' : share(low)} to ${high === null ? 'above the tested range' : share(high)}`;
  if (at === 0) return `Search is not better than ${reflex}, even without model error (95% bounds ${bounds}).`;
  return `Search is better than ${reflex} up to a model error of ${share(at)} (95% bounds ${bounds}).`;
}
