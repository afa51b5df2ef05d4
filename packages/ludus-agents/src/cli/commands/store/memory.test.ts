/** @file Lasting memory: a preference from earlier sessions answers a later one, and forgotten memories are in no later prompt. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { broughtMemory, type LastingRecord } from '@ludus-agents/agents/internal/mind/lasting';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { forgetMemory, readLastingMemory, recallLasting } from '@ludus-agents/agents/internal/workspace/lasting-memory';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AgentSpec, type AnyEnvironment, type EpisodeEvent, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it, vi } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

/** One message, one answer. */
const talk = (says: string): AnyEnvironment => ({
  id: 'talk@1',
  about: { summary: 'Talk.', tasks: [{}], turns: 1 },
  parameters: {},
  task: () => ({}),
  seats: () => ['host'],
  start: () => ({ state: {}, messages: [{ to: ['host'], text: says }], asks: [{ seat: 'host' }] }),
  step: (state: object) => ({ state, messages: [], asks: [] }),
});

const spec: AgentSpec = { name: 'Ann', kind: 'llm', model: 'fake', settings: { lasting: true, memories: 8 } };

/** Plays sessions one after another into a store of its own folder, and keeps every prompt. */
class Sessions {
  readonly cwd = folder();
  readonly prompts: string[] = [];
  readonly logs: { readonly environment: AnyEnvironment; readonly events: readonly EpisodeEvent[] }[] = [];
  #count = 0;

  get file(): string {
    return join(this.cwd, '.ludus', 'ludus.sqlite');
  }

  async play(says: string, agentSpec: AgentSpec = spec): Promise<string> {
    mkdirSync(join(this.cwd, '.ludus'), { recursive: true });
    const model = fakeModel({
      answers: ({ messages }) => {
        const text = messages.map(({ content }) => String(content)).join('\n');
        this.prompts.push(text);
        const [, key, value] = /I (?:take|keep|like) (?:my )?(\w+) (.+)\./.exec(says) ?? [];
        if (key !== undefined) return `Speech: Good.\nRemember: ${key} = ${value}`;
        return `Speech: ${/coffee: (\w+)/.exec(text)?.[1] ?? 'I do not know'}`;
      },
    });
    const environment = talk(says);
    const place = { cwd: this.cwd, env: {} };
    const load = createAgentLoader({ model: async () => model, memory: (agent, seat) => recallLasting(place, {}, agent, seat) });
    const store = await openStore(this.file);
    try {
      const agent = await load(agentSpec, 'host', environment);
      const id = `${rng(this.#count, 'id')
        .int(2 ** 32)
        .toString(16)
        .padStart(8, '0')}${this.#count++}`;
      const recorder = new EpisodeRecorder({ store, episode: id });
      await recordEpisode(play(environment, { host: agent }, { seed: this.#count }), recorder);
      await recorder.flush();
      const events = await store.events(id);
      this.logs.push({ environment, events });
      const action = events.find((event) => event.kind === 'action');
      return action?.kind === 'action' ? action.action.text : '';
    } finally {
      await store.close();
    }
  }
}

describe('lasting memory', () => {
  it('uses a preference from sessions 1 to 10 in session 11, and every log replays', async () => {
    const sessions = new Sessions();
    // Two of ten are exceptions.
    for (let i = 0; i < 10; i++) await sessions.play(`I take my coffee ${i === 3 || i === 7 ? 'sweet' : 'black'}.`);
    expect(await sessions.play('How do I take it: what about coffee?')).toBe('black');
    for (const { environment, events } of sessions.logs) expect(replay(environment, events)).toBeNull();
    // What was recalled is in the log of the session that recalled it.
    expect(JSON.stringify(sessions.logs.at(-1)?.events)).toContain('coffee: black');
  });

  it('follows a changed preference', async () => {
    const record = (i: number, text: string): LastingRecord => ({
      id: `e${i}/m1`,
      kind: 'fact',
      text,
      key: 'coffee',
      importance: 7,
      evidence: [],
      episode: `e${i}`,
    });
    const changed = [...Array(6).fill('sweet'), ...Array(4).fill('black')].map((taste, i) => record(i, taste));
    expect(broughtMemory(changed, 'host').records.map(({ text }) => text)).toEqual(['black']);
  });

  it('is off unless the spec turns it on and the switch allows it', async () => {
    const sessions = new Sessions();
    await sessions.play('I take my coffee black.');
    const { lasting: _, ...settings } = spec.settings as Record<string, never>;
    expect(await sessions.play('And my coffee?', { ...spec, settings })).toBe('I do not know');
    expect(await sessions.play('And my coffee?')).toBe('black');
    vi.stubEnv('LUDUS_MEMORY', 'off');
    expect(createAgentServices(sessions.cwd, Trust.commandLine).memory).toBeUndefined();
    vi.unstubAllEnvs();
    expect(createAgentServices(sessions.cwd, Trust.commandLine).memory).toBeDefined();
  });

  it('is listed, edited, and deleted from the command line', async () => {
    const sessions = new Sessions();
    await sessions.play('I take my coffee black.');
    const read = async (...words: string[]) => JSON.parse((await ludus(sessions.cwd, ['store', 'memory', 'Ann', ...words, '--json'])).out);
    const { records, version } = await read();
    expect(records).toMatchObject([{ text: 'coffee: black', key: 'coffee' }]);
    const id = records[0].id as string;
    expect(await read('--edit', id, '--text', 'coffee: white')).toMatchObject({
      version: version + 1,
      records: [{ text: 'coffee: white', edited: true }],
    });
    expect(await sessions.play('And my coffee?')).toBe('white');
    expect((await read('--changes', '0')).records[0].text).toBe('coffee: black');
    expect(await read('--forget', id)).toMatchObject({ records: [], forgotten: [id] });
    expect(await sessions.play('And my coffee?')).toBe('I do not know');
    expect((await ludus(sessions.cwd, ['store', 'memory', 'Ann'])).out).toContain('has no memories');
    expect((await ludus(sessions.cwd, ['store', 'memory', 'Ann', '--forget', 'nobody/m1'])).err).toContain('has no memory "');
    expect(await read('--add', 'coffee: iced', '--key', 'coffee')).toMatchObject({ records: [{ id: 'added/1' }] });
    expect(await sessions.play('And my coffee?')).toBe('iced');
  });
});

describe('forgetting', () => {
  it('removes deleted memories and everything that repeats them from later prompts', async () => {
    const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath'];
    for (let seed = 0; seed < 2; seed++) {
      const dice = rng(seed, 'forget');
      const sessions = new Sessions();
      const facts = Array.from({ length: 5 }, (_, i) => `${words[i]} ${dice.shuffle(words).slice(0, 4).join(' ')}`);
      for (const fact of facts) await sessions.play(`I keep my ${fact}.`);
      // One of them is said again under another name.
      const again = dice.pick(facts);
      await sessions.play(`I like my spare ${again.split(' ').slice(1).join(' ')}.`);
      const store = await openStore(sessions.file);
      const { records } = await readLastingMemory(store, 'Ann');
      const gone = records.find(({ text }) => text === again.replace(' ', ': ')) as LastingRecord;
      const all = await forgetMemory(store, 'Ann', [gone.id]);
      expect(all.length).toBeGreaterThanOrEqual(2);
      expect(JSON.stringify(await store.notes('memory', 'Ann'))).not.toContain(again.split(' ')[2]);
      await store.close();
      const before = sessions.prompts.length;
      for (let i = 0; i < 4; i++) await sessions.play(`What do you know of ${dice.pick(words)}?`);
      const runs = again.split(' ').slice(1);
      for (const prompt of sessions.prompts.slice(before))
        for (let i = 0; i + 3 <= runs.length; i++) expect(prompt.toLowerCase()).not.toContain(runs.slice(i, i + 3).join(' '));
      // The others are still there.
      expect(
        sessions.prompts.slice(before).some((prompt) => facts.some((fact) => fact !== again && prompt.includes(fact.replace(' ', ': ')))),
      ).toBe(true);
    }
  });
});
