/** @file The participants of a conversation: one character, or several who hear each other; their seats, agents, and task. */

import { emptyMemory, type Memory, type MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { readMind } from '@ludus-agents/agents/internal/mind/mind';
import { chatCast, chatSeats, chatTask, groupTask } from '@ludus-agents/agents/internal/personas/chat-task';
import { defaultUser, type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import type { Agent, AgentSpec, Json, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { MemoryEdits } from './api-chats.ts';
import type { ChatEntry } from './conversations.ts';

export interface ChatPerson {
  readonly seat: Seat;
  readonly persona: Persona;
  readonly portrait: string | null;
}

type Held = Pick<ChatEntry, 'persona' | 'portrait' | 'others'>;

export const environmentOf = ({ others = [] }: Held): 'chat' | 'social-scene' => (others.length === 0 ? 'chat' : 'social-scene');

/** The seat of a single character has its usual name; in a group, each seat has the character's name. */
export function peopleOf({ persona, portrait, others = [] }: Held): readonly ChatPerson[] {
  const everybody = [{ persona, portrait }, ...others].map((item) => ({ persona: parsePersona(item.persona), portrait: item.portrait }));
  return [...chatSeats(everybody.map((item) => item.persona)).keys()].map((seat, i) => ({ ...everybody[i]!, seat }));
}

/** All participants except the person, as agents; the description of the person goes where a card keeps its post-history text. */
export function castOf(entry: Held & Pick<ChatEntry, 'group' | 'model' | 'settings'>): Readonly<Record<Seat, AgentSpec>> {
  const { model, group, settings } = entry;
  const { about = '', temperature, topP, maxTokens, ...rest } = settings;
  const people = new Map(peopleOf(entry).map(({ seat, persona }) => [seat, withAbout(persona, about, settings.user)]));
  const specs = chatCast(people, { ...rest, ...(model === null ? {} : { model }), ...(group === undefined ? {} : { order: group.order }) });
  const sampling: JsonObject = Object.fromEntries(
    Object.entries({ temperature, topP, maxTokens }).filter((pair): pair is [string, number] => pair[1] !== undefined),
  );
  const withSampling = (spec: AgentSpec) => (spec.kind === 'llm' ? { ...spec, settings: { ...spec.settings, ...sampling } } : spec);
  return Object.fromEntries(Object.entries(specs).map(([seat, spec]) => [seat, withSampling(spec)]));
}

function withAbout(persona: Persona, about: string, user = defaultUser): Persona {
  if (about === '') return persona;
  const lines = [persona.policy.postHistory ?? '', `About ${user}: ${about}`].filter(Boolean);
  return { ...persona, policy: { ...persona.policy, postHistory: lines.join('\n') } };
}

/** In a group the first character's scenario applies; it uses the selected greeting, and others their first one. */
export function taskOf(entry: Held & Pick<ChatEntry, 'group' | 'model' | 'settings'>, greeting: number): Json {
  const { model, settings, group = { greets: 'first', order: 'named' } } = entry;
  const people = peopleOf(entry);
  const [{ persona }] = people as readonly [ChatPerson, ...ChatPerson[]];
  const options = {
    greeting: persona.voice.greetings[greeting] === undefined ? 0 : greeting + 1,
    ...(settings.user === undefined ? {} : { user: settings.user }),
    ...(model === null ? {} : { model }),
  };
  if (people.length === 1) return chatTask(persona, options);
  return groupTask(new Map(people.map((member) => [member.seat, member.persona])), { ...options, ...group });
}

/** An agent whose memory a person has edited: removed memories are not recalled, changed ones have the new text, new ones are added. */
export function withEdits(agent: Agent, edits: MemoryEdits, seat: Seat): Agent {
  if (Object.keys(edits).length === 0) return agent;
  return {
    ...agent,
    act: (turn, ...rest) => agent.act({ ...turn, mind: editMind(turn.mind, edits, seat) ?? turn.mind } as typeof turn, ...rest),
  };
}

/** A mind before its first turn has no memory to edit, and a mind of another kind has none at all. */
function editMind(raw: Json | undefined, edits: MemoryEdits, seat: Seat): Json | undefined {
  const mind = readMind(raw);
  return mind === undefined
    ? undefined
    : ({ ...mind, memory: editMemory(mind.memory ?? emptyMemory, edits, { seat, now: mind.turn }) } as Json);
}

function editMemory(memory: Memory, edits: MemoryEdits, { seat, now }: { readonly seat: Seat; readonly now: number }): Memory {
  const records = memory.records.map((memoryRecord): MemoryRecord => {
    const text = edits[memoryRecord.id];
    if (text === undefined) return memoryRecord;
    if (text === null) return { ...memoryRecord, retractedAt: memoryRecord.retractedAt ?? now };
    return { ...memoryRecord, ...keyedFact(text), edited: true };
  });
  const knownNames = new Set(records.map(({ id }) => id));
  const added = Object.entries(edits).flatMap(([id, text]): readonly MemoryRecord[] => {
    if (text === null || knownNames.has(id)) return [];
    const fact = keyedFact(text);
    return [{ id, kind: 'fact', ...fact, owner: seat, validFrom: 0, recordedAt: now, importance: 9, evidence: [], edited: true }];
  });
  // A person's entry under a key replaces the agent's entry under it.
  const keys = new Set(added.flatMap(({ key }) => key ?? []));
  const open = records.map((old) => (old.key !== undefined && keys.has(old.key) ? { ...old, validTo: old.validTo ?? now } : old));
  return { ...memory, records: [...open, ...added] };
}

/** A fact in the agent's notation, "fox.coat = red", is stored under its key. */
function keyedFact(text: string): Pick<MemoryRecord, 'key' | 'text'> {
  const [, name = '', value = ''] = linear(/^\s*([\p{L}\p{N}_'’ >-]{1,60}\.[\p{L}\p{N}_'’ .>-]{1,60}?)\s*[=:]\s*(\S.*)$/u).exec(text) ?? [];
  const key = name.trim().toLowerCase();
  return key === '' ? { text } : { key, text: `${key}: ${value}` };
}
