/**
 * @file Measures how much can be won from a fixed agent: a learner is trained against it, and its result on fresh seeds is a lower bound of
 * the agent's exploitability.
 */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { bestResponse, strategyOf } from '@ludus-agents/environments/internal/solve/best-response';
import type { ResponseReport } from '@ludus-agents/evaluation/internal/found-exploits';
import { mean } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { summaryOf } from '@ludus-agents/evaluation/internal/scoring/statistics/summary';
import type { AnyEnvironment, EpisodeEvent, Json, Policy, Seat } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { leastLegal } from '@ludus-agents/kernel/internal/core/legal-words';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { failedByOthers, refuseFailedGames } from '../rl/failed-games.ts';
import type { Recipe } from '../rl/recipe.ts';
import { smallTree } from './learners.ts';
import { policyFor } from './seat-policies.ts';
import { seatingOf } from './seating.ts';
import { loadTrainedModel } from './trained-agents.ts';

export interface ResponseOptions {
  /** The run that was trained against the agent. */
  readonly run: string;
  readonly recipe: Recipe;
  readonly seed: number;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
  readonly episodes?: number;
}

/** Plays a trained run against the agent it was trained against, on seeds that the training did not use. */
export async function measureResponse({ run, recipe, seed, cwd, trust, episodes: wanted }: ResponseOptions): Promise<ResponseReport> {
  const { opponents: against = 'self', environment: name, task = {} } = recipe.training;
  if (against === 'self' || against === 'league')
    throw new Fault(
      'input',
      `A best response is trained against one agent, but this run plays against ${against}. Choose one with --against.`,
    );
  const environment = await resolveEnvironment(name, cwd, trust);
  // An agent that may call models is measured in at most as many games as it was trained in; a script costs nothing.
  const isFree = against === 'random' || Object.hasOwn(environment.scripts ?? {}, against.replace(/^scripted:/, ''));
  const episodes = wanted ?? (isFree ? 5000 : Math.min(5000, recipe.training.games));
  const { mine, others } = await seatingOf(recipe, environment, cwd, trust);
  const learner = (await loadTrainedModel(`local/${run}@last`, cwd)).policy();
  const dice = rng(seed, 'best-response', 'fresh');
  const seeds = Array.from({ length: episodes }, () => dice.int(2 ** 32));
  const moves = { all: 0, broken: 0 };
  const failed = new Set<number>();
  const returns = await Promise.all(
    mine.map(async (ownText) => {
      const rest = await Promise.all(
        mine
          .filter((seat) => seat !== ownText)
          .map(async (seat) => [seat, await policyFor(against, { seat, environment, cwd, trust })] as const),
      );
      const cast: Record<Seat, Policy> = { ...others, ...Object.fromEntries(rest), [ownText]: learner };
      const logs = await rollout(environment, cast, { seeds, task });
      refuseFailedGames(logs);
      return logs.map((log, i) => {
        if (failedByOthers(log, [ownText])) failed.add(i);
        for (const [seat] of rest) countMoves(log, seat, moves);
        const end = log.at(-1);
        return end?.kind === 'end' ? (end.returns[ownText] ?? 0) : 0;
      });
    }),
  );
  // All seats are played on the same seeds, so the seed is the sampling unit.
  const played = [...seeds.keys()].filter((i) => !failed.has(i));
  if (played.length === 0) throw new Fault('agent', `${against} failed in at least one of the games on each of ${episodes} seeds.`);
  const bySeed = played.map((i) => returns.reduce((sum, item) => sum + item[i], 0) / mine.length);
  const { value, interval } = summaryOf(bySeed.map((won, i) => ({ scene: '', task: '', seed: seeds[played[i]], value: won })))!;
  const bySeat = Object.fromEntries(mine.map((seat, i) => [seat, mean(played.map((at) => returns[i][at]))]));
  const legal = 1 - moves.broken / Math.max(1, moves.all);
  const isProven = interval !== null && interval[0] > 0 && legal >= leastLegal.mean;
  return {
    ...{ environment: environment.id, exploitability: isProven ? value : null, won: value, interval: interval ?? [value, value] },
    ...{ legal, bySeat, episodes: played.length, exact: exactValue(against, environment, task) },
  };
}

/** Counts the moves of a seat, and those that were penalized for breaking the rules. */
function countMoves(log: readonly EpisodeEvent[], seat: Seat, moves: { all: number; broken: number }): void {
  for (const event of log) {
    if (event.kind === 'action' && event.seat === seat) moves.all++;
    else if (event.kind === 'reward' && (event.penalties?.[seat] ?? 0) > 0) moves.broken++;
  }
}

/** The value of a best response to a script, by the solver. */
function exactValue(against: string, environment: AnyEnvironment, task: Json): number | null {
  const script = environment.scripts?.[against.replace(/^scripted:/, '')];
  const tree = smallTree({ environment, task });
  if (script === undefined || tree === null) return null;
  const scripts = tree.seats.map(() => script);
  return tree.seats.reduce((sum, _, seat) => sum + bestResponse(tree, strategyOf(tree, scripts), seat).value, 0) / tree.seats.length;
}
