/** @file Routes of the stage: an episode, its event stream, details of an action, scoring, forking, canceling. */

import { speechIn } from '@ludus-agents/agents/internal/llm/live-speech';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { readCast, readEpisodeWithCast } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { ownPersonas, portraitOf } from '@ludus-agents/agents/internal/workspace/user-documents';
import { type Explanation, explainTurn } from '@ludus-agents/evaluation/internal/explain';
import { currentScores } from '@ludus-agents/evaluation/internal/scoring/evaluation/current-scores';
import { builtInScorer, usualScorers } from '@ludus-agents/evaluation/internal/scoring/index';
import { scoreEpisodes } from '@ludus-agents/evaluation/internal/scoring/score';
import { gradeOf, readTrustCards } from '@ludus-agents/evaluation/internal/trust-cards';
import {
  type ActionEvent,
  type AgentSpec,
  type AnyEnvironment,
  type ChatMessage,
  type EpisodeRecord,
  Fault,
  type Json,
  type ModelCall,
  type Score,
  type Seat,
  type StartEvent,
  type Store,
} from '@ludus-agents/kernel/internal/core/index';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { readMarks } from '@ludus-agents/store/internal/marks';
import { Hono, type Context as HonoCall } from 'hono';
import { owner } from '../../access.ts';
import { callerOf, NotFound } from '../../app.ts';
import { tokenHolder, tokensFile } from '../../tokens.ts';
import type { ActionDetail, EpisodeShown, Face, RerunRequest, RerunShown, ScoreShown, StartedEpisode } from '../api.ts';
import { walletOf } from '../budget.ts';
import type { StudioContext } from '../context.ts';
import type { LiveEpisode } from '../episode-journal.ts';
import { episodeStream } from '../event-stream.ts';
import { alike, promptText } from '../event-view.ts';
import { insideOf } from '../mind-view.ts';
import { promptChanges } from '../prompt-changes.ts';
import { reply } from '../request.ts';
import { eventNumber, explainBody, forkBody, lastEvent, rerunBody, type StreamAsked, streamQuery } from '../requests.ts';
import { createSeatAgent, isPerson, wordFor } from '../seat-agents.ts';
import { seatable } from '../seatable.ts';
import { seriesOf } from '../series.ts';
import { titleEpisodes } from '../task-names.ts';

export function stage(studio: StudioContext) {
  const { store, live } = studio;
  return new Hono()
    .get('/:id', async (call) => reply(call, await readEpisode(studio, await recordOf(store, call))))
    .get('/:id/stream', streamQuery, async (call) => watch(studio, call, call.req.valid('query')))
    .get('/:id/events/:index', async (call) => {
      const record = await recordOf(store, call);
      return reply(
        call,
        await detail(studio, record, readAs(eventNumber, call.req.param('index'), { where: 'The number of an event', called: 'it' })),
      );
    })
    .post('/:id/events/:index/rerun', rerunBody, async (call) => {
      const { id } = await recordOf(store, call);
      const index = readAs(eventNumber, call.req.param('index'), { where: 'The number of an event', called: 'it' });
      return reply(call, await rerunCall(studio, { id, index }, call.req.valid('json'), call.req.raw.signal));
    })
    .post('/:id/fork', forkBody, async (call) => {
      const { id } = await recordOf(store, call);
      return reply<StartedEpisode>(call, { episode: await live.fork(id, call.req.valid('json')) });
    })
    .post('/:id/explain', explainBody, async (call) => {
      const { id } = await recordOf(store, call);
      return reply(call, await explain(studio, id, { ...call.req.valid('json'), signal: call.req.raw.signal }));
    })
    .post('/:id/score', async (call) => {
      const record = await recordOf(store, call);
      if (record.status === 'running') throw new Fault('input', 'An episode can only be scored after it has ended.');
      await score(store, record.id);
      return reply(call, await readEpisode(studio, record));
    })
    .post('/:id/stop', async (call) => {
      const { id } = await recordOf(store, call);
      await live.stop(id);
      return reply(call, {});
    });
}

/** The episode in an address, by its id or a prefix. */
export async function recordOf(store: Store, call: HonoCall): Promise<EpisodeRecord> {
  const typed = call.req.param('id') ?? '';
  const unknown = new NotFound(`Episode "${typed.slice(0, 80)}" not found in this store.`);
  if (!/^[\w.:-]{1,120}$/.test(typed)) throw unknown;
  const exact = await store.episode(typed);
  if (exact !== null) return exact;
  const [match, other] = await store.find(typed, 2);
  const record = match === undefined || other !== undefined ? null : await store.episode(match);
  if (record === null) throw unknown;
  return record;
}

async function readEpisode(studio: StudioContext, record: EpisodeRecord): Promise<EpisodeShown> {
  const { store, live, place } = studio;
  const start = await startOf(store, record.id);
  const environment = await environmentOr(studio, record);
  const specs = await castOf(studio, record);
  return {
    ...record,
    title: (await titleEpisodes(store, [record])).get(record.id) ?? null,
    seats: start.seats,
    faces: Object.fromEntries(start.seats.map((seat) => [seat, faceOf(specs[seat], start.cast[seat] ?? seat, place.cwd)])),
    summary: environment?.about.summary ?? '',
    scores: gradeScores(currentScores(await store.scores(record.id)), place.cwd),
    fork: start.fork ?? null,
    branches: await live.branches(record.id),
    castable: environment === null ? [] : await seatable(environment, { store, cwd: place.cwd }),
    table: tableOf(await live.entry(record.id)),
    people: Object.entries(specs).flatMap(([seat, spec]) => (isPerson(spec) ? [seat] : [])),
    live: live.isLive(record.id),
    series: await seriesOf(studio, record.id),
    marks: (await readMarks(studio.store, 'episode')).get(record.id) ?? {},
  };
}

function tableOf(entry: LiveEpisode | undefined): EpisodeShown['table'] {
  return entry === undefined ? null : Object.fromEntries(Object.entries(entry.cast).map(([seat, spec]) => [seat, wordFor(spec)]));
}

/** Judged scores with the grades of their judges; without a judge, no card is looked up. */
function gradeScores(scores: readonly Score[], cwd: string): readonly ScoreShown[] {
  if (!scores.some(({ name }) => name.startsWith('judge/'))) return scores;
  const cards = readTrustCards(cwd);
  return scores.map((score) => {
    const grade = gradeOf(score, cards);
    return grade === null ? score : { ...score, grade };
  });
}

const starts = new WeakMap<Store, Map<string, StartEvent>>();
const mostStarts = 500;

/** The start of an episode. It never changes, and a log is read from its end or completely, so it is cached. */
async function startOf(store: Store, id: string): Promise<StartEvent> {
  const knownStart = starts.get(store) ?? new Map<string, StartEvent>();
  starts.set(store, knownStart);
  const start = knownStart.get(id) ?? ((await store.events(id))[0] as StartEvent);
  if (knownStart.size >= mostStarts) knownStart.clear();
  knownStart.set(id, start);
  return start;
}

/**
 * The rules of an episode. If they are not available (a missing file, another version), it stays readable without pictures. An external
 * log may name any file as its environment: viewing it must not execute that file.
 */
async function environmentOr({ live, place }: StudioContext, { id, environment }: EpisodeRecord): Promise<AnyEnvironment | null> {
  const ownEnvironment = (await live.entry(id))?.environment;
  return resolveEnvironment(
    ownEnvironment ?? environment,
    place.cwd,
    ownEnvironment === undefined ? Trust.storedData : Trust.request,
  ).catch(() => null);
}

/** The cast as recorded by this stage or the run's plan, otherwise by name. */
async function castOf({ store, live }: StudioContext, record: EpisodeRecord): Promise<Readonly<Record<Seat, AgentSpec | string>>> {
  const entry = await live.entry(record.id);
  return entry === undefined ? readCast(store, record) : entry.cast;
}

/** The picture on the card: embedded in the document, or stored with the user's document. */
function faceOf(spec: AgentSpec | string | undefined, name: string, cwd: string): Face {
  const persona = typeof spec === 'object' ? (spec.persona as { id?: Json; name?: Json; assets?: Json } | undefined) : undefined;
  const assets = Array.isArray(persona?.assets) ? (persona.assets as readonly { readonly uri?: Json }[]) : [];
  const picture = assets.map(({ uri }) => uri).find((uri) => typeof uri === 'string' && uri.startsWith('data:image/'));
  const called = typeof persona?.name === 'string' ? persona.name : name;
  const character = persona !== undefined;
  if (typeof picture === 'string') return { name: called, character, picture };
  const ownPersona =
    persona === undefined
      ? undefined
      : ownPersonas(cwd).find(
          (otherOwnPersona) => otherOwnPersona.persona?.id === persona.id && portraitOf(cwd, otherOwnPersona.key) !== null,
        );
  return ownPersona === undefined
    ? { name: called, character }
    : { name: called, character, picture: `/api/personas/own/${encodeURIComponent(ownPersona.key)}/portrait` };
}

async function watch(studio: StudioContext, call: HonoCall, { seat: ownText, after: requestCount }: StreamAsked): Promise<Response> {
  const { store, live } = studio;
  const record = await recordOf(store, call);
  const seat = ownText ?? null;
  if (seat !== null && !Object.hasOwn(record.cast, seat))
    throw new Fault('input', `This episode has no seat "${seat.slice(0, 80)}".`, { code: 'E_UNKNOWN_NAME' });
  // A reconnecting browser uses the same address, and sends its last event in a header.
  const seenCount = readAs(lastEvent, call.req.header('last-event-id') || -1, { where: 'The header last-event-id', called: 'it' });
  const after = Math.max(requestCount, seenCount);
  const environment = await environmentOr(studio, record);
  const { id: token } = callerOf(call);
  const isAdmitted = () => token === owner.id || tokenHolder(tokensFile(studio.place.cwd), token) !== null;
  const body = episodeStream({ store, notifier: live.notifier, episode: record.id, seat, after, environment, isAdmitted });
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' } });
}

async function detail(studio: StudioContext, record: EpisodeRecord, index: number): Promise<ActionDetail> {
  const log = await studio.store.events(record.id);
  const event = log[index];
  if (event === undefined) throw new NotFound(`The episode ${record.id} has ${log.length} events, so event ${index} does not exist.`);
  if (event.kind !== 'action') return { index, inside: null, calls: [] };
  const before = log
    .slice(0, index)
    .findLast(
      (episodeEvent): episodeEvent is ActionEvent =>
        episodeEvent.kind === 'action' && episodeEvent.seat === event.seat && episodeEvent.calls !== undefined,
    );
  let last = before?.calls?.at(-1);
  const calls = (event.calls ?? []).map((modelCall: ModelCall) => {
    const stableCharacters = last === undefined ? 0 : alike(promptText(last), promptText(modelCall));
    const changes = last === undefined ? null : promptChanges(modelCall.prompt.messages, last.prompt.messages);
    last = modelCall;
    return { ...modelCall, stableCharacters, changes };
  });
  const spec = (await castOf(studio, record))[event.seat];
  return { index, inside: insideOf(event.mind, typeof spec === 'object' ? spec.persona : undefined, event.action.text), calls };
}

/** Repeats a stored model call with the reader's changes, paid from the studio's budget. */
async function rerunCall(
  { store, place }: StudioContext,
  { id, index }: { readonly id: string; readonly index: number },
  { call: number, messages, model: name, temperature }: RerunRequest,
  signal: AbortSignal,
): Promise<RerunShown> {
  const event = (await store.events(id))[index];
  const stored = event?.kind === 'action' ? event.calls?.[number] : undefined;
  if (stored === undefined) throw new NotFound(`Event ${index} of the episode ${id} has no model call ${number + 1}.`);
  const model = await walletOf(place).modelOf(name);
  // Parts that the page cannot edit are sent unchanged: pictures, and tool calls.
  const chatMessages = messages.map(({ role, content }, i): ChatMessage => {
    const before = stored.prompt.messages[i];
    return before?.role === role ? { ...before, content } : { role, content };
  });
  const prompt = { ...stored.prompt, messages: chatMessages };
  const began = performance.now();
  const answered = await model.complete(prompt, temperature === undefined ? {} : { temperature }, signal);
  const { text, toolCalls, thinking, finish, usage, cost, notes } = answered;
  return {
    ...{ model: answered.model, text, finish, usage, cost },
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(notes === undefined ? {} : { notes }),
    milliseconds: answered.milliseconds ?? Math.round(performance.now() - began),
    answer: speechIn(text) || text,
  };
}

/** The number of games played out after each move, and of alternative moves. */
const [games, moves] = [10, 3] as const;

/** Explains an agent's action by asking it again, paid from the studio's budget. */
async function explain(
  { store, place }: StudioContext,
  id: string,
  { at, samples, signal }: { readonly at: number; readonly samples: number; readonly signal: AbortSignal },
): Promise<Explanation> {
  const { log, cast, rules, admit } = await readEpisodeWithCast(store, id, place);
  for (const seat of Object.keys(cast)) admit(seat);
  const environment = await resolveEnvironment(rules.name, place.cwd, rules.trust === Trust.storedData ? Trust.storedData : Trust.request);
  const load = (spec: AgentSpec | string, seat: Seat) => createSeatAgent(spec, { seat, environment, place });
  return explainTurn({ environment, events: log, at, cast, load, samples, games, moves, signal });
}

/** The rules that need only the log; an existing score is stored again only if it differs. */
async function score(store: Store, id: string): Promise<void> {
  const scorers = await Promise.all(usualScorers.map(builtInScorer));
  for await (const { scores } of scoreEpisodes([{ episode: { id, events: await store.events(id) } }], { scorers }))
    await store.putScores(
      id,
      scores.filter(({ status }) => status !== 'not-applicable'),
    );
}
