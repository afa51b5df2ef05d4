/** @file Tastes from files: topics with the sentences that reveal them, and chatter. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { type ContentReader, refuseDuplicates } from '../content/content.ts';
import { problemsOfTopics, topicShape } from './topics.ts';

export const preferencesContent: ContentReader = {
  files: {
    'topics.json': 'topics: id, ask, options with text and shown (sentences that show the taste)',
    'chatter.txt': 'optional: sentences that show nothing, one per line',
  },
  seat: 'writer',
  others: { reader: 'scripted:reader' },
  best: 'selective',
  pass: 1,
  read(source, task) {
    const rows = source.table('topics', topicShape);
    const isReadable = source.problems.length === 0;
    refuseDuplicates(source, rows);
    const chatter = source.has('chatter.txt')
      ? source
          .text('chatter.txt')
          .split(/\r?\n/)
          .map((text) => text.trim())
          .filter((text) => text !== '')
      : [];
    const topics = rows.map(({ value }) => value);
    if (isReadable)
      for (const { index, message } of problemsOfTopics(topics, chatter)) source.refuse(rows[index].file, rows[index].line, message);
    const sentences = topics.reduce((sum, { options }) => sum + options.reduce((inner, { shown }) => inner + shown.length, 0), 0);
    const [sessions, questions] = [numberOf(task['sessions'], 12), numberOf(task['questions'], 3)];
    const chance = topics.reduce((sum, { options }) => sum + 1 / options.length, 0) / Math.max(1, topics.length);
    return {
      task: { tastes: { topics, chatter } },
      turns: (sessions + questions) * 4,
      proofs: [
        `${count(topics.length, 'topic')}, ${count(sentences, 'sentence')} that show a taste and ${count(chatter.length, 'sentence')} of chatter.`,
        'Every sentence shows one option alone and names none, so a profile is needed; guessing is right in ' +
          `${(100 * chance).toFixed(0)}% of the questions.`,
      ],
    };
  },
};

function numberOf(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
