/**
 * @file What a language model is trained to write before an answer that takes three lookups: the "answer" alone, the "steps" that lead
 * to it, the trace of a team with its "roles", or such traces of another question ("shuffled"). Options: form, server, seed. Prints the
 * share of right answers to fresh questions, and the number of training texts with steps.
 */

import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { taught } from './_taught.ts';

const rooms = [
  'attic',
  'bakery',
  'cellar',
  'dock',
  'engine',
  'forge',
  'garden',
  'hall',
  'inn',
  'jail',
  'kitchen',
  'lobby',
  'mill',
  'nursery',
];
const count = 1600;

interface Walk {
  readonly prompt: string;
  /** The rooms that are passed, the last of which is asked for. */
  readonly path: readonly string[];
}

export default async function run({ form = 'steps', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'walks');
  const lessons = () => {
    const walks = Array.from({ length: count }, () => walkOf(random));
    return walks.map(({ prompt, path }, i) => ({ prompt, answer: textOf(path, walks[(i + 1) % count].path, String(form)) }));
  };
  const model = await taught({ key: `walks ${form}`, server: String(server), seed: Number(seed), lessons, steps: 120, answer: 48 });
  const fresh = rng(Number(seed), 'fresh walks');
  const walks = Array.from({ length: 120 }, () => walkOf(fresh));
  const answers = await model.answers(walks.map(({ prompt }) => prompt));
  const right = walks.filter(({ path }, i) => answers[i].split(' ').at(-1) === path.at(-1)).length / walks.length;
  return { right, steps: form === 'answer' ? 0 : count };
}

function walkOf(random: Rng): Walk {
  const order = random.shuffle(rooms);
  const next = new Map(order.map((room, i) => [room, order[(i + 1) % order.length]]));
  const [start, first, second, last] = order as [string, string, string, string];
  const doors = random.shuffle([...next]).map(([from, to]) => `The door of the ${from} leads to the ${to}.`);
  const prompt = `${doors.join('\n')}\nStart in the ${start} and go through three doors. Where are you?`;
  return { prompt, path: [first, second, last] };
}

function textOf(path: readonly string[], other: readonly string[], form: string): string {
  const [last] = path.slice(-1);
  if (form === 'answer') return `${last}`;
  const [first, second] = form === 'shuffled' ? other : path;
  if (form === 'steps') return `${first} ${second} ${last}`;
  return `Planner: three doors. Searcher: ${first}, then ${second}. Checker: from the ${second} to the ${last}. ${last}`;
}
