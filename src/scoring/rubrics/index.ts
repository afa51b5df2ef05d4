/** @file Every rubric by name, one line each, loaded when it is named. */

import { Fault } from '../../core/index.ts';
import type { Rubric } from '../judges/rubric.ts';

const rubrics: Readonly<Record<string, () => Promise<Rubric>>> = {
  'character-box': async () => (await import('./character-box.ts')).characterBox,
  coser: async () => (await import('./coser.ts')).coser,
  'emotional-support': async () => (await import('./emotional-support.ts')).emotionalSupport,
  furina: async () => (await import('./furina.ts')).furina,
  haicosystem: async () => (await import('./haicosystem.ts')).haicosystem,
  'knowledge-conflict': async () => (await import('./knowledge-conflict.ts')).knowledgeConflict,
  'moral-roleplay': async () => (await import('./moral-roleplay.ts')).moralRoleplay,
  'persona-gym': async () => (await import('./persona-gym.ts')).personaGym,
  'role-mrc': async () => (await import('./role-mrc.ts')).roleMrc,
  sotopia: async () => (await import('./sotopia.ts')).sotopia,
};

export const rubricNames: readonly string[] = Object.keys(rubrics);

export async function rubricOf(name: string): Promise<Rubric> {
  const load = Object.hasOwn(rubrics, name) ? rubrics[name] : undefined;
  if (load === undefined) throw new Fault('input', `There is no rubric "${name}"; known are ${rubricNames.join(', ')}.`);
  return load();
}
