/** @file `replay`, `show.explain` and `show.blame`: replays and analyzes stored episodes. */

import { type AgentOf, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { type EpisodeWithCast, readEpisodeWithCast } from '@ludus-agents/agents/internal/workspace/kept-cast';
import { type Explanation, explainTurn } from '@ludus-agents/evaluation/internal/explain';
import { attribute, flowOf, type MemberSpeech, speechFlow, wrongIn } from '@ludus-agents/evaluation/internal/scoring/attribution';
import { findDecisiveErrors, type ReplayFound } from '@ludus-agents/evaluation/internal/scoring/counterfactual';
import type { FaultRecord } from '@ludus-agents/kernel/internal/core/fault';
import type { Agent, AgentSpec, AnyEnvironment, Episode, EpisodeEvent, Json, Score, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { LogDifference } from '@ludus-agents/kernel/internal/engine/play';
import { replay as replayLog } from '@ludus-agents/kernel/internal/engine/replay';
import { type Bound, readBound, within } from '@ludus-agents/store/internal/exports/bounds';
import { maskedTurns } from '@ludus-agents/store/internal/exports/masks';
import { findEpisode } from '@ludus-agents/store/internal/stores';
import { type AgentRef, type CallPlace, findEnvironment, findSpec, placeOf, type Ref, readStore, type StoreCallOptions } from './refs.ts';

/** A stored episode, and optionally other rules than its own. */
export interface StoredEpisodeRequest extends StoreCallOptions {
  /** The id of an episode, or a prefix. */
  readonly episode: string;
  /** The rules, in place of the episode's. */
  readonly environment?: Ref<AnyEnvironment> | undefined;
}

type Agents = Readonly<Record<Seat, AgentRef>>;

/** A stored episode that is continued from some event. */
export interface EpisodeAgentsRequest extends StoredEpisodeRequest {
  /** Agents in place of the original ones, by seat, or a function that returns them for an environment and task. */
  readonly agents?: Agents | ((environment: AnyEnvironment, task: Json) => Agents) | undefined;
}

interface OpenedEpisode extends EpisodeWithCast {
  readonly rulesOf: AnyEnvironment;
  /** The new agents, each with a loader that applies the trust in its origin. */
  readonly seated: Readonly<Record<Seat, { readonly spec: AgentSpec | string; readonly load: AgentOf }>>;
}

async function openEpisode(request: EpisodeAgentsRequest, place: CallPlace): Promise<OpenedEpisode> {
  const stored = await readStore(request, place, (store) => readEpisodeWithCast(store, request.episode, place));
  const { rules, record, cast, admit } = stored;
  const { environment: named } = request;
  const environment = await findEnvironment(named ?? rules.name, named === undefined ? { ...place, trust: rules.trust } : place);
  const { agents = {} } = request;
  const replaced = typeof agents === 'function' ? agents(environment, record.task) : agents;
  const options = typeof request.store === 'string' ? { store: request.store } : {};
  const seated: Record<Seat, OpenedEpisode['seated'][string]> = {};
  for (const [seat, before] of Object.entries(cast)) {
    const agent = replaced[seat];
    const trust = agent === undefined ? admit(seat) : place.trust;
    const spec = agent === undefined ? before : await findSpec(agent, place);
    seated[seat] = { spec, load: createAgentLoader(createAgentServices(place.cwd, trust, options)) };
  }
  return { ...stored, rulesOf: environment, seated };
}

/** A replayed log, and the first event that does not follow from the rules; null if all do. */
export interface ReplayReport {
  readonly episode: string;
  readonly rules: AnyEnvironment;
  readonly events: readonly EpisodeEvent[];
  readonly difference: LogDifference | null;
}

/** Replays a stored episode from its log alone, and finds the first difference. */
export async function replay(request: StoredEpisodeRequest, place: CallPlace = placeOf(request)): Promise<ReplayReport> {
  const stored = await readStore(request, place, (store) => readEpisodeWithCast(store, request.episode, place));
  const { rules, log: events, record } = stored;
  const { environment: named } = request;
  const environment = await findEnvironment(named ?? rules.name, named === undefined ? { ...place, trust: rules.trust } : place);
  return { episode: record.id, rules: environment, events, difference: replayLog(environment, events) };
}

/** The options of `show.explain`. */
export interface ExplainTurnRequest extends EpisodeAgentsRequest {
  /** The index of an action, or of an event before it. */
  readonly at: number;
  /** How often the agent is asked with each change. */
  readonly samples?: number | undefined;
  /** The number of games continued after each alternative move. */
  readonly games?: number | undefined;
  readonly moves?: number | undefined;
}

/** Explains an agent's action by asking the agent again with changed input. */
export async function explain(
  request: ExplainTurnRequest,
  place: CallPlace = placeOf(request),
): Promise<Explanation & { readonly episode: string }> {
  const { at, samples = 8, games = 20, moves = 3, signal = new AbortController().signal } = request;
  const { record, log, rulesOf, seated } = await openEpisode(request, place);
  const explanation = await explainTurn({
    ...{ environment: rulesOf, events: log, at, samples, games, moves, signal },
    cast: Object.fromEntries(Object.entries(seated).map(([seat, { spec }]) => [seat, spec])),
    load: (spec, seat, environment) => {
      const loader = seated[seat]?.load ?? createAgentLoader(createAgentServices(place.cwd, place.trust));
      return loader(spec, seat, environment);
    },
  });
  return { episode: record.id, ...explanation };
}

/** The options of `show.blame`. */
export interface BlameRequest extends EpisodeAgentsRequest {
  /** By rules alone, or by replaying the episode with each step changed. */
  readonly find?: 'rules' | 'replay' | undefined;
  /** Also return the information-dependency graph. */
  readonly graph?: boolean | undefined;
  /** By rules: answers with such a score are wrong, too, for example "slip>=1" of a judge or a scorer. */
  readonly wrong?: readonly (string | Bound)[] | undefined;
  /** With replay: the number of changes per step, and of steps. */
  readonly changes?: number | undefined;
  readonly steps?: number | undefined;
}

/** An event, and the events whose information it used. */
export interface GraphEdge {
  readonly event: number;
  readonly by: string;
  readonly text: string;
  readonly uses: readonly number[];
  /** The messages of a team's members before its action, with the speeches (from 0) that each had received. */
  readonly speeches?: readonly MemberSpeech[];
}

/** Answers known to be wrong by rules, and the one that the outcome depends on most. */
export interface WrongAnswers {
  /** By their index in the log. */
  readonly wrong: readonly number[];
  readonly blame: {
    readonly seat: string;
    /** The index among the answers of the episode. */
    readonly step: number;
    readonly event: number;
    readonly text: string;
    /** Events on the way to the end that depend on this answer directly. */
    readonly followers: number;
    /** The share of the causes of the end that depends on this answer. */
    readonly reach: number;
  } | null;
  /** The cause of the end if it was no answer: a failed seat, or the environment. */
  readonly fault?: FaultRecord;
}

/** The decisive step of an episode. */
export interface EpisodeBlame {
  readonly episode: string;
  /** Without replay. */
  readonly rules?: WrongAnswers;
  /** With replay. */
  readonly replay?: ReplayFound;
  readonly graph?: readonly GraphEdge[];
}

/** Finds the first step of an episode that is wrong by rules, or whose correction changes the outcome most. */
export async function blame(request: BlameRequest, place: CallPlace = placeOf(request)): Promise<EpisodeBlame> {
  const { find = 'rules', graph, changes = 6, steps = 60, signal = new AbortController().signal } = request;
  if (find === 'rules') {
    const bounds = (request.wrong ?? []).map((bound) => (typeof bound === 'string' ? readBound(bound, 'wrong') : bound));
    const { episode, scores } = await readStore(request, place, async (store) => {
      const { id } = await findEpisode(store, request.episode);
      return { episode: { id, events: await store.events(id) }, scores: bounds.length === 0 ? [] : await store.scores(id) };
    });
    const judged = judgedWrong(episode, scores, bounds);
    return { episode: episode.id, rules: wrongAnswers(episode, judged), ...(graph === true && { graph: graphOf(episode) }) };
  }
  const { record, log, rulesOf: environment, seated } = await openEpisode(request, place);
  const agents: Record<Seat, Agent> = {};
  for (const [seat, { spec, load }] of Object.entries(seated)) agents[seat] = await load(spec, seat, environment);
  const errors = await findDecisiveErrors({ environment, events: log, agents, changes, steps, signal });
  return { episode: record.id, replay: errors, ...(graph === true && { graph: graphOf({ id: record.id, events: log }) }) };
}

function graphOf(episode: Episode): readonly GraphEdge[] {
  return [...flowOf(episode)].map(([event, uses]) => {
    const item = episode.events[event];
    const by = item?.kind === 'action' ? item.seat : 'environment';
    const text = item?.kind === 'action' ? item.action.text : item?.kind === 'message' ? item.text : '';
    const speeches = item?.kind === 'action' ? speechFlow(item).map((speech) => ({ ...speech, text: shortText(speech.text) })) : [];
    return { event, by, text: shortText(text), uses, ...(speeches.length === 0 ? {} : { speeches }) };
  });
}

const shortText = (text: string) => text.replace(/\s+/g, ' ').slice(0, 80);

/**
 * The answers that scores within the bounds find wrong, by their index in the log: those of the turns that have such a score, and those
 * that such a score of the whole episode, like a judge's, quotes against it.
 */
function judgedWrong({ id, events }: Episode, scores: readonly Score[], bounds: readonly Bound[]): readonly number[] {
  const actions = events.flatMap((event, at) => (event.kind === 'action' ? [{ at, seat: event.seat }] : []));
  const ofTurns = [...new Set(actions.map(({ seat }) => seat))].flatMap((seat) => {
    const turns = maskedTurns({ events, scores }, seat, bounds);
    return actions.filter((action) => action.seat === seat).flatMap(({ at }, turn) => (turns.has(turn) ? [at] : []));
  });
  const quoted = scores.flatMap(({ name, turn, status, value, evidence }) => {
    if (turn !== undefined || status !== 'ok' || !bounds.some((bound) => bound.score === name && within(value, bound))) return [];
    return evidence.flatMap(({ episode, event, supports }) => (episode === id && !supports ? [event] : []));
  });
  // A quoted message is the answer that it passes on.
  const behind = quoted.flatMap((event) => {
    const quote = events[event];
    const speaker = quote?.kind === 'message' ? quote.from : quote?.kind === 'action' ? quote.seat : undefined;
    return actions.findLast(({ at, seat }) => at <= event && seat === speaker)?.at ?? [];
  });
  return [...ofTurns, ...behind];
}

function wrongAnswers(episode: Episode, judged: readonly number[]): WrongAnswers {
  const end = episode.events.at(-1);
  const fault = end?.kind === 'end' && end.fault !== undefined ? { fault: end.fault } : {};
  const wrong = [...new Set([...wrongIn(episode), ...judged])].sort((a, b) => a - b);
  const attribution = attribute(episode, { wrong: new Set(wrong) });
  const action = attribution === null ? undefined : episode.events[attribution.cause.event];
  if (attribution === null || action?.kind !== 'action') return { wrong, blame: null, ...fault };
  const { event, followers, reach } = attribution.cause;
  return { wrong, blame: { seat: attribution.agent, step: attribution.step, event, text: action.action.text, followers, reach }, ...fault };
}
