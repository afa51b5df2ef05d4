/**
 * @file A scene of personas: converts a short file (characters, place, topic) to the script of a social scene, each persona as a card.
 *
 * Facts visible to others on a card are public in the persona; private ones are visible only to its own seat, as goal or secret.
 */

import { listWords } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { brief, isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import {
  anything,
  boolean,
  list,
  number,
  object,
  one,
  optional,
  readAs,
  record,
  required,
  type Shape,
  short,
  text,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { expandMacros, type MacroNames } from './lore/macros.ts';
import { parsePersona } from './parse.ts';
import type { Persona, RelationKind } from './persona.ts';
import { mayKnow } from './visibility.ts';

/** A scene's additions to one of its characters. */
interface Role {
  readonly persona: Json;
  readonly seat?: string;
  readonly place?: string;
  readonly goal?: string;
  readonly secret?: string;
  readonly marks?: readonly string[];
  readonly conditions: readonly Json[];
}

const roleForm: Shape<Role> = object<Role>({
  persona: required(anything),
  seat: optional(words),
  place: optional(words),
  goal: optional(words),
  secret: optional(words),
  marks: optional(list(words)),
  conditions: withDefault(list(anything), []),
});

/** A character of a scene: a persona alone, or with its part in the scene. */
const character = short(roleForm, {}, (input) => (isObject(input) && input['persona'] !== undefined ? input : { persona: input as Json }));

/** A scene as authors write it. Personas are names to look up, or documents. */
interface SceneFile {
  readonly name: string;
  readonly setting: string;
  readonly topic: string;
  readonly characters: readonly Role[];
  readonly narrator: boolean;
  readonly order: string;
  readonly turns: number;
  readonly places: readonly string[];
  readonly objects: JsonObject;
  readonly terms: JsonObject;
  readonly numbers: JsonObject;
  readonly relations: JsonObject;
  readonly rules: readonly Json[];
  readonly closing: number;
}

const map: Shape<JsonObject> = record(anything);

const form: Shape<SceneFile> = object<SceneFile>(
  {
    name: withDefault(words, 'scene'),
    setting: withDefault(text, ''),
    topic: withDefault(text, ''),
    characters: required(list(character)),
    narrator: withDefault(boolean, false),
    order: withDefault(
      one('round-robin', 'simultaneous', 'narrator', 'named', 'reply', 'one', 'talkative', 'everybody', 'listed'),
      'round-robin',
    ),
    turns: withDefault(number(1, 200), 20),
    places: withDefault(list(words), ['room']),
    objects: withDefault(map, {}),
    terms: withDefault(map, {}),
    numbers: withDefault(map, {}),
    relations: withDefault(map, {}),
    rules: withDefault(list(anything), []),
    closing: withDefault(number(1, 10_000), 180),
  },
  { document: true },
);

export interface CastScene {
  readonly name: string;
  /** For the environment "social-scene". */
  readonly task: JsonObject;
  /** Characters by seat, in the order of the file. */
  readonly personas: Readonly<Record<string, Persona>>;
}

/** Validates a scene and seats its characters; `find` returns a persona by the name in the file. */
export async function readScene(input: Json, find: (name: string) => Promise<Persona>): Promise<CastScene> {
  if (!isObject(input))
    throw new Fault(
      'input',
      `A scene must be an object such as {"characters": ["beatrix", "tomas"], "topic": "…"}, but got ${brief(input)}.`,
    );
  const file = readAs(form, input, { where: 'This is not a valid scene', called: 'a scene' });
  if (file.characters.length < 2 || file.characters.length > 8)
    throw new Fault('input', `A scene has two to eight characters, but this one has ${file.characters.length}.`);
  const seated = new Map<string, { persona: Persona; role: Role }>();
  for (const role of file.characters) {
    const persona = typeof role.persona === 'string' ? await find(role.persona) : parsePersona(role.persona);
    seated.set(role.seat ?? seatFor(persona, seated), { persona, role });
  }
  const personas = Object.fromEntries([...seated].map(([seat, { persona }]) => [seat, persona]));
  const { name, narrator, order, turns } = file;
  return { name, task: { script: scriptOf(file, seated), narrator, order, turns }, personas };
}

/** The replacement of {{user}}: the only other character, or the names of all others. */
export function addresseeText(others: readonly Pick<Persona, 'name' | 'nickname'>[]): string {
  const names = others.map(({ name, nickname }) => nickname || name);
  if (names.length === 0) return 'everyone';
  return listWords(names);
}

/** A word before a name that many people share. */
const title = /^(?:mrs?|ms|miss|dr|doctor|prof|professor|sir|lady|lord|sister|brother|father|mother|captain|old|young)\b[.\s]+(?=\p{L})/iu;

/** A seat is a word of lowercase Latin letters: the first name, or the nickname after a title, if it can be written so. */
function seatFor({ id, name, nickname = '' }: Persona, used: ReadonlyMap<string, unknown>): string {
  const names = title.test(name) ? [nickname, name.replace(title, '')] : [id, name];
  const plain = (word: string) =>
    word
      .normalize('NFD')
      .toLowerCase()
      .match(/[a-z]+/)?.[0] ?? '';
  const first = names.map(plain).find((word) => word.length > 1 && word !== 'narrator') ?? 'guest';
  if (!used.has(first)) return first;
  for (const letter of 'bcdefghi') if (!used.has(first + letter)) return first + letter;
  return `${first}z`;
}

type Seated = ReadonlyMap<string, { readonly persona: Persona; readonly role: Role }>;

function scriptOf(file: SceneFile, seated: Seated): JsonObject {
  const { places, objects, terms, numbers, rules, closing } = file;
  const namesFor = (persona: Persona): MacroNames => {
    const others = [...seated.values()].flatMap((item) => (item.persona === persona ? [] : [item.persona]));
    return { char: persona.nickname || persona.name, user: addresseeText(others) };
  };
  const scenario = [...seated.values()]
    .map(({ persona }) => expandMacros(persona.policy.scenario ?? '', namesFor(persona)))
    .find((item) => item !== '');
  const setting = file.setting === '' ? (scenario ?? 'Some people in a room.') : file.setting;
  return {
    setting: file.topic === '' ? setting : `${setting} The talk is of ${file.topic}.`,
    places,
    objects,
    terms,
    numbers,
    rules,
    closing,
    characters: [...seated].map(([seat, { persona, role }]) => ({
      seat,
      place: role.place ?? places[0]!,
      ...expandCard(cardOf(persona, file.topic), namesFor(persona)),
      ...(role.goal === undefined ? {} : { goal: role.goal }),
      ...(role.secret === undefined ? {} : { secret: role.secret, marks: [role.secret] }),
      ...(role.marks === undefined ? {} : { marks: role.marks }),
      conditions: role.conditions.map((condition) => withSeats(condition, seated)),
      ...(file.order === 'talkative' ? { talkativeness: persona.policy.talkativeness ?? 0.5 } : {}),
    })),
    relations: { ...closeness(seated), ...file.relations },
  };
}

/** A condition in which character names from "persona" are replaced by their seats. */
function withSeats(condition: Json, seated: Seated): Json {
  const seatOf = (name: Json): Json => [...seated].find(([, { role }]) => role.persona === name)?.[0] ?? name;
  if (!isObject(condition)) return condition;
  const { who, between, of } = condition;
  return {
    ...condition,
    ...(who === undefined ? {} : { who: seatOf(who) }),
    ...(Array.isArray(between) ? { between: between.map(seatOf) } : {}),
    ...(of === undefined ? {} : { of: withSeats(of, seated) }),
  };
}

/** A card with the macros of its texts replaced. */
function expandCard(card: JsonObject, names: MacroNames): JsonObject {
  const text = (value: Json): Json =>
    typeof value === 'string' ? expandMacros(value, names) : Array.isArray(value) ? value.map(text) : value;
  return Object.fromEntries(Object.entries(card).map(([key, value]) => [key, text(value)]));
}

/** A persona as the parts of a scene's card. The first five are visible to others, and contain only public facts. */
function cardOf(persona: Persona, topic: string): JsonObject {
  const { name, identity, voice, statements, goals, secrets } = persona;
  const { age, gender, occupation } = identity.social;
  const spoken = statements.filter(({ visibility, kind, polarity }) => visibility === 'public' && kind !== 'style' && polarity === 'must');
  const wished = goals.find(({ visibility }) => mayKnow(visibility, {}, 'friend'));
  const [first] = [...goals].sort((a, b) => b.priority - a.priority);
  return {
    looks: `${name}${gender === undefined ? '' : `, ${gender}`}${age === undefined ? '' : `, ${age}`}.`,
    work: occupation === undefined ? '' : sentence(occupation.title),
    bio: spoken.map(({ text: line }) => line).join(' '),
    manner: voice.register ?? '',
    wish: wished?.text ?? '',
    goal: first?.text ?? (topic === '' ? 'Have a good conversation.' : `Talk about ${topic}.`),
    secret: secrets.length === 0 ? 'none' : secrets.map(({ text: line }) => line).join(' '),
    marks: secrets.map((secret) => telling(secret.text, name)),
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/**
 * The part of a secret that reveals it, with any speaker: without the name and the verb's first word, which depend on the speaker.
 */
function telling(secret: string, name: string): string {
  const rest = secret.startsWith(`${name} `) ? secret.slice(name.length + 1).replace(/^\S+\s+/, '') : secret;
  return rest.replace(linear(/[.!?]+$/), '');
}

const levels: Readonly<Record<RelationKind, number>> = {
  stranger: 0,
  by_name: 1,
  acquaintance: 2,
  colleague: 2,
  boss: 2,
  subordinate: 2,
  rival: 2,
  other: 2,
  friend: 4,
  romantic: 4,
  family: 4,
};

/**
 * How well each pair knows each other, by the relations of either; if both list one, the smaller level. No pair is close enough to see
 * private goals.
 */
function closeness(seated: Seated): JsonObject {
  const out: Record<string, number> = {};
  const all = [...seated];
  const level = (from: Persona, to: Persona) => {
    const knownRelations = from.relations.filter((relation) => [to.id, to.name, ...to.aliases].includes(relation.to));
    return knownRelations.length === 0 ? undefined : Math.max(...knownRelations.map(({ kind }) => levels[kind]));
  };
  for (const [i, [a, { persona: first }]] of all.entries())
    for (const [b, { persona: second }] of all.slice(i + 1)) {
      const statements = [level(first, second), level(second, first)].filter((item) => item !== undefined);
      if (statements.length > 0) out[`${a} ${b}`] = Math.min(...statements);
    }
  return out;
}
