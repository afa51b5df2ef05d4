/**
 * @file Ten retrieved passages, one of which contains the evidence. They are shown as digests (the best two in full, and the best
 * sentence of each other, cut to ten words), or all cut to the same total length. Options: by ("digests", "cut", or "random"), seed.
 * Prints the share of questions whose evidence is visible.
 */

import { digestOf } from '@ludus-agents/agents/internal/tools/digests';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { completeShare, type ReadingItem, type ReadingItems } from './_reading.ts';

const vocabulary = Array.from({ length: 300 }, (_, i) => `term${i}`);

export default async function run({ by = 'digests', seed = 1 }: ProgramOptions): Promise<Json> {
  const { items, acted } = await digestItems(rng(Number(seed), 'digests'), { by: String(by), count: 60 });
  return { seen: completeShare(items), shortened: acted };
}

export async function digestItems(random: Rng, { by, count }: { readonly by: string; readonly count: number }): Promise<ReadingItems> {
  const items: ReadingItem[] = [];
  for (let question = 0; question < count; question++) {
    const keywords = random.shuffle(vocabulary).slice(0, 8);
    const holder = random.int(10);
    const answer = String(random.int(1000));
    const passages = Array.from({ length: 10 }, (_, i) => {
      const content = Array.from({ length: 60 }, () => random.pick(vocabulary));
      // The evidence shares half of the question's words (the rest is paraphrased), others one or two; it is in any place of the passage.
      for (const word of random.shuffle(keywords).slice(0, i === holder ? 4 : random.int(3))) content[random.int(60)] = word;
      if (i === holder) content[random.int(60)] = `EVIDENCE=${answer}`;
      return content.join(' ');
    });
    const digest = await digestOf(passages, keywords.join(' '));
    const length = Math.floor(digest.length / 10);
    const choice = new Set(random.shuffle(passages.map((_, i) => i)).slice(0, 2));
    const notes =
      by === 'digests'
        ? digest
        : by === 'cut'
          ? passages.map((passage) => passage.slice(0, length)).join('\n')
          : passages.map((passage, i) => (choice.has(i) ? passage : passage.split(' ').slice(0, 10).join(' '))).join('\n');
    items.push({ notes, question: 'What is EVIDENCE?', answer, complete: notes.includes(`EVIDENCE=${answer}`) });
  }
  return { items, acted: by === 'digests' ? count : 0 };
}
