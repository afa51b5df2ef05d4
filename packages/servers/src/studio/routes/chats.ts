/** @file Routes of the chat page: stored conversations, their messages, and their alternatives. */

import { explainAction } from '@ludus-agents/agents/internal/explain-action';
import { greetingsOf } from '@ludus-agents/agents/internal/personas/chat-task';
import { type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { portraitOf } from '@ludus-agents/agents/internal/workspace/user-documents';
import { placeToGoOn } from '@ludus-agents/environments/internal/chat';
import { type EpisodeEvent, Fault, type Json, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { Hono } from 'hono';
import type { ChatLine, ChatPick, ChatRequest, ChatSaid, ChatShown, ChatSpoken } from '../api.ts';
import { type ChatPerson, peopleOf } from '../chat-people.ts';
import type { Hear } from '../chat-turn.ts';
import type { StudioContext } from '../context.ts';
import type { ChatEntry, Conversations } from '../conversations.ts';
import { reply } from '../request.ts';
import { chatBody, chatChangeBody, chatForkBody, chatsQuery, sayBody } from '../requests.ts';
import { personaAt } from './personas.ts';

export function chats({ chats: all, place }: StudioContext) {
  return new Hono()
    .get('/', chatsQuery, async (call) => reply(call, await searchChats(all, call.req.valid('query').search ?? '')))
    .post('/', chatBody, async (call) => {
      const wanted = call.req.valid('json');
      const { user } = await readConfigIn(place.cwd);
      const settings = user === undefined ? wanted.settings : { user, ...wanted.settings };
      const newEntry = wanted.like === undefined ? createEntry(place.cwd, { ...wanted, settings }) : await all.entry(wanted.like);
      return reply(call, await readChat(all, await all.begin(newEntry, wanted.greeting)));
    })
    .get('/:id', async (call) => reply(call, await readChat(all, call.req.param('id'))))
    .put('/:id', chatChangeBody, async (call) => {
      const { model, persona, lore, ...rest } = call.req.valid('json');
      const { id } = call.req.param();
      // No model is also a choice: then the character uses the lines on its card.
      await all.change(id, {
        ...rest,
        ...(model === undefined ? {} : { model: model === 'none' ? null : model }),
        ...(persona === undefined ? {} : { persona }),
        ...(lore === undefined ? {} : withLore(await all.entry(id), lore)),
      });
      return reply(call, await readChat(all, id));
    })
    .get('/:id/people', async (call) => {
      const people = peopleOf(await all.entry(call.req.param('id')));
      return reply<Readonly<Record<string, Persona>>>(call, Object.fromEntries(people.map(({ seat, persona }) => [seat, persona])));
    })
    .post('/:id/say', sayBody, async (call) => {
      const { id } = call.req.param();
      const { text } = call.req.valid('json');
      await all.entry(id);
      return streamAnswer(all, (hear) => all.say(id, text, hear));
    })
    .post('/:id/fork', chatForkBody, async (call) => {
      const { id } = call.req.param();
      const wanted = call.req.valid('json');
      await all.entry(id);
      return streamAnswer(all, (hear) => all.fork(id, wanted, hear));
    })
    .post('/:id/draft', async (call) => reply<{ readonly text: string }>(call, { text: await all.draft(call.req.param('id')) }))
    .post('/:id/stop', (call) => {
      all.stop(call.req.param('id'));
      return reply(call, {});
    });
}

type ChatMade = Omit<ChatEntry, 'episode' | 'fork' | 'hidden'>;

function createEntry(
  cwd: string,
  { persona: draft, source, key, others = [], group, model, settings = {} }: Omit<ChatRequest, 'persona'> & { persona?: Json },
): ChatMade {
  const retainedPersona = source === undefined || key === undefined ? undefined : personaAt(cwd, source, key);
  if (draft === undefined && retainedPersona === undefined)
    throw new Fault('input', 'A conversation needs a "persona", or the "source" and "key" of one.');
  const persona = parsePersona((draft ?? retainedPersona) as Json);
  const more = others.map((chatPick) => ({
    persona: parsePersona(personaAt(cwd, chatPick.source, chatPick.key) as Json),
    portrait: faceOf(cwd, chatPick),
  }));
  const portrait = source === undefined || key === undefined ? null : faceOf(cwd, { source, key });
  const title = [persona, ...more.map((item) => item.persona)].map(({ name }) => name).join(', ');
  return {
    persona: persona as Json,
    portrait,
    others: more,
    ...(group === undefined ? {} : { group }),
    model: model ?? null,
    settings,
    title,
  };
}

/** The characters of a conversation with other lorebooks, by seat. */
function withLore(entry: ChatEntry, lore: Readonly<Record<string, Json>>): Pick<ChatEntry, 'persona' | 'others'> {
  const people = peopleOf(entry);
  const stranger = Object.keys(lore).find((seat) => !people.some((chatPerson) => chatPerson.seat === seat));
  if (stranger !== undefined)
    throw new Fault('input', `This conversation has no seat "${stranger.slice(0, 60)}".`, { code: 'E_UNKNOWN_NAME' });
  const [first, ...others] = people.map(({ seat, persona, portrait }) => ({
    persona: (lore[seat] === undefined ? persona : { ...persona, lore: lore[seat] }) as Json,
    portrait,
  }));
  return { persona: first!.persona, others };
}

function faceOf(cwd: string, { source, key }: ChatPick): string | null {
  return source === 'own' && portraitOf(cwd, key) !== null ? key : null;
}

/** A turn as a stream of lines: the text so far, and finally the conversation or an error. Disconnected clients lose no stored data. */
function streamAnswer(all: Conversations, speak: (hear: Hear) => Promise<string>): Response {
  const encoder = new TextEncoder();
  let gone = false;
  const body = new ReadableStream<Uint8Array>({
    async start(listener) {
      const send = (line: ChatSpoken) => {
        if (!gone) listener.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      try {
        send({ shown: await readChat(all, await speak((soFar, seat) => send({ soFar, seat }))) });
      } catch (thrown) {
        send({ error: sentenceOf(thrown) });
      }
      if (!gone) listener.close();
    },
    cancel() {
      gone = true;
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}

const most = 300;

/**
 * The latest conversations; with search words, those that contain them. Alternatives of one conversation are one entry, and one without
 * a message of the person is omitted, unless it is the newest.
 */
async function searchChats(all: Conversations, search: string): Promise<readonly ChatLine[]> {
  const wanted = search.trim().toLowerCase();
  const entries = await all.list();
  const families = Map.groupBy(entries, (entry) => all.rootOf(entry));
  const listed = new Map<string, ChatLine>();
  for (const entry of entries.slice(0, most)) {
    const root = all.rootOf(entry);
    if (listed.has(root)) continue;
    const utterances = utterancesIn(await all.events(entry.episode));
    if (entry !== entries[0] && !all.isGoing(entry.episode) && utterances.every(({ who }) => who !== 'user')) continue;
    const hit = wanted === '' ? utterances.at(-1) : utterances.findLast(({ text }) => text.toLowerCase().includes(wanted));
    if (hit === undefined && !(wanted === '' || entry.title.toLowerCase().includes(wanted))) continue;
    const { episode: id, title, model, portrait, fork } = entry;
    const family = (families.get(root) ?? [entry]).map(({ episode }) => episode);
    const excerpt = excerptOf(hit?.text ?? '', wanted);
    listed.set(root, { id, title, model, portrait, branch: fork !== null, lines: utterances.length, excerpt, family });
  }
  return [...listed.values()];
}

function excerptOf(text: string, wanted: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(wanted) - 40);
  const cut = text
    .slice(at, at + 140)
    .replace(/\s+/g, ' ')
    .replace(/[*`]+/g, '');
  return `${at > 0 ? '…' : ''}${cut}${at + 140 < text.length ? '…' : ''}`;
}

interface Said {
  readonly who: 'character' | 'user';
  readonly seat: string;
  readonly text: string;
  readonly at: number;
  /** The action behind it; null for a greeting. */
  readonly event: number | null;
}

function utterancesIn(events: readonly EpisodeEvent[]): readonly Said[] {
  let action: number | null = null;
  return events.flatMap((event, at): readonly Said[] => {
    if (event.kind === 'action') action = at;
    if (event.kind !== 'message' || event.from === undefined || event.to.length === 0) return [];
    const by = action;
    action = null;
    return [{ who: event.from === 'user' ? 'user' : 'character', seat: event.from, text: event.text, at, event: by }];
  });
}

async function readChat(all: Conversations, id: string): Promise<ChatShown> {
  const entry = await all.entry(id);
  const events = await all.events(id);
  const people = peopleOf(entry);
  const { title, model, settings, portrait, fork, memories = {} } = entry;
  return {
    ...{ id, title, model, settings, portrait, fork, memories },
    name: people.map(({ persona }) => persona.name).join(', '),
    people: people.map(({ seat, persona, portrait: face }) => ({ seat, name: persona.name, portrait: face })),
    greetings: people[0] === undefined ? [] : greetingsOf(people[0].persona, settings.user),
    lines: utterancesIn(events).map((utterance) => lineOf(utterance, { all, entry, events, people })),
    over: placeToGoOn(events) === null,
    left: entry.left !== undefined || events.at(-1)?.kind === 'end',
    answering: all.isGoing(id),
    writing: all.writing(id),
    failed: all.failed(id),
  };
}

interface Around {
  readonly all: Conversations;
  readonly entry: ChatEntry;
  readonly events: readonly EpisodeEvent[];
  readonly people: readonly ChatPerson[];
}

function lineOf({ who, seat, text, at, event }: Said, { all, entry, events, people }: Around): ChatSaid {
  const action = event === null ? undefined : events[event];
  const siblings = event === null ? [] : all.siblings(entry, event);
  const persona = people.find((chatPerson) => chatPerson.seat === seat)?.persona;
  return {
    ...{ who, seat, text, at, event },
    why: persona === undefined || event === null ? null : explainAction(persona, events.slice(0, event + 1), seat),
    edited: action?.kind === 'action' && action.edited === true,
    ways: siblings.length < 2 || event === null ? null : { at: siblings.indexOf(all.episodeAt(entry, event)), of: siblings },
  };
}
