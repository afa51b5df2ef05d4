/**
 * @file A critic of single steps, trained with the recipe spc against a generator of wrong steps. It judges the natural errors of a
 * student that forgets to carry, which it has never seen.
 *
 * Options: generator ("learner", or "random": uniformly random errors), games, rate, seed. Prints the balanced accuracy on the steps of
 * fresh sums, and the number of errors that a learning generator planted.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { turnsInLog } from '@ludus-agents/learning/internal/rl/log-turns';
import { criticTurn } from '@ludus-agents/learning/internal/rl/step-game';
import { opponentBy } from '@ludus-agents/learning/internal/training/seat-policies';
import type { ProgramOptions } from '../arms.ts';
import { freshLogs, learned } from './_learned.ts';

const task = { digits: 1 };
const digitOf = (data: unknown) => `[${(data as { readonly digit: number }).digit}]`;

export default async function run({ generator = 'learner', games = 6400, rate = 0.3, seed = 1 }: ProgramOptions): Promise<Json> {
  const settings = [
    'training.environment=sums',
    `training.task=${JSON.stringify(task)}`,
    `training.seats=${JSON.stringify({ critic: 'learner', ...(generator !== 'learner' && { generator }) })}`,
    `training.rate=${JSON.stringify({ from: rate, to: rate })}`,
    `training.games=${games}`,
    'stepGame={"expert":"adder","episodes":400}',
  ];
  const { environment, policy } = await learned('spc', settings, Number(seed));
  const critic = policy({ temperature: 0 });
  const right: boolean[][] = [[], []];
  for (const script of ['adder', 'careless']) {
    const logs = await freshLogs(environment, { pupil: opponentBy(script, environment) }, { task, seed: Number(seed), games: 200 });
    const steps = logs.flatMap((log) => turnsInLog(log, ['pupil']));
    const replies = await critic.act(steps.map(({ turn, action }) => criticTurn(turn, action.text)));
    for (const [i, { turn, action }] of steps.entries()) {
      const isRight = digitOf(turn.ask.data) === action.text;
      right[isRight ? 0 : 1].push(replies[i].action.text === (isRight ? 'right' : 'wrong'));
    }
  }
  const shares = right.map((list) => meanOrZero(list.map(Number)));
  return { balanced: meanOrZero(shares), shares, planted: generator === 'learner' ? games : 0 };
}
