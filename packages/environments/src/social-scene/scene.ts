/**
 * @file A scene as plain data: the characters with their secrets and goals, and what can be promised, held, and reached.
 *
 * Texts may contain named numbers in braces, such as "{debt}". The numbers are drawn at random, so that a secret differs between episodes.
 */

import { Fault, type Json, type JsonObject, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { type Cue, readLines } from '../chat.ts';

/** A number, or the name of a random number. */
export type SocialLimit = number | string;

/** A condition on the scene that rules can check. */
export type Condition =
  | { readonly kind: 'holds'; readonly who: string; readonly object: string }
  | { readonly kind: 'at'; readonly who: string; readonly place: string }
  | { readonly kind: 'word'; readonly who: string; readonly term: string }
  /** Both have promised the same number, and it satisfies the limit. */
  | {
      readonly kind: 'deal';
      readonly between: readonly [string, string];
      readonly term: string;
      readonly bound: 'least' | 'most';
      readonly limit: SocialLimit;
    }
  | { readonly kind: 'not'; readonly of: Condition };

export type Character = {
  readonly seat: string;
  readonly place: string;
  /** What others can see of the card. They see more the better they know the character. */
  readonly looks: string;
  readonly work: string;
  readonly bio: string;
  readonly manner: string;
  readonly wish: string;
  readonly goal: string;
  readonly secret: string;
  /** Phrases and numbers that reveal the secret. */
  readonly marks: readonly string[];
  readonly conditions: readonly Condition[];
  /**
   * For scenes with a person: what the character says before anyone is asked, what it can say without a model, and its probability of
   * speaking up, from 0 to 1.
   */
  readonly greeting?: string;
  readonly lines?: readonly Cue[];
  readonly talkativeness?: number;
};

export type SocialScene = {
  readonly setting: string;
  readonly places: readonly string[];
  /** The holder or place of each object. */
  readonly objects: { readonly [object: string]: string };
  /** What a character can promise: "I agree" or "I promise", followed by the phrase. A "#" in it stands for an integer. */
  readonly terms: { readonly [term: string]: string };
  readonly numbers: { readonly [name: string]: readonly [number, number] };
  readonly characters: readonly Character[];
  /** How well two characters know each other, from 0 (strangers) to 5. Pairs are written "ada ben". */
  readonly relations: { readonly [pair: string]: number };
  /** For the scripted narrator: a command to run when a word is said. "{who}" is the character who said or did it. */
  readonly rules: readonly { readonly word: string; readonly command: string }[];
  /** Minutes after which the scripted narrator ends the scene. */
  readonly closing: number;
  /**
   * The name of the person on the seat "user". With a person, the scene is a conversation: answers are free text, and the person is asked
   * in between.
   */
  readonly person?: string;
};

/** The seat of the person. */
export const personSeat = 'user';

/** Parts of a card, by the minimum familiarity at which others see them. */
const parts = [
  ['looks', 0],
  ['work', 1],
  ['bio', 2],
  ['manner', 3],
  ['wish', 4],
  ['goal', 5],
] as const satisfies readonly (readonly [keyof Character, number])[];

/** Returns the part of a character's card that is visible at a familiarity level. Secrets are never included. */
export function knownFacts(character: Character, level: number): JsonObject {
  const observation: Record<string, Json> = { seat: character.seat };
  for (const [part, from] of parts) if (level >= from) observation[part] = character[part];
  return observation;
}

export function relation(scene: SocialScene, a: string, b: string): number {
  return scene.relations[`${a} ${b}`] ?? scene.relations[`${b} ${a}`] ?? 0;
}

/** Draws the scene's random numbers and inserts them into texts, marks, and limits. */
export function fillScene(scene: SocialScene, rng: Rng): SocialScene {
  const sample: Record<string, number> = {};
  for (const [name, [from, to]] of Object.entries(scene.numbers)) sample[name] = from + rng.int(to - from + 1);
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => String(sample[name] ?? whole));
  const settle = (condition: Condition): Condition => {
    if (condition.kind === 'not') return { kind: 'not', of: settle(condition.of) };
    if (condition.kind !== 'deal' || typeof condition.limit === 'number') return condition;
    return { ...condition, limit: sample[condition.limit] ?? 0 };
  };
  return {
    ...scene,
    characters: scene.characters.map((character) => ({
      ...character,
      goal: fill(character.goal),
      secret: fill(character.secret),
      marks: character.marks.map(fill),
      conditions: character.conditions.map(settle),
    })),
  };
}

const refuse = (problem: string) => new Fault('input', `social-scene: ${problem}`);

/** Parses an unvalidated scene. Throws if it cannot be played. */
export function readScene(input: Json): SocialScene {
  const scene = isObject(input) && input['person'] !== undefined ? readConversation(input) : (input as SocialScene);
  const fewest = scene?.person === undefined ? 2 : 1;
  if (!isObject(scene) || !Array.isArray(scene.characters) || scene.characters.length < fewest || scene.characters.length > 8)
    throw refuse('a script must be an object with two to eight "characters". Use a built-in scene as a template.');
  if (typeof scene.setting !== 'string' || !Array.isArray(scene.places) || scene.places.length === 0)
    throw refuse('a script needs a "setting" as text and at least one entry in "places".');
  for (const part of ['objects', 'terms', 'numbers', 'relations'] as const)
    if (!isObject(scene[part])) throw refuse(`"${part}" must be an object.`);
  if (!Array.isArray(scene.rules) || typeof scene.closing !== 'number')
    throw refuse('"rules" must be a list and "closing" a number of minutes.');
  const seats = scene.characters.map(({ seat }) => seat);
  for (const character of scene.characters) {
    if (
      typeof character.seat !== 'string' ||
      !(scene.person === undefined ? lettersOnly : singleLine).test(character.seat) ||
      ['narrator', ...(scene.person === undefined ? [] : [personSeat])].includes(character.seat) ||
      seats.filter((seat) => seat === character.seat).length > 1
    )
      throw refuse(
        `each character needs a unique "seat" ${scene.person === undefined ? 'in lowercase letters' : `of one line that is not "${personSeat}" or "narrator"`}, but one has ${JSON.stringify(character.seat)}.`,
      );
    for (const part of ['looks', 'work', 'bio', 'manner', 'wish', 'goal', 'secret'] as const)
      if (typeof character[part] !== 'string') throw refuse(`${character.seat} needs "${part}" as text.`);
    if (!scene.places.includes(character.place))
      throw refuse(`${character.seat} must start in one of the places, but starts in ${JSON.stringify(character.place)}.`);
    if (!Array.isArray(character.marks) || !Array.isArray(character.conditions))
      throw refuse(`${character.seat} needs lists of "marks" and "conditions".`);
    for (const condition of character.conditions) checkCondition(scene, seats, condition);
  }
  return scene;
}

const lettersOnly = /^[a-z]+$/;
const singleLine = /^(?!\s)[^\r\n\u2028\u2029[\]"]{1,80}$/;

/** Parses a conversation with a person. Everything except the names has a default, and cards are in the characters' personas. */
function readConversation({ person, characters, ...rest }: JsonObject): SocialScene {
  if (typeof person !== 'string' || person.trim() === '') throw refuse(`"person": expected a name, got ${JSON.stringify(person)}.`);
  const scene = { setting: '', places: ['room'], objects: {}, terms: {}, numbers: {}, relations: {}, rules: [], closing: 1e6, ...rest };
  const [place] = Array.isArray(scene.places) ? scene.places : [];
  if (!Array.isArray(characters)) throw refuse('"characters" must be a list of one to eight.');
  const blank = { place, looks: '', work: '', bio: '', manner: '', wish: '', goal: '', secret: '', marks: [], conditions: [] };
  return {
    ...scene,
    person,
    characters: characters.map((item: Json) => {
      const { greeting = '', lines = [], talkativeness = 0.5, ...card } = isObject(item) ? item : {};
      const seat = JSON.stringify(card['seat'] ?? null).slice(0, 80);
      if (typeof greeting !== 'string') throw refuse(`the "greeting" of ${seat} must be a string.`);
      if (typeof talkativeness !== 'number' || talkativeness < 0 || talkativeness > 1)
        throw refuse(`the "talkativeness" of ${seat}: expected a number from 0 to 1, got ${JSON.stringify(talkativeness).slice(0, 40)}.`);
      return { ...blank, ...card, greeting, lines: readLines(lines), talkativeness };
    }),
  } as unknown as SocialScene;
}

/** Adds the person to the end of the characters, without a card. */
export function withPerson(scene: SocialScene): SocialScene {
  if (scene.person === undefined) return scene;
  const [place = ''] = scene.places;
  const card = { place, looks: scene.person, work: '', bio: '', manner: '', wish: '', goal: '', secret: '', marks: [], conditions: [] };
  return { ...scene, characters: [...scene.characters, { seat: personSeat, ...card }] };
}

function checkCondition(scene: SocialScene, seats: readonly string[], condition: Condition): void {
  const about = condition?.kind === 'not' ? condition.of : condition;
  const named: readonly (string | undefined)[] = about?.kind === 'deal' ? about.between : [about?.kind === 'not' ? undefined : about?.who];
  const object =
    about?.kind === 'holds'
      ? Object.hasOwn(scene.objects, about.object)
      : about?.kind === 'at'
        ? scene.places.includes(about.place)
        : (about?.kind === 'word' || about?.kind === 'deal') && Object.hasOwn(scene.terms, about.term);
  const absent = Array.isArray(named) ? named.find((seat) => typeof seat === 'string' && !seats.includes(seat)) : undefined;
  if (absent !== undefined)
    throw new Fault(
      'input',
      `social-scene: the condition ${JSON.stringify(condition)} names "${absent}", who is not in the scene. Available: ${seats.join(', ')}.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  if (!object || !Array.isArray(named) || !named.every((seat) => seats.includes(seat ?? '')))
    throw new Fault(
      'input',
      `social-scene: ${JSON.stringify(condition)} is not a valid condition on the seats, objects, places, and terms of the script.`,
    );
}
