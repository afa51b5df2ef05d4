/** @file A lasting mood: a language agent with memory starts the next conversation with half of the remaining mood. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { moodAt } from '@ludus-agents/agents/internal/mind/affect';
import { type Mind, readMind } from '@ludus-agents/agents/internal/mind/mind';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { recallMind } from '@ludus-agents/agents/internal/workspace/lasting-memory';
import type { AgentSpec, AnyEnvironment, Json } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { folder } from '../terminal.cases.ts';

const innkeeper = parsePersona({ name: 'Ada', affect: { baseline: [0.02, 0.2, 0.2], reactivity: 1 } });
const talk = (says: string): AnyEnvironment => ({
  id: 'talk@1',
  about: { summary: 'Talk.', tasks: [{}], turns: 1 },
  parameters: {},
  task: () => ({}),
  seats: () => ['host'],
  start: () => ({ state: {}, messages: [{ to: ['host'], text: says }], asks: [{ seat: 'host' }] }),
  step: (state: object) => ({ state, messages: [], asks: [] }),
});

it('a mood starts at half of its last value, or neutral without memory', async () => {
  const cwd = folder();
  mkdirSync(join(cwd, '.ludus'));
  const prompts: string[] = [];
  const model = fakeModel({
    answers: ({ messages }) => {
      prompts.push(messages.map(({ content }) => String(content)).join('\n'));
      return 'Speech: So.';
    },
  });
  const load = createAgentLoader({ model: async () => model, lastMind: (agent) => recallMind({ cwd, env: {} }, {}, agent) });
  const session = async (id: string, says: string, settings: AgentSpec['settings'] = { lasting: true }): Promise<Mind> => {
    const environment = talk(says);
    const spec: AgentSpec = { name: 'Host', kind: 'llm', model: 'fake', persona: innkeeper as unknown as Json, settings };
    const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
    try {
      const recorder = new EpisodeRecorder({ store, episode: id });
      await recordEpisode(play(environment, { host: await load(spec, 'host', environment) }, { seed: 1 }), recorder);
      await recorder.flush();
      const events = await store.events(id);
      expect(replay(environment, events)).toBeNull();
      const action = events.find((event) => event.kind === 'action');
      return readMind(action?.kind === 'action' ? action.mind : undefined) as Mind;
    } finally {
      await store.close();
    }
  };
  const { affect: temper } = innkeeper;
  const angry = await session('first', 'You liar, you thief, I hate you, you worthless traitor!');
  expect(angry.affect!.mood[0]).toBeLessThan(temper.baseline[0]!);
  const left = moodAt(angry.affect!, angry.turn, temper);
  const next = await session('second', 'Good day.');
  left.forEach((value, i) => {
    expect(next.affect!.mood[i]).toBeCloseTo(temper.baseline[i]! + (value - temper.baseline[i]!) / 2, 10);
  });
  expect(next.affect!.felt).toEqual([]);
  // Without memory the same words find the character as its card has it.
  const other = await session('third', 'Good day.', {});
  expect(other.affect!.mood).toEqual([...temper.baseline]);
  const mood = (prompt: string) => /You feel: .*/.exec(prompt)?.[0];
  expect([mood(prompts[1]!), mood(prompts[2]!)]).toEqual(['You feel: slightly hostile', 'You feel: slightly exuberant']);
});
