/** @file Rules about an environment’s own players: its scripts, and the stored golden playthrough. */

import type { EpisodeEvent, Seat } from '../../core/index.ts';
import type { CheckContext, RuleBreach } from './bench.ts';
import { episode, playthrough } from './sample.ts';

export async function* scripts({ environment, steps }: CheckContext): AsyncIterable<RuleBreach> {
  let spent = 0;
  for (const seed of [1, 2, 3])
    for (const task of environment.about.tasks)
      for (const [name, script] of Object.entries(environment.scripts ?? {})) {
        const seats: readonly Seat[] = environment.seats(environment.task(task));
        const isForSeat = seats.includes(name);
        for (const seat of isForSeat ? [name] : seats) {
          if (spent > steps) return;
          const events = await episode(environment, { task, seed, manner: 'chance' }, { [seat]: script });
          spent += events.length;
          const problem = conduct(events, seat, isForSeat);
          if (problem !== null) yield { message: `Script "${name}" on seat "${seat}" ${problem}`, task, seed };
        }
      }
}

/** The error of a script, or null. A script that is not named after a seat may reject other seats by throwing an input fault. */
function conduct(events: readonly EpisodeEvent[], seat: Seat, isOwnScript: boolean): string | null {
  const end = events.at(-1);
  if (end?.kind !== 'end') return 'has no end.';
  if (end.reason === 'error') return !isOwnScript && end.fault?.boundary === 'input' ? null : `ends with an error: ${end.fault?.message}`;
  if (end.reason === 'limit') return 'does not end.';
  const answers = events.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text] : []));
  return end.penalties[seat] === 0 ? null : `gives an illegal answer, one of: ${answers.join(' | ').slice(0, 300)}`;
}

export async function* golden({ environment, golden: text }: CheckContext): AsyncIterable<RuleBreach> {
  if (text === undefined) return;
  const [wanted, matches] = [text.split('\n'), (await playthrough(environment)).split('\n')];
  const line = Array.from({ length: Math.max(wanted.length, matches.length) }, (_, i) => i).find((i) => wanted[i] !== matches[i]);
  if (line !== undefined) yield { message: `Line ${line + 1} should be "${wanted[line] ?? ''}", but is "${matches[line] ?? ''}".` };
}
