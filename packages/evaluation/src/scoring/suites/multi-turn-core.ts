/** @file A map of what it takes to talk over many turns, one row an ability. */

import { type SceneInput, suite } from './suite.ts';

const row = (name: string, task: { readonly ability: string; readonly gap?: number }, more: Partial<SceneInput> = {}): SceneInput => ({
  name,
  environment: 'multi-turn',
  tasks: [task],
  seats: ['assistant'],
  kinds: { scripted: 'scripted:assistant', copier: 'scripted:copier', forgetful: 'scripted:forgetful' },
  pass: 1,
  ...more,
});

export const multiTurnCore = suite({
  name: 'multi-turn-core',
  about:
    'One row an ability: context kept over 1, 10 and 40 turns, a line out of place, changes that leave the rest alone, a correction that is taken, a topic that is come back to, and equal grades for equal letters. Copying the first message and answering from the last one alone are the floors.',
  seeds: 12,
  nulls: ['copier', 'forgetful'],
  scenes: [
    row('context, 1 turn', { ability: 'context', gap: 1 }),
    row('context, 10 turns', { ability: 'context', gap: 10 }),
    row('context, 40 turns', { ability: 'context', gap: 40 }),
    row('coherence', { ability: 'coherence' }),
    row('consistency', { ability: 'consistency', gap: 5 }, { also: ['edits'], pass: 0.95 }),
    row('correction', { ability: 'correction', gap: 10 }),
    row('topic return', { ability: 'return', gap: 8 }),
    row('fairness', { ability: 'fairness' }, { pass: 0.9 }),
  ],
});
