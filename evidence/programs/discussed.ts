/**
 * @file An answerer of sums whose reward comes only from a discussion: a critic comments on its answer, and a verifier scores it
 * without knowing the right answer. The verifier recomputes the sum and errs at a known rate.
 *
 * Options: scores ("verified"; "drawn": random scores with the same frequency as a verifier's scores of random answers; "praising";
 * "frozen": verified, without learning), accuracy (of the verifier), games, settings (JSON list of NAME=VALUE), seed. Prints the share of fresh sums that the answerer
 * solves, and the number of informed scores.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { randomPolicy } from '@ludus-agents/learning/internal/training/seat-policies';
import type { ProgramOptions } from '../arms.ts';
import { freshLogs, learned, paidTo } from './_learned.ts';

const task = { digits: 1, carries: false };

/** An agent as a user would write it: it reads the question and the answer, and adds. */
const verifier = (accuracy: number, isInformed: boolean) => `
export default { name: 'verifier', act: ({ view, rng }) => {
  const text = view.seen.filter((item) => item.kind === 'message').at(-1).text;
  const [, a, b] = /Add (\\d+) and (\\d+)/.exec(text);
  const [, answer] = /Answer: \\[(\\d)\\]/.exec(text) ?? [];
  const isRight = ${isInformed} ? Number(answer) === (Number(a) + Number(b)) % 10 : rng.next() < 0.1;
  return { action: { text: (rng.next() < ${accuracy}) === isRight ? '3' : '1' } };
} };`;

export default async function run({
  scores = 'verified',
  accuracy = 0.75,
  games = 6400,
  settings: more = '[]',
  seed = 1,
}: ProgramOptions): Promise<Json> {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-discussion-'));
  try {
    const isInformed = scores === 'verified' || scores === 'frozen';
    writeFileSync(join(folder, 'verifier.mjs'), verifier(Number(accuracy), isInformed));
    const scorer = scores === 'praising' ? 'praising' : join(folder, 'verifier.mjs');
    const settings = [
      'training.environment=discussion:sums',
      `training.task=${JSON.stringify(task)}`,
      `training.seats=${JSON.stringify({ scorer })}`,
      `training.rate=${JSON.stringify(scores === 'frozen' ? { from: 1e-12, to: 1e-12 } : { from: 0.3, to: 0.1 })}`,
      `training.games=${games}`,
      ...(JSON.parse(String(more)) as readonly string[]),
    ];
    const { environment, policy } = await learned('comas', settings, Number(seed), folder);
    const exact: Script = ({ view }) => {
      const last = view.seen.findLast((item) => item.kind === 'message');
      const text = last?.kind === 'message' ? last.text : '';
      const [, a, b] = /Add (\d+) and (\d+)/.exec(text) ?? [];
      return { text: Number(/Answer: \[(\d)\]/.exec(text)?.[1]) === (Number(a) + Number(b)) % 10 ? '3' : '1' };
    };
    const cast = { solver: policy(), critic: randomPolicy, scorer: scriptedPolicy('exact', exact) };
    const logs = await freshLogs(environment, cast, { task, seed: Number(seed), games: 400 });
    return { right: paidTo(logs, ['solver']), informed: isInformed ? games : 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
