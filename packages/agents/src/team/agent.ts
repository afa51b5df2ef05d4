/**
 * @file A team is an agent whose turn is an episode: its members discuss under a protocol, and what they come to is the action.
 *
 * Each member sees what the seat has seen, and then what it hears in the discussion. The discussion is played by the engine with dice of the
 * seat, and its log is part of the mind that the outer log keeps, so that it replays, and is shown and forked like any episode. All calls of
 * members are calls of the seat: its budgets are theirs.
 */

import {
  type Agent,
  type AnyEnvironment,
  type EpisodeEvent,
  Fault,
  isObject,
  type Json,
  type JsonObject,
  type ModelCall,
  type Reply,
  type Seen,
  type Simulator,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { pipelines } from './pipelines.ts';
import type { TeamSettings } from './settings.ts';

export interface TeamOptions {
  readonly name: string;
  readonly settings: TeamSettings;
  readonly members: Readonly<Record<string, Agent>>;
  /** The rules of discussions. */
  readonly discussion: AnyEnvironment;
}

/** What a team keeps of a turn: the log of its discussion, what came of it, and what each member keeps. */
export type TeamMind = {
  readonly kind: 'team/1';
  readonly discussion: readonly EpisodeEvent[];
  readonly result: JsonObject;
  /** Model calls of each member in this turn. */
  readonly calls: { readonly [member: string]: number };
  readonly minds: { readonly [member: string]: Json };
};

export function readTeamMind(mind: Json | undefined): TeamMind | undefined {
  return isObject(mind) && mind['kind'] === 'team/1' ? (mind as unknown as TeamMind) : undefined;
}

/** A turn before anything was seen. */
const blank: Pick<Turn, 'ask' | 'view'> = { ask: { seat: '' }, view: { seat: '', seen: [] } };

export function teamAgent({ name, settings, members, discussion }: TeamOptions): Agent {
  // What is wrong with its modules is said before anything is played.
  discussion.task(taskOf(settings, Object.keys(members), blank, undefined));
  const isLooking = Object.values(members).some(({ looksAhead }) => looksAhead === true);

  async function act(turn: Turn, signal: AbortSignal, simulator?: Simulator): Promise<Reply> {
    const last = readTeamMind(turn.mind);
    const before = last?.minds ?? {};
    const seated = Object.fromEntries(
      Object.entries(members).map(([member, agent]): [string, Agent] => [
        member,
        {
          name: agent.name,
          act: (inner) => agent.act(asSeat(turn, inner, inner.mind ?? keptMind(before[member])), signal, simulator),
        },
      ]),
    );
    const log: EpisodeEvent[] = [];
    const task = taskOf(settings, Object.keys(members), turn, last);
    for await (const event of play(discussion, seated, { task, seed: turn.rng.int(2 ** 32), signal })) log.push(event);
    const end = log.at(-1);
    if (end?.kind !== 'end' || end.reason !== 'over') {
      signal.throwIfAborted();
      const fault = end?.kind === 'end' ? end.fault : undefined;
      const who = fault?.seat === undefined ? name : `${name}, ${fault.seat}`;
      throw new Fault(fault?.boundary ?? 'agent', `${who}: ${fault?.message ?? 'the discussion did not end.'}`);
    }
    // In the order of the log, no matter who was faster.
    const calls: ModelCall[] = [];
    const counts: Record<string, number> = {};
    const minds: Record<string, Json> = { ...before };
    for (const event of log) {
      if (event.kind !== 'action') continue;
      calls.push(...(event.calls ?? []));
      counts[event.seat] = (counts[event.seat] ?? 0) + (event.calls?.length ?? 0);
      if (event.mind !== undefined) minds[event.seat] = event.mind;
    }
    const result = resultIn(log);
    const mind: TeamMind = { kind: 'team/1', discussion: log.map(words), result, calls: counts, minds };
    return { action: { text: String(result['answer'] ?? '') }, mind: mind as unknown as Json, calls };
  }

  return { name, act, ...(isLooking ? { looksAhead: true as const } : {}) };
}

function taskOf(
  settings: TeamSettings,
  members: readonly string[],
  turn: Pick<Turn, 'ask' | 'view'>,
  last: TeamMind | undefined,
): JsonObject {
  const { protocol, links, lead, rounds, threshold, most } = settings;
  const { ask } = turn;
  const own = protocolSettings(settings, turn, last);
  return {
    protocol,
    members,
    // The members see what the seat sees: there is nothing to tell them, and nothing to pay.
    question: '',
    knowledge: {},
    truth: '',
    choices: ask.choices ?? [],
    ...(links === undefined ? {} : { links }),
    ...(lead === undefined ? {} : { lead }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(most === undefined ? {} : { most }),
    ...(Object.keys(own).length === 0 ? {} : { settings: own }),
  };
}

/** Characters of what was observed that a prediction is held against. */
const longestObserved = 1000;

/** What one protocol needs beyond what all have: a plan or lines that were kept, and for a pipeline what came since. */
function protocolSettings({ protocol, ...settings }: TeamSettings, { view }: Pick<Turn, 'view'>, last: TeamMind | undefined): JsonObject {
  const { share, mix, samples, person } = settings;
  const kept = last?.result['kept'] === undefined ? {} : { kept: last.result['kept'] };
  if (protocol === 'plan-exchange') return kept;
  if (protocol === 'refine') return person === undefined ? {} : { person };
  if (protocol === 'guidance') return { ...(share === undefined ? {} : { share }), ...(mix === undefined ? {} : { mix }) };
  if (protocol === 'thought-graph') return samples === undefined ? {} : { samples };
  if (protocol !== 'pipeline') return {};
  const known = settings.pipeline === undefined ? undefined : pipelines[settings.pipeline];
  const modules = (settings.modules ?? known?.modules ?? []) as Json;
  const acted = view.seen.findLastIndex((item) => item.kind === 'action');
  const turns = view.seen.filter((item) => item.kind === 'action').length;
  const observed = view.seen.slice(acted + 1).flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const curiosity = settings.curiosity ?? known?.curiosity;
  return {
    modules,
    turn: turns,
    ...(settings.off === undefined ? {} : { off: settings.off }),
    ...(curiosity === true ? { curiosity } : {}),
    // Before the first act there is nothing that could have been predicted, but there is something to see.
    ...(observed.length === 0 ? {} : { observed: observed.join('\n').slice(0, longestObserved).toWellFormed() }),
    ...kept,
  };
}

/** A member's turn in the discussion as a turn on the outer seat: first what the seat has seen, then what the member has heard and said. */
function asSeat(outer: Turn, inner: Turn, mind: Json | undefined): Turn {
  const { schema, window, data } = outer.ask;
  const seen: readonly Seen[] = [...outer.view.seen, ...inner.view.seen];
  return {
    view: { seat: outer.view.seat, seen },
    ask: {
      seat: outer.ask.seat,
      ...(inner.ask.choices === undefined ? {} : { choices: inner.ask.choices }),
      ...(schema === undefined ? {} : { schema }),
      ...(window === undefined ? {} : { window: window + inner.view.seen.length }),
      ...(data === undefined ? {} : { data }),
    },
    ...(mind === undefined ? {} : { mind }),
    rng: inner.rng,
  };
}

/** What a language agent keeps from one turn of its team to the next: all but positions in a view that has changed. */
function keptMind(mind: Json | undefined): Json | undefined {
  if (!isObject(mind) || mind['kind'] !== 'mind/1') return mind;
  const { opening: _, recalled: __, lore: ___, memo: ____, ...rest } = mind;
  return { ...rest, count: 0, start: 0 };
}

/** An event without what is kept elsewhere: calls are the seat's, minds are given back to their members. */
function words(event: EpisodeEvent): EpisodeEvent {
  if (event.kind !== 'action') return event;
  const { mind: _, calls: __, ...rest } = event;
  return rest;
}

function resultIn(log: readonly EpisodeEvent[]): JsonObject {
  const note = log.findLast((event) => event.kind === 'message' && event.to.length === 0);
  return note?.kind === 'message' && isObject(note.data) ? note.data : {};
}
