/**
 * @file Facts about 12 people, some known by an alias, in a long record. Questions of one or two hops; what counts is whether the evidence is
 * among the lines that are brought to mind. Options: by ("graph", "register", "words", "latest"), hops, seed.
 */

import { knowledgeOf } from '@ludus-agents/agents/internal/mind/knowledge';
import type { MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { completeShare, type ReadingItem, type ReadingItems } from './_reading.ts';

const people = ['Ann', 'Bo', 'Cara', 'Dov', 'Ema', 'Finn', 'Gus', 'Hana', 'Ivo', 'Jun', 'Kai', 'Lea'];
const aliases = [
  'the tall one',
  'the baker',
  'the pilot',
  'the poet',
  'the twin',
  'the diver',
  'the cook',
  'the judge',
  'the guard',
  'the singer',
  'the miner',
  'the tailor',
];
const attributes = ['home', 'work', 'pet', 'drink'];

export default function run({ by = 'graph', hops = 2, seed = 1 }: ProgramOptions): Json {
  const { items, acted } = chronicleItems(rng(Number(seed), 'chronicle'), { by: String(by), hops: Number(hops), count: 100 });
  return { complete: completeShare(items), brought: acted };
}

export function chronicleItems(
  random: Rng,
  { by, hops, count }: { readonly by: string; readonly hops: number; readonly count: number },
): ReadingItems {
  const friend = random.shuffle(people.map((_, i) => i)).map((j, i) => (j === i ? (j + 1) % people.length : j));
  const nickname = random.shuffle(aliases);
  const value = new Map<string, string>();
  const texts: [string, string][] = people.flatMap((name, i): [string, string][] => [
    [`${name}.friend`, people[friend[i]]],
    [`${name}.alias`, nickname[i]],
    ...attributes.map((attribute): [string, string] => [`${name}.${attribute}`, `${attribute} number ${random.int(1000)}`]),
  ]);
  for (const [key, text] of texts) value.set(key, text);
  const records = random
    .shuffle(texts)
    .map(([key, text], i) => ({ id: `r${i}`, key, text: `${key}: ${text}`, recordedAt: i }) as MemoryRecord);
  let brought = 0;
  const items = Array.from({ length: count }, (): ReadingItem => {
    const person = random.int(people.length);
    const subject = hops === 2 ? friend[person] : person;
    const attribute = random.pick(attributes);
    const question =
      hops === 2 ? `What is the ${attribute} of the friend of ${nickname[person]}?` : `What is the ${attribute} of ${nickname[person]}?`;
    const lines =
      by === 'graph' || by === 'register'
        ? knowledgeOf({ names: [by], records, words: question, count: charactersOf })
        : rankRecords(records, question, by === 'latest');
    if (by === 'graph' || by === 'register') brought += lines.length;
    const ids = new Set(lines.map(({ id }) => id));
    const needed = [`${people[person]}.alias`, `${people[subject]}.${attribute}`, ...(hops === 2 ? [`${people[person]}.friend`] : [])];
    return {
      notes: lines.map(({ text }) => text).join('\n'),
      question,
      steps: hops === 2 ? [people[person], people[subject]] : [people[person]],
      answer: value.get(`${people[subject]}.${attribute}`)!,
      complete: needed.every((key) => records.some((record) => record.key === key && ids.has(record.id))),
    };
  });
  return { items, acted: brought };
}

function charactersOf(text: string): number {
  return text.length;
}

/** As many lines as the structures bring at most: the latest, or those that share most words with the question, rare words counting more. */
function rankRecords(records: readonly MemoryRecord[], prompt: string, latest: boolean): readonly MemoryRecord[] {
  const most = 12;
  if (latest) return [...records].sort((a, b) => b.recordedAt - a.recordedAt).slice(0, most);
  const split = (text: string) => new Set(text.toLowerCase().match(/[a-z]+/g));
  const query = split(prompt);
  const documents = records.map(({ text }) => split(text));
  const weight = (word: string) => Math.log(1 + records.length / (1 + documents.filter((document) => document.has(word)).length));
  const score = (document: ReadonlySet<string>) => [...query].reduce((sum, word) => sum + (document.has(word) ? weight(word) : 0), 0);
  return records
    .map((record, i) => ({ record, score: score(documents[i]) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ record }) => record);
}
