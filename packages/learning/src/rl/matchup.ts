/**
 * @file Measures a policy against a fixed opponent, from every seat in turn; if a script has the name of a seat (the oracle), it plays that
 * seat.
 */

import type { AnyEnvironment, Json, Policy, Script, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';

export interface Matchup {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  readonly mine: Policy;
  readonly theirs: Policy;
  /** Episodes from each seat. */
  readonly games: number;
  readonly seed: Seed;
}

export interface Met {
  /** Mean return of the measured policy. */
  readonly returned: number;
  /** Its returns by seat and seed, which allows comparing two policies episode by episode. */
  readonly returns: readonly number[];
  /** The share of its turns that broke the rules. */
  readonly invalid: number;
}

export async function playMatchup({ environment, task, mine, theirs, games, seed }: Matchup): Promise<Met> {
  const seats: readonly Seat[] = environment.seats(environment.task(task));
  const scripts: Readonly<Record<string, Script>> = environment.scripts ?? {};
  const scripted = Object.fromEntries(
    seats.flatMap((seat) => (Object.hasOwn(scripts, seat) ? [[seat, scriptedPolicy(seat, scripts[seat])]] : [])),
  );
  const dice = rng(seed, 'meet', environment.id);
  const seeds = Array.from({ length: games }, () => dice.int(2 ** 32));
  const returns: number[] = [];
  let [broken, turns] = [0, 0];
  for (const ownText of seats.filter((seat) => scripted[seat] === undefined)) {
    const cast = Object.fromEntries(seats.map((seat) => [seat, scripted[seat] ?? (seat === ownText ? mine : theirs)]));
    for (const log of await rollout(environment, cast, { seeds, task, width: games })) {
      const end = log.at(-1);
      returns.push(end?.kind === 'end' ? (end.returns[ownText] ?? 0) : 0);
      for (const event of log) {
        if (event.kind === 'action' && event.seat === ownText) turns++;
        else if (event.kind === 'reward' && (event.penalties?.[ownText] ?? 0) > 0) broken++;
      }
    }
  }
  return { returned: returns.reduce((sum, value) => sum + value, 0) / returns.length, returns, invalid: broken / Math.max(1, turns) };
}
