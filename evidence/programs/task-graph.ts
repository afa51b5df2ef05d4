/**
 * @file Random plans of 9 completed tasks, of which one is revised. Compares the tasks marked "to be done again" with reachability in
 * the graph. Options: edges ("yes", "no", or "shuffled"), seed. Prints the share of plans in which exactly the right tasks are marked.
 */

import { knowledgeOf } from '@ludus-agents/agents/internal/mind/knowledge';
import type { MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import type { ReadingItem, ReadingItems } from './_reading.ts';

const tasks = 9;
const plans = 100;

export default function run({ edges = 'yes', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'plans');
  let right = 0;
  let marks = 0;
  for (let plan = 0; plan < plans; plan++) {
    const { after, revised, stale } = randomPlan(random);
    const used = edges === 'shuffled' ? random.shuffle(after).map((list, i) => list.filter((j) => j !== i)) : after;
    const records = used.map((list, i) => record(i, stateOf(edges === 'no' ? [] : list), i === revised ? 100 : i));
    const [recalled] = knowledgeOf({ names: ['tasks'], records, words: '', count: (text) => text.length });
    const marked = new Set([...(recalled?.text ?? '').matchAll(/t(\d+): to be done again/g)].map(([, i]) => Number(i)));
    marks += marked.size;
    if (marked.size === stale.size && [...stale].every((i) => marked.has(i))) right++;
  }
  return { right: right / plans, marks };
}

/** Whether a task is to be done again, asked about the marked list or about the dependencies alone. */
export function planItems(random: Rng, { view, plans: count }: { readonly view: string; readonly plans: number }): ReadingItems {
  const items: ReadingItem[] = [];
  let acted = 0;
  for (let plan = 0; plan < count; plan++) {
    const { after, revised, stale } = randomPlan(random);
    const records = after.map((list, i) => record(i, stateOf(list), i === revised ? 100 : i));
    const marks = knowledgeOf({ names: ['tasks'], records, words: '', count: (text) => text.length });
    acted += view === 'marks' ? stale.size : 0;
    const list = records.map(({ text }) => text).join('\n');
    const notes = view === 'marks' ? marks.map(({ text }) => text).join('\n') : `${list}\nt${revised} was revised.`;
    // As many tasks that are stale as tasks that are not.
    const others = Array.from({ length: tasks }, (_, i) => i).filter((i) => !stale.has(i) && i !== revised);
    for (const i of [...random.shuffle([...stale]).slice(0, 2), ...random.shuffle(others).slice(0, 2)])
      items.push({ notes, question: `Is t${i} to be done again?`, answer: stale.has(i) ? 'yes' : 'no', complete: true });
  }
  return { items, acted };
}

/** Tasks with what each waits for, one that is revised, and those that it makes stale. */
function randomPlan(random: Rng) {
  const after = Array.from({ length: tasks }, (_, i) => Array.from({ length: i }, (_, j) => j).filter(() => random.next() < 0.25));
  const revised = random.int(tasks - 1);
  const stale = new Set<number>();
  for (let i = 0; i < tasks; i++) if (after[i].some((j) => j === revised || stale.has(j))) stale.add(i);
  return { after, revised, stale };
}

function stateOf(list: readonly number[]): string {
  return `done${list.length === 0 ? '' : ` after ${list.map((j) => `t${j}`).join(', ')}`}`;
}

function record(i: number, state: string, at: number): MemoryRecord {
  return { id: `r${i}`, key: `task.t${i}`, text: `task.t${i}: ${state}`, recordedAt: at } as MemoryRecord;
}
