/**
 * @file A user shows 12 preferences over 20 sessions, among much else, and some preferences change. What is visible at the end: the
 * profile of at most 2,000 characters, or the same amount of the latest history? Options: by ("profile" or "latest"), seed.
 */

import { knowledgeOf } from '@ludus-agents/agents/internal/mind/knowledge';
import type { MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { completeShare, type ReadingItem, type ReadingItems } from './_reading.ts';

const topics = ['tea', 'seat', 'music', 'pet', 'sport', 'bread', 'color', 'train', 'book', 'lamp', 'shoe', 'garden'];

export default function run({ by = 'profile', seed = 1 }: ProgramOptions): Json {
  const { items, acted } = profileItems(rng(Number(seed), 'users'), { by: String(by), users: 40 });
  return { right: completeShare(items), used: acted };
}

export function profileItems(random: Rng, { by, users }: { readonly by: string; readonly users: number }): ReadingItems {
  const items: ReadingItem[] = [];
  for (let user = 0; user < users; user++) {
    const current = new Map<string, string>();
    const records: MemoryRecord[] = [];
    const history: string[] = [];
    for (let session = 0; session < 20; session++) {
      const topic = session < topics.length ? topics[session] : random.pick(topics);
      const value = `${topic}-${random.int(1000)}`;
      current.set(topic, value);
      const earlier = records.findIndex(({ key }) => key === `user.${topic}`);
      if (earlier >= 0) records.splice(earlier, 1);
      records.push({
        id: `r${session}`,
        key: `user.${topic}`,
        text: `user.${topic}: ${value}`,
        recordedAt: session,
      } as MemoryRecord);
      history.push(`The usual ${value}, please. ${'We talked about other things for a while. '.repeat(8)}`);
    }
    const profile = knowledgeOf({ names: ['profile'], records, words: '', count: (text) => text.length })
      .map(({ text }) => text)
      .join('\n');
    const notes = by === 'profile' ? profile : history.join('\n').slice(-2000);
    for (const [topic, answer] of current)
      items.push({ notes, question: `What is the user's usual ${topic}?`, answer, complete: notes.includes(answer) });
  }
  return { items, acted: by === 'profile' ? users : 0 };
}
