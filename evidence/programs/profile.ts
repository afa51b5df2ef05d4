/**
 * @file A user over 20 sessions shows 12 preferences, some of which change later, among much else. What is in view at the end: the profile of
 * at most 2,000 characters, or as many characters of the latest history. Options: by ("profile" or "latest"), seed.
 */

import { knowledgeOf } from '@ludus-agents/agents/internal/mind/knowledge';
import type { MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const users = 40;
const topics = ['tea', 'seat', 'music', 'pet', 'sport', 'bread', 'color', 'train', 'book', 'lamp', 'shoe', 'garden'];

export default function run({ by = 'profile', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'users');
  let right = 0;
  let used = 0;
  for (let user = 0; user < users; user++) {
    const now = new Map<string, string>();
    const records: MemoryRecord[] = [];
    const history: string[] = [];
    for (let session = 0; session < 20; session++) {
      const topic = session < topics.length ? topics[session] : random.pick(topics);
      const value = `${topic}-${random.int(1000)}`;
      now.set(topic, value);
      const earlier = records.findIndex(({ key }) => key === `user.${topic}`);
      if (earlier >= 0) records.splice(earlier, 1);
      records.push({
        id: `r${session}`,
        key: `user.${topic}`,
        text: `user.${topic}: ${value}`,
        recordedAt: session,
      } as unknown as MemoryRecord);
      history.push(`The usual ${value}, please. ${'We talked about other things for a while. '.repeat(8)}`);
    }
    const profile = knowledgeOf({ names: ['profile'], records, words: '', count: (text) => text.length })
      .map(({ text }) => text)
      .join('\n');
    const latest = history.join('\n').slice(-2000);
    const view = by === 'profile' ? profile : latest;
    if (by === 'profile') used++;
    right += [...now.values()].filter((value) => view.includes(value)).length / now.size;
  }
  return { right: right / users, used };
}
