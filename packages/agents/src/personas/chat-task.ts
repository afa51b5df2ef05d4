/** @file The chat task of a persona: its location and the first message. */

import { type AgentSpec, Fault, type Json, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { KnowledgeName } from '../mind/knowledge.ts';
import { defaultUser, expandMacros, type Persona, parsePersona } from './index.ts';
import { linesFor } from './scripted-persona.ts';

export interface ChatOptions {
  /** The character's name for the other side. */
  readonly user?: string;
  readonly turns?: number;
  /** The agent that plays the character; by default a script that speaks the lines on the card. */
  readonly model?: string;
  /** The number of the opening greeting, counted from 1; 0 for none. */
  readonly greeting?: number;
  /** The author's note: instructions inserted into the history before its last `noteDepth` messages. */
  readonly note?: string;
  readonly noteDepth?: number;
  /** Whether a character remembers earlier conversations; true by default. */
  readonly memory?: boolean;
  /** Structures that a character with a model builds from its notes. */
  readonly knowledge?: readonly KnowledgeName[];
}

/** The task of the environment "chat" for a persona. */
export function chatTask(persona: Persona, { user = defaultUser, turns = 1000, model, greeting = 1 }: ChatOptions): Json {
  const names = { char: persona.nickname || persona.name, user };
  return {
    character: persona.name,
    user,
    scenario: expandMacros(persona.policy.scenario ?? '', names),
    greeting: greeting === 0 ? '' : greetingOf(persona, greeting, user),
    turns,
    ...(model === undefined ? { lines: linesFor(persona).map((line) => ({ ...line, says: expandMacros(line.says, names) })) } : {}),
  };
}

/** The available greetings, with their macros replaced. */
export function greetingsOf({ name, nickname, voice }: Persona, user = defaultUser): readonly string[] {
  return voice.greetings.map((text) => expandMacros(text, { char: nickname || name, user }));
}

/** A greeting of a persona by its number from 1, with its macros replaced; empty if the card has no greetings. */
function greetingOf(persona: Persona, number: number, user: string): string {
  const greetings = greetingsOf(persona, user);
  const text = greetings[number - 1];
  if (text === undefined && (greetings.length > 0 || number > 1))
    throw new Fault('input', `${persona.name} has ${greetings.length} greetings, but number ${number} was requested.`);
  return text ?? '';
}

/** The seats of a conversation: a single character has its usual seat, in a group each has the name that the others use. */
export function chatSeats(people: readonly Persona[]): ReadonlyMap<Seat, Persona> {
  if (people.length === 1) return new Map([['character', people[0]!]]);
  const seats = new Map<Seat, Persona>();
  for (const persona of people) {
    const name =
      persona.name
        .replace(/[\s[\]"]+/g, ' ')
        .trim()
        .slice(0, 70) || 'guest';
    let seat = name;
    for (let i = 2; seats.has(seat) || seat === 'user' || seat === 'narrator'; i++) seat = `${name} ${i}`;
    seats.set(seat, persona);
  }
  return seats;
}

export interface GroupOptions extends ChatOptions {
  /** The order of answers, as in "social-scene"; with "director", a model on the seat "narrator" picks the next speaker. */
  readonly order?: string;
  /** The characters that greet: the first, all, or none. */
  readonly greets?: 'first' | 'everybody' | 'nobody';
}

/** The task of the environment "social-scene" for a conversation with several characters. The first one's scenario is the setting. */
export function groupTask(people: ReadonlyMap<Seat, Persona>, options: GroupOptions): Json {
  const { user = defaultUser, turns = 1000, model, order = 'named', greeting = 1, greets = 'first' } = options;
  const greeters = greeting === 0 ? 0 : { nobody: 0, first: 1, everybody: people.size }[greets];
  const namesFor = ({ nickname, name }: Persona) => ({ char: nickname || name, user });
  const [setting = ''] = [...people.values()].map((persona) => expandMacros(persona.policy.scenario ?? '', namesFor(persona)));
  const characters = [...people].map(([seat, persona], i) => ({
    seat,
    talkativeness: persona.policy.talkativeness ?? 0.5,
    ...(i < greeters ? { greeting: greetingOf(persona, i === 0 ? greeting : 1, user) } : {}),
    ...(model === undefined
      ? { lines: linesFor(persona).map((line) => ({ ...line, says: expandMacros(line.says, namesFor(persona)) })) }
      : {}),
  }));
  const isDirected = order === 'director';
  return {
    script: { person: user, setting, characters },
    order: isDirected ? 'narrator' : order,
    turns,
    ...(isDirected ? { narrator: true, retries: 1 } : {}),
  };
}

const usualNoteDepth = 4;

/** The persona with an author's note at a depth of the history, stored like the depth prompt of cards. */
function withAuthorNote(persona: Persona, note: string, depth = usualNoteDepth): Persona {
  if (note.trim() === '') return persona;
  const entry = {
    id: 'author_note',
    keys: [],
    content: note,
    extensions: { position: 4, depth, role: 0, selectiveLogic: 0 },
    enabled: true,
    insertion_order: 200,
    constant: true,
  };
  return parsePersona({
    ...persona,
    lore: { ...persona.lore, entries: [...persona.lore.entries, entry] },
    hash: undefined,
  } as unknown as Json);
}

/**
 * The character of that task as an agent: played by a model, by the rules in its document, or by a script that speaks the lines on the
 * card.
 */
function chatSpec(persona: Persona, { user, model, note = '', noteDepth, memory = true, knowledge = [] }: ChatOptions): AgentSpec {
  const named = user === undefined ? {} : { user };
  if (model === undefined && persona.rules !== undefined)
    return { name: persona.name, kind: 'authored', persona: persona as Json, ...(user === undefined ? {} : { settings: named }) };
  if (model === undefined) return { name: 'scripted:character', kind: 'scripted:character', persona: persona as Json };
  const settings = { ...named, ...(memory ? { lasting: true } : { memory: 'off' }), ...(knowledge.length > 0 && { knowledge }) };
  return { name: persona.name, kind: 'llm', model, persona: withAuthorNote(persona, note, noteDepth) as Json, settings };
}

/**
 * The agents of all seats except the person's. In a group each sees of the others what it may know, and a director is on the seat
 * "narrator".
 */
export function chatCast(people: ReadonlyMap<Seat, Persona>, options: GroupOptions): Readonly<Record<Seat, AgentSpec>> {
  const specs: Record<Seat, AgentSpec> = {};
  for (const [seat, persona] of people) {
    const spec = chatSpec(persona, options);
    const others = [...people.values()].filter((other) => other !== persona);
    specs[seat] =
      spec.kind === 'llm' && others.length > 0 ? { ...spec, settings: { ...spec.settings, others: others as readonly Json[] } } : spec;
  }
  if (options.order === 'director' && options.model === undefined)
    throw new Fault('input', 'The order "director" lets a model choose who speaks. Choose a model, or another order.');
  if (options.order === 'director' && options.model !== undefined)
    specs['narrator'] = { name: 'director', kind: 'llm', model: options.model };
  return specs;
}

/** An agent that writes the person's next message. */
export function personSpec({ user = defaultUser, model = '' }: Pick<ChatOptions, 'user' | 'model'>): AgentSpec {
  const instruction = `You are ${user}, talking with the others. Write the one thing that ${user} says next, in one or two sentences.`;
  return { name: user, kind: 'llm', model, texts: { instruction } };
}
