/**
 * @file Which lines of a shared memory a role sees under a budget: 120 lines of three roles, four of which are needed now and name the role's
 * goal in part. Options: by ("routed", "window" or "random"), seed. Gives the share of needed lines in view.
 */

import { type ContextLine, routeWorth, select } from '@ludus-agents/agents/internal/mind/window';
import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const count = 120;
const budget = 300;
const trials = 40;
const vocabulary = Array.from({ length: 200 }, (_, i) => `word${i}`);

export default function run({ by = 'routed', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'routing');
  let shownCount = 0;
  let routed = 0;
  for (let trial = 0; trial < trials; trial++) {
    const goal = random.shuffle(vocabulary).slice(0, 6);
    const needed = new Set(random.shuffle(Array.from({ length: count }, (_, i) => i)).slice(0, 4));
    const lines = Array.from({ length: count }, (_, index): ContextLine => {
      const other = Array.from({ length: 10 }, () => random.pick(vocabulary));
      // A needed line shares two words of six with the goal; others share one by accident now and then.
      const text = (needed.has(index) ? [...random.shuffle(goal).slice(0, 2), ...other.slice(2)] : other).join(' ');
      return { index, text, own: false, tokens: 11 };
    });
    const scores = bm25(
      goal.flatMap((word) => termsOf(word)),
      lines.map(({ text }) => termsOf(text)),
    );
    const most = Math.max(1e-9, ...scores);
    const worth = ({ index }: ContextLine) =>
      by === 'random' ? random.next() : routeWorth({ role: scores[index] / most, stage: 0, distance: count - index });
    const mode = by === 'window' ? 'window' : 'routed';
    const selection = select(lines, { mode, tokens: budget, start: 0, fresh: count - 1, worth });
    if (by === 'routed') routed += selection.shown.length;
    shownCount += selection.shown.filter(({ index }) => needed.has(index)).length / needed.size;
  }
  return { shown: shownCount / trials, routed };
}
