/**
 * @file Recall of the right memory if the topic alone is ambiguous: 60 memories in 12 topics with five moods each, and questions asked
 * in the mood in which the right memory was made. Relevance is noisy. Options: by ("mood", "topic", or "shuffled mood"), seed. Prints
 * the share of questions whose memory is among the first four.
 */

import { emotionalRag, type RankItem } from '@ludus-agents/agents/internal/mind/rank';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { completeShare, type ReadingItem, type ReadingItems } from './_reading.ts';

const topics = ['harbor', 'school', 'wedding', 'market', 'garden', 'train', 'storm', 'dinner', 'river', 'concert', 'office', 'island'];
const moods = ['joyful', 'sad', 'angry', 'afraid', 'disgusted', 'surprised', 'hopeful', 'calm'];
const perTopic = 8;

export default function run({ by = 'mood', seed = 1 }: ProgramOptions): Json {
  const { items, acted } = moodItems(rng(Number(seed), 'moods'), { by: String(by), count: 60 });
  return { hits: completeShare(items), changed: acted };
}

export function moodItems(random: Rng, { by, count }: { readonly by: string; readonly count: number }): ReadingItems {
  const items: ReadingItem[] = [];
  let changed = 0;
  for (let question = 0; question < count; question++) {
    const [topic, mood] = [random.int(topics.length), random.int(moods.length)];
    const memories: (RankItem & { readonly text: string })[] = [];
    const answer = String(random.int(1000));
    for (let t = 0; t < topics.length; t++)
      for (let m = 0; m < perTopic; m++) {
        const isTarget = t === topic && m === 0;
        // Within the topic the mood tells the right memory from all others.
        const feels = isTarget ? mood : (mood + 1 + random.int(moods.length - 1)) % moods.length;
        memories.push({
          ...{ id: `${t}.${m}`, age: random.int(50), importance: random.next() },
          relevance: (t === topic ? 0.7 : 0.2) + 0.3 * random.next(),
          emotion: feeling(feels, random),
          text: `The ${topics[t]} when I was ${moods[feels]}: number ${isTarget ? answer : random.int(1000)}.`,
        });
      }
    const currentMood = feeling(by === 'shuffled mood' ? random.int(moods.length) : mood, random);
    const first = <T>(list: readonly T[]) => list.slice(0, 4);
    const byTopic = first([...memories].sort((a, b) => b.relevance - a.relevance)).map(({ id }) => id);
    const recalled = by === 'topic' ? byTopic : first(emotionalRag(memories, 'C-A', { emotion: currentMood })).map(({ id }) => id);
    if (recalled.join() !== byTopic.join()) changed++;
    items.push({
      notes: recalled.map((id) => memories.find((memory) => memory.id === id)!.text).join('\n'),
      question: `Which number belongs to the ${topics[topic]} when I was ${moods[mood]}?`,
      answer,
      complete: recalled.includes(`${topic}.0`),
    });
  }
  return { items, acted: changed };
}

/** A mood as eight intensities, none of them certain. */
function feeling(mood: number, random: Rng): readonly number[] {
  return Array.from(moods, (_, i) => (i === mood ? 5 + 4 * random.next() : 1 + 4 * random.next()));
}
