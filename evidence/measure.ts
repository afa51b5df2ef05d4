/** @file From the values of two arms to a verdict: paired difference, interval, and whether the mechanism acted. */

import { pairedDifference } from '@ludus-agents/evaluation/internal/scoring/statistics/paired';
import type { ArmResult, Entry, Experiment, Result } from './ledger.ts';

export interface SeedOutcome {
  readonly value: number;
  readonly acted: number | null;
}

export type ArmOutcomes = Readonly<Record<string, readonly SeedOutcome[]>>;

/** The effect and the verdict of an experiment whose arms have run on all seeds. */
export function judge(
  { kind }: Pick<Entry, 'kind'>,
  plan: Pick<Experiment, 'measure' | 'smallest' | 'counter'>,
  outcomes: ArmOutcomes,
): Pick<Result, 'verdict' | 'effect' | 'arms' | 'note'> {
  const { on = [], off = [] } = outcomes;
  const sign = plan.measure.better === 'higher' ? 1 : -1;
  const pairs = on.map(({ value }, i) => ({ a: sign * value, b: sign * off[i].value }));
  const { value, interval } = pairedDifference(pairs);
  const effect = { value: round(value), low: round(interval[0]), high: round(interval[1]), seeds: pairs.length };
  const arms = Object.fromEntries(Object.entries(outcomes).map(([name, list]) => [name, armResult(list, plan.counter !== undefined)]));
  const inert = plan.counter === undefined ? identity(pairs) : inertness(on, off);
  if (inert !== null) return { verdict: 'void', effect, arms, note: inert };
  const text = kind === 'effect' ? 'effect' : 'valid';
  const verdict = effect.low > 0 && effect.value >= plan.smallest ? text : effect.high < plan.smallest ? 'no effect' : 'unclear';
  return { verdict, effect, arms, ...(effect.high < 0 && { note: 'The mechanism makes the measure worse on this ground.' }) };
}

/** Why a comparison says nothing about the mechanism, or null. It must act in a tenth of the runs with it, and in none without it. */
function inertness(on: readonly SeedOutcome[], off: readonly SeedOutcome[]): string | null {
  const active = on.filter(({ acted }) => (acted ?? 0) > 0).length;
  if (active < on.length / 10) return `The mechanism acted in ${active} of ${on.length} runs.`;
  const leaks = off.filter(({ acted }) => (acted ?? 0) > 0).length;
  return leaks > 0 ? `The mechanism also acted in ${leaks} of ${off.length} runs of the control.` : null;
}

/** Arms without a counter that come out the same on every seed are the same program. */
function identity(pairs: readonly { readonly a: number; readonly b: number }[]): string | null {
  return pairs.every(({ a, b }) => a === b) ? 'Both arms give the same value on every seed.' : null;
}

function armResult(list: readonly SeedOutcome[], counted: boolean): ArmResult {
  const average = (numbers: readonly number[]) => round(numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length));
  return {
    mean: average(list.map(({ value }) => value)),
    values: list.map(({ value }) => round(value)),
    ...(counted && { acted: average(list.map(({ acted }) => acted ?? 0)) }),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(5));
}
