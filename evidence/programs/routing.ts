/**
 * @file Which lines of a shared memory does a role see with a limited budget? 120 lines of three roles, four of which are needed now
 * and partly name the role's goal. Options: by ("routed", "window", or "random"), seed. Prints the share of needed lines in view.
 */

import { type ContextLine, routeWorth, select } from '@ludus-agents/agents/internal/mind/window';
import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { completeShare, type ReadingItem, type ReadingItems } from './_reading.ts';

const count = 120;
const budget = 300;
const vocabulary = Array.from({ length: 200 }, (_, i) => `word${i}`);

export default function run({ by = 'routed', seed = 1 }: ProgramOptions): Json {
  const { items, acted } = routingItems(rng(Number(seed), 'routing'), { by: String(by), trials: 40 });
  return { shown: completeShare(items), routed: acted };
}

export function routingItems(random: Rng, { by, trials }: { readonly by: string; readonly trials: number }): ReadingItems {
  const items: ReadingItem[] = [];
  let routed = 0;
  for (let trial = 0; trial < trials; trial++) {
    const goal = random.shuffle(vocabulary).slice(0, 6);
    const needed = random.shuffle(Array.from({ length: count }, (_, i) => i)).slice(0, 4);
    const values = Array.from({ length: count }, () => String(random.int(1000)));
    const lines = Array.from({ length: count }, (_, index): ContextLine => {
      const other = Array.from({ length: 10 }, () => random.pick(vocabulary));
      // A needed line shares two words of six with the goal; others share one by accident now and then.
      const text = (needed.includes(index) ? [...random.shuffle(goal).slice(0, 2), ...other.slice(2)] : other).join(' ');
      return { index, text: `${text} item ${index} = ${values[index]}`, own: false, tokens: 11 };
    });
    const scores = bm25(
      goal.flatMap((word) => termsOf(word)),
      lines.map(({ text }) => termsOf(text)),
    );
    const most = Math.max(1e-9, ...scores);
    const worth = ({ index }: ContextLine) =>
      by === 'random' ? random.next() : routeWorth({ role: scores[index] / most, stage: 0, distance: count - index });
    const mode = by === 'window' ? 'window' : 'routed';
    const { shown: selection } = select(lines, { mode, tokens: budget, start: 0, fresh: count - 1, worth });
    if (by === 'routed') routed += selection.length;
    const notes = selection.map(({ text }) => text).join('\n');
    const indices = new Set(selection.map(({ index }) => index));
    for (const index of needed)
      items.push({ notes, question: `What is item ${index}?`, answer: values[index], complete: indices.has(index) });
  }
  return { items, acted: routed };
}
