/**
 * @file Simulators of a running episode: the rules on a copy of the state.
 *
 * The true state is used only if every seat knows it (`about.open`), or if the task allows it (`simulator`); otherwise the rules imagine
 * one consistent with the seat's knowledge. Rules that can do neither have no simulator.
 */

import type { AnyEnvironment, Ask, Json, Position, Seat, Simulator, Step } from '../core/index.ts';
import { isObject, recordOf } from '../core/index.ts';

interface Now {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  readonly state: Json;
  readonly asks: readonly Ask[];
}

export function createSimulator({ environment, task, state, asks }: Now, seat: Seat): Simulator | undefined {
  const isAllowed = environment.about.open === true || (isObject(task) && task['simulator'] === true);
  if (!isAllowed && environment.imagine === undefined) return undefined;
  const seats = environment.seats(task);
  const nothing = recordOf(seats, () => 0);
  return {
    seat,
    seats,
    exact: isAllowed,
    sample(rng) {
      const now: Json = isAllowed ? state : environment.imagine?.(state, seat, rng);
      return positionOf(environment, { state: now, messages: [], asks }, nothing);
    },
  };
}

function positionOf(
  environment: AnyEnvironment,
  { state, asks, messages }: Step,
  returns: Readonly<Record<Seat, number>>,
  before?: Position,
): Position {
  const position: Position = {
    asks,
    returns,
    key: () => JSON.stringify(state),
    told: (seat) => [...(before?.told(seat) ?? []), ...messages.flatMap(({ to, text }) => (to.includes(seat) ? [text] : []))],
    step(actions, rng) {
      const next = environment.step(state, actions, rng);
      const totals: Record<Seat, number> = { ...returns };
      for (const seat in next.rewards) totals[seat] = (totals[seat] ?? 0) + (next.rewards[seat] ?? 0);
      for (const seat in next.penalties) totals[seat] = (totals[seat] ?? 0) - (next.penalties[seat] ?? 0);
      return positionOf(environment, next, totals, position);
    },
  };
  return position;
}
