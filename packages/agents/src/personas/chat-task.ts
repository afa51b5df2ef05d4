/** @file The chat task of a persona: where it takes place, and the first message. */

import type { AgentSpec, Json } from '@ludus-agents/kernel/internal/core/index';
import { expandMacros, type Persona } from './index.ts';
import { linesFor } from './scripted-persona.ts';

export interface ChatOptions {
  /** What the character calls the other. */
  readonly user?: string;
  readonly turns?: number;
  /** The agent that plays the character; by default a script that says the lines on the card. */
  readonly model?: string;
}

/** The task of the environment "chat" for a persona. */
export function chatTask(persona: Persona, { user = 'the visitor', turns = 1000, model }: ChatOptions): Json {
  const names = { char: persona.nickname || persona.name, user };
  return {
    character: persona.name,
    user,
    scenario: expandMacros(persona.policy.scenario ?? '', names),
    greeting: expandMacros(persona.voice.greetings[0] ?? '', names),
    turns,
    ...(model === undefined ? { lines: linesFor(persona).map((line) => ({ ...line, says: expandMacros(line.says, names) })) } : {}),
  };
}

/** The character of that task as an agent: by a model, by the rules in its document, or by a script that says the lines on the card. */
export function chatSpec(persona: Persona, { user, model }: ChatOptions): AgentSpec {
  const document = { persona: persona as Json };
  if (model === undefined && persona.rules !== undefined)
    return { name: persona.name, kind: 'authored', ...document, ...(user === undefined ? {} : { settings: { user } }) };
  if (model === undefined) return { name: 'scripted:character', kind: 'scripted:character', ...document };
  return { name: persona.name, kind: 'llm', model, ...document, ...(user === undefined ? {} : { settings: { user } }) };
}
