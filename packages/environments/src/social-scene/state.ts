/** @file The state of a scene, who perceives what, and the allowed answers of each seat. */

import type { Ask, Json, JsonObject, Message, Seat, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import type { Holding } from '@ludus-agents/kernel/internal/core/simultaneous';
import { speakingOrders } from '../turn-taking.ts';
import type { Doing, SocialSituation } from './doings.ts';
import type { Telling } from './narrator.ts';
import { type Character, personSeat, type SocialScene } from './scene.ts';

export const parameters = {
  scene: parameter.choice({
    options: ['borrowed-book', 'market-stall', 'dinner', 'shop-dispute', 'old-house'],
    default: 'borrowed-book',
    description: 'which built-in scene is played',
  }),
  script: parameter.json({
    default: null,
    description:
      'your scene instead, in the shape of the built-in ones. With "person", the name of someone on the seat "user", it is a conversation in free words: "characters" is then a list of {"seat", "greeting", "lines", "talkativeness"}, and the rest may be left out',
  }),
  order: parameter.choice({
    options: ['round-robin', 'simultaneous', 'narrator', ...speakingOrders],
    default: 'round-robin',
    description:
      'who acts next; "narrator" lets the narrator pick. With the others, characters whose names were called act next; if no name was called, the next in the round (named, one), the one who spoke before (reply), or one by its talkativeness (talkative). A person is answered by those called, and otherwise by all in turn (named), one (one), the last one who spoke (reply), or each by its talkativeness (talkative); everybody and listed call all of them, the first with a rotating start',
  }),
  narrator: parameter.boolean({ default: false, description: 'a narrator seat speaks after every turn' }),
  closeness: parameter.integer({
    min: -1,
    max: 5,
    default: -1,
    description: 'how well all characters know each other; −1 is as the scene says',
  }),
  turns: parameter.integer({
    min: 1,
    max: 1000,
    default: 20,
    description: 'turns of characters before the scene ends; in a conversation, times that the person speaks',
  }),
  retries,
} as const;

export type SocialTask = TaskOf<typeof parameters>;

/** A message as stored in the state. */
export type SocialTold = JsonObject & { readonly to: readonly Seat[]; readonly text: string };

export type SocialState = SocialSituation &
  Holding<readonly Doing[]> & {
    readonly task: SocialTask;
    readonly scene: SocialScene;
    readonly turn: number;
    /** Number of consecutive turns without any action. */
    readonly stale: number;
    /** The index of the character whose turn it is. */
    readonly next: number;
    /** Characters who still answer the person, and the number of answers since the person spoke. */
    readonly queue: readonly Seat[];
    readonly streak: number;
    /** The latest speakers, oldest first, in the order "reply". */
    readonly recent?: readonly Seat[];
    readonly narrating: boolean;
    readonly clock: number;
    /** The number of speeches, gestures, and acts so far, and of answers that could not be parsed. */
    readonly performed: number;
    readonly refused: number;
    readonly leaked: { readonly [seat: Seat]: boolean };
    /** The actions of the last turn, and the messages about them. */
    readonly doings: Telling['doings'];
    readonly told: readonly SocialTold[];
    readonly misses: { readonly [seat: Seat]: number };
  };

export const narratorSeat: Seat = 'narrator';

/** Returns the messages about a seat's action. Characters in the same place perceive it; a whisper reaches only its addressee. */
export function messagesFor(state: SocialState, seat: Seat, doing: Doing): Message[] {
  const company = companyOf(state, seat);
  const audience = state.task.narrator ? [...company, narratorSeat] : company;
  if (doing.kind === 'leave') return [{ to: audience, text: `${nameOf(state, seat)} leaves.` }];
  if (doing.kind === 'none')
    return state.scene.person === undefined ? [] : [{ to: audience, text: `${nameOf(state, seat)} says nothing.` }];
  const { kind, text, to } = doing;
  const data = to === null ? { kind } : { kind, to };
  const worded = kind === 'speak' ? text : kind === 'gesture' ? `*${text}*` : `(${text})`;
  if (kind !== 'speak' || to === null || !company.includes(to)) return [{ to: audience, from: seat, text: worded, data }];
  const others = company.filter((item) => item !== to);
  const whisper: Message = { to: state.task.narrator ? [to, narratorSeat] : [to], from: seat, text: worded, data };
  return others.length === 0 ? [whisper] : [whisper, { to: others, text: `${seat} whispers to ${to}.` }];
}

/** Returns the display name of a seat. A person has a name. */
function nameOf({ scene }: SocialState, seat: Seat): string {
  return seat === personSeat ? (scene.person ?? seat) : seat;
}

/** Returns the messages about a change for those present, and the description of the new place for a character that moved. */
export function changes(before: SocialState, next: SocialSituation, seat: Seat): Message[] {
  const arrived: SocialState = { ...before, ...next };
  const messages: Message[] = [];
  for (const object in next.holders) {
    const holder = next.holders[object];
    if (holder !== before.holders[object])
      messages.push({
        to: witnesses(arrived, seat),
        text: before.scene.places.includes(holder) ? `The ${object} now lies in the ${holder}.` : `${holder} now has the ${object}.`,
        data: { object, holder },
      });
  }
  if (next.places[seat] !== before.places[seat]) {
    const place = next.places[seat];
    messages.push({ to: [seat], text: surroundingsText(arrived, seat), data: surroundings(arrived, seat) });
    const others = [...new Set([...companyOf(before, seat), ...witnesses(arrived, seat)])].filter((item) => item !== seat);
    if (others.length > 0) messages.push({ to: others, text: `${seat} is now in the ${place}.`, data: { seat, place } });
  }
  return messages;
}

export function witnesses(state: SocialState, seat: Seat): Seat[] {
  const seats = [seat, ...companyOf(state, seat)];
  return state.task.narrator ? [...seats, narratorSeat] : seats;
}

export function asksOf(state: SocialState): readonly Ask[] {
  if (state.narrating) return [narratorAsk(state)];
  const seats = state.scene.characters.map(({ seat }) => seat);
  if (state.task.order !== 'simultaneous') return [askOf(state, seats[state.next])];
  return seats.filter((seat) => state.present[seat]).map((seat) => askOf(state, seat));
}

function askOf(state: SocialState, seat: Seat): Ask {
  const { scene, holders, places } = state;
  if (scene.person !== undefined) return { seat };
  const company = companyOf(state, seat);
  const choices = ['[none]', '[speak "…"]', '[gesture "nods"]', '[leave]'];
  for (const term in scene.terms) choices.push(`[speak "I agree ${(scene.terms[term]).replace('#', '40')}."]`);
  for (const object in holders) {
    if (holders[object] === seat) for (const other of company) choices.push(`[act "give ${object} to ${other}"]`);
    else if (holders[object] === places[seat]) choices.push(`[act "take ${object}"]`);
  }
  for (const place of scene.places) if (place !== places[seat]) choices.push(`[act "go to ${place}"]`);
  return { seat, choices };
}

function narratorAsk(state: SocialState): Ask {
  const { scene, present, places, doings, clock } = state;
  const picks = state.task.order === 'narrator';
  const here = scene.characters.map(({ seat }) => seat).filter((seat) => present[seat]);
  const choices = scene.person === undefined ? ['[none]', '[time +5]'] : ['[none]'];
  for (const seat of here) {
    if (picks) choices.push(`[pick ${seat}]`);
    for (const place of scene.places) if (place !== places[seat]) choices.push(`[move ${seat} ${place}]`);
  }
  const data: Telling = {
    doings,
    rules: scene.rules,
    clock,
    closing: scene.closing,
    next: picks ? (scene.characters[state.next]?.seat ?? null) : null,
  };
  return { seat: narratorSeat, choices, data };
}

/** Returns the other characters in a seat's place. */
function companyOf({ scene, places, present }: SocialState, seat: Seat): Seat[] {
  const company: Seat[] = [];
  for (const character of scene.characters)
    if (character.seat !== seat && present[character.seat] && places[character.seat] === places[seat]) company.push(character.seat);
  return company;
}

export function everyone(state: SocialState): Seat[] {
  const seats = state.scene.characters.map(({ seat }) => seat);
  return state.task.narrator ? [...seats, narratorSeat] : seats;
}

export function characterOf({ scene }: SocialState, seat: Seat): Character {
  return scene.characters.find((character) => character.seat === seat) as Character;
}

/** Returns what a character perceives: its place, the others there, and objects in reach or in someone's hands. */
export function surroundings(state: SocialState, seat: Seat): JsonObject {
  const place = state.places[seat];
  const company = companyOf(state, seat);
  const objects: Record<string, Json> = {};
  for (const object in state.holders) {
    const holder = state.holders[object];
    if (holder === place || holder === seat || company.includes(holder)) objects[object] = holder;
  }
  return { place, company, objects };
}

export function surroundingsText(state: SocialState, seat: Seat): string {
  const { place, company, objects } = surroundings(state, seat) as {
    place: string;
    company: readonly string[];
    objects: Record<string, string>;
  };
  const descriptions = Object.entries(objects).map(
    ([object, holder]) => `${object} (${holder === place ? 'lying here' : holder === seat ? 'yours' : `held by ${holder}`})`,
  );
  return `You are in the ${place}${company.length === 0 ? ', alone' : ` with ${company.join(', ')}`}.${descriptions.length === 0 ? '' : ` Objects: ${descriptions.join(', ')}.`}`;
}

/** Messages are plain JSON, but their interface type doesn't say so. */
export function toTold(messages: readonly Message[]): readonly SocialTold[] {
  return messages as readonly object[] as readonly SocialTold[];
}
