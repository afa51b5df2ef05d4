/**
 * @file What a language model is taught to write before an answer that takes several look-ups: the "answer" alone, the "steps" that lead to it,
 * the trace of a team with its "roles", or such traces of another question ("shuffled"). Options: form, hops, server, seed. Gives the share of
 * right answers to fresh questions, and how many taught texts have steps.
 */

import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import type { ReadingItem } from './_reading.ts';
import { type Lesson, taught } from './_taught.ts';
import { chronicleItems } from './entities.ts';

export default async function run({ form = 'steps', hops = 2, server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'traces');
  const chronicle = (dice: Rng, count: number) => chronicleItems(dice, { by: 'graph', hops: Number(hops), count }).items;
  const lessons = () => {
    const items = Array.from({ length: 300 }, () => chronicle(random, 6)).flat();
    return items.map((item, i): Lesson => ({ prompt: promptOf(item), answer: textOf(item, items[(i + 3) % items.length]!, String(form)) }));
  };
  const model = await taught({ key: `traces ${form} ${hops}`, server: String(server), seed: Number(seed), lessons, answer: 48 });
  const fresh = rng(Number(seed), 'fresh traces');
  const items = Array.from({ length: 20 }, () => chronicle(fresh, 5)).flat();
  const answers = await model.answers(items.map(promptOf));
  const right = items.filter(({ answer }, i) => answers[i]!.endsWith(answer)).length / items.length;
  return { right, steps: form === 'answer' ? 0 : 300 * 6 };
}

function promptOf({ notes, question }: ReadingItem): string {
  return `Notes:\n${notes}\n\nQuestion: ${question}`;
}

function textOf({ steps = [], answer }: ReadingItem, other: ReadingItem, form: string): string {
  if (form === 'answer') return answer;
  const path = form === 'shuffled' ? (other.steps ?? []) : steps;
  if (form === 'steps') return [...path, answer].join(', ');
  const [person, friend] = path;
  return `Planner: find the person, then the friend. Searcher: ${person}, ${friend}. Checker: ${friend} is in the notes. ${answer}`;
}
