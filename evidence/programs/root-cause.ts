/**
 * @file Failures with a planted cause. Members repeat what they quote from earlier members. One member makes the wrong statement that
 * reaches the answer; another makes a harmless wrong statement that does not. Options: by ("graph", "first", "last", or "random"),
 * seed. Prints the top-1 accuracy.
 */

import { ancestorsOf, rootCauses } from '@ludus-agents/evaluation/internal/scoring/attribution';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const logs = 200;

export default function run({ by = 'graph', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'logs');
  let right = 0;
  let traced = 0;
  let tested = 0;
  while (tested < logs) {
    const steps = 5 + random.int(5);
    const flow = new Map<number, readonly number[]>();
    for (let i = 0; i < steps; i++) {
      const earlier = Array.from({ length: i }, (_, j) => j);
      flow.set(i, i === 0 ? [] : random.shuffle(earlier).slice(0, 1 + random.int(2)));
    }
    const failing = steps - 1;
    const behind = ancestorsOf(flow, failing);
    const causes = [...behind];
    const harmless = Array.from({ length: failing }, (_, i) => i).filter((i) => !behind.has(i));
    if (causes.length === 0 || harmless.length === 0) continue;
    tested++;
    const cause = random.pick(causes);
    const wrong = new Set([cause, random.pick(harmless)]);
    // What depends on the wrong statement repeats it, and is flagged as well.
    for (let i = 0; i < steps; i++) if (i !== failing && behind.has(i) && ancestorsOf(flow, i).has(cause)) wrong.add(i);
    const flagged = [...wrong].sort((a, b) => a - b);
    const answer =
      by === 'graph'
        ? rootCauses(flow, failing, wrong)[0]?.event
        : by === 'first'
          ? flagged[0]
          : by === 'last'
            ? flagged.at(-1)
            : random.int(failing);
    if (by === 'graph') traced++;
    if (answer === cause) right++;
  }
  return { accuracy: right / logs, traced };
}
