/** @file A thread for the tests of pools: it doubles numbers, refuses some, and ends at others. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { answerTasks } from './thread-pool.ts';

answerTasks<number, number>(async (task) => {
  if (task === 13) throw new Fault('input', 'No thirteen here.');
  if (task === 99) process.exit(3);
  return { made: 2 * task };
});
