/**
 * @file A team's episode as one model's trajectory (Chain-of-Agents, arXiv 2508.13167): every agent's messages between tags of its role,
 * the environment's messages in order, and spans to train on. A single model trained on it plays the whole team.
 */

import type { ActionEvent, EpisodeEvent, Json, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { isObject, plainText } from '@ludus-agents/kernel/internal/core/json';
import { lines, originOf } from './format.ts';
import { partsWithout, type TextSpan } from './masks.ts';
import type { ExportEpisode } from './plays.ts';

interface Growing {
  text: string;
  readonly spans: (readonly [number, number])[];
  readonly roles: Seat[];
  /** Reserved tags; they are removed from texts that contain them. */
  readonly tags: RegExp;
}

export const team = lines(
  'a team’s episode as one trajectory per line, with tags for roles and spans to train on',
  [
    '`text` follows `prompt`. `spans` are pairs of character offsets (start and end) of the text by the selected seats, with the tags of their roles. All other text is excluded from the loss.',
  ],
  function* (play, leave) {
    const row = trajectoryOf(play);
    if (row === null) leave('nothing to train on');
    else yield row;
  },
);

function trajectoryOf(play: ExportEpisode): JsonObject | null {
  const { events, seats, masked, quoted, start } = play;
  const first = events.findIndex(({ kind }) => kind === 'action');
  const members = membersIn(events);
  const grown: Growing = { text: '', spans: [], roles: [], tags: tagsOf([...start.seats, ...[...members.values()].flat()]) };
  const ownEntry = new Map<Seat, number>();
  const statement = new Set<string>();
  for (const event of events.slice(Math.max(0, first))) {
    if (event.kind === 'message') observe(grown, event, statement);
    if (event.kind !== 'action') continue;
    const number = ownEntry.get(event.seat) ?? 0;
    ownEntry.set(event.seat, number + 1);
    const hidden = quoted?.[event.seat]?.get(number);
    const isWhole = masked?.[event.seat]?.has(number) === true && hidden === undefined;
    // If teams play, one model learns to be the team: the messages of others are only context.
    const isLearner = seats.includes(event.seat) && (members.size === 0 || members.has(event.seat));
    const learned = isLearner && event.edited !== true && !isWhole;
    for (const speech of speechesIn(event)) {
      speak(grown, speech, learned ? [] : null);
      for (const use of speech.uses) observeUse(grown, speech.seat, use, learned);
    }
    speak(grown, event, learned ? (hidden ?? []) : null);
    statement.add(event.action.text);
  }
  if (grown.spans.length === 0) return null;
  const prompt = openingOf(events.slice(0, Math.max(0, first)), start.seats);
  const [seat] = seats as readonly [Seat];
  return {
    prompt,
    text: grown.text,
    spans: grown.spans as unknown as JsonObject[],
    roles: grown.roles,
    metadata: { ...originOf(play, seat), seats },
  };
}

/** A use of a tool by a member: the call is the model's, the result is not. */
interface ToolUse {
  readonly call: string;
  readonly result: string;
}

/** A member's message, and the tools that it used for it. */
interface Speech extends Pick<ActionEvent, 'seat' | 'action'> {
  readonly uses: readonly ToolUse[];
}

/** The messages of a team's members before the team acted, as actions of roles named after team and member. */
function speechesIn({ seat, mind, action }: ActionEvent): readonly Speech[] {
  const log = isTeamMind(mind) && Array.isArray(mind['discussion']) ? (mind['discussion'] as readonly Json[]) : [];
  return log.flatMap((event) => {
    if (!isObject(event) || event['kind'] !== 'action' || !isObject(event['action'])) return [];
    const text = plainText(event['action']['text']);
    const uses = usesIn(event['mind']);
    const isMove = text === '' || text === action.text;
    return isMove && uses.length === 0 ? [] : [{ seat: `${seat}/${plainText(event['seat'])}`, action: { text: isMove ? '' : text }, uses }];
  });
}

function isTeamMind(mind: Json | undefined): mind is JsonObject {
  return isObject(mind) && mind['kind'] === 'team/1';
}

function usesIn(mind: Json | undefined): readonly ToolUse[] {
  const uses = isObject(mind) && Array.isArray(mind['uses']) ? mind['uses'] : [];
  return uses.filter(isObject).map(({ tool, arguments: input, result }) => ({
    call: `${plainText(tool)} ${JSON.stringify(input ?? null)}`,
    result: plainText(result),
  }));
}

/** Seats on which a team plays. */
export function teamSeats(events: readonly EpisodeEvent[]): readonly Seat[] {
  return [...new Set(events.flatMap((event) => (event.kind === 'action' && isTeamMind(event.mind) ? [event.seat] : [])))];
}

/** The messages of a team's members, each between tags of its role, and the team's move between tags of its seat. */
export function traceOf(event: ActionEvent): string {
  const speeches = speechesIn(event).filter(({ action }) => action.text !== '');
  const tags = tagsOf([event.seat, ...speeches.map(({ seat }) => seat)]);
  return [...speeches, event].map(({ seat, action }) => `<${seat}>${action.text.replaceAll(tags, '‹$1›')}</${seat}>`).join('\n');
}

/** By seat on which a team plays: the roles of its members. */
function membersIn(events: readonly EpisodeEvent[]): ReadonlyMap<Seat, readonly Seat[]> {
  const roles = new Map<Seat, readonly Seat[]>();
  for (const event of events) {
    if (event.kind !== 'action' || !isTeamMind(event.mind)) continue;
    roles.set(event.seat, [...new Set([...(roles.get(event.seat) ?? []), ...speechesIn(event).map(({ seat }) => seat)])]);
  }
  return roles;
}

/** The environment's messages before the first action, each once, with its recipients if not all seats received it. */
function openingOf(events: readonly EpisodeEvent[], seats: readonly Seat[]): string {
  return events
    .flatMap((event) => {
      if (event.kind !== 'message' || event.to.length === 0) return [];
      return [event.to.length === seats.length ? event.text : `(to ${event.to.join(', ')}) ${event.text}`];
    })
    .join('\n');
}

/** The environment's own message; relayed messages are already included. */
function observe(grown: Growing, { text, to, from }: Extract<EpisodeEvent, { kind: 'message' }>, statement: ReadonlySet<string>): void {
  if (to.length === 0 || (from !== undefined && statement.has(text))) return;
  grown.text += `<observation>${text.replaceAll(grown.tags, '‹$1›')}</observation>\n`;
}

/** A member's tool use: the call is trained on if the member's messages are, and the result is only context. */
function observeUse(grown: Growing, seat: Seat, { call, result }: ToolUse, learned: boolean): void {
  const from = grown.text.length;
  grown.text += `<tool of ${seat}>${call.replaceAll(grown.tags, '‹$1›')}</tool>\n`;
  if (learned) grown.spans.push([from, grown.text.length]);
  grown.text += `<result>${result.replaceAll(grown.tags, '‹$1›')}</result>\n`;
}

/** An agent's message; hidden parts are in no span, and there is no span if the turn is not trained on. */
function speak(grown: Growing, { seat, action }: Pick<ActionEvent, 'seat' | 'action'>, hidden: readonly TextSpan[] | null): void {
  const from = grown.text.length;
  grown.text += `<${seat}>${action.text.replaceAll(grown.tags, '‹$1›')}</${seat}>\n`;
  grown.roles.push(seat);
  if (hidden === null) return;
  // Tags removed from a text are replaced by the same number of characters, so that positions stay valid.
  const tag = seat.length + 2;
  const meant = hidden.map(([a, b]): TextSpan => [tag + a, tag + b]);
  for (const [a, b] of partsWithout(grown.text.length - from, meant)) grown.spans.push([from + a, from + b]);
}

/** A message must not open or close the tag of a role. */
function tagsOf(seats: readonly Seat[]): RegExp {
  const names = [...seats, 'observation', 'tool', 'result'].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`<(/?(?:${names.join('|')}))>`, 'g');
}
