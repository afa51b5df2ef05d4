/** @file Simulated emotional support: a talk in stages with a fictional seeker, or a patient and a therapist who learn from each other. */

import { choose, defineEnvironment, Fault, type MoveOutcome, type ParsedMove } from '@ludus-agents/kernel/internal/core/index';
import { type Consult, consultAsk, finishConsult, knowsConsult, playConsult, startConsult } from './consult.ts';
import type { SupportMove } from './detect.ts';
import { scripts } from './scripts.ts';
import { seekersOf } from './seekers.ts';
import { finishTalk, knowsTalk, playTalk, readTalk, type SupportTalk, startTalk, talkAsk } from './talk.ts';
import { bothSeats, type SupportTask, supportParameters } from './task.ts';

export const support = defineEnvironment({
  id: 'support@1',
  about: {
    summary:
      'A supporter talks with an invented seeker whose card it cannot see (a simulation, not a service for people). Ask about what matters, name the feeling, then suggest something that fits; advice that comes too early costs trust, and without trust the seeker leaves. Each of three stages pays a third, and each answer costs 0.02. In the setting “arena”, a patient puts coded symptoms into words, and a therapist decodes them and finds a treatment; both earn the same and can be trained. A product for real people must show a crisis line, as every prompt here does.',
    tasks: [{}, { setting: 'arena' }, { card: 'baker', stages: 'esconv', trust: 1 }, { setting: 'arena', turns: 5 }],
    turns: 33 * 3 + 4,
    words: ['question', 'reflect', 'suggest', 'treat'],
  },
  parameters: supportParameters,
  task({ seekers, ...task }): SupportTask {
    if (seekers === null) return task;
    if (task.card !== 'any') throw new Fault('input', 'support: "card" names a built-in seeker. Remove it when you set "seekers".');
    seekersOf(seekers);
    return { ...task, seekers };
  },
  seats: bothSeats,
  start: (task, rng): MoveOutcome<SupportTalk | Consult> => (task.setting === 'support' ? startTalk(task, rng) : startConsult(task, rng)),
  turn: (state) => (state.setting === 'support' ? talkAsk(state) : consultAsk(state)),
  read: (action, state, ask): ParsedMove<string | SupportMove> =>
    state.setting === 'support' ? readTalk(action, state) : choose(action, ask.choices ?? []),
  play: (state, move, { action }) => (state.setting === 'support' ? playTalk(state, move, action) : playConsult(state, move as string)),
  forfeit(state, _, text) {
    const messages = [{ to: bothSeats, text }];
    return state.setting === 'support' ? finishTalk(state, messages) : finishConsult(state, messages);
  },
  knows: (state, seat) => (state.setting === 'support' ? knowsTalk(state, seat) : knowsConsult(state, seat)),
  scripts,
});
