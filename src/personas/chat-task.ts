/** @file The conversation that a persona's card asks for: where it is, and what it says first. */

import type { Json } from '../core/index.ts';
import { expandMacros, type Persona } from './index.ts';
import { linesFor } from './scripted-persona.ts';

export interface ChatOptions {
  /** What the character calls the other. */
  readonly user?: string;
  readonly turns?: number;
  /** Who plays the character; without one, a script that speaks the lines on the card. */
  readonly model?: string;
}

/** The task of the world "chat" for a persona. */
export function chatTask(persona: Persona, { user = 'the visitor', turns = 1000, model }: ChatOptions): Json {
  const names = { char: persona.nickname || persona.name, user };
  return {
    character: persona.name,
    user,
    scenario: expandMacros(persona.policy.scenario ?? '', names),
    greeting: expandMacros(persona.voice.greetings[0] ?? '', names),
    turns,
    ...(model === undefined ? { lines: linesFor(persona) } : {}),
  };
}
