import { type EndEvent, type Json, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { memory } from './memory.ts';
import { makeSessions, partText } from './sessions.ts';

const seeds = Array.from({ length: 40 }, (_, i) => i);

async function mean(script: string, task: Json): Promise<number> {
  const logs = await rollout(memory, { reader: scriptedPolicy(script, memory.scripts?.[script] as Script) }, { seeds, task });
  return logs.reduce((sum, log) => sum + (log.at(-1) as EndEvent).returns['reader']!, 0) / logs.length;
}

describe('memory baselines', () => {
  it.each(['retrieval', 'conflict'])('full-text search solves %s', async (competency) => {
    expect(await mean('search', { competency })).toBeGreaterThan(0.95);
  });

  it('full-text search fails if no single sentence has the answer', async () => {
    expect(await mean('search', { competency: 'range', questions: 4 })).toBeLessThan(0.5);
    expect(await mean('search', { competency: 'learning' })).toBeLessThan(0.8);
  });

  it.each(['retrieval', 'range', 'learning', 'forgetting'])('remembering only the last part fails at %s', async (competency) => {
    expect(await mean('last-part', { competency, questions: 4 })).toBeLessThan(0.7);
  });
});

describe('memory sessions', () => {
  const extent = { parts: 4, facts: 4, questions: 2, competencies: ['retrieval', 'conflict', 'forgetting', 'learning', 'range'] } as const;

  it('have unrelated filler text and the requested length', () => {
    for (const seed of seeds.slice(0, 10)) {
      const memorySessions = makeSessions(extent, rng(seed));
      const words = new Set(
        [...memorySessions.said.flat(), ...memorySessions.questions.map(({ ask }) => ask)].join(' ').toLowerCase().match(/\w+/g),
      );
      const idle = partText({ ...memorySessions, said: [[], [], [], []] }, 0, 4000);
      expect(
        idle
          .toLowerCase()
          .match(/\w+/g)
          ?.filter((word) => words.has(word)),
      ).toEqual([]);
      expect(partText(memorySessions, 1, 4000).length).toBeGreaterThanOrEqual(3999);
      expect(partText(memorySessions, 1, 4000).length).toBeLessThan(4150);
    }
  });

  it('are readable up to a million tokens', () => {
    let step = memory.start(memory.task({ tokens: 1_000_000, chunk: 8192, sessions: 10 }), rng(1));
    let characters = step.messages[0]!.text.length;
    let parts = 1;
    for (; step.asks[0]?.choices?.[0] === '[next]'; parts++) {
      step = memory.step(step.state, { reader: { text: '[next]' } }, rng(1));
      characters += step.messages[0]!.text.length;
    }
    expect({ parts: parts - 1, most: characters > 4_000_000 && characters < 4_100_000 }).toEqual({ parts: 130, most: true });
  });

  it('reveal nothing of later parts', () => {
    const task = memory.task({ competency: 'retrieval' });
    const { state } = memory.start(task, rng(4));
    const statements = state.made.said.map((part, i) => (i === 3 ? part.map((item) => item.replace(/is \w+\./, 'is Hugo.')) : part));
    const other = {
      ...state,
      made: { ...state.made, said: statements, questions: state.made.questions.map((question) => ({ ...question, answer: 'Hugo' })) },
    };
    const told = (from: typeof state) => {
      let step = memory.step(from, { reader: { text: '[next]' } }, rng(1));
      const texts = [step.messages, step.asks];
      step = memory.step(step.state, { reader: { text: '[next]' } }, rng(1));
      return [...texts, step.messages, step.asks];
    };
    expect(told(other)).toEqual(told(state));
  });

  it('reject tasks with too many turns', () => {
    expect(() => memory.task({ tokens: 1_000_000, chunk: 50 })).toThrow(/memory: "tokens" over "chunk" makes 20000 turns/);
  });
});
