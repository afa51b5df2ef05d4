/**
 * @file Recall of the right memory when topic alone is ambiguous: 60 memories in 12 topics with five moods each, questions asked in the mood
 * in which the right memory was made. Relevance is noisy. Options: by ("mood", "topic" or "shuffled mood"), seed. Gives hits among the first four.
 */

import { emotionalRag, type RankItem } from '@ludus-agents/agents/internal/mind/rank';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const topics = 12;
const moods = 8;
const questions = 60;
const perTopic = 8;

export default function run({ by = 'mood', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'moods');
  let hits = 0;
  let changed = 0;
  for (let question = 0; question < questions; question++) {
    const [topic, mood] = [random.int(topics), random.int(moods)];
    const memories: RankItem[] = [];
    for (let t = 0; t < topics; t++)
      for (let m = 0; m < perTopic; m++)
        memories.push({
          ...{ id: `${t}.${m}`, age: random.int(50), importance: random.next() },
          relevance: (t === topic ? 0.7 : 0.2) + 0.3 * random.next(),
          emotion: feeling(t === topic && m === 0 ? mood : random.int(moods), random),
        });
    const target = `${topic}.0`;
    const asked = feeling(by === 'shuffled mood' ? random.int(moods) : mood, random);
    const first = (list: readonly { readonly id: string }[]) => list.slice(0, 4).map(({ id }) => id);
    const byTopic = first([...memories].sort((a, b) => b.relevance - a.relevance));
    const recalled = by === 'topic' ? byTopic : first(emotionalRag(memories, 'C-A', { emotion: asked }));
    if (recalled.includes(target)) hits++;
    if (recalled.join() !== byTopic.join()) changed++;
  }
  return { hits: hits / questions, changed };
}

/** A mood as eight intensities, none of them certain. */
function feeling(mood: number, random: Rng): readonly number[] {
  return Array.from({ length: moods }, (_, i) => (i === mood ? 5 + 4 * random.next() : 1 + 4 * random.next()));
}
