/**
 * @file A user with a hidden brief: three entities that may be in it, two attributes of each, and three relations. Five questions may
 * be asked, and the rest is guessed. The belief graph names the question that would settle most.
 *
 * Options: ask ("beliefs", "flat", "random", or "none"), seed. "flat" ignores that attributes of absent entities do not matter. Prints
 * the share of the brief that is met after five turns, and after each turn.
 */

import { beliefGraph, beliefWords, entropyOf } from '@ludus-agents/agents/internal/mind/beliefs';
import type { MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { type Json, type Prompt, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { scripts } from './_stages.ts';
import { found } from './_values.ts';

const entities = ['dog', 'lamp', 'boat'];
const pairs = ['dog>lamp', 'lamp>boat', 'boat>dog'];
export const names = [...entities, ...entities.flatMap((entity) => [`${entity}.color`, `${entity}.size`]), ...pairs];
const values = ['first', 'second', 'third', 'fourth'];
const [briefs, questions] = [100, 5];

export interface Hidden {
  readonly options: readonly string[];
  readonly chances: readonly number[];
  readonly truth: number;
}

export function drawn(name: string, random: Rng): Hidden {
  const options = entities.includes(name) ? ['there', 'not there'] : values;
  const sharpness = 1 + 5 * random.next();
  const weights = options.map(() => random.next() ** sharpness);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const chances = weights.map((weight) => Math.max(1, Math.round((100 * weight) / sum)));
  return { options, chances, truth: random.weighted(chances) };
}

export default async function run({ ask = 'beliefs', seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const random = rng(Number(seed), 'briefs');
  const byTurn = Array.from({ length: questions + 1 }, () => 0);
  const { signal } = new AbortController();
  let count = 0;
  const asker = stage.writer((prompt) => nameIn(prompt) ?? 'nothing');
  const all = Array.from({ length: briefs }, () => new Map(names.map((name) => [name, drawn(name, random)])));
  await forEachOf(all, async (hidden, brief) => {
    const dice = rng(Number(seed), 'questions', brief);
    const settled = new Set<string>();
    for (let turn = 0; turn <= questions; turn++) {
      byTurn[turn] += metBy(hidden, settled) / briefs;
      const words = turn === questions || ask === 'none' ? undefined : wordsFor(hidden, settled, String(ask), dice);
      const content = `${words}\nWhat do you ask about?`;
      const reply = words === undefined ? undefined : (await asker.complete({ messages: [{ role: 'user', content }] }, {}, signal)).text;
      const question = names.find((name) => name === reply);
      if (question !== undefined) settled.add(question);
      if (ask === 'beliefs' && question !== undefined) count++;
    }
  });
  return { met: byTurn[byTurn.length - 1], byTurn, named: count };
}

/** What is believed of a part of the brief, or what it is once that is known. */
export function beliefText({ options, chances, truth }: Hidden, isSettled: boolean): string {
  return isSettled ? `${options[truth]} 100` : options.map((option, i) => `${option} ${chances[i]}`).join(', ');
}

/** The question that a text names. */
function nameIn({ messages }: Prompt): string | undefined {
  return /settle most is ([\w.>]+)/.exec(String(messages.at(-1)?.content))?.[1];
}

/** What is believed, with a question that is to settle most: the one of the belief graph, or another one. */
function wordsFor(hidden: ReadonlyMap<string, Hidden>, settled: ReadonlySet<string>, ask: string, random: Rng): string {
  const left = names.filter((name) => !settled.has(name));
  const textOf = (name: string) => beliefText(found(hidden.get(name)), settled.has(name));
  const records = names.map((name) => ({ id: name, key: `belief.${name}`, text: textOf(name) }) as MemoryRecord);
  const words = beliefWords(beliefGraph(records, ({ text }) => text));
  if (ask === 'beliefs') return words;
  const flat = left.reduce((best, name) => (entropyOf(textOf(name)) > entropyOf(textOf(best)) ? name : best));
  return words.replace(/settle most is [\w.>]+/, `settle most is ${ask === 'random' ? random.pick(left) : flat}`);
}

/** Of what is in the brief, the share that is known or guessed; of an entity that is not in it only that it is not. */
export function metBy(hidden: ReadonlyMap<string, Hidden>, settled: ReadonlySet<string>): number {
  const isThere = (entity: string) => hidden.get(entity)?.truth === 0;
  const counted = names.filter((name) => name.split(/[.>]/).every((part) => !entities.includes(part) || part === name || isThere(part)));
  const isMet = (name: string) => {
    const { chances, truth } = found(hidden.get(name));
    return settled.has(name) || chances.indexOf(Math.max(...chances)) === truth;
  };
  return counted.filter(isMet).length / counted.length;
}
