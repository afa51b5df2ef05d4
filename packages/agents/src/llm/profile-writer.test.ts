/** @file The writer of a profile: hints answer a later question, and badly written notes do not. */

import type { AgentSpec, AnyEnvironment, EpisodeEvent, Json, Seen } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { fakeModel } from '../models/fake.ts';
import { factLines } from './profile-writer.ts';

const hints = ['Black again, the milk gives me a headache.', 'No, leave the jug with Ben.', 'Lovely weather.'];

/** A guest hints at something three times, says nothing that matters for a while, and asks. */
const statements = [
  ...hints,
  ...Array.from({ length: 30 }, (_, i) => `The train was ${i} minutes late, as trains are.`),
  'Now pour me one as I like it.',
];
const visit: AnyEnvironment = {
  id: 'visit@1',
  about: { summary: 'A guest.', tasks: [{}], turns: 40 },
  parameters: {},
  task: () => ({}),
  seats: () => ['host', 'guest'],
  start: () => ({ state: { at: 0 }, messages: [{ to: ['host'], from: 'guest', text: statements[0]! }], asks: [{ seat: 'host' }] }),
  step: ({ at }: { at: number }) =>
    at + 1 === statements.length
      ? { state: { at }, messages: [], asks: [] }
      : { state: { at: at + 1 }, messages: [{ to: ['host'], from: 'guest', text: statements[at + 1]! }], asks: [{ seat: 'host' }] },
};

/** A model without weights: as a writer it does what its text says, as a host it pours by the profile it is shown. */
const model = fakeModel({
  answers({ messages }) {
    const texts = messages.map(({ content }) => String(content));
    const [system = '', words = ''] = [texts[0], texts.at(-1)];
    if (!words.includes('<records>')) return `Speech: ${/tea: (\w+ \w+)/.exec(String(messages.at(-1)?.content))?.[1] ?? 'As it comes.'}`;
    return system.includes('hint') && /milk|jug/.test(words) ? '- user.Tea = without milk.' : 'nothing';
  },
});

async function lastWords(
  spec: Partial<AgentSpec>,
): Promise<{ readonly text: string; readonly calls: number; readonly log: readonly EpisodeEvent[] }> {
  const load = createAgentLoader({ model: async () => model });
  const whole: AgentSpec = { name: 'Ann', kind: 'llm', model: 'fake', ...spec, settings: { budget: 900, memories: 0, ...spec.settings } };
  const log: EpisodeEvent[] = [];
  for await (const event of play(
    visit,
    { host: await load(whole, 'host', visit), guest: await load('random', 'guest', visit) },
    { seed: 1 },
  ))
    log.push(event);
  const last = log.findLast((event) => event.kind === 'action');
  return { text: last?.kind === 'action' ? last.action.text : '', calls: last?.kind === 'action' ? (last.calls?.length ?? 0) : 0, log };
}

describe('profile writer', () => {
  it('records hints so that they answer questions after the text is out of context', async () => {
    expect(await lastWords({ settings: { writer: true } })).toMatchObject({ text: 'without milk', calls: 2 });
  });

  it('records no hints if its instruction ignores them or the writer is off', async () => {
    expect((await lastWords({ settings: { writer: true }, texts: { writer: 'Write down what is said outright.' } })).text).toBe(
      'As it comes.',
    );
    expect(await lastWords({ settings: { knowledge: ['profile'] } })).toMatchObject({ text: 'As it comes.', calls: 1 });
  });

  it('uses a separate prompt that the answering agent does not see', async () => {
    const { log } = await lastWords({ settings: { writer: true }, texts: { writer: 'Look for a hint.' } });
    const [answer, writer] = log.flatMap((event) => (event.kind === 'action' ? [event.calls ?? []] : []))[0] ?? [];
    expect(JSON.stringify(writer?.prompt)).toContain('Look for a hint.');
    expect(JSON.stringify(answer?.prompt)).not.toContain('Look for a hint.');
  });

  it('accepts only lines in its format', () => {
    expect(factLines('1. user.Favourite drink: green tea.\nThe user likes tea.\n* `user.home = Oslo`', ['profile'])).toEqual([
      { key: 'user.favourite-drink', value: 'green tea' },
      { key: 'user.home', value: 'Oslo' },
    ]);
    // A small model copies the examples that show it the form.
    expect(factLines('user.music = loves Bach\nuser.home = Rome', ['profile'])).toEqual([{ key: 'user.home', value: 'Rome' }]);
    const dice = rng(3, 'lines');
    for (let i = 0; i < 200; i++) {
      const text = Array.from({ length: 60 }, () => dice.pick([...'user.= :ab\n*-9é'])).join('');
      for (const { key, value } of factLines(text, ['profile']))
        expect([key.startsWith('user.'), value.trim() !== '']).toEqual([true, true]);
    }
  });

  it('keeps a register of subjects that the answering agent can look up by any name', async () => {
    const prompts: string[] = [];
    const keeper = fakeModel({
      answers({ messages }) {
        const [system = '', last = ''] = [messages[0], messages.at(-1)].map((message) => String(message?.content));
        if (last.includes('<records>') && system.includes('register')) {
          prompts.push(last);
          return last.includes('jug') ? 'Ben.alias = Benno\nBen.holds = the jug' : 'nothing';
        }
        prompts.push(last);
        return 'Speech: yes';
      },
    });
    const said = ['No, leave the jug with Ben.', ...hints.slice(2), 'What does Benno hold?'];
    const tell = async (settings: AgentSpec['settings']) => {
      const agent = await createAgentLoader({ model: async () => keeper })(
        { name: 'Ann', kind: 'llm', settings: { memories: 0, ...settings } },
        'host',
        visit,
      );
      let mind: Json | undefined;
      const seen: Seen[] = [];
      for (const [i, text] of said.entries()) {
        seen.push({ kind: 'message', to: ['host'], from: 'guest', text });
        const view = { seat: 'host', seen: i === 0 ? seen : seen.slice(-1) };
        const turn = { view, ask: { seat: 'host', ...(i > 0 && { window: 1 }) }, rng: rng(i), ...(mind === undefined ? {} : { mind }) };
        prompts.length = 0;
        mind = (await agent.act(turn, new AbortController().signal)).mind;
      }
      return prompts.join('\n');
    };
    expect(await tell({ writer: true, knowledge: ['register'] })).toContain('ben.holds: the jug');
    expect(await tell({ knowledge: ['register'] })).not.toContain('jug');
    expect(factLines('Ben.holds = a jug\nuser.tea = green\ntask.x = open\nBarnaby.gait = limps', ['register'])).toEqual([
      { key: 'ben.holds', value: 'a jug' },
    ]);
    expect(factLines('- **fox.coat** = red\nThe fox.tail: long\nDr. Meyer.office = room 12', ['register'])).toEqual([
      { key: 'fox.coat', value: 'red' },
      { key: 'fox.tail', value: 'long' },
      { key: 'dr. meyer.office', value: 'room 12' },
    ]);
  });
});
