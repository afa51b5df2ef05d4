/** @file Sets up training by rollout: the learner, its opponents, demonstrations, and the exact solution to measure against. */

import {
  type AnyEnvironment,
  agentPolicy,
  Fault,
  type Learner,
  type Policy,
  rng,
  type Script,
  type Seat,
  type Seed,
  scriptedPolicy,
  type TokenRow,
} from '../core/index.ts';
import { rollout } from '../engine/rollout.ts';
import { distance } from '../environments/solve/best-response.ts';
import { flatten } from '../environments/solve/flat.ts';
import { gameTree } from '../environments/solve/tree.ts';
import { Tabular } from '../learners/index.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import { textsOf } from '../learning/rl/vocabulary-texts.ts';
import { toDemonstrationRow } from '../learning/rl/warm-up.ts';
import { loadAgent } from '../workspace/loaders.ts';

export interface Ready {
  readonly learner: Learner;
  /** A learner of the same kind, to be loaded with an earlier self. */
  readonly another: () => Promise<Learner>;
  readonly exploitability: (() => number) | null;
}

/** Worlds small enough to be solved between two updates. */
export const solvable: readonly string[] = ['kuhn-poker'];

export const randomPolicy: Policy = scriptedPolicy('random', ({ ask, rng: dice }) => {
  if (ask.choices === undefined) throw new Fault('agent', `Seat "${ask.seat}" is given no list of moves to choose from by chance.`);
  return { text: dice.pick(ask.choices) };
});

/** The learner that a recipe asks for. */
export async function learnerFor(
  { name, training }: Recipe,
  environment: AnyEnvironment,
  { seed, folder }: { readonly seed: Seed; readonly folder: string | null },
): Promise<Ready> {
  const id = `local/${name}`;
  const task = training.task ?? {};
  if (training.learner === 'transformer') {
    const { learnVocabulary, Transformer } = await import('../learners/transformer/index.ts');
    const vocabulary = learnVocabulary(await textsOf(environment, { games: 64, seed, task }), 1024);
    const make = () => Transformer.create({ id, vocabulary, seed, maxTokens: 8, ...training.sizes, ...(folder !== null && { folder }) });
    return { learner: await make(), another: make, exploitability: null };
  }
  const { optimiser } = training;
  const another = async () => new Tabular({ id, optimiser });
  if (!solvable.includes(training.environment)) return { learner: await another(), another, exploitability: null };
  const tree = gameTree(environment, task);
  const make = () => new Tabular({ id, optimiser, game: flatten(tree) });
  const learner = make();
  const sets = tree.sets.length;
  return {
    learner,
    another: async () => make(),
    // Sets beyond the tree's are of broken form, which a table never comes to by itself.
    exploitability: () => distance(tree, learner.strategy().slice(0, sets)).exploitability,
  };
}

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
  const seats: readonly Seat[] = environment.seats(environment.task(training.task ?? {}));
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

/** Episodes of the environment's own scripts as rows to imitate; undefined where no script can take every seat. */
export function demonstrationRows(
  recipe: Recipe,
  environment: AnyEnvironment,
  { learner, seed, others }: { readonly learner: Learner; readonly seed: Seed; readonly others: Seating['others'] },
): ((update: number) => Promise<readonly TokenRow[]>) | undefined {
  const task = recipe.training.task ?? {};
  const seats: readonly Seat[] = environment.seats(environment.task(task));
  const masters = Object.entries(environment.scripts ?? {}).filter(([name]) => !seats.includes(name));
  const master = masters[0]?.[1];
  if (master === undefined) return undefined;
  return async (update) => {
    const rows: TokenRow[] = [];
    const shown = scriptedPolicy('shown', (turn) => {
      const answer = master(turn);
      const action = 'action' in answer ? answer.action : answer;
      rows.push(toDemonstrationRow(learner, turn, action.text));
      return answer;
    });
    const dice = rng(seed, 'shown', update);
    const cast = Object.fromEntries(seats.map((seat) => [seat, others[seat] ?? shown]));
    await rollout(environment, cast, { seeds: Array.from({ length: 32 }, () => dice.int(2 ** 32)), task });
    return rows;
  };
}
