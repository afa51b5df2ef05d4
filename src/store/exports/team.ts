/**
 * @file A team's episode as one model's trajectory (Chain-of-Agents, arXiv 2508.13167): every agent's words between tags of its role, what the
 * environment said in place, and spans on what is learned. One model that is trained on it plays the whole team.
 */

import type { EpisodeEvent, JsonObject, Seat } from '../../core/index.ts';
import { lines, originOf } from './format.ts';
import type { ExportEpisode } from './plays.ts';

interface Growing {
  text: string;
  readonly spans: (readonly [number, number])[];
  readonly roles: Seat[];
  /** Tags that have a meaning here; words that hold one are written without it. */
  readonly tags: RegExp;
}

export const team = lines(
  'a team’s episode as one trajectory, an episode a line: tags of roles, and spans on what is learned',
  [
    '`text` follows `prompt`; `spans` are pairs of character offsets into it, from and up to: words of the seats that pass the filter, with the tags of their roles. All else has no part in the loss.',
  ],
  function* (play, leave) {
    const row = trajectoryOf(play);
    if (row === null) leave('nothing that is learned');
    else yield row;
  },
);

function trajectoryOf(play: ExportEpisode): JsonObject | null {
  const { events, seats, masked, start } = play;
  const first = events.findIndex(({ kind }) => kind === 'action');
  const grown: Growing = { text: '', spans: [], roles: [], tags: tagsOf(start.seats) };
  const own = new Map<Seat, number>();
  const said = new Set<string>();
  for (const event of events.slice(Math.max(0, first))) {
    if (event.kind === 'message') observe(grown, event, said);
    if (event.kind !== 'action') continue;
    const number = own.get(event.seat) ?? 0;
    own.set(event.seat, number + 1);
    const learned = seats.includes(event.seat) && event.edited !== true && masked?.[event.seat]?.has(number) !== true;
    speak(grown, event, learned);
    said.add(event.action.text);
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

/** What the environment said before anybody acted, each message once, after whom it was for where not all were told. */
function openingOf(events: readonly EpisodeEvent[], seats: readonly Seat[]): string {
  return events
    .flatMap((event) => {
      if (event.kind !== 'message' || event.to.length === 0) return [];
      return [event.to.length === seats.length ? event.text : `(to ${event.to.join(', ')}) ${event.text}`];
    })
    .join('\n');
}

/** What the environment says; what it only passes on stands there already. */
function observe(grown: Growing, { text, to, from }: Extract<EpisodeEvent, { kind: 'message' }>, said: ReadonlySet<string>): void {
  if (to.length === 0 || (from !== undefined && said.has(text))) return;
  grown.text += `<observation>${text.replaceAll(grown.tags, '‹$1›')}</observation>\n`;
}

function speak(grown: Growing, { seat, action }: Extract<EpisodeEvent, { kind: 'action' }>, learned: boolean): void {
  const from = grown.text.length;
  grown.text += `<${seat}>${action.text.replaceAll(grown.tags, '‹$1›')}</${seat}>\n`;
  grown.roles.push(seat);
  if (learned) grown.spans.push([from, grown.text.length]);
}

/** Nobody's words may open or close a role. */
function tagsOf(seats: readonly Seat[]): RegExp {
  const names = [...seats, 'observation'].map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`<(/?(?:${names.join('|')}))>`, 'g');
}
