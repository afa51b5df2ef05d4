/**
 * @file Learning to read and speak before learning to play: a learner imitates random legal play, and what comes out of it is the first
 * reference.
 *
 * Every situation has random odds of its own. Were all moves equally likely everywhere, imitation would teach to overlook whatever does not
 * change what is legal (a card, a price), and self-play might never find it again; to foretell odds that differ, one has to read.
 */

import {
  type AnyEnvironment,
  Fault,
  type Json,
  type Learner,
  type Policy,
  rng,
  type Seed,
  type TokenRow,
  type Turn,
  textOf,
} from '../core/index.ts';
import { rollout } from '../engine/rollout.ts';
import { between } from './schedule.ts';

export interface WarmUp {
  readonly games: number;
  readonly steps: number;
  readonly rate: number;
  /** Rows of one step, drawn anew each time; all of them unless told. */
  readonly rows?: number;
}

export interface Ground {
  readonly environment: AnyEnvironment;
  readonly task: Json;
}

/** Every move of random legal games as a row that is to be imitated. */
export async function randomPlay(
  learner: Learner,
  { environment, task }: Ground,
  { games, seed }: { readonly games: number; readonly seed: Seed },
): Promise<readonly TokenRow[]> {
  const rows: TokenRow[] = [];
  const policy: Policy = {
    name: 'random',
    act: (turns) =>
      turns.map((turn) => {
        const { choices } = turn.ask;
        if (choices === undefined) throw new Fault('input', `${environment.id} lists no moves, so there is no random play to imitate.`);
        const text = choices[turn.rng.weighted(oddsOf(turn, choices.length, seed))] as string;
        rows.push(demonstrated(learner, turn, text));
        return { action: { text } };
      }),
  };
  const dice = rng(seed, 'warm-up', environment.id);
  const seats: readonly string[] = environment.seats(environment.task(task));
  await rollout(environment, Object.fromEntries(seats.map((seat) => [seat, policy])), {
    seeds: Array.from({ length: games }, () => dice.int(2 ** 32)),
    task,
  });
  return rows;
}

/** How likely each choice is in a situation: up to nine times as likely as another, and on average over situations alike. */
function oddsOf({ view }: Turn, choices: number, seed: Seed): readonly number[] {
  const dice = rng(seed, 'odds', view.seat, textOf(view));
  return Array.from({ length: choices }, () => 0.125 + dice.next());
}

/** What a learner would read and write if it answered so. */
export function demonstrated(learner: Learner, ...[turn, text]: Parameters<NonNullable<Learner['rowOf']>>): TokenRow {
  if (learner.rowOf === undefined) throw new Fault('input', `${learner.id} cannot be shown an answer; train a learner that can be.`);
  return learner.rowOf(turn, text);
}

export async function warmUp(
  learner: Learner,
  grounds: readonly Ground[],
  { games, steps, rate, seed, rows: some }: WarmUp & { readonly seed: Seed },
): Promise<void> {
  const each = Math.ceil(games / grounds.length);
  const rows: TokenRow[] = [];
  for (const ground of grounds) rows.push(...(await randomPlay(learner, ground, { games: each, seed })));
  const weigh = (list: readonly TokenRow[], each: number) =>
    list.map((row) => ({ ...row, mask: Array.from(row.mask, (bit) => bit / each) }));
  const shared = weigh(rows, games);
  for (let step = 0; step < steps; step++) {
    const dice = rng(seed, 'step', step);
    const drawn =
      some === undefined
        ? shared
        : weigh(
            Array.from({ length: some }, () => dice.pick(rows)),
            some,
          );
    await learner.forwardBackward(drawn, 'cross_entropy');
    await learner.optimStep({ rate: between({ from: rate, to: rate / 10 }, step / steps), clip: 1 });
  }
  await learner.refer();
}
