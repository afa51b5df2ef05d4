/** @file What members of a team see: the seat's view, and for members that speak also the discussion. */

import type { EpisodeEvent, Json, JsonObject, Seat, Seen, Turn, View } from '@ludus-agents/kernel/internal/core/index';
import { isObject, lastSeen, viewOf } from '@ludus-agents/kernel/internal/core/index';

/** The most characters of an observation that a prediction is compared with. */
const longestObserved = 1000;

/** The messages to the seat since its last move. */
export function observationOf({ seen }: View): string {
  const acted = seen.findLastIndex((item) => item.kind === 'action');
  const texts = seen.slice(acted + 1).flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  return observedText(texts);
}

/** Messages as one text, cut to the length that predictions are compared with. */
export function observedText(texts: readonly string[]): string {
  return texts.join('\n').slice(0, longestObserved).toWellFormed();
}

/** The seat's view for one member: without messages to other members (`data.only`, counted from 1). */
export function viewOfMember(view: View, place: number): View {
  const isFor = (item: Seen) =>
    item.kind !== 'message' || !isObject(item.data) || typeof item.data['only'] !== 'number' || item.data['only'] === place;
  return view.seen.every(isFor) ? view : { ...view, seen: view.seen.filter(isFor) };
}

/** The created member that a member plays in this ask (`data.as`). */
export function createdMember(data: Json | undefined): string | undefined {
  return isObject(data) && typeof data['as'] === 'string' ? data['as'] : undefined;
}

/** The messages to and from a member as itself, or as the created member that it plays. */
export function ownContext(inner: Turn): Turn {
  const wanted = createdMember(inner.ask.data);
  let current: string | undefined;
  const observations = inner.view.seen.filter((item) => {
    if (item.kind === 'message') current = createdMember(item.data);
    return item.kind === 'reward' || current === wanted;
  });
  return observations.length === inner.view.seen.length ? inner : { ...inner, view: { ...inner.view, seen: observations } };
}

/**
 * A member's turn in the discussion as a turn on the outer seat: first the seat's observations, then those of the member in the discussion.
 */
export function asSeat(outer: Turn, inner: Turn, mind: Json | undefined): Turn {
  const { schema, window } = outer.ask;
  const part = isObject(inner.ask.data) ? inner.ask.data['part'] : undefined;
  const isOpen = outer.ask.data === undefined || isObject(outer.ask.data);
  // The part of the protocol tells a member that its answer is read by the team.
  const data = part === undefined || !isOpen ? outer.ask.data : { ...(outer.ask.data as JsonObject | undefined), part };
  const observations: readonly Seen[] = [...outer.view.seen, ...inner.view.seen];
  return {
    view: { seat: outer.view.seat, seen: observations },
    ask: {
      seat: outer.ask.seat,
      ...(inner.ask.choices === undefined ? {} : { choices: inner.ask.choices }),
      ...(schema === undefined ? {} : { schema }),
      ...(window === undefined ? {} : { window: window + inner.view.seen.filter(({ kind }) => kind === 'message').length }),
      ...(data === undefined ? {} : { data }),
    },
    ...(mind === undefined ? {} : { mind }),
    rng: inner.rng,
  };
}

/** The mind of a trained member: its observations in the episode, including the discussions. */
type MemberMind = { readonly kind: 'member/1'; readonly seen: readonly Json[] };

/** The most observations that a member stores if the environment has no window. */
const mostSeen = 400;

function memberMindOf(mind: Json | undefined): readonly Seen[] {
  return isObject(mind) && mind['kind'] === 'member/1' ? (mind as MemberMind).seen.map((item) => item as Seen) : [];
}

/** The seat's observations since its last move. */
function sinceMove({ seen }: View): readonly Seen[] {
  return seen.slice(seen.findLastIndex((item) => item.kind === 'action') + 1);
}

const countMessages = (items: readonly Seen[]) => items.filter(({ kind }) => kind === 'message').length;

/**
 * The observations since the last move and in the discussion, in the order of the members' environment: the reward of a move comes after
 * the opening messages of the discussion.
 */
function withDiscussion(outer: Turn, discussed: readonly Seen[], opening: number): readonly Seen[] {
  const since = sinceMove(outer.view);
  const paidFrom = since.findLastIndex(({ kind }) => kind !== 'reward') + 1;
  return [...since.slice(0, paidFrom), ...discussed.slice(0, opening), ...since.slice(paidFrom), ...discussed.slice(opening)];
}

/** The number of messages to a member before the first member spoke. */
function openingMessages(log: readonly EpisodeEvent[], member: Seat): number {
  const spoken = log.findIndex(({ kind }) => kind === 'action');
  return viewOf(spoken < 0 ? log : log.slice(0, spoken), member).seen.length;
}

/** A turn in the discussion in the format of the members' training environment: all messages to and from the member in the episode. */
export function asMember(outer: Turn, inner: Turn, log: readonly EpisodeEvent[], mind: Json | undefined): Turn {
  const discussed = withDiscussion(outer, inner.view.seen, openingMessages(log, inner.view.seat));
  const observations = [...memberMindOf(mind), ...discussed];
  const { window } = outer.ask;
  const width = window === undefined ? undefined : window + countMessages(inner.view.seen);
  const { mind: _, ...rest } = inner;
  return {
    ...rest,
    view: { seat: inner.view.seat, seen: width === undefined ? observations : lastSeen(observations, width) },
    ask: { ...inner.ask, ...(width === undefined ? {} : { window: width }) },
  };
}

/** The mind of such a member after a discussion, with its observations up to the last answer. */
export function afterDiscussion(outer: Turn, member: Seat, log: readonly EpisodeEvent[], mind: Json | undefined): Json {
  const discussed = viewOf(log.slice(0, log.findLastIndex(({ kind }) => kind === 'action') + 1), member).seen;
  const bare = discussed.map((item): Seen => (item.kind === 'action' ? { kind: 'action', action: item.action } : item));
  const observations = [...memberMindOf(mind), ...withDiscussion(outer, bare, openingMessages(log, member))];
  const { window } = outer.ask;
  return { kind: 'member/1', seen: (window === undefined ? observations.slice(-mostSeen) : lastSeen(observations, window)) as Json };
}

/**
 * The part of a language agent's mind that is passed from one turn of its team to the next: all but positions in a view that has changed.
 */
export function keptMind(mind: Json | undefined): Json | undefined {
  if (!isObject(mind) || mind['kind'] !== 'mind/1') return mind;
  const { opening: _, recalled: __, lore: ___, memo: ____, ...rest } = mind;
  return { ...rest, count: 0, start: 0 };
}
