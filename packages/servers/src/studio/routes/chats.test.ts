/** @file Conversations in the studio: streamed, stopped, branched, searched, and stored with their settings. */

import type { MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { gallery, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delta, ending, type Move, scriptedServer, stream } from '../../../../../test/fixtures/scripted-server.ts';
import { until } from '../../../../../test/fixtures/until.ts';
import type { ChatLine, ChatShown, ChatSpoken } from '../api.ts';
import { Conversations } from '../conversations.ts';
import { type OpenStudio, openStudio } from '../request.cases.ts';

let studio: OpenStudio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const innkeeper = gallery['innkeeper']!;

const begin = async (more: object = {}) => (await studio.ask<ChatShown>('POST', '/api/chats', { persona: innkeeper, ...more })).body;

/** What is sent while an answer is written, line by line. */
async function spoken(path: string, body: object): Promise<readonly ChatSpoken[]> {
  const { body: text } = await studio.ask<unknown>('POST', path, body);
  const lines = typeof text === 'string' ? text.trim().split('\n') : [JSON.stringify(text)];
  return lines.map((line) => JSON.parse(line) as ChatSpoken);
}

async function shownAfter(path: string, body: object): Promise<ChatShown> {
  const last = (await spoken(path, body)).at(-1)!;
  if (!('shown' in last)) throw new Error(JSON.stringify(last));
  return last.shown;
}

const say = (id: string, text: string) => shownAfter(`/api/chats/${id}/say`, { text });
const fork = (id: string, at: number, text?: string) =>
  shownAfter(`/api/chats/${id}/fork`, { at, ...(text === undefined ? {} : { text }) });
const words = ({ lines }: ChatShown) => lines.map(({ text }) => text);

/** Models look at what a server offers first. */
const onlyChat =
  (move: Move): Move =>
  (response, observation, socket) =>
    observation.url.endsWith('/chat/completions') ? move(response, observation, socket) : void response.writeHead(404).end();

describe('a conversation', () => {
  it('greets, answers from the card, explains itself, and continues from its log or in a branch', async () => {
    const begun = await begin();
    expect(begun.lines.map(({ who }) => who)).toEqual(['character']);
    const first = await say(begun.id, 'What do you do here, who are you?');
    expect(first.lines.map(({ who }) => who)).toEqual(['character', 'user', 'character']);
    const second = await say(begun.id, 'And the rooms, what do they cost?');
    expect(second.lines.slice(0, 3)).toEqual(first.lines);
    expect(second.lines.flatMap(({ why }) => why?.statements ?? []).length).toBeGreaterThan(0);
    const gone = await say(begun.id, '/quit');
    expect([gone.id, gone.over, gone.left]).toEqual([begun.id, false, true]);
    const back = await say(begun.id, 'Hello?');
    expect([back.fork?.episode, back.left, words(back).slice(0, 5), words(back)[5]]).toEqual([begun.id, false, words(second), 'Hello?']);
  });

  it('starts with the chosen greeting and addresses the user by name', async () => {
    const persona = parsePersona({ name: 'Ann', voice: { greetings: ['Good day, {{user}}.', 'What now, {{user}}?'] } });
    const first = await begin({ persona, settings: { user: 'Len' } });
    expect([words(first), first.greetings]).toEqual([['Good day, Len.'], ['Good day, Len.', 'What now, Len?']]);
    const { body: other } = await studio.ask<ChatShown>('POST', '/api/chats', { like: first.id, greeting: 1 });
    expect([words(other), other.settings]).toEqual([['What now, Len?'], { user: 'Len' }]);
  });

  it('branches by regenerating, editing, and cutting, and every branch replays', async () => {
    const persona = parsePersona({ name: 'Ann' });
    const { id } = await begin({ persona, model: 'fake/Good evening.' });
    const statement = await say(id, 'Hello');
    const [mine, theirs] = statement.lines.map(({ event }) => event!) as [number, number];
    const again = await fork(id, theirs);
    expect([again.id === id, words(again), again.fork]).toEqual([false, words(statement), { episode: id, at: theirs }]);
    const third = await fork(again.id, theirs);
    expect(third.lines.at(-1)?.ways).toEqual({ at: 2, of: [id, again.id, third.id] });
    expect((await studio.ask<ChatShown>('GET', `/api/chats/${id}`)).body.lines.at(-1)?.ways?.at).toBe(0);
    const other = await fork(id, mine, 'Good night');
    expect(words(other)).toEqual(['Good night', 'Good evening.']);
    const written = await fork(id, theirs, 'I am a teapot.');
    expect([words(written).at(-1), written.lines.at(-1)?.edited]).toEqual(['I am a teapot.', true]);
    const cut = await fork(id, mine);
    expect(cut.lines).toEqual([]);
    expect(words(await say(cut.id, 'Once more'))).toEqual(['Once more', 'Good evening.']);
    expect(words((await studio.ask<ChatShown>('GET', `/api/chats/${id}`)).body)).toEqual(words(statement));
    for (const item of [again, other, written, cut])
      expect(replay(await builtInEnvironment('chat'), await studio.store.events(item.id))).toBeNull();
    expect(await spoken(`/api/chats/${id}/fork`, { at: 0 })).toEqual([
      { error: expect.stringContaining('of this conversation is not a message.') },
    ]);
  });

  it('stops an answer in the shown branch, and keeps unanswered messages', async () => {
    const slow = await scriptedServer(onlyChat(stream([delta('SPEECH: I have '), delta('begun to speak and')], { end: false })));
    const { id } = await begin({ persona: { name: 'Ann' }, model: 'fake/Good evening.' });
    const [, theirs] = (await say(id, 'Hello')).lines.map(({ event }) => event!) as [number, number];
    const branch = await fork(id, theirs);
    await studio.ask('PUT', `/api/chats/${branch.id}`, { model: `${slow.url}#tiny` });
    const shown = async () => (await studio.ask<ChatShown>('GET', `/api/chats/${branch.id}`)).body;
    const answer = spoken(`/api/chats/${branch.id}/fork`, { at: theirs });
    await until(shown, ({ writing }) => writing?.answers[0]?.soFar.startsWith('I have') === true);
    expect((await shown()).writing).toMatchObject({ text: null, from: theirs });
    await studio.ask('POST', `/api/chats/${branch.id}/stop`);
    expect((await answer).at(-1)).toHaveProperty('shown');
    await slow.close();
    // A model that fails: the message can be sent again, and the reason is shown.
    const broken = await scriptedServer(onlyChat((response) => void response.writeHead(400).end('{"error":{"message":"no"}}')));
    await studio.ask('PUT', `/api/chats/${branch.id}`, { model: `${broken.url}#tiny` });
    expect((await spoken(`/api/chats/${branch.id}/say`, { text: 'Are you there?' })).at(-1)).toHaveProperty('error');
    expect((await shown()).failed?.text).toBe('Are you there?');
    await broken.close();
  });

  it("streams an answer that knows the user's name, and keeps the text written before a stop", async () => {
    const server = await scriptedServer(onlyChat(stream([delta('SPEECH: Good '), delta('evening, '), delta('traveller.'), ending])));
    const { id } = await begin({
      persona: { name: 'Ann' },
      model: `${server.url}#tiny`,
      settings: { user: 'Len', about: 'a tall man', note: 'Be brief.', temperature: 0.3 },
    });
    const observations = await spoken(`/api/chats/${id}/say`, { text: 'Hello' });
    expect(observations.flatMap((line) => ('soFar' in line ? [line.soFar] : []))).toContain('Good evening,');
    expect(words((observations.at(-1) as { shown: ChatShown }).shown)).toEqual(['Hello', 'Good evening, traveller.']);
    const request = server.seen.find(({ url }) => url.endsWith('/chat/completions'))!;
    expect(request.body['temperature']).toBe(0.3);
    expect(JSON.stringify(request.body)).toContain('About Len: a tall man');
    expect(JSON.stringify(request.body)).toContain('Be brief.');
    await server.close();

    const slow = await scriptedServer(onlyChat(stream([delta('SPEECH: I have '), delta('begun to speak and')], { end: false })));
    await studio.ask('PUT', `/api/chats/${id}`, { model: `${slow.url}#tiny` });
    const answer = spoken(`/api/chats/${id}/say`, { text: 'Go on' });
    await until(async () => (await studio.ask<ChatShown>('GET', `/api/chats/${id}`)).body.answering);
    await until(() => slow.seen.some(({ url }) => url.endsWith('/chat/completions')));
    // A page that is opened meanwhile shows the message that is being answered, and the text so far.
    const meanwhile = await until(
      async () => (await studio.ask<ChatShown>('GET', `/api/chats/${id}`)).body.writing,
      (writing) => writing?.answers[0]?.soFar.startsWith('I have') === true,
    );
    expect(meanwhile).toMatchObject({ text: 'Go on', from: null });
    expect(await spoken(`/api/chats/${id}/say`, { text: 'Me too' })).toEqual([{ error: expect.stringContaining('still being written') }]);
    let stopped: readonly ChatSpoken[] | null = null;
    void answer.then((lines) => {
      stopped = lines;
    });
    await until(async () => {
      await studio.ask('POST', `/api/chats/${id}/stop`);
      return stopped !== null;
    });
    const last = (await answer).at(-1)!;
    // Stopped before the first token, the answer is empty; later, it is the text so far.
    if ('shown' in last) expect(last.shown.lines.at(-1)?.text).toMatch(/^I have/);
    else expect('error' in last && last.error).toContain('The answer was stopped before it started.');
    await slow.close();
  });

  it('with a group lets all hear each other, the addressed one answer, and every log replay', async () => {
    const [first, ...others] = ['innkeeper', 'beatrix', 'tomas'].map((key) => ({ source: 'gallery', key }));
    const { body: begun } = await studio.ask<ChatShown>('POST', '/api/chats', { ...first, others });
    expect(begun.people.map(({ name }) => name)).toEqual(['innkeeper', 'beatrix', 'tomas'].map((key) => gallery[key]!.name));
    expect(begun.lines.map(({ seat }) => seat)).toEqual([innkeeper.name]);
    const all = await say(begun.id, 'Good evening to all of you.');
    expect(all.lines.slice(1).map(({ seat }) => seat)).toEqual(['user', ...begun.people.map(({ seat }) => seat)]);
    const item = await say(begun.id, `And what of you, ${gallery['tomas']!.name}?`);
    expect(item.lines.slice(5).map(({ seat }) => seat)).toEqual(['user', gallery['tomas']!.name]);
    const { event } = all.lines[3]!;
    const written = await fork(begun.id, event!, 'I keep bees.');
    expect(written.lines.slice(2).map(({ text, edited }) => (edited ? text : ''))).toEqual(['', 'I keep bees.', '']);
    expect(written.lines[3]?.ways?.of).toEqual([begun.id, written.id]);
    const environment = await builtInEnvironment('social-scene');
    for (const { id } of [begun, written]) expect(replay(environment, await studio.store.events(id))).toBeNull();
    expect((await studio.ask<ChatLine[]>('GET', '/api/chats?search=bees')).body[0]?.title).toBe(begun.name);
    expect((await studio.ask('POST', '/api/chats', { ...first, others: [{ source: 'gallery', key: 'nobody' }] })).status).toBe(404);
    const current = { greets: 'everybody', order: 'one' };
    const loud = (await studio.ask<ChatShown>('POST', '/api/chats', { ...first, others, group: current })).body;
    expect(loud.lines.map(({ seat }) => seat)).toEqual(loud.people.map(({ seat }) => seat));
    const shy = (await studio.ask<ChatShown>('POST', '/api/chats', { ...first, others, group: { ...current, greets: 'nobody' } })).body;
    expect(shy.lines).toEqual([]);
    expect((await say(shy.id, 'Good evening.')).lines.map(({ who }) => who)).toEqual(['user', 'character']);
    const twins = await studio.ask<ChatShown>('POST', '/api/chats', { ...first, others: [first] });
    expect(twins.body.people.map(({ seat }) => seat)).toEqual([innkeeper.name, `${innkeeper.name} 2`]);
  });

  it('continues without a message, drafts one for the user, and lets the model choose the speaker', async () => {
    const others = [{ source: 'gallery', key: 'beatrix' }];
    const { id } = await begin({
      others,
      model: `fake/[pick ${gallery['beatrix']!.name}]`,
      group: { greets: 'nobody', order: 'director' },
    });
    const answered = await say(id, 'Good evening.');
    // Called eight times in a row, it is the person's turn again.
    expect(answered.lines.slice(1).map(({ seat }) => seat)).toEqual(Array.from({ length: 8 }, () => gallery['beatrix']!.name));
    const { body } = await studio.ask<{ text: string }>('POST', `/api/chats/${id}/draft`, {});
    expect(body.text).toContain('[pick');
    expect((await studio.ask<ChatShown>('GET', `/api/chats/${id}`)).body.lines).toHaveLength(9);
    const alone = (await begin({})).id;
    const before = (await say(alone, 'Good evening.')).lines.length;
    const continued = await say(alone, '');
    expect(continued.lines.slice(before).map(({ who }) => who)).toEqual(['character']);
    expect((await studio.ask('POST', `/api/chats/${alone}/draft`, {})).status).toBe(400);
  });

  it('includes notes from earlier conversations', async () => {
    const model = 'fake/SPEECH: So.\nREMEMBER: fruit = the pear is ripe';
    const first = await begin({ persona: { name: 'Ann' }, model });
    await say(first.id, 'What of the pear?');
    const second = await begin({ persona: { name: 'Ann' }, model });
    const shown = await say(second.id, 'Is the pear ripe?');
    const event = (await studio.store.events(second.id))[shown.lines.at(-1)!.event!];
    expect(JSON.stringify(event?.kind === 'action' ? event.calls?.[0]?.prompt : '')).toContain('the pear is ripe');
  });

  it('remembers nothing that was edited away, in this conversation or later', async () => {
    const persona = { name: 'Berta' };
    const model = 'fake/SPEECH: So.';
    const first = await begin({ persona, model });
    const told = await say(first.id, 'My name is Odile and I sell clocks in Puebla.');
    const edited = await fork(first.id, told.lines[told.lines.length - 2]!.event!, 'My name is Odile.');
    const later = await begin({ persona, model });
    const promptOf = async ({ id, lines }: ChatShown) => {
      const event = (await studio.store.events(id))[lines.at(-1)!.event!];
      return JSON.stringify(event?.kind === 'action' ? event.calls?.[0]?.prompt : '');
    };
    const next = await say(edited.id, 'Who am I?');
    const prompts = [await promptOf(next), await promptOf(await say(later.id, 'Who am I?'))];
    expect(prompts.map((prompt) => [prompt.includes('Puebla'), prompt.includes('My name is Odile.')])).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  it('streams in a group with the name of each speaker', async () => {
    const server = await scriptedServer(onlyChat(stream([delta('SPEECH: Well, '), delta('well.'), ending])));
    const others = [{ source: 'gallery', key: 'beatrix' }];
    const { id } = await begin({ others, model: `${server.url}#tiny` });
    const observations = await spoken(`/api/chats/${id}/say`, { text: 'Hello' });
    const seats = observations.flatMap((line) => ('seat' in line ? [line.seat] : []));
    expect([...new Set(seats)]).toEqual([innkeeper.name, gallery['beatrix']!.name]);
    // The second has heard the first.
    const requests = server.seen.filter(({ url }) => url.endsWith('/chat/completions'));
    expect(JSON.stringify(requests.at(-1)?.body)).toContain(`${innkeeper.name}: Well, well.`);
    await server.close();
  });

  it('uses rewritten, added, and deleted memories from the next answer on, without changing the log', async () => {
    const { id } = await begin({ persona: { name: 'Ann' }, model: 'fake/SPEECH: So.\nREMEMBER: fruit = the pear is ripe' });
    const first = await say(id, 'What of the pear?');
    const mindAt = async (shown: ChatShown) => {
      const event = (await studio.store.events(id))[shown.lines.at(-1)!.event!];
      return event?.kind === 'action' ? event : undefined;
    };
    const before = await mindAt(first);
    await studio.ask('PUT', `/api/chats/${id}`, { memories: { character: { you1: 'The pear was stolen by a heron.' } } });
    const second = await say(id, 'And who took the pear?');
    const after = await mindAt(second);
    expect(JSON.stringify(after?.calls?.[0]?.prompt)).toContain('stolen by a heron');
    expect(JSON.stringify(before)).not.toContain('heron');
    await studio.ask('PUT', `/api/chats/${id}`, { memories: { character: { you1: null } } });
    const third = await mindAt(await say(id, 'Who took the pear, then?'));
    expect(JSON.stringify(third?.calls?.[0]?.prompt)).not.toContain('stolen by a heron');
    const { body } = await studio.ask<{ inside: { memories: readonly { id: string; gone: boolean }[] } }>(
      'GET',
      `/api/episodes/${id}/events/${(await say(id, 'So?')).lines.at(-1)!.event}`,
    );
    expect(body.inside.memories.find((memory) => memory.id === 'you1')?.gone).toBe(true);
    expect(replay(await builtInEnvironment('chat'), await studio.store.events(id))).toBeNull();
    expect((await studio.ask('PUT', `/api/chats/${id}`, { memories: { character: { you1: 7 } } })).status).toBe(400);
  });

  it('keeps a belief corrected or added by the user, whatever the character notes later', async () => {
    const model = 'fake/SPEECH: So.\nREMEMBER: belief.dog.color = red 50, blue 50';
    const { id } = await begin({ persona: { name: 'Ann' }, model, settings: { knowledge: ['beliefs'] } });
    const promptOf = async (text: string) => {
      const shown = await say(id, text);
      const event = (await studio.store.events(id))[shown.lines.at(-1)!.event!];
      const mind = event?.kind === 'action' ? (event.mind as { readonly memory: { readonly records: readonly MemoryRecord[] } }) : null;
      const record = mind?.memory.records.find(({ key, validTo }) => key === 'belief.dog.color' && validTo === undefined);
      return { prompt: event?.kind === 'action' ? JSON.stringify(event.calls?.[0]?.prompt) : '', record };
    };
    const first = await promptOf('Draw my dog.');
    const edits = { [first.record!.id]: 'belief.dog.color: red 100', you1: 'belief.dog.size = small 100' };
    await studio.ask('PUT', `/api/chats/${id}`, { memories: { character: edits } });
    for (const text of ['And?', 'Go on.']) {
      const { prompt } = await promptOf(text);
      expect(prompt).toContain('dog.color: red 100 (stated by the user, do not change)');
      expect(prompt).toContain('dog.size: small 100 (stated by the user, do not change)');
    }
    expect((await studio.ask('PUT', `/api/chats/${id}`, { settings: { knowledge: ['magic'] } })).status).toBe(400);
  });

  it('keeps edits made during an answer, and then uses the lorebook and shows the matching key', async () => {
    const resolvers = Promise.withResolvers<void>();
    const server = await scriptedServer(
      onlyChat(async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(delta('SPEECH: So '));
        await resolvers.promise;
        response.end(`${delta('it is.')}${ending}`);
      }),
    );
    const { id } = await begin({ persona: { name: 'Ann' }, model: `${server.url}#tiny` });
    const first = say(id, 'Is there honey?');
    await until(() => server.seen.some(({ url }) => url.endsWith('/chat/completions')));
    const entry = { keys: ['honey'], content: 'The honey is poisoned.', extensions: {}, enabled: true, insertion_order: 1 };
    const { lore } = parsePersona({ name: 'Ann', lore: { entries: [entry] } });
    await studio.ask('PUT', `/api/chats/${id}`, { lore: { character: lore } });
    resolvers.resolve();
    expect((await first).lines.at(-1)?.why?.lore).toEqual([]);
    const why = (await say(id, 'More honey?')).lines.at(-1)?.why;
    expect(why?.lore).toMatchObject([{ text: 'The honey is poisoned.', key: 'honey' }]);
    expect(JSON.stringify(server.seen.at(-1)?.body)).toContain('The honey is poisoned.');
    const people = await studio.ask<Record<string, { lore: object }>>('GET', `/api/chats/${id}/people`);
    expect(people.body['character']?.lore).toEqual(lore);
    const stranger = await studio.ask('PUT', `/api/chats/${id}`, { lore: { nobody: lore } });
    expect([stranger.status, stranger.body]).toEqual([400, { error: 'This conversation has no seat "nobody".' }]);
    expect((await studio.ask('PUT', `/api/chats/${id}`, { lore: { character: 7 } })).status).toBe(400);
    await server.close();
  });

  it('keeps both of two concurrent changes', async () => {
    const { id } = await begin();
    const all = new Conversations(studio.store, studio);
    await Promise.all([all.change(id, { title: 'Dusk' }), all.change(id, { settings: { user: 'Len' } })]);
    expect(await all.entry(id)).toMatchObject({ title: 'Dusk', settings: { user: 'Len' } });
  });

  it('leaves the log unchanged when an answer fails', async () => {
    const { id } = await begin({ model: 'http://127.0.0.1:9/v1#none' });
    const before = await studio.store.events(id);
    expect((await spoken(`/api/chats/${id}/say`, { text: 'Still there?' })).at(-1)).toHaveProperty('error');
    expect(await studio.store.events(id)).toEqual(before);
  });

  it('can be searched by text, renamed, and removed from the list', async () => {
    const { id } = await begin({ persona: { name: 'Ann' }, model: 'fake/The quince is ripe.' });
    await say(id, 'What of the garden?');
    const found = async (search: string) =>
      (await studio.ask<ChatLine[]>('GET', `/api/chats?search=${search}`)).body.map((chatLine) => chatLine.id);
    expect(await found('QUINCE')).toEqual([id]);
    await studio.ask('PUT', `/api/chats/${id}`, { title: 'About fruit' });
    expect(await found('about%20fruit')).toEqual([id]);
    expect((await found('')).length).toBeGreaterThan(1);
    // A greeting that nobody answered is listed only while it is the newest.
    const opened = await begin({ persona: { name: 'Ben' }, model: 'fake/Well.' });
    expect(await found('')).toContain(opened.id);
    await begin({ persona: { name: 'Cat' }, model: 'fake/Well.' });
    expect(await found('')).not.toContain(opened.id);
    await studio.ask('PUT', `/api/chats/${id}`, { hidden: true });
    expect(await found('quince')).toEqual([]);
  });

  it('rejects invalid requests', async () => {
    expect((await studio.ask('POST', '/api/chats/nothing/say', { text: 'Hello' })).status).toBe(404);
    expect((await studio.ask('POST', '/api/chats', { persona: 7 })).status).toBe(400);
    expect((await studio.ask('POST', '/api/chats', {})).status).toBe(400);
  });
});
