/** @file Emotional support as a simulation: a talk in stages with an invented seeker, or a patient and a therapist who learn from each other. */

import { type Environment, Fault, readTask } from '@ludus-agents/kernel/internal/core/index';
import { type ConsultState, knowsConsult, startConsult, stepConsult } from './consult.ts';
import { scripts } from './scripts.ts';
import { seekersOf } from './seekers.ts';
import { knowsTalk, startTalk, stepTalk, type TalkState } from './talk.ts';
import { bothSeats, type SupportTask, supportKnobs } from './task.ts';

type State = TalkState | ConsultState;

export const support: Environment<State, SupportTask> = {
  id: 'support@1',
  about: {
    summary:
      'A simulation, not a service for people: a supporter talks with an invented seeker whose card it cannot see. Ask about what matters, name the feeling, then suggest what fits; advice too early costs trust, and without trust the seeker leaves. Each of three stages pays a third, each answer costs 0.02. In the setting “arena” a patient puts coded symptoms into words and a therapist reads them back and finds a treatment; both are paid the same and can be trained. A product for real people must show a crisis line, as every prompt here does.',
    tasks: [{}, { setting: 'arena' }, { card: 'baker', stages: 'esconv', trust: 1 }, { setting: 'arena', turns: 5 }],
    turns: 33 * 3 + 4,
    words: ['question', 'reflect', 'suggest', 'treat'],
  },
  knobs: supportKnobs,
  task(input) {
    const { seekers, ...task } = readTask('support', supportKnobs, input);
    if (seekers === null) return task;
    if (task.card !== 'any') throw new Fault('input', 'support: "card" names a built-in seeker; leave it out with "seekers".');
    seekersOf(seekers);
    return { ...task, seekers };
  },
  seats: () => bothSeats,
  start: (task, rng) => (task.setting === 'support' ? startTalk(task, rng) : startConsult(task, rng)),
  step: (state, actions) => (state.setting === 'support' ? stepTalk(state, actions) : stepConsult(state, actions)),
  knows: (state, seat) => (state.setting === 'support' ? knowsTalk(state, seat) : knowsConsult(state, seat)),
  scripts,
};
