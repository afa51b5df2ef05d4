/** @file Who plays which seat of a training: the learner, scripts, chance, any agent, a league. */

import { type AnyEnvironment, agentPolicy, Fault, type Json, type Policy, type Script, type Seat, scriptedPolicy } from '../core/index.ts';
import type { LoggedParts } from '../learning/rl/logged-lessons.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import { findAgent } from '../workspace/agents.ts';
import { loadAgent } from '../workspace/loaders.ts';

export const randomPolicy: Policy = scriptedPolicy('random', ({ ask, rng: dice }) => {
  if (ask.choices === undefined) throw new Fault('agent', `Seat "${ask.seat}" is given no list of moves to choose from by chance.`);
  return { text: dice.pick(ask.choices) };
});

/** Who plays which seat: the learner has `mine`, and the other seats are played by `others` in every game. */
export interface Seating {
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
}

/**
 * What a recipe says of a seat holds. A seat it does not speak of goes to the script named after it (the oracle, the patient), else to the
 * learner. Where every seat would have its script, the learner takes the first: a training without a learner trains nobody.
 */
export async function seatingOf({ training }: Pick<Recipe, 'training'>, environment: AnyEnvironment, cwd: string): Promise<Seating> {
  const seats: readonly Seat[] = environment.seats(environment.task(training.tasks?.[0] ?? training.task ?? {}));
  const wanted = training.seats ?? {};
  for (const seat of Object.keys(wanted))
    if (!seats.includes(seat)) throw new Fault('input', `${environment.id} has no seat "${seat}"; its seats are ${seats.join(', ')}.`);
  const scripts = environment.scripts ?? {};
  const asked = seats.filter((seat) => wanted[seat] === 'learner');
  const open = seats.filter((seat) => wanted[seat] === undefined && !Object.hasOwn(scripts, seat));
  const spare = seats.filter((seat) => wanted[seat] === undefined).slice(0, 1);
  const mine = asked.length + open.length > 0 ? seats.filter((seat) => asked.includes(seat) || open.includes(seat)) : spare;
  if (mine.length === 0)
    throw new Fault('input', `Every seat of ${environment.id} is given to somebody else; leave one to the learner (training.seats).`);
  const others: Record<Seat, Policy> = {};
  for (const seat of seats) if (!mine.includes(seat)) others[seat] = await policyFor(wanted[seat] ?? seat, { seat, environment, cwd });
  return { mine, others };
}

/** Any agent as a policy: chance, a script of the environment by its name, or whatever a seat can be given to. */
export async function policyFor(
  name: string,
  { seat, environment, cwd }: { readonly seat: Seat; readonly environment: AnyEnvironment; readonly cwd: string },
): Promise<Policy> {
  if (name === 'random' || Object.hasOwn(environment.scripts ?? {}, name)) return opponentBy(name, environment);
  return agentPolicy(await loadAgent(name, seat, environment, cwd), new AbortController().signal);
}

/** An opponent that needs nothing but the environment: chance, or one of its scripts. */
export function opponentBy(name: string, environment: AnyEnvironment): Policy {
  if (name === 'random') return randomPolicy;
  const scripts: Readonly<Record<string, Script>> = environment.scripts ?? {};
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (script === undefined)
    throw new Fault(
      'input',
      `${environment.id} has no player "${name}" to sit opposite; there are self, league, random${Object.keys(scripts)
        .map((one) => `, ${one}`)
        .join('')}.`,
    );
  return scriptedPolicy(name, script);
}

interface Casting {
  readonly environment: AnyEnvironment;
  readonly cwd: string;
  readonly seating: Seating;
  /** The opponent of an update that a league draws, where there is a league. */
  readonly drawn?: (update: number) => Readonly<Record<Seat, Policy>>;
}

/** Who plays the seats that the learner does not, at an update: a league where there is one, else an opponent whom the learner faces from every seat of its own. */
export async function castBy(
  { training }: Recipe,
  { environment, cwd, seating: { mine, others }, drawn }: Casting,
): Promise<Pick<LoggedParts, 'others' | 'cast'>> {
  const { opponents = 'self' } = training;
  if (drawn !== undefined) return { cast: (update) => ({ ...drawn(update), ...others }) };
  if (opponents === 'self') return { others };
  if (mine.length < 2)
    throw new Fault(
      'input',
      `${environment.id} leaves the learner one seat, so nobody can play against it; name the others in training.seats.`,
    );
  const against = new Map(
    await Promise.all(mine.map(async (seat) => [seat, await policyFor(opponents, { seat, environment, cwd })] as const)),
  );
  return {
    cast: (update) => {
      const own = mine[update % mine.length];
      return { ...Object.fromEntries([...against].filter(([seat]) => seat !== own)), ...others };
    },
  };
}

/** The personas of agents that seats are given to, by seat: of files and named agents that have one. */
export async function personasOf({ training }: Pick<Recipe, 'training'>, cwd: string): Promise<Readonly<Record<Seat, Json>>> {
  const found: Record<Seat, Json> = {};
  for (const [seat, name] of Object.entries(training.seats ?? {})) {
    const own = name === 'learner' ? undefined : await findAgent(name, cwd, 'user');
    if (typeof own === 'object' && 'persona' in own && own.persona !== undefined) found[seat] = own.persona;
  }
  return found;
}
