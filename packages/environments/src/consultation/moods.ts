/** @file The built-in table of the consultation: four moods, invented and simple. */

import type { ConsultTable } from './cases.ts';

export const moods: ConsultTable = {
  symptoms: [
    { id: 'sleepless', says: 'I lie awake most nights.', cues: ['awake', 'sleepless', 'insomnia'] },
    { id: 'worry', says: 'I worry about everything that could go wrong.', cues: ['worry', 'worried'] },
    { id: 'avoidance', says: 'I stay at home to be safe.', cues: ['stay at home', 'avoid'] },
    { id: 'tears', says: 'I cry for no reason.', cues: ['cry', 'tears'] },
    { id: 'listless', says: 'Nothing is fun any more.', cues: ['fun', 'interest'] },
    { id: 'rage', says: 'I shout over trifles.', cues: ['shout', 'temper'] },
  ],
  conditions: [
    { id: 'anxiety', symptoms: ['worry', 'avoidance', 'sleepless'], treatment: 'exposure', profile: 'You had an accident last year.' },
    { id: 'low mood', symptoms: ['tears', 'listless', 'sleepless'], treatment: 'activation', profile: 'You moved away from your friends.' },
    { id: 'strain', symptoms: ['rage', 'sleepless', 'worry'], treatment: 'rest', profile: 'You work two jobs.' },
    { id: 'grief', symptoms: ['tears', 'listless', 'avoidance'], treatment: 'talking', profile: 'You lost somebody in spring.' },
  ],
};
