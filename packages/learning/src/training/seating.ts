/** @file Assigns the seats of a training: to the learner, scripts, random play, any agent, a league. */

import { readSeatSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadPersona } from '@ludus-agents/agents/internal/workspace/loaders';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, Fault, type Json, type Policy, type Seat } from '@ludus-agents/kernel/internal/core/index';
import type { LoggedParts } from '../rl/logged-lessons.ts';
import type { Recipe } from '../rl/recipe.ts';
import { opponentBy, policyFor } from './seat-policies.ts';

/** The assignment of seats: the learner plays `mine`, and `others` play the remaining seats in every game. */
export interface Seating {
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
  /** The policies on other seats during demonstrations: scripts of the environment instead of external agents. */
  readonly shown: Readonly<Record<Seat, Policy>>;
}

/**
 * Seats named in the recipe are assigned by it. Any other seat is played by the script of its name (the oracle, the patient), else by the
 * learner. If every seat has a script, the learner takes the first, because a training needs a learner.
 */
export async function seatingOf(
  { training }: Pick<Recipe, 'training'>,
  environment: AnyEnvironment,
  cwd: string,
  trust: Trust,
): Promise<Seating> {
  const seats: readonly Seat[] = environment.seats(environment.task(training.tasks?.[0] ?? training.task ?? {}));
  const wanted = training.seats ?? {};
  for (const seat of Object.keys(wanted))
    if (!seats.includes(seat))
      throw new Fault('input', `${environment.id} has no seat "${seat}"; its seats are ${seats.join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
  const scripts = environment.scripts ?? {};
  const requestedSeats = seats.filter((seat) => wanted[seat] === 'learner');
  const open = seats.filter((seat) => wanted[seat] === undefined && !Object.hasOwn(scripts, seat));
  const spare = seats.filter((seat) => wanted[seat] === undefined).slice(0, 1);
  const mine =
    requestedSeats.length + open.length > 0 ? seats.filter((seat) => requestedSeats.includes(seat) || open.includes(seat)) : spare;
  if (mine.length === 0)
    throw new Fault('input', `Every seat of ${environment.id} is assigned to another agent. Leave one for the learner (training.seats).`);
  const others: Record<Seat, Policy> = {};
  const standIns: Record<Seat, Policy> = {};
  for (const seat of seats)
    if (!mine.includes(seat)) {
      const name = wanted[seat];
      others[seat] = name === undefined ? opponentBy(seat, environment) : await policyFor(name, { seat, environment, cwd, trust });
      const isOutside = typeof name === 'object' || (name !== undefined && name !== 'random' && !Object.hasOwn(scripts, name));
      standIns[seat] = isOutside && Object.hasOwn(scripts, seat) ? opponentBy(seat, environment) : others[seat];
    }
  return { mine, others, shown: standIns };
}

interface Casting {
  readonly environment: AnyEnvironment;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  readonly seating: Seating;
  /** The league's opponents for an update, if there is a league. */
  readonly drawn?: (update: number) => Readonly<Record<Seat, Policy>>;
}

/**
 * Returns the policies on the other seats at an update: drawn by the league, if there is one; otherwise the opponents in turn, which the
 * learner faces from each of its seats.
 */
export async function castBy(
  { training }: Recipe,
  { environment, cwd, trust, seating: { mine, others }, drawn }: Casting,
): Promise<Pick<LoggedParts, 'others' | 'cast'>> {
  const { opponents = 'self' } = training;
  if (drawn !== undefined) return { cast: (update) => ({ ...drawn(update), ...others }) };
  if (opponents === 'self') return { others };
  if (mine.length < 2)
    throw new Fault('input', `${environment.id} has no free seat for an opponent. Assign the other seats in training.seats.`);
  const against = await Promise.all(
    opponents
      .split(',')
      .map(
        async (name) =>
          new Map(
            await Promise.all(mine.map(async (seat) => [seat, await policyFor(name.trim(), { seat, environment, cwd, trust })] as const)),
          ),
      ),
  );
  return {
    cast: (update) => {
      const ownText = mine[update % mine.length];
      const now = against[Math.floor(update / mine.length) % against.length];
      return { ...Object.fromEntries([...now].filter(([seat]) => seat !== ownText)), ...others };
    },
  };
}

/** The personas on the seats: from the recipe, and from agents that have one. */
export async function personasOf({ training }: Pick<Recipe, 'training'>, cwd: string, trust: Trust): Promise<Readonly<Record<Seat, Json>>> {
  const personas: Record<Seat, Json> = {};
  for (const [seat, name] of Object.entries(training.personas ?? {})) personas[seat] = (await loadPersona(name, cwd, trust)) as Json;
  for (const [seat, name] of Object.entries(training.seats ?? {})) {
    const persona = name === 'learner' ? undefined : (await readSeatSpec(name, seat, { cwd, trust })).persona;
    if (persona !== undefined) personas[seat] = persona;
  }
  return personas;
}
