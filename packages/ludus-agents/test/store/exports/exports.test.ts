/** @file Exports hold what the logs hold: masks on own words alone, one side of the split a task, and rows as their readers want them. */

import { type EpisodeEvent, type JsonObject, nameOf, type Seat, type Store } from '@ludus-agents/kernel/internal/core/index';
import { messagesIn, whole } from '@ludus-agents/store/internal/exports/exports.cases';
import { choose, type EvalSplit, type ExportEpisode, type Filter, formats, plays } from '@ludus-agents/store/internal/exports/index';
import { otelRequests } from '@ludus-agents/store/internal/exports/otel';
import { sideOf } from '@ludus-agents/store/internal/exports/plays';
import { dpoRow, ktoRows } from '@ludus-agents/store/internal/exports/trl';
import { type Chat, chatsOf } from '@ludus-agents/store/internal/exports/words';
import { portionsOf } from '@ludus-agents/store/internal/portions';
import { beforeAll, describe, expect, it } from 'vitest';
import { sale, sampleStore } from './samples.cases.ts';

let store: Store;

beforeAll(async () => {
  store = await sampleStore();
});

async function read(filter: Filter = {}, split: EvalSplit = whole): Promise<readonly ExportEpisode[]> {
  return Array.fromAsync(plays(store, await choose(store, filter), { filter, split }));
}

async function rows(format: string, filter: Filter = {}, split: EvalSplit = whole): Promise<readonly JsonObject[]> {
  const [table] = formats[format]?.open() ?? [];
  return (await read(filter, split)).flatMap((play) => [...(table?.rows(play, () => {}) ?? [])]);
}

/** What a seat itself wrote: its actions, and the answers of its own model. */
function ownWords(events: readonly EpisodeEvent[], seat: Seat): ReadonlySet<string> {
  const ownItems = events.flatMap((event) =>
    event.kind === 'action' && event.seat === seat ? [event.action.text, ...(event.calls ?? []).map(({ text }) => text)] : [],
  );
  return new Set(ownItems);
}

/** The first masked message that the seat did not write, or null. */
function stranger(chat: Pick<Chat, 'messages' | 'mask'>, ownEntry: ReadonlySet<string>): string | null {
  const masked = chat.messages.filter((_, i) => chat.mask[i] === 1);
  return masked.find(({ role, content }) => role !== 'assistant' || !ownEntry.has(content))?.content ?? null;
}

describe('masks', () => {
  it("cover exactly the seat's own words, in every environment and seat", async () => {
    let chats = 0;
    for (const { events, seats, record } of await read())
      for (const seat of seats) {
        const ownEntry = ownWords(events, seat);
        const acted = events.filter((event) => event.kind === 'action' && event.seat === seat).length;
        for (const chat of chatsOf({ events, wording: 'view' }, seat)) {
          expect(stranger(chat, ownEntry), `${record.id} ${seat}`).toBeNull();
          expect(chat.mask.filter((item) => item === 1)).toHaveLength(acted);
          chats++;
        }
      }
    expect(chats).toBeGreaterThan(60);
  });

  it('exclude text that a person wrote for a seat, which tables and traces attribute to the person', async () => {
    const [play] = (await read()).filter(({ events, seats }) =>
      events.some((event) => event.kind === 'action' && event.seat === seats[0] && event.calls === undefined),
    ) as [ExportEpisode];
    const seat = play.seats[0]!;
    const at = play.events.findIndex((event) => event.kind === 'action' && event.seat === seat);
    const events = play.events.map((event, i) => (i === at && event.kind === 'action' ? { ...event, edited: true as const } : event));
    const own = (log: readonly EpisodeEvent[]) =>
      chatsOf({ events: log, wording: 'view' }, seat).flatMap(({ mask }) => mask.filter((item) => item === 1)).length;
    expect(own(play.events) - own(events)).toBe(1);
    const [table] = formats['parquet']?.open().filter(({ name }) => name === 'turns') ?? [];
    const written = [...(table?.rows({ ...play, events }, () => {}) ?? [])] as readonly JsonObject[];
    expect(written.filter(({ agent }) => agent === 'human').map(({ event }) => event)).toEqual([at]);
    const traced = JSON.stringify([...otelRequests({ ...play, events }, 1_700_000_000_000, '0.1.0')]);
    expect(traced.split('ludus.edited')).toHaveLength(2);
  });

  it("are reported if they cover another seat's words (control)", () => {
    const [chat] = chatsOf({ events: sale }, 'buyer') as [Chat];
    const ownEntry = ownWords(sale, 'buyer');
    expect(stranger(chat, ownEntry)).toBeNull();
    expect(stranger({ ...chat, mask: chat.mask.map(() => 1) }, ownEntry)).toBe('You want a clock.');
    // What the seller said, as if the buyer had.
    expect(stranger({ messages: [{ role: 'assistant', content: 'It is 40, "as is".' }], mask: [1] }, ownEntry)).toBe('It is 40, "as is".');
  });

  it('exclude an assistant message from the prompt, and cover each call once', () => {
    const [chat, ...more] = chatsOf({ events: sale }, 'seller') as [Chat];
    expect(more).toEqual([]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'tool', 'assistant']);
    expect(chat.mask).toEqual([0, 0, 0, 0, 1, 0, 1]);
    expect(chat.wording).toBe('calls');
  });

  it('start a new chat if a prompt does not continue the last one', () => {
    const other = sale.map((event) => {
      if (event.kind !== 'action' || event.calls === undefined) return event;
      return {
        ...event,
        calls: event.calls.map((call) => ({ ...call, prompt: { messages: [{ role: 'user', content: call.text } as const] } })),
      };
    });
    expect(chatsOf({ events: other }, 'seller').map(({ mask }) => mask)).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
});

describe('the selection of episodes', () => {
  it('can be filtered by environment, seat, score, and end', async () => {
    expect(
      (await read({ query: { environment: 'kuhn-poker@1' } })).every(({ record }) => nameOf({ id: record.environment }) === 'kuhn-poker'),
    ).toBe(true);
    expect((await read({ seats: ['seller'] })).map(({ seats }) => seats)).toEqual([['seller']]);
    const won = await read({ query: { environment: 'kuhn-poker@1' }, bounds: [{ score: 'return', is: '>', value: 0 }] });
    expect(won.length).toBeGreaterThan(0);
    for (const { end, seats } of won) for (const seat of seats) expect(end?.returns[seat]).toBeGreaterThan(0);
    // Missing is within no bound.
    expect((await read({ bounds: [{ score: 'manners', is: '>=', value: 0 }] })).map(({ record, seats }) => [record.id, seats])).toEqual([
      ['sale-1', ['seller']],
    ]);
    expect(await read({ bounds: [{ score: 'manners', is: '>', value: 0.75 }] })).toEqual([]);
    expect(await read({ statuses: ['error'] })).toEqual([]);
    expect(await choose(store, { query: { limit: 2 } })).toHaveLength(2);
  });

  it('is read in portions: many short episodes, or one long one', async () => {
    let read = 0;
    const counting = new Proxy(store, {
      get(from, name) {
        if (name === 'events') read++;
        const value = Reflect.get(from, name) as unknown;
        return typeof value === 'function' ? value.bind(from) : value;
      },
    });
    const filter = {};
    const long = (await choose(store, filter)).map((choice) => ({ ...choice, events: 2000 }));
    const stream = plays(counting, long, { filter, split: whole });
    await stream.next();
    await stream.next();
    expect(read).toBe(2);
    await stream.return();
    const lengths = (events: readonly number[]) => [...portionsOf(events.map((event) => ({ events: event })))].map(({ length }) => length);
    expect(lengths(Array.from({ length: 250 }, () => 9))).toEqual([100, 100, 50]);
    expect(lengths([5000, 400, 600, 1, 5000])).toEqual([1, 2, 1, 1]);
    expect(lengths([])).toEqual([]);
  });
});

describe('the split', () => {
  it('puts every episode of a task on the same side, and tasks on both sides', async () => {
    const split = { evalShare: 0.5, seed: 2 };
    const sides = new Map<string, Set<string>>();
    for (const { task, split: side } of await read({}, split)) sides.set(task, (sides.get(task) ?? new Set()).add(side));
    expect([...sides.values()].every((side) => side.size === 1)).toBe(true);
    expect(new Set([...sides.values()].flatMap((side) => [...side]))).toEqual(new Set(['train', 'eval']));
    // By episode it would have been otherwise: some task would be on both.
    const byEpisode = Map.groupBy(await read({}, split), ({ task }) => task);
    const torn = [...byEpisode.values()].some(
      (exportEpisodes) => new Set(exportEpisodes.map(({ record }) => sideOf(record.id, split))).size > 1,
    );
    expect(torn).toBe(true);
  });

  it('keeps its share over many tasks and is deterministic', () => {
    const share = Array.from({ length: 4000 }, (_, i) => sideOf(`task ${i}`, { evalShare: 0.1, seed: 0 })).filter(
      (side) => side === 'eval',
    );
    expect(share.length).toBeGreaterThan(320);
    expect(share.length).toBeLessThan(480);
    expect(sideOf('x', { evalShare: 0, seed: 1 })).toBe('train');
    expect(sideOf('x', { evalShare: 1, seed: 1 })).toBe('eval');
  });
});

const roles = ['system', 'user', 'assistant', 'tool'];

const isMessage = (jsonObject: JsonObject) => roles.includes(jsonObject['role'] as string) && typeof jsonObject['content'] === 'string';

describe('rows for trainers', () => {
  it('in openai have roles, weights on assistant messages only, and arguments as text', async () => {
    const all = await rows('openai');
    for (const row of all) {
      expect(messagesIn(row, 'messages').every(isMessage)).toBe(true);
      for (const [i, jsonObject] of messagesIn(row, 'messages').entries())
        expect(jsonObject['weight']).toBe(jsonObject['role'] === 'assistant' ? (row['mask'] as readonly number[])[i] : undefined);
    }
    const [sold] = await rows('openai', { seats: ['seller'] });
    expect(messagesIn(sold as JsonObject, 'messages')[4]).toEqual({
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"item":"clock"}' } }],
      weight: 1,
    });
    expect(sold?.['tools']).toEqual([{ type: 'function', function: expect.objectContaining({ name: 'lookup' }) }]);
    expect(sold).toMatchObject({ reward: 2, metadata: { episode: 'sale-1', seat: 'seller', scores: { manners: 0.75 } } });
  });

  it('in sharegpt have four speakers and tool calls in the text', async () => {
    const all = await rows('sharegpt');
    for (const row of all)
      for (const turn of messagesIn(row, 'conversations')) {
        expect(['system', 'human', 'gpt', 'tool']).toContain(turn['from']);
        expect(typeof turn['value']).toBe('string');
      }
    const [sold] = await rows('sharegpt', { seats: ['seller'] });
    expect(messagesIn(sold as JsonObject, 'conversations')[4]?.['value']).toBe(
      '<tool_call>\n{"name":"lookup","arguments":{"item":"clock"},"id":"c1"}\n</tool_call>',
    );
  });

  it('in trl-sft have a prompt, a completion of one seat message, and arguments as objects', async () => {
    const all = await rows('trl-sft');
    const spoken = (await read()).flatMap(({ events, seats }) =>
      seats.flatMap((seat) => chatsOf({ events }, seat).flatMap(({ mask }) => mask.filter((own) => own === 1))),
    );
    expect(all).toHaveLength(spoken.length);
    for (const row of all) {
      expect(messagesIn(row, 'prompt').every(isMessage)).toBe(true);
      expect(messagesIn(row, 'completion')).toHaveLength(1);
      expect(messagesIn(row, 'completion')[0]?.['role']).toBe('assistant');
      expect(messagesIn(row, 'prompt').at(-1)?.['role']).not.toBe('assistant');
    }
    const [call] = await rows('trl-sft', { seats: ['seller'] });
    expect(messagesIn(call as JsonObject, 'completion')[0]?.['tool_calls']).toEqual([
      { id: 'c1', type: 'function', function: { name: 'lookup', arguments: { item: 'clock' } } },
    ]);
    expect(JSON.parse(call?.['tools'] as string)[0].function.name).toBe('lookup');
  });

  it('in trl-grpo have prompts without answers, once per task, seed, and seat', async () => {
    const all = await rows('trl-grpo');
    expect(new Set(all.map(({ environment, task, seed, seat }) => JSON.stringify([environment, task, seed, seat]))).size).toBe(all.length);
    for (const row of all) {
      expect(messagesIn(row, 'prompt').length).toBeGreaterThan(0);
      expect(row['completion']).toBeUndefined();
      expect(typeof row['task']).toBe('string');
    }
    const sold = all.find(({ seat }) => seat === 'seller') as JsonObject;
    expect(messagesIn(sold, 'prompt').at(-1)?.['content']).toBe('How much is it?');
  });

  it('in verl have the published columns and an index per split', async () => {
    const all = await rows('verl', {}, { evalShare: 0.5, seed: 2 });
    expect(Object.keys(all[0]!)).toEqual(['data_source', 'prompt', 'ability', 'reward_model', 'extra_info', 'agent_name']);
    const next: Record<string, number> = {};
    for (const { reward_model: reward, extra_info: info, data_source: source } of all) {
      const { split, index } = info as JsonObject;
      expect(index).toBe(next[split as string] ?? 0);
      next[split as string] = (index as number) + 1;
      expect((reward as JsonObject)['style']).toBe('rule');
      expect(JSON.parse((reward as JsonObject)['ground_truth'] as string)).toMatchObject({ seat: (info as JsonObject)['seat'] });
      expect(source).toMatch(/^ludus\//);
    }
  });

  it("in trl-dpo and trl-kto train on no other seat's words", () => {
    const side = (texts: readonly string[], ownItems: readonly number[]) => {
      const messages = texts.map((content, i) => ({ role: ownItems[i] === 1 ? ('assistant' as const) : ('user' as const), content }));
      return { from: 'e', score: 1, messages, mask: ownItems };
    };
    const place = { task: 't', seat: 's', prompt: [{ role: 'user', content: 'go' }] as const };
    const left: string[] = [];
    const pair = { ...place, margin: 1, chosen: side(['a', 'they', 'b'], [1, 0, 1]), rejected: side(['c'], [1]) };
    expect(dpoRow(pair, (why) => left.push(why))).toMatchObject({
      prompt: [{ role: 'user', content: 'go' }],
      chosen: [{ role: 'assistant', content: 'a' }],
      rejected: [{ role: 'assistant', content: 'c' }],
    });
    expect(dpoRow({ ...pair, rejected: side(['they too', 'c'], [0, 1]) }, (why) => left.push(why))).toBeNull();
    expect(left).toEqual(['the two sides first differ at a message of another seat']);
    const judged = [...ktoRows({ ...place, good: false, side: side(['a', 'they', 'b'], [1, 0, 1]) })];
    expect(judged.map(({ completion, label }) => [completion, label])).toEqual([
      [[{ role: 'assistant', content: 'a' }], false],
      [[{ role: 'assistant', content: 'b' }], false],
    ]);
    expect(judged[1]?.['prompt']).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'they' },
    ]);
  });

  it('in trace have equally long ids, log probabilities, and masks, and count rows without them', async () => {
    const [row, ...more] = await rows('trace');
    expect(more).toEqual([]);
    const turns = messagesIn(row as JsonObject, 'turns');
    expect(turns.map((turn) => turn['loss_mask'])).toEqual([
      [0, 0, 0, 1, 1],
      [0, 0, 0, 0, 0, 0, 1],
    ]);
    expect(turns[1]).toMatchObject({ completion_token_ids: [10], per_token_logps: [-1], prompt_token_ids: [1, 2, 3, 7, 8, 9] });
    const [table] = formats['trace']!.open();
    const bare = sale.map((event) =>
      event.kind === 'action' ? { ...event, calls: event.calls?.map(({ logprobs: _, ...call }) => call) ?? [] } : event,
    );
    const left: string[] = [];
    const [play] = await read({ seats: ['seller'] });
    expect([...(table?.rows({ ...(play as ExportEpisode), events: bare }, (why) => left.push(why)) ?? [])]).toEqual([]);
    expect(left).toHaveLength(2);
  });
});
