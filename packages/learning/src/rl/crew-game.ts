/**
 * @file A game that expands a team's seat in another environment: every member has a seat, and the discussion between two moves of the team
 * is part of the game. Any member can learn there while the others are frozen (AgentFlow, arXiv 2510.05592), the log names who said what,
 * and an episode can be exported, blamed and forked member by member.
 *
 * All members are shown what the team's seat is shown, and are paid what it is paid.
 */

import { discussionTask } from '@ludus-agents/agents/internal/team/agent';
import type { TeamSettings } from '@ludus-agents/agents/internal/team/settings';
import { firstSituation, nextSituation, type Situation } from '@ludus-agents/agents/internal/team/situation';
import { observedText } from '@ludus-agents/agents/internal/team/views';
import {
  type Action,
  type AnyEnvironment,
  type Ask,
  type Environment,
  isObject,
  type Json,
  type JsonObject,
  type Message,
  type Rng,
  type Seat,
  type Step,
} from '@ludus-agents/kernel/internal/core/index';

type State = {
  readonly base: Json;
  /** The discussion of this turn; null if the team is not asked. */
  readonly talk: Json | null;
  /** The seats asked in the base environment, and the actions received so far. */
  readonly asks: readonly Json[];
  readonly held: { readonly [seat: Seat]: Json };
  /** By member: the number of messages it has read in the discussion of this turn. */
  readonly heard: { readonly [member: Seat]: number };
  readonly now: JsonObject;
  /** The team's last move, and the messages to its seat since. */
  readonly moved: string;
  readonly since: readonly string[];
  readonly members: readonly Seat[];
  readonly seat: Seat;
};

type Actions = Readonly<Record<Seat, Action>>;

export interface Crew {
  readonly settings: TeamSettings;
  readonly members: readonly Seat[];
  /** The rules of discussions. */
  readonly discussion: AnyEnvironment;
}

/** The environment in which the members of a team on the first seat of another environment are seats. */
export function createCrewGame(base: AnyEnvironment, { settings, members, discussion }: Crew): Environment<State, Json> {
  const seatsOf = (task: Json) => {
    const [seat = '', ...others] = base.seats(task);
    return { seat, others: others.filter((item) => !members.includes(item)) };
  };

  function onward(state: State, step: Step, rng: Rng, opening: readonly Message[] = []): Step<State> {
    const { seat } = state;
    const since = [...state.since, ...step.messages.filter(({ to }) => to.includes(seat)).map(({ text }) => text)];
    const messages = [...opening, ...step.messages.map((message) => forMembers(message, state))];
    const pays = paymentsOf(step, state);
    const ask = step.asks.find((item) => item.seat === seat);
    const rest = { ...state, base: step.state, asks: step.asks, held: {}, since };
    if (step.asks.length === 0) return { state: { ...rest, talk: null }, messages, asks: [], ...pays };
    const others = step.asks.filter((item) => item.seat !== seat);
    if (ask === undefined) return { state: { ...rest, talk: null }, messages, asks: others, ...pays };
    const now = nextSituation(state.now as Situation, state.moved, observedText(since));
    const task = discussion.task(discussionTask(settings, members, { ask }, now));
    const talk = discussion.start(task, rng);
    const next: State = { ...rest, heard: {}, now, since: [] };
    return afterTalk(next, talk, { messages, others, pays, rng });
  }

  interface Sofar {
    readonly messages: readonly Message[];
    readonly others: readonly Ask[];
    readonly pays: Pick<Step, 'rewards' | 'penalties'>;
    readonly rng: Rng;
  }

  /** Continues the discussion, or makes the move that it decided on. */
  function afterTalk(state: State, talk: Step, { messages, others, pays, rng }: Sofar): Step<State> {
    if (talk.asks.length > 0) {
      const next = {
        ...state,
        talk: talk.state,
        heard: addMessages(
          state.heard,
          talk.messages.flatMap(({ to }) => to),
        ),
      };
      const asks = talk.asks.map((ask) => withWindow(ask, next));
      return { state: next, messages: [...messages, ...talk.messages], asks: [...asks, ...others], ...pays };
    }
    const note = talk.messages.findLast(({ to }) => to.length === 0);
    const result = isObject(note?.data) ? note.data : {};
    const memory = isObject(result['memory']) ? result['memory'] : (state.now['memory'] ?? {});
    const move: Action = { text: String(result['answer'] ?? '') };
    const current = { ...state.held, [state.seat]: move };
    const next: State = { ...state, talk: null, held: current, now: { ...state.now, memory }, moved: move.text };
    // A note for scorers and logs about the team's action; agents don't read it.
    const moved: Message = { to: [], text: `${state.seat}: ${move.text}`, data: { team: result } };
    const waiting = state.asks.map((item) => (item as Ask).seat).filter((item) => !Object.hasOwn(current, item));
    if (waiting.length > 0 || others.length > 0) return { state: next, messages: [...messages, moved], asks: others, ...pays };
    return merge(pays, onward(next, base.step(next.base, current as Actions, rng), rng, [...messages, moved]));
  }

  return {
    id: `crew:${base.id}`,
    about: {
      summary: `The members of a team (${members.join(', ')}) are seats; the team takes the first seat of ${base.id}.`,
      tasks: base.about.tasks,
      turns: base.about.turns * (settings.most ?? 24),
      listed: true,
    },
    parameters: base.parameters,
    task: (input) => base.task(input) as Json,
    seats: (task) => [...members, ...seatsOf(task).others],
    start(task, rng) {
      const now: Situation = { ...firstSituation, turn: -1 };
      const { seat } = seatsOf(task);
      const state: State = { base: null, talk: null, asks: [], held: {}, heard: {}, now, moved: '', since: [], members, seat };
      return onward(state, base.start(task, rng), rng);
    },
    step(state, actions, rng) {
      const waiting = state.asks.map((item) => (item as Ask).seat);
      const acted = Object.entries(actions).filter(([seat]) => waiting.includes(seat) && !state.members.includes(seat));
      const current = { ...state.held, ...Object.fromEntries(acted) } as State['held'];
      const next: State = { ...state, held: current };
      const left = waiting.filter((seat) => !Object.hasOwn(current, seat));
      if (state.talk === null)
        return left.length === 0
          ? onward(next, base.step(state.base, current as Actions, rng), rng)
          : { state: next, messages: [], asks: [] };
      const spoken = Object.fromEntries(Object.entries(actions).filter(([seat]) => state.members.includes(seat)));
      return afterTalk(next, discussion.step(state.talk, spoken, rng), { messages: [], others: [], pays: {}, rng });
    },
    ...(base.scripts === undefined ? {} : { scripts: base.scripts }),
  };
}

function addMessages(before: State['heard'], readers: readonly Seat[]): State['heard'] {
  const counts: Record<Seat, number> = { ...before };
  for (const seat of readers) counts[seat] = (counts[seat] ?? 0) + 1;
  return counts;
}

/** If the environment shows the seat only its latest messages, a member sees those and the discussion of this turn. */
function withWindow(ask: Ask, { asks, seat, heard }: State): Ask {
  const window = (asks as readonly unknown[] as readonly Ask[]).find((item) => item.seat === seat)?.window;
  return window === undefined ? ask : { ...ask, window: window + (heard[ask.seat] ?? 0) };
}

/** Readdresses a message to the team's seat: to all members, or to the one that it concerns. */
function forMembers(message: Message, { seat, members }: State): Message {
  if (!message.to.includes(seat)) return message;
  const only = isObject(message.data) && typeof message.data['only'] === 'number' ? members[message.data['only'] - 1] : undefined;
  const readers = only === undefined ? members : [only];
  return { ...message, to: [...readers, ...message.to.filter((item) => item !== seat)] };
}

function paymentsOf({ rewards, penalties }: Step, { seat, members }: State): Pick<Step, 'rewards' | 'penalties'> {
  const spread = (amounts: Readonly<Record<Seat, number>> | undefined) => {
    if (amounts === undefined) return undefined;
    const { [seat]: team, ...others } = amounts;
    return { ...others, ...(team === undefined ? {} : Object.fromEntries(members.map((member) => [member, team]))) };
  };
  const [sharedRewards, sharedPenalties] = [spread(rewards), spread(penalties)];
  return {
    ...(sharedRewards === undefined ? {} : { rewards: sharedRewards }),
    ...(sharedPenalties === undefined ? {} : { penalties: sharedPenalties }),
  };
}

/** Adds earlier rewards and penalties to those of a step. */
function merge(before: Pick<Step, 'rewards' | 'penalties'>, step: Step<State>): Step<State> {
  const add = (item: Readonly<Record<Seat, number>> = {}, other: Readonly<Record<Seat, number>> = {}) =>
    Object.fromEntries(
      [...new Set([...Object.keys(item), ...Object.keys(other)])].map((seat) => [seat, (item[seat] ?? 0) + (other[seat] ?? 0)]),
    );
  if (before.rewards === undefined && before.penalties === undefined) return step;
  return { ...step, rewards: add(before.rewards, step.rewards), penalties: add(before.penalties, step.penalties) };
}
