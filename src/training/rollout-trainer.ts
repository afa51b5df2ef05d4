/** @file Training by rollout, wired: who learns, who sits opposite, who shows how it is done, and what a solver says of it. */

import {
  type AnyEnvironment,
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

export interface Ready {
  readonly learner: Learner;
  /** A learner of the same kind, to be loaded with an earlier self. */
  readonly another: () => Promise<Learner>;
  readonly exploitability: (() => number) | null;
}

/** Worlds small enough to be solved between two updates. */
const solvable: readonly string[] = ['kuhn-poker'];

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

/** Seats that a script is named after are its own: the oracle, the patient. */
export function standIns(environment: AnyEnvironment, { training }: Recipe): Readonly<Record<Seat, Policy>> {
  const seats = environment.seats(environment.task(training.task ?? {}));
  const scripts = environment.scripts ?? {};
  return Object.fromEntries(
    seats.filter((seat) => Object.hasOwn(scripts, seat)).map((seat) => [seat, scriptedPolicy(seat, scripts[seat] as Script)]),
  );
}

/** Who sits opposite by name: chance, or a script of the world. */
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

/** Games of the world's own scripts as rows to imitate; undefined where it has none that could sit anywhere. */
export function demonstrationRows(
  recipe: Recipe,
  environment: AnyEnvironment,
  { learner, seed }: { readonly learner: Learner; readonly seed: Seed },
): ((update: number) => Promise<readonly TokenRow[]>) | undefined {
  const task = recipe.training.task ?? {};
  const seats: readonly Seat[] = environment.seats(environment.task(task));
  const masters = Object.entries(environment.scripts ?? {}).filter(([name]) => !seats.includes(name));
  const master = masters[0]?.[1];
  if (master === undefined) return undefined;
  const others = standIns(environment, recipe);
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
