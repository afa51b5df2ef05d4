/** @file Episodes of an environment's own scripts as rows to imitate. */

import type { AnyEnvironment, Learner, Seat, Seed, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { Recipe } from '../rl/recipe.ts';
import { type ShowRows, toDemonstrationRow } from '../rl/warm-up.ts';
import type { Seating } from './seating.ts';

/** The number of demonstrated episodes in an update. */
const shownGames = 32;

interface Demonstrated {
  readonly learner: Learner;
  readonly seed: Seed;
  readonly others: Seating['others'];
  readonly show?: ShowRows | undefined;
}

/** Rows of the first script that can play any seat, created for every update; undefined if there is none. */
export function demonstrationRows(
  recipe: Recipe,
  environment: AnyEnvironment,
  { learner, seed, others, show }: Demonstrated,
): ((update: number) => Promise<readonly TokenRow[]>) | undefined {
  const task = recipe.training.task ?? {};
  const { warmUp } = recipe.training;
  // A learner that plays through prompts is shown answers to the same prompts, including tool calls.
  if (show !== undefined)
    return (update) =>
      show({ environment, task, others }, { games: shownGames, seed: rng(seed, 'shown', update).int(2 ** 32), script: warmUp?.script });
  const seats: readonly Seat[] = environment.seats(environment.task(task));
  const masters = Object.entries(environment.scripts ?? {}).filter(([name]) => !seats.includes(name));
  const master = masters[0]?.[1];
  if (master === undefined) return undefined;
  return async (update) => {
    const rows: TokenRow[] = [];
    const policy = scriptedPolicy('shown', (turn) => {
      const answer = master(turn);
      const action = 'action' in answer ? answer.action : answer;
      rows.push(toDemonstrationRow(learner, turn, action.text));
      return answer;
    });
    const dice = rng(seed, 'shown', update);
    const cast = Object.fromEntries(seats.map((seat) => [seat, others[seat] ?? policy]));
    await rollout(environment, cast, { seeds: Array.from({ length: shownGames }, () => dice.int(2 ** 32)), task });
    return rows;
  };
}
