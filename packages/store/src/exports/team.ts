/**
 * @file A team's episode as one model's trajectory (Chain-of-Agents, arXiv 2508.13167): every agent's words between tags of its role, what the
 * environment said in place, and spans on what is learned. One model that is trained on it plays the whole team.
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
  /** Tags that have a meaning here; words that hold one are written without it. */
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
    // Where teams play, one model learns to be the team: the words of the others are read only.
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

/** What a member said, and the tools that it used for it. */
interface Speech extends Pick<ActionEvent, 'seat' | 'action'> {
  readonly uses: readonly ToolUse[];
}

/** What the members of a team said before the team acted, as actions of roles that are named after team and member. */
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

/** What the members of a team said, each between tags of its role, and the team's move between tags of its seat. */
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

/** What the environment said before anyone acted, each message once, after whom it was for where not all were told. */
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

/** A tool that a member used: its call is learned where its words are, and the result is read only. */
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
  // Tags that are taken out of someone's words leave as many characters behind, so that places stay.
  const tag = seat.length + 2;
  const meant = hidden.map(([a, b]): TextSpan => [tag + a, tag + b]);
  for (const [a, b] of partsWithout(grown.text.length - from, meant)) grown.spans.push([from + a, from + b]);
}

/** A message must not open or close the tag of a role. */
function tagsOf(seats: readonly Seat[]): RegExp {
  const names = [...seats, 'observation', 'tool', 'result'].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`<(/?(?:${names.join('|')}))>`, 'g');
}
