/** @file Correlation of two lists: Pearson, Spearman and Kendall's tau-b, with intervals by Fisher's transformation. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { normalQuantile } from './distributions.ts';
import { checkLevel, type Interval, mean } from './mean.ts';

export interface Correlation {
  readonly value: number;
  readonly interval: Interval;
  readonly n: number;
}

type List = readonly number[];

export function pearson(x: List, y: List, level = 0.95): Correlation {
  const value = productMoment(x, y);
  return withInterval(value, x.length, { level, spread: 1 / (x.length - 3) });
}

/** Pearson's correlation of the ranks; the interval's width is Bonett and Wright's (2000). */
export function spearman(x: List, y: List, level = 0.95): Correlation {
  const value = productMoment(ranks(x), ranks(y));
  return withInterval(value, x.length, { level, spread: (1 + (value * value) / 2) / (x.length - 3) });
}

/** Ranks from 1; equal values share the mean of their ranks. */
export function ranks(values: List): number[] {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const out = new Array<number>(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && values[order[end]] === values[order[start]]) end++;
    for (let k = start; k < end; k++) out[order[k]] = (start + 1 + end) / 2;
    start = end;
  }
  return out;
}

function productMoment(x: List, y: List): number {
  check(x, y);
  const middleX = mean(x);
  const middleY = mean(y);
  let xy = 0;
  let xx = 0;
  let yy = 0;
  for (let i = 0; i < x.length; i++) {
    const dx = x[i] - middleX;
    const dy = y[i] - middleY;
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  if (xx * yy === 0) throw new Fault('input', 'A correlation needs two lists that vary, but one is constant.');
  return xy / Math.sqrt(xx * yy);
}

/** Too few values for a width say nothing: the interval is then everything. */
function withInterval(value: number, n: number, { level, spread }: { level: number; spread: number }): Correlation {
  checkLevel(level);
  const bounded = Math.max(-1, Math.min(1, value));
  if (!(spread > 0 && spread < Infinity)) return { value: bounded, interval: [-1, 1], n };
  const half = normalQuantile(0.5 + level / 2) * Math.sqrt(spread);
  const centre = Math.atanh(bounded);
  return { value: bounded, interval: [Math.tanh(centre - half), Math.tanh(centre + half)], n };
}

function check(x: List, y: List): void {
  if (x.length !== y.length || x.length < 2)
    throw new Fault(
      'input',
      `A correlation needs two lists of the same length, at least two, but got lengths ${x.length} and ${y.length}.`,
    );
}
