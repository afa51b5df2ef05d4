/**
 * @file The test chat beside the editor: a conversation as an episode in the store, one request a turn, with the reasons for each answer.
 *
 * Nothing is held between two requests: the log says where the conversation stands, and it is resumed from there.
 */

import { randomBytes, randomInt } from 'node:crypto';
import { Hono } from 'hono';
import { explainAction } from '../../../agents/explain-action.ts';
import { createAgentLoader } from '../../../agents/kinds.ts';
import { type Agent, type EpisodeEvent, Fault, type Json } from '../../../core/index.ts';
import { play, resume } from '../../../engine/play.ts';
import { EpisodeRecorder } from '../../../engine/record.ts';
import { builtInEnvironment } from '../../../environments/index.ts';
import { chatSpec, chatTask } from '../../../personas/chat-task.ts';
import { type Persona, parsePersona } from '../../../personas/index.ts';
import { putCastRun } from '../../../workspace/cast-run.ts';
import { createToolSet } from '../../../workspace/tools.ts';
import { NotFound } from '../../app.ts';
import type { TalkRequest, TalkShown } from '../api.ts';
import { walletOf } from '../budget.ts';
import type { StudioContext } from '../context.ts';
import { reply } from '../request.ts';
import { talkBody } from '../requests.ts';

export function chatRoutes(studio: StudioContext) {
  return new Hono().post('/', talkBody, async (call) => reply(call, await talked(studio, call.req.valid('json'), call.req.raw.signal)));
}

/** How long a model may take for an answer. */
const patience = 180_000;

/** What is said, to whom: the persona is read where it is used. */
type Talk = Omit<TalkRequest, 'persona'> & { readonly persona: Json };

async function talked(studio: StudioContext, { persona: given, model, text, episode }: Talk, gone: AbortSignal): Promise<TalkShown> {
  const persona = parsePersona(given);
  const before = episode === undefined ? [] : await chatOf(studio, episode);
  if (episode !== undefined && text === undefined) throw new Fault('input', 'A conversation goes on with a "text", but none came.');
  const signal = AbortSignal.any([gone, AbortSignal.timeout(patience)]);
  const fresh = await goneOn(studio, { persona, model, text, before, signal });
  const id = episode ?? randomBytes(10).toString('hex');
  const run = before.length > 0 ? undefined : await runOf(studio, { persona, model, opening: fresh[0] });
  const recorder = new EpisodeRecorder({ store: studio.store, episode: id, run, from: before.length });
  recorder.append(fresh);
  await recorder.flush();
  return shown(id, [...before, ...fresh], persona);
}

interface Opening {
  readonly persona: Persona;
  readonly model: string | undefined;
  readonly opening: EpisodeEvent | undefined;
}

/** The run of a new conversation, which keeps its persona: what was said can be scored. */
async function runOf({ store }: StudioContext, { persona, model, opening }: Opening): Promise<string | undefined> {
  if (opening?.kind !== 'start') return undefined;
  const { task, seed } = opening;
  const cast = { character: chatSpec(persona, model === undefined ? {} : { model }), user: 'human' };
  return putCastRun(store, { kind: 'chat', title: persona.id, environment: 'chat', task, seed, cast });
}

async function chatOf({ store }: StudioContext, episode: string): Promise<readonly EpisodeEvent[]> {
  const events = await store.events(episode);
  const start = events[0];
  if (start?.kind !== 'start' || start.environment.split('@', 1)[0] !== 'chat')
    throw new NotFound(`There is no conversation "${episode.slice(0, 60)}".`);
  if (events.at(-1)?.kind === 'end') throw new Fault('input', 'This conversation is over; begin another.');
  return events;
}

interface Going {
  readonly persona: Persona;
  readonly model: string | undefined;
  readonly text: string | undefined;
  readonly before: readonly EpisodeEvent[];
  readonly signal: AbortSignal;
}

/** What happens from here until the person is asked again. A failed answer leaves no trace: the same words may be sent once more. */
async function goneOn(studio: StudioContext, { persona, model, text, before, signal }: Going): Promise<readonly EpisodeEvent[]> {
  const environment = await builtInEnvironment('chat');
  const call = createAgentLoader({ model: walletOf(studio.place).modelOf, tools: createToolSet(studio.place.cwd, 'folder') });
  const agents = {
    character: await call(chatSpec(persona, model === undefined ? {} : { model }), 'character', environment),
    user: person(text),
  };
  const stream =
    before.length > 0
      ? resume(environment, agents, before, { signal })
      : play(environment, agents, {
          task: chatTask(persona, { turns: 200, ...(model === undefined ? {} : { model }) }),
          seed: randomInt(2 ** 31),
          signal,
        });
  const fresh: EpisodeEvent[] = [];
  let said = text === undefined;
  for await (const event of stream) {
    if (event.kind === 'end' && event.reason !== 'over')
      throw new Fault('model', event.fault?.message ?? 'The answer took too long and was called off; try again.');
    fresh.push(event);
    said ||= event.kind === 'action' && event.seat === 'user';
    if (said && event.kind === 'turn' && event.asks[0]?.seat === 'user') break;
  }
  return fresh;
}

/** Somebody who says one thing, and is not asked twice. */
function person(text: string | undefined): Agent {
  return {
    name: 'human',
    act() {
      if (text === undefined) throw new Fault('agent', 'Nobody has said anything yet.');
      return { action: { text } };
    },
  };
}

function shown(episode: string, events: readonly EpisodeEvent[], persona: Persona): TalkShown {
  const lines = events.flatMap((event, at): TalkShown['lines'] => {
    if (event.kind === 'message' && (event.from === 'character' || event.from === 'user') && event.to.length > 0) {
      const answer = event.from === 'character' ? events.slice(0, at).findLastIndex(({ kind }) => kind === 'action') : -1;
      const why = answer < 0 ? null : explainAction(persona, events.slice(0, answer + 1), 'character');
      return [{ who: event.from, text: event.text, at, why }];
    }
    return [];
  });
  return { episode, lines, over: events.at(-1)?.kind === 'end' };
}
