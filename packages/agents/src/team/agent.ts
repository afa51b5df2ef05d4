/**
 * @file A team is an agent with one mind for the whole episode; every turn is a discussion of its members under a protocol.
 *
 * The mind contains the memory of the protocol (ledger, plan, skills, notes), counts how often each mechanism acted, and keeps the log of
 * the discussion, which can be replayed, shown, and forked like any episode. All calls of members count as calls of the seat and toward its
 * budgets.
 */

import {
  failedKeys,
  type MovePath,
  mineProcedures,
  procedureKey,
  proceduresIn,
  withoutFailing,
} from '@ludus-agents/environments/internal/discussion/procedures';
import type {
  Action,
  Agent,
  AnyEnvironment,
  EpisodeEvent,
  Json,
  JsonObject,
  ModelCall,
  Reply,
  Simulator,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { Dice } from '@ludus-agents/kernel/internal/core/rng';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { ticksIn, withTicks } from '../ticks.ts';
import { pipelines } from './pipelines.ts';
import type { TeamSettings } from './settings.ts';
import { firstSituation, nextSituation, type Situation } from './situation.ts';
import { countUnlabeled } from './unlabeled.ts';
import { afterDiscussion, asMember, asSeat, createdMember, keptMind, observationOf, ownContext, viewOfMember } from './views.ts';

export interface TeamOptions {
  readonly name: string;
  readonly settings: TeamSettings;
  readonly members: Readonly<Record<string, Agent>>;
  /** The rules of discussions. */
  readonly discussion: AnyEnvironment;
  /** The team's data from earlier episodes, with `lasting`. */
  readonly earlier?: () => Promise<EarlierEpisodes>;
}

/** The last mind of a team, and the moves of its earlier episodes. */
export interface EarlierEpisodes {
  readonly mind: Json | undefined;
  readonly paths: readonly MovePath[];
}

/** The mind of a team: the log of its last discussion with its result, and data that lasts for the episode. */
export type TeamMind = Situation & {
  readonly kind: 'team/1';
  readonly discussion: readonly EpisodeEvent[];
  readonly result: JsonObject;
  /** Model calls of each member in this turn. */
  readonly calls: { readonly [member: string]: number };
  readonly minds: { readonly [member: string]: Json };
  /** How often each mechanism acted in this episode so far. */
  readonly acted: { readonly [mechanism: string]: number };
};

export function readTeamMind(mind: Json | undefined): TeamMind | undefined {
  // Minds of older episodes lack fields that were added later.
  return isObject(mind) && mind['kind'] === 'team/1' ? { ...firstSituation, ...(mind as TeamMind) } : undefined;
}

/** A turn before any observation. */
const blank: Pick<Turn, 'ask' | 'view'> = { ask: { seat: '' }, view: { seat: '', seen: [] } };

export function teamAgent({ name, settings, members, discussion, earlier }: TeamOptions): Agent {
  const names = Object.keys(members);
  // Invalid settings are reported before the first episode.
  discussion.task(discussionTask(settings, names, blank, firstSituation));
  const isLooking = Object.values(members).some(({ looksAhead }) => looksAhead === true);
  // A pipeline has no other agent to talk to and may consist of one member.
  const alone = names.length === 1 && settings.protocol !== 'pipeline' ? names[0] : undefined;

  async function act(turn: Turn, signal: AbortSignal, simulator?: Simulator): Promise<Reply> {
    const last = readTeamMind(turn.mind);
    const now = situationOf(turn, last, last === undefined && settings.lasting === true ? await earlier?.() : undefined);
    const before = last?.minds ?? {};
    if (alone !== undefined) {
      const reply = await members[alone]!.act(withMind(turn, before[alone]), signal, simulator);
      const minds = reply.mind === undefined ? before : { ...before, [alone]: reply.mind };
      const result = { answer: reply.action.text };
      const acted = last?.acted ?? {};
      const mind: TeamMind = { kind: 'team/1', discussion: [], result, calls: { [alone]: reply.calls?.length ?? 0 }, minds, ...now, acted };
      return { ...reply, mind: mind };
    }
    const policies = new PolicyMembers(members, turn, before, { signal, at: now.turn, ...(simulator === undefined ? {} : { simulator }) });
    const log: EpisodeEvent[] = [];
    let ticks = 0;
    const seated = Object.fromEntries(
      Object.entries(members).map(([member, agent]): [string, Agent] => [
        member,
        {
          name: agent.name,
          act: async (inner) => {
            if (agent.speaks === undefined) return policies.answer(member, inner);
            const observation = { ...turn, view: viewOfMember(turn.view, names.indexOf(member) + 1) };
            const created = createdMember(inner.ask.data);
            const memberTurn =
              agent.speaks === 'member'
                ? asMember(observation, inner, log, before[member])
                : asSeat(observation, ownContext(inner), created === undefined ? (inner.mind ?? keptMind(before[member])) : undefined);
            const reply = await agent.act(memberTurn, signal, simulator);
            ticks += ticksOf(settings, member, inner.ask.data, reply.action);
            // The mind of a created member is not stored in the member that plays it.
            return created === undefined ? reply : withoutMind(reply, inner.mind);
          },
        },
      ]),
    );
    const task = discussionTask(settings, names, turn, now);
    const seed = rng(turn.rng instanceof Dice ? turn.rng.seed : 0, 'team', turn.ask.seat, now.turn).int(2 ** 32);
    for await (const event of play(discussion, seated, { task, seed, signal })) log.push(event);
    const end = log.at(-1);
    if (end?.kind !== 'end' || end.reason !== 'over') {
      signal.throwIfAborted();
      const fault = end?.kind === 'end' ? end.fault : undefined;
      const who = fault?.seat === undefined ? name : `${name}, ${fault.seat}`;
      throw new Fault(fault?.boundary ?? 'agent', `${who}: ${fault?.message ?? 'the discussion did not end.'}`);
    }
    // In the order of the log, regardless of which call finished first.
    const calls: ModelCall[] = [];
    const counts: Record<string, number> = {};
    const minds: Record<string, Json> = { ...before };
    for (const event of log) {
      if (event.kind !== 'action') continue;
      calls.push(...(event.calls ?? []));
      counts[event.seat] = (counts[event.seat] ?? 0) + (event.calls?.length ?? 0);
      if (event.mind !== undefined) minds[event.seat] = event.mind;
    }
    for (const [place, member] of names.entries())
      if (members[member]?.speaks === 'member')
        minds[member] = afterDiscussion({ ...turn, view: viewOfMember(turn.view, place + 1) }, member, log, before[member]);
    const result = resultIn(log);
    const answer = String(result['answer'] ?? '');
    const fallback = answer === '' ? await policies.firstMove() : undefined;
    const unlabeled = countUnlabeled(log, (seat) => members[seat]?.speaks !== undefined);
    const action: Action = fallback ?? policies.actionFor(answer) ?? { text: answer };
    const mind: TeamMind = {
      ...{ kind: 'team/1', discussion: log.map(withoutCalls), result, calls: counts, minds: { ...minds, ...policies.minds } },
      ...{ ...now, memory: isObject(result['memory']) ? result['memory'] : now.memory },
      acted: addCounts(last?.acted ?? {}, {
        ...(result['acted'] as TeamMind['acted']),
        ...(fallback === undefined ? {} : { fallback: 1 }),
        ...(unlabeled === 0 ? {} : { unlabeled }),
        ...(answer === '' && fallback === undefined ? { noMove: 1 } : {}),
      }),
    };
    return { action: withTicks(action, ticks), mind: mind, calls: [...calls, ...policies.calls] };
  }

  return { name, act, ...(isLooking ? { looksAhead: true as const } : {}) };
}

interface PolicyRest {
  readonly signal: AbortSignal;
  readonly simulator?: Simulator;
  /** The number of earlier turns of the team. */
  readonly at: number;
}

/**
 * Members that are policies: each gets exactly the seat's view and turn, is called once per turn, and answers only with moves. The first of
 * them uses the seat's random numbers, so it plays as it would alone.
 */
class PolicyMembers {
  readonly minds: Record<string, Json> = {};
  readonly calls: ModelCall[] = [];
  readonly #replies = new Map<string, Promise<Reply>>();
  readonly #members: Readonly<Record<string, Agent>>;
  readonly #turn: Turn;
  readonly #before: Readonly<Record<string, Json>>;
  readonly #rest: PolicyRest;
  readonly #actions = new Map<string, Action>();
  readonly #names: readonly string[];

  constructor(members: Readonly<Record<string, Agent>>, turn: Turn, before: Readonly<Record<string, Json>>, rest: PolicyRest) {
    this.#members = members;
    this.#turn = turn;
    this.#before = before;
    this.#rest = rest;
    this.#names = Object.keys(members).filter((name) => members[name]!.speaks === undefined);
  }

  async answer(member: string, inner: Turn): Promise<Reply> {
    if (!isObject(inner.ask.data) || inner.ask.data['act'] !== true) return { action: { text: '' } };
    const { action, chances } = await this.#move(member);
    return { action: { text: action.text, ...(chances === undefined ? {} : { data: { chances: chances as JsonObject } }) } };
  }

  /** The complete action of the policy whose text the team chose. */
  actionFor(text: string): Action | undefined {
    return this.#actions.get(text);
  }

  /** The move of the first policy, if the discussion had no result. */
  async firstMove(): Promise<Action | undefined> {
    const [first] = this.#names;
    return first === undefined ? undefined : (await this.#move(first)).action;
  }

  #move(member: string): Promise<Reply> {
    const pending = this.#replies.get(member);
    if (pending !== undefined) return pending;
    const { rng: ownRng, ask } = this.#turn;
    const { signal, simulator, at } = this.#rest;
    const view = viewOfMember(this.#turn.view, Object.keys(this.#members).indexOf(member) + 1);
    const seed = ownRng instanceof Dice ? ownRng.seed : 0;
    const dice = member === this.#names[0] ? ownRng : rng(seed, 'member', member, ask.seat, at);
    const reply = Promise.resolve(
      this.#members[member]!.act({ ...withMind(this.#turn, this.#before[member]), view, rng: dice }, signal, simulator),
    ).then((answer) => {
      if (answer.mind !== undefined) this.minds[member] = answer.mind;
      this.calls.push(...(answer.calls ?? []));
      this.#actions.set(answer.action.text, answer.action);
      return answer;
    });
    this.#replies.set(member, reply);
    return reply;
  }
}

function withoutMind({ mind: _, ...reply }: Reply, before: Json | undefined): Reply {
  return before === undefined ? reply : { ...reply, mind: before };
}

function withMind(turn: Turn, mind: Json | undefined): Turn {
  const { mind: _, ...rest } = turn;
  return mind === undefined ? rest : { ...rest, mind };
}

/** Memory of what was done in one episode, which is not passed on to the next. */
const ofOneEpisode = new Set(['running', 'finished', 'tried', 'steps', 'progress', 'entries', 'stalls']);

/** The team's situation before the discussion: after its last move, or at the start with memories from earlier episodes. */
function situationOf({ view }: Turn, last: TeamMind | undefined, earlier: EarlierEpisodes | undefined): Situation {
  const observed = observationOf(view);
  if (last !== undefined) return nextSituation(last, String(last.result['answer'] ?? ''), observed);
  const stored = Object.entries(readTeamMind(earlier?.mind)?.memory ?? {}).filter(([name]) => !ofOneEpisode.has(name));
  const { procedures: before = [], ...memory } = Object.fromEntries(stored);
  const dropped = new Set(failedKeys(memory));
  const mined = mineProcedures(earlier?.paths ?? []).filter((procedure) => !dropped.has(procedureKey(procedure)));
  const library = withoutFailing(proceduresIn({ procedures: before }), earlier?.paths ?? []);
  const situations = new Set(library.map(({ when }) => when));
  const added = mined.filter(({ when }) => !situations.has(when));
  const procedures = [...library, ...added];
  return { ...firstSituation, memory: procedures.length === 0 ? memory : { ...memory, procedures }, observed };
}

export function discussionTask(settings: TeamSettings, members: readonly string[], { ask }: Pick<Turn, 'ask'>, now: Situation): JsonObject {
  const { protocol, links, lead, rounds, threshold, most } = settings;
  const { memory, turn, observed, repeats, loops } = now;
  return {
    protocol,
    members,
    // The members see the seat's view, so there is no question to pass on and no reward to pay.
    question: '',
    knowledge: {},
    truth: '',
    choices: ask.choices ?? [],
    ...(links === undefined ? {} : { links }),
    ...(lead === undefined ? {} : { lead }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(most === undefined ? {} : { most }),
    settings: { ...protocolSettings(settings), memory, turn, observed, repeats, loops },
  };
}

/** Settings specific to one protocol. */
function protocolSettings({ protocol, ...settings }: TeamSettings): JsonObject {
  const { share, mix, samples, person, off, goals, knowledge } = settings;
  const present = (fields: Readonly<Record<string, Json | readonly string[] | undefined>>) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
  if (protocol === 'refine') return present({ off, person });
  if (protocol === 'guidance') return present({ off, share, mix });
  if (protocol === 'thought-graph') return present({ off, samples });
  if (protocol === 'four-modules') return present({ off, goals });
  if (protocol !== 'pipeline') return present({ off });
  const preset = settings.pipeline === undefined ? undefined : pipelines[settings.pipeline];
  const modules = (settings.modules ?? preset?.modules ?? []) as Json;
  const curiosity = settings.curiosity ?? preset?.curiosity;
  return { modules, ...present({ off, knowledge }), ...(curiosity === true ? { curiosity } : {}) };
}

/**
 * The cost of a member's answer: the team's setting for the protocol part or the member, else the cost in the answer. A policy's answer
 * costs nothing.
 */
function ticksOf({ ticks }: TeamSettings, member: string, data: Json | undefined, action: Action): number {
  if (ticks === undefined) return ticksIn(action);
  if (typeof ticks === 'number') return ticks;
  const part = isObject(data) && typeof data['part'] === 'string' ? data['part'] : '';
  return ticks[part] ?? ticks[member] ?? 0;
}

function addCounts(before: TeamMind['acted'], more: TeamMind['acted']): TeamMind['acted'] {
  const names = new Set([...Object.keys(before), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, (before[name] ?? 0) + (more[name] ?? 0)]));
}

/**
 * An event without data stored elsewhere: calls belong to the seat, and minds are returned to their members. Of a mind, only tool uses
 * stay.
 */
function withoutCalls(event: EpisodeEvent): EpisodeEvent {
  if (event.kind !== 'action') return event;
  const { mind, calls: _, ...rest } = event;
  const uses = isObject(mind) && Array.isArray(mind['uses']) ? mind['uses'] : [];
  return uses.length === 0 ? rest : { ...rest, mind: { uses } };
}

function resultIn(log: readonly EpisodeEvent[]): JsonObject {
  const note = log.findLast((event) => event.kind === 'message' && event.to.length === 0);
  return note?.kind === 'message' && isObject(note.data) ? note.data : {};
}
