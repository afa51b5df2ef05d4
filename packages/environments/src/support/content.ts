/** @file Support seekers from a file, and the accuracy of the stage detector on their words. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { type ContentReader, refuseDuplicates } from '../content/content.ts';
import { feelingIn, planIn, problemOfSeeker, seekerShape } from './seekers.ts';

export const supportContent: ContentReader = {
  files: {
    'seekers.json':
      'seekers: id, who, tag, problem, event, since, people, tried, needed, feeling, shows, plan, hints, and held (true keeps a seeker out of training); or seekers.csv',
  },
  seat: 'supporter',
  others: { seeker: 'scripted:seeker' },
  best: 'detecting',
  scale: [-1, 1],
  pass: 0.7,
  read(source, task) {
    const rows = source.holdableTable('seekers', seekerShape);
    refuseDuplicates(source, rows);
    for (const { value, file, line } of rows) {
      const problem = problemOfSeeker(value);
      if (problem !== null) source.refuse(file, line, problem);
    }
    if (task['setting'] === 'arena') source.refuse('world.json', ['task'], 'seekers are for the setting "support"');
    const seekers = rows.map(({ value }) => value);
    const feelingsRead = seekers.filter(({ shows, feeling }) => feelingIn(shows) === feeling).length;
    const early = seekers.filter(({ event, since, people, tried }) => feelingIn([event, since, people, tried].join(' ')) !== null).length;
    const plansRead = seekers.filter(({ hints, plan }) => planIn(hints) === plan).length;
    const turns = typeof task['turns'] === 'number' ? task['turns'] : 16;
    return {
      task: { seekers },
      cases: rows.map(({ value: seeker, heldOut }) => ({ id: seeker.id, task: { seekers: [seeker] }, heldOut })),
      turns: (2 * turns + 3) * 4,
      proofs: [
        `${count(seekers.length, 'seeker')}; none names the feeling before the supporter does, and each can be helped.`,
        `The word-based stage detector reads the feeling of ${feelingsRead} of ${seekers.length} and the plan of ${plansRead}, and takes ${early} for feeling too early.`,
      ],
    };
  },
};
