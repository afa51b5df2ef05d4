/** @file The task and the state of support talks, which both settings share. */

import { type Json, knob, retries, type Seat, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { cards } from './cards.ts';

export const supportKnobs = {
  setting: knob.one({
    of: ['support', 'arena'],
    otherwise: 'support',
    about: 'a talk in stages, or a patient who puts symptoms into words and a therapist who reads them back',
  }),
  seekers: knob.data({ otherwise: null, about: 'support: your seekers, instead of the built-in ones' }),
  card: knob.one({ of: ['any', ...cards.map(({ id }) => id)], otherwise: 'any', about: 'support: who seeks support' }),
  stages: knob.one({ of: ['helping', 'esconv'], otherwise: 'helping', about: 'support: how the stages are called' }),
  trust: knob.whole({ from: 1, to: 5, otherwise: 3, about: 'support: missteps until the seeker leaves' }),
  turns: knob.whole({ from: 1, to: 60, otherwise: 16, about: 'answers of the supporter' }),
  cost: knob.number({ from: 0, to: 1, otherwise: 0.02, about: 'what each answer of the supporter costs' }),
  retries,
} as const;

/** Without "seekers" where the built-in ones are played: tasks of old logs stay what they are. */
export type SupportTask = Omit<TaskOf<typeof supportKnobs>, 'seekers'> & { readonly seekers?: Json };

export const supporter: Seat = 'supporter';
export const seeker: Seat = 'seeker';
export const bothSeats = [supporter, seeker] as const;
