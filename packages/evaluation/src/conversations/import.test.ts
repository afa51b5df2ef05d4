/** @file Conversations from elsewhere become episodes that replay, and come out as they went in. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { relay } from '@ludus-agents/environments/internal/relay';
import { type EpisodeEvent, type Json, type JsonObject, type RunRecord, rng, type Store } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { choose, formats, plays } from '@ludus-agents/store/internal/exports/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { describe, expect, it } from 'vitest';
import { sides } from '../comparison.ts';
import { reportFor } from '../report.ts';
import { resultsOf } from '../results.ts';
import { readScoredRows, scoreRun } from '../score-run.ts';
import { contest } from '../scoring/evaluation/index.ts';
import { markdownOf } from '../scoring/report/index.ts';
import { importAny } from './import.ts';
import { RelayEpisode } from './relay-episode.ts';

async function* linesOf(text: string): AsyncGenerator<string, void, undefined> {
  yield* text.split('\n');
}

const load = (store: Store, document: unknown, file = 'file.json') =>
  importAny(store, linesOf(typeof document === 'string' ? document : JSON.stringify(document, null, 1)), { file, licence: 'MIT' });

async function logsOf(store: Store): Promise<readonly (readonly EpisodeEvent[])[]> {
  return Promise.all((await store.episodes()).toReversed().map(({ id }) => store.events(id)));
}

async function exported(store: Store, format: string, seat: string): Promise<readonly JsonObject[]> {
  const [table] = formats[format]?.open() ?? [];
  const reading = { filter: { seats: [seat] }, split: { evalShare: 0, seed: 0 } };
  const out: JsonObject[] = [];
  for await (const play of plays(store, await choose(store, {}), reading)) out.push(...(table?.rows(play, () => {}) ?? []));
  return out;
}

const messagesIn = (row: JsonObject | undefined) => (row?.['messages'] ?? []) as readonly JsonObject[];

async function expectReplays(store: Store): Promise<void> {
  for (const log of await logsOf(store)) expect(replay(relay, log)).toBeNull();
}

const tool = { name: 'find', description: 'Finds.', parameters: { type: 'object' } };
const chat = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{"what":"it"}' } }] },
    { role: 'tool', content: 'shelf', tool_call_id: 'a', name: 'find' },
    { role: 'assistant', content: 'On the shelf.' },
    { role: 'user', content: 'Thanks.' },
  ],
  tools: [{ type: 'function', function: tool }],
};

describe('imported OpenAI messages', () => {
  it('survive a round trip, including tools', async () => {
    const store = memoryStore();
    const report = await load(
      store,
      `${JSON.stringify(chat)}\n${JSON.stringify({ messages: chat.messages.slice(1, 2), id: 'x' })}\n`,
      'set.jsonl',
    );
    expect(report).toMatchObject({ episodes: 2, formats: { openai: 2 }, run: 'import-set' });
    await expectReplays(store);
    const [row] = await exported(store, 'openai', 'assistant');
    const bare = messagesIn(row).map(({ weight: _, ...message }) => message);
    expect(bare).toEqual(chat.messages);
    expect(row?.['tools']).toEqual(chat.tools);
    expect(row?.['mask']).toEqual([0, 0, 1, 0, 1, 0]);
    const [fromUser] = await exported(store, 'openai', 'user');
    expect(messagesIn(fromUser).map(({ role, content }) => [role, content])).toEqual([
      ['user', '(It is your turn.)'],
      ['assistant', 'Where is it?'],
      ['user', 'On the shelf.'],
      ['assistant', 'Thanks.'],
    ]);
  });

  it('are imported only once', async () => {
    const store = memoryStore();
    await load(store, JSON.stringify(chat));
    expect(await load(store, JSON.stringify(chat))).toMatchObject({ episodes: 0, skipped: 1, run: null });
  });

  it('in two files belong to the runs of both', async () => {
    const store = memoryStore();
    await load(store, JSON.stringify(chat));
    for (const [episodes, skipped] of [
      [1, 0],
      [0, 1],
    ])
      expect(await load(store, JSON.stringify(chat), 'copy.jsonl')).toMatchObject({ episodes, skipped });
    expect(await store.tally({ run: 'import-copy' })).toMatchObject([{ count: 1 }]);
  });
});

describe('imported ShareGPT conversations', () => {
  it('survive a round trip in any shape', async () => {
    const dice = rng(7);
    const speakers = ['human', 'gpt', 'gpt', 'tool'] as const;
    const items = Array.from({ length: 40 }, (_, id) => {
      const turns = Array.from({ length: 1 + dice.int(8) }, (_, i) => {
        const from = dice.pick(speakers);
        const call = `<tool_call>\n${JSON.stringify({ name: 'find', arguments: { n: i }, id: `c${i}` })}\n</tool_call>`;
        if (from === 'gpt') return { from, value: dice.pick([`said ${i}`, call, `first words\n${call}`]) };
        return { from, value: from === 'tool' ? `<tool_response>\n{"content":"r${i}"}\n</tool_response>` : `line "${i}"\nmore` };
      });
      const opening = { from: 'system', value: 'You help.' };
      return { id, conversations: [opening, ...turns, { from: 'gpt', value: 'Done.' }] };
    });
    const store = memoryStore();
    expect(await load(store, items)).toMatchObject({ episodes: 40, formats: { sharegpt: 40 } });
    await expectReplays(store);
    const rows = await exported(store, 'sharegpt', 'assistant');
    const bare = rows.map((row) => (row['conversations'] as readonly JsonObject[]).map(({ weight: _, ...turn }) => turn));
    expect(bare).toEqual(items.map(({ conversations }) => conversations));
    for (const row of rows)
      for (const { from, weight } of row['conversations'] as readonly JsonObject[]) expect(weight).toBe(from === 'gpt' ? 1 : 0);
  });
});

describe('imported τ-bench results', () => {
  it('read τ² simulations with tasks, tries, rewards, and user tools', async () => {
    const messages = [
      { role: 'assistant', content: 'Hi! How can I help?', turn_idx: 0 },
      { role: 'user', content: 'My phone is broken.', turn_idx: 1 },
      { role: 'assistant', content: null, tool_calls: [{ id: 't1', name: 'get_line', arguments: { id: 3 }, requestor: 'assistant' }] },
      { role: 'tool', id: 't1', content: '{"ok":true}', requestor: 'assistant' },
      { role: 'user', content: null, tool_calls: [{ id: 't2', name: 'reboot', arguments: {}, requestor: 'user' }] },
      { role: 'tool', id: 't2', content: 'rebooted', requestor: 'user' },
      { role: 'user', content: 'Works now. ###STOP###' },
    ];
    const item = { id: 's', task_id: 'telecom-1', seed: 1, termination_reason: 'user_stop', messages };
    const document = {
      info: { agent_info: { llm: 'model-a' }, user_info: { llm: 'model-u' }, environment_info: { domain_name: 'telecom' } },
      tasks: [],
      simulations: [
        { ...item, trial: 0, reward_info: { reward: 1, reward_breakdown: { DB: 1, COMMUNICATE: 0.5 } } },
        { ...item, trial: 1, reward_info: { reward: 0 } },
      ],
    };
    const store = memoryStore();
    expect(await load(store, document)).toMatchObject({ episodes: 2, scores: 2, formats: { 'tau2-bench': 2 } });
    await expectReplays(store);
    const [second, first] = await store.episodes();
    expect(first?.task).toEqual(second?.task);
    expect([first?.seed, second?.seed, first?.returns?.['assistant'], second?.returns?.['assistant']]).toEqual([0, 1, 1, 0]);
    expect(first?.cast).toEqual({ world: 'import:tau2-bench', assistant: 'model-a', user: 'model-u' });
    expect((await store.scores(first?.id as string)).map(({ name, value }) => [name, value])).toEqual([
      ['tau2.db', 1],
      ['tau2.communicate', 0.5],
    ]);
    const [row] = await exported(store, 'openai', 'user');
    expect(messagesIn(row).map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'tool', 'assistant']);
  });

  const samples = join(import.meta.dirname, '../../../../../shared/data/scoring/tau1/gpt4o_airline_2trajectories.json');
  it('keep trajectories of the first benchmark verbatim', async (test) => {
    if (!existsSync(samples)) return test.skip('there are no samples in ../shared/data');
    const items = JSON.parse(readFileSync(samples, 'utf8')) as { reward: number; traj: { role: string; content: string | null }[] }[];
    const store = memoryStore();
    expect(await load(store, items)).toMatchObject({ episodes: items.length, formats: { 'tau-bench': items.length } });
    await expectReplays(store);
    const rows = await exported(store, 'openai', 'assistant');
    const words = (list: readonly { role?: Json; content?: Json | null }[]) => list.map(({ role, content }) => [role, content ?? '']);
    expect(rows.map((row) => words(row['messages'] as readonly JsonObject[]))).toEqual(items.map(({ traj }) => words(traj)));
    expect(rows.map((row) => row['reward'])).toEqual(items.map(({ reward }) => reward));
    const scored = (await readScoredRows(store, {})).rows;
    expect(scored.map(({ agent, passed }) => [agent, passed])).toEqual(items.map(({ reward }) => ['assistant', reward === 1]));
  });
});

/** Stores episodes as an edition did whose logs do not say which seats have a reward. */
function memoryStoreOf(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'append') return value.bind(target);
      return (episode: string, index: number, events: readonly EpisodeEvent[], ...rest: []) =>
        target.append(
          episode,
          index,
          JSON.parse(JSON.stringify(events).replaceAll(/,"rewarded":\[[^\]]*\]/g, '')) as EpisodeEvent[],
          ...rest,
        );
    },
  });
}

describe('imported benchmark results', () => {
  /** 50 tasks of 4 tries: what a released file of results looks like, with rewards of our own making. */
  const results = (agent: string, rate: (task: number) => number) => ({
    info: { agent_info: { llm: agent }, user_info: { llm: 'model-u' }, environment_info: { domain_name: 'airline' } },
    simulations: Array.from({ length: 50 }, (_, task) =>
      [0, 1, 2, 3].map((trial) => ({
        ...{ task_id: String(task), trial, termination_reason: 'user_stop' },
        messages: [
          { role: 'user', content: `Help me, ${task}.${trial}` },
          { role: 'assistant', content: 'Done.' },
        ],
        reward_info: { reward: rng(trial, agent, String(task)).next() < rate(task) ? 1 : 0 },
      })),
    ).flat(),
  });

  it('are reported with pass^k and intervals over tasks, ranking neither the environment nor the user', async () => {
    const store = memoryStore();
    const { run } = await load(
      store,
      results('model-a', (task) => (task % 5 < 2 ? 0.9 : 0.1)),
    );
    const record = await store.run(run as string);
    const { report } = await reportFor(record as RunRecord, {}, { trust: Trust.commandLine, store, cwd: '.' });
    const { agents, over, tasks } = report.standings;
    expect(agents.map(({ agent }) => agent)).toEqual(['model-a']);
    expect([over, tasks, report.ranking, report.comparisons]).toEqual(['tasks', 50, null, []]);
    const [mine] = agents as [(typeof agents)[number]];
    expect([mine.tasks, mine.episodes]).toEqual([50, 200]);
    expect(mine.pass['1']).toBeCloseTo(mine.value as number, 12);
    expect(mine.pass['4']).toBeLessThan(mine.pass['1']!);
    const width = ([low, high]: readonly [number, number]) => (high - low) / 2;
    const seeds = (await reportFor(record as RunRecord, { over: 'seeds' }, { trust: Trust.commandLine, store, cwd: '.' })).report.standings
      .agents[0];
    expect(width(mine.interval as [number, number])).toBeGreaterThan(2 * width(seeds?.interval as [number, number]));
    const runResults = await resultsOf(record as RunRecord, { store, cwd: '.', trust: Trust.commandLine });
    expect(runResults.standings.agents).toEqual(agents);
    expect(runResults.seats).toMatchObject([{ agent: 'model-a', value: mine.value, interval: mine.interval, tasks: 50, episodes: 200 }]);
    expect(markdownOf(report)).toContain('cover new tasks like these 50');
  });

  it('count as missing without a reward, never as 0', async () => {
    const store = memoryStore();
    const place = { store, cwd: '.', trust: Trust.commandLine };
    const traj = [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Good day.' },
    ];
    // By task: 1 and 0, 1 and nothing, nothing at all. The mean over tasks is (0.5 + 1) / 2.
    const rewards = [[1, 0], [1, null], [undefined]];
    const items = rewards.flatMap((tries, task) => tries.map((reward, trial) => ({ task_id: task, trial, reward, traj })));
    const { run } = await load(store, items, 'tau.json');
    const { standings, seats, unscored } = await resultsOf((await store.run(run as string)) as RunRecord, place);
    expect(standings.agents).toMatchObject([{ value: 0.75, pass: { 1: 0.75 }, tasks: 2, episodes: 3, missing: 2 }]);
    expect([seats[0]?.missing, unscored]).toEqual([2, 2]);
    // The rule that reads returns makes no rewards of what has none.
    const scored = await scoreRun({ ...place, run: run as string, suite: null, sceneOf: () => null, scorers: ['return'] });
    expect(scored.scored).toBe(5);
    expect((await resultsOf((await store.run(run as string)) as RunRecord, place)).standings.agents).toMatchObject([
      { value: 0.75, missing: 2 },
    ]);
    const chats = (await store.run((await load(store, JSON.stringify(chat), 'chats.jsonl')).run as string)) as RunRecord;
    const nothing = await resultsOf(chats, place);
    expect(nothing.standings.agents).toMatchObject([{ value: null, interval: null, episodes: 0, missing: 1 }]);
    expect(markdownOf((await reportFor(chats, {}, place)).report)).toContain('Nothing was scored: 1 episode without a reward');
  });

  it('of an earlier version without missing rewards are corrected by importing the file again', async () => {
    const store = memoryStore();
    const place = { store, cwd: '.', trust: Trust.commandLine };
    const traj = [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Good day.' },
    ];
    const items = [1, 0, undefined].map((reward, task) => ({ task_id: task, trial: 0, reward, traj }));
    const imported = await load(memoryStoreOf(store), items, 'tau.json');
    const meanOf = async () => {
      const [agent] = (await resultsOf((await store.run(imported.run as string)) as RunRecord, place)).standings.agents;
      return [agent?.value, agent?.missing];
    };
    expect(await meanOf()).toEqual([expect.closeTo(1 / 3), 0]);
    expect(await load(store, items, 'tau.json')).toMatchObject({ episodes: 0, skipped: 3, corrected: 1 });
    expect(await meanOf()).toEqual([0.5, 1]);
    expect(await load(store, items, 'tau.json')).not.toHaveProperty('corrected');
  });

  it('of two files are paired by task and try, not by file name', async () => {
    const store = memoryStore();
    await load(
      store,
      results('model-a', () => 0.7),
      'one.json',
    );
    await load(
      store,
      results('model-b', () => 0.3),
      'two.json',
    );
    const { a, b, leftOut } = await sides(store, ['model-a', 'model-b'], { run: undefined, score: undefined, card: undefined });
    expect([leftOut, contest(a, b).pairs, contest(a, b).better]).toEqual([0, 200, 'model-a']);
  });
});

describe('imported Sotopia episodes', () => {
  const episode = {
    pk: 'p',
    environment: 'env-1',
    agents: ['a1', 'a2'],
    tag: 'test',
    models: ['judge-model', 'model-x', 'model-y'],
    messages: [
      [
        ['Environment', 'Ann', 'You sell a lamp.'],
        ['Environment', 'Bo', 'You want a lamp.'],
        ['Ann', 'Environment', 'said: "Good day"'],
        ['Bo', 'Environment', 'did nothing'],
      ],
      [
        ['Environment', 'Ann', 'Turn #1'],
        ['Environment', 'Bo', 'Turn #1\nAnn said: "Good day"'],
        ['Ann', 'Environment', 'did nothing'],
        ['Bo', 'Environment', 'said: "How much?"'],
      ],
    ],
    reasoning: '',
    rewards: [
      [3.5, { goal: 7, secret: -2 }],
      [2, { goal: 4 }],
    ],
    rewards_prompt: '',
  };

  it('keep the rewards of each seat and attribute scores to the judge', async () => {
    const store = memoryStore();
    const report = await load(store, [episode]);
    expect(report).toMatchObject({ episodes: 1, scores: 5, formats: { sotopia: 1 }, left: { 'turns without an action': 2 } });
    await expectReplays(store);
    const [record] = await store.episodes();
    expect(record?.cast).toEqual({ world: 'import:sotopia', Ann: 'model-x', Bo: 'model-y' });
    const [row] = await exported(store, 'openai', 'Bo');
    expect(messagesIn(row).map(({ content }) => content)).toEqual([
      'You want a lamp.',
      'Turn #1\nAnn said: "Good day"',
      'said: "How much?"',
    ]);
    const scores = await store.scores(record?.id as string);
    expect(scores.find(({ name, seat }) => name === 'sotopia.secret' && seat === 'Ann')).toMatchObject({
      value: -2,
      scale: [-10, 0],
      provenance: { judge: 'judge-model' },
    });
  });
});

describe('a relayed conversation', () => {
  it('is resumed from its log and ends by the rules', () => {
    const { carried, events } = RelayEpisode.open({ seats: ['a'], cast: {}, world: 'proxy', about: {}, seed: 5 });
    const observations = [{ to: ['a'], text: 'hello', data: { role: 'user' } }];
    const log = [...events, ...carried.turn('a', observations, { action: { text: 'hi' } })];
    const again = RelayEpisode.resume(log);
    expect(again.events).toBe(log.length);
    const whole = [...log, ...again.turn('a', observations, { action: { text: 'ho' } }), ...again.end([], { a: 2 })];
    expect(again.over).toBe(true);
    expect(whole.at(-1)).toMatchObject({ kind: 'end', returns: { world: 0, a: 2 } });
    expect(replay(relay, whole)).toBeNull();
    expect(RelayEpisode.resume(whole).over).toBe(true);
  });
});

describe('an unreadable import', () => {
  it.each([
    ['', 'is empty'],
    ['{"hello":1}', 'line 1 has an unknown format (known: ludus, tau2-bench'],
    ['[1]', 'item 1 has an unknown format'],
    ['{\n', 'is neither JSON Lines nor a JSON document:'],
    ['{"conversations":[{"from":"ghost","value":"x"}]}', 'line 1 (sharegpt): The speaker of turn 1 must be'],
    ['{"conversations":[{"from":"gpt","value":5}]}', 'The value of turn 1 must be a string'],
    ['{"messages":[{"role":"ghost","content":"x"}]}', 'The role of message 1 must be'],
    ['{"messages":[{"role":"user","content":"x"}]}\nnonsense', 'Line 2: expected a JSON object'],
    [
      JSON.stringify({ messages: Array(10_000).fill({ role: 'assistant', content: '' }) }),
      'has 10000 turns, but an episode must have fewer than 10000',
    ],
    ['{"environment":"e","agents":["a"],"messages":[[["a","b"]]]}', 'is [sender, receiver, text]'],
  ])('is rejected with an explanation (%#)', async (text, sentence) => {
    await expect(load(memoryStore(), text)).rejects.toThrow(sentence);
  });
});
