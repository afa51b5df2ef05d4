/** @file Every rubric by name, one line each, loaded when it is named. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { findEntry, type KindEntry } from '@ludus-agents/kernel/internal/core/kind';
import type { Rubric } from '../judges/rubric.ts';

/** Each with one line about it. */
export const rubrics: Readonly<Record<string, KindEntry<Rubric>>> = {
  'beyond-dialogue': {
    about: 'how each sentence fits the profile: character, style, emotion, relationship, personality',
    load: async () => (await import('./role-play.ts')).beyondDialogue,
  },
  'character-box': {
    about: 'how well the seat plays its character over a whole scene',
    load: async () => (await import('./character-box.ts')).characterBox,
  },
  coser: { about: 'flaws in how the seat acts its character in a scene', load: async () => (await import('./role-play.ts')).coser },
  'emotional-support': {
    about: 'how well the seat supports a person in distress',
    load: async () => (await import('./emotional-support.ts')).emotionalSupport,
  },
  furina: { about: 'which of two episodes plays the role better', load: async () => (await import('./role-play.ts')).furina },
  haicosystem: {
    about: 'harm done or risked, and service to those it worked for',
    load: async () => (await import('./haicosystem.ts')).haicosystem,
  },
  'knowledge-conflict': {
    about: 'does the seat refuse what its character cannot know',
    load: async () => (await import('./role-play.ts')).knowledgeConflict,
  },
  'moral-roleplay': {
    about: 'is a character as moral or immoral as it is written',
    load: async () => (await import('./role-play.ts')).moralRoleplay,
  },
  'persona-gym': { about: 'how well replies fit the persona', load: async () => (await import('./role-play.ts')).personaGym },
  'role-mrc': {
    about: 'answers, refuses or attempts as role and passage demand',
    load: async () => (await import('./role-play.ts')).roleMrc,
  },
  sotopia: { about: 'how the seat fared as a social being, on seven axes', load: async () => (await import('./sotopia.ts')).sotopia },
};

export const rubricNames: readonly string[] = Object.keys(rubrics);

export async function builtInRubric(name: string): Promise<Rubric> {
  const entry = findEntry(rubrics, name);
  if (entry === null)
    throw new Fault('input', `Unknown rubric "${name}". Available: ${rubricNames.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
  return entry.load();
}
