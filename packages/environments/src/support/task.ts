/** @file The task and state of support talks, shared by both settings. */

import { type Json, parameter, retries, type Seat, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { cards } from './cards.ts';

export const supportParameters = {
  setting: parameter.choice({
    options: ['support', 'arena'],
    default: 'support',
    description: 'a talk in stages, or a patient who puts symptoms into words and a therapist who reads them back',
  }),
  seekers: parameter.json({ default: null, description: 'support: your seekers, instead of the built-in ones' }),
  card: parameter.choice({ options: ['any', ...cards.map(({ id }) => id)], default: 'any', description: 'support: who seeks support' }),
  stages: parameter.choice({ options: ['helping', 'esconv'], default: 'helping', description: 'support: names of the stages' }),
  trust: parameter.integer({ min: 1, max: 5, default: 3, description: 'support: number of missteps until the seeker leaves' }),
  turns: parameter.integer({ min: 1, max: 60, default: 16, description: 'number of answers by the supporter' }),
  cost: parameter.number({ min: 0, max: 1, default: 0.02, description: 'cost of each answer by the supporter' }),
  retries,
} as const;

/** Without "seekers" if the built-in ones are used, so that tasks of old logs stay unchanged. */
export type SupportTask = Omit<TaskOf<typeof supportParameters>, 'seekers'> & { readonly seekers?: Json };

export const supporter: Seat = 'supporter';
export const seeker: Seat = 'seeker';
export const bothSeats = [supporter, seeker] as const;
