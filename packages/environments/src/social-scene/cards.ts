/** @file The first message to each seat: its own card in full, and what it may know about the others. */

import type { Json, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { goodbye } from '../chat.ts';
import { type Character, knownFacts, personSeat, relation, type SocialScene } from './scene.ts';
import type { SocialState } from './state.ts';

/** Returns the cards as data, for programs and for `knows`. */
export function cardsFor(scene: SocialScene, seat: Seat): JsonObject {
  const others: Record<Seat, Json> = {};
  for (const character of scene.characters)
    if (character.seat !== seat) others[character.seat] = knownFacts(character, relation(scene, seat, character.seat));
  const card: Json = scene.characters.find((character) => character.seat === seat) as Character;
  return { setting: scene.setting, card, others, terms: scene.terms, places: scene.places };
}

export function introduction(scene: SocialScene, seat: Seat): string {
  const mine = scene.characters.find((character) => character.seat === seat) as Character;
  const lines = [
    scene.setting,
    `You are ${seat}. ${mine.bio} ${mine.manner}`,
    `Your goal: ${mine.goal}`,
    `Your secret, which must not get out: ${mine.secret}`,
  ];
  for (const character of scene.characters) {
    if (character.seat === seat) continue;
    const { seat: name, goal, ...facts } = knownFacts(character, relation(scene, seat, character.seat)) as Readonly<Record<string, string>>;
    lines.push(
      `${name}: ${Object.values(facts)
        .filter((part) => part !== '')
        .join(' ')}${goal === undefined ? '' : ` You know what ${name} is out for, as it was told to ${name}: ${goal}`}`,
    );
  }
  const terms = Object.values(scene.terms).map((phrase) => `"${phrase}"`);
  const numbered = terms.some((term) => term.includes('#'));
  if (terms.length > 0)
    lines.push(
      `Word is given by saying "I agree" or "I promise" and then one of: ${terms.join(', ')}${numbered ? '; # is a whole number' : ''}.`,
    );
  if (scene.places.length > 1) lines.push(`Places: ${scene.places.join(', ')}.`);
  lines.push(
    'Acts that change something: "take THING", "give THING to NAME", "put down THING", "go to PLACE". You hear those who are where you are.',
    'Speak in plain words, or answer with one of [speak "…"], [gesture "…"], [act "…"], [leave] or [none]. With to: NAME inside the brackets you address someone; speech is then a whisper.',
  );
  return lines.join('\n');
}

/** Returns the first message to a seat of a conversation. Characters receive their cards elsewhere. */
export function conversationIntroduction(scene: SocialScene, seat: Seat): string {
  const others = scene.characters.filter((character) => character.seat !== seat && character.seat !== personSeat);
  const names = others.map((character) => character.seat);
  const setting = scene.setting === '' ? '' : ` ${scene.setting}`;
  if (seat === personSeat) return `You talk with ${names.join(', ')}.${setting} ${goodbye} ends it.`;
  const { goal = '', secret = '' } = scene.characters.find((character) => character.seat === seat) ?? {};
  return [
    `You talk with ${[scene.person, ...names].join(', ')}. All of you hear each other.${setting}`,
    ...(goal === '' ? [] : [`Your goal: ${goal}`]),
    ...(secret === '' ? [] : [`Your secret, which must not get out: ${secret}`]),
  ].join('\n');
}

/** Returns the narrator's first message: the stage and everyone's public traits, but no secrets or goals. */
export function narratorIntroduction({ scene, places, holders }: SocialState): string {
  if (scene.person !== undefined) {
    const names = scene.characters.filter(({ seat }) => seat !== personSeat).map(({ seat }) => seat);
    return `You decide who speaks next in a conversation of ${scene.person} with ${names.join(', ')}. Pick a character whom the last words concern, or who would speak up: [pick NAME]. Write [pick ${personSeat}] when it is time for ${scene.person} to answer.`;
  }
  const lines = [
    `You are the narrator. ${scene.setting}`,
    ...scene.characters.map(
      (character) => `${character.seat} (${places[character.seat]}): ${character.looks} ${character.work} ${character.bio}`,
    ),
    `Places: ${scene.places.join(', ')}. Objects: ${Object.entries(holders)
      .map(([object, holder]) => `${object} (${holder})`)
      .join(', ')}.`,
    'After each turn answer with any of [effect NAME "…"], [move NAME PLACE], [time +MINUTES], [pick NAME], [end REASON], or with [none].',
    'An effect is told to those at hand; "gets THING" and "loses THING" change who holds it.',
  ];
  return lines.join('\n');
}
