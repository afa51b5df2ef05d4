/** @file Exact solutions of small environments: their value, their size, and the distance of random play from an equilibrium. */

import type { AnyEnvironment, Json, Seat } from '@ludus-agents/kernel/internal/core/index';
import { distance, uniform } from './best-response.ts';
import { cfr, isZeroSum } from './cfr.ts';
import { minimax, positions } from './minimax.ts';
import { isTeam, teamOptimum } from './team.ts';
import { gameTree, type Tree } from './tree.ts';

export { bestResponse, distance, expectedReturns, strategyOf, type TreeStrategy, together, uniform } from './best-response.ts';
export { cfr } from './cfr.ts';
export { outcomes } from './chance.ts';
export { minimax, positions } from './minimax.ts';
export { teamOptimum } from './team.ts';
export { type Decision, gameTree, type InformationSet, type Node, type Tree } from './tree.ts';

export interface Solution {
  readonly environment: string;
  readonly task: Json;
  readonly seats: readonly Seat[];
  /**
   * minimax: over positions, without hidden information. cfr: two seats, zero-sum. team: one shared payoff. none: there is no single value.
   */
  readonly method: 'minimax' | 'cfr' | 'team' | 'none';
  /** The value under best play for the first seat (in a team, for everyone). Null without a method. */
  readonly value: number | null;
  /** Bounds of the value, proved by best responses. Equal if the value is exact. */
  readonly bounds: readonly [number, number] | null;
  /**
   * The wanted and the reached distance between the bounds. CFR may stop before it reaches the wanted one. Null if the value is exact or
   * there is none.
   */
  readonly within: { readonly wanted: number; readonly reached: number } | null;
  /** If positions are merged, each position is one information set. */
  readonly informationSets: number;
  readonly nodes: number;
  readonly terminals: number;
  /** The uniform strategy for every seat. */
  readonly uniform: {
    /** For the first seat. */
    readonly value: number;
    readonly bestResponses: Readonly<Record<Seat, number>>;
    readonly nashConv: number;
  };
}

export interface SolveOptions {
  /** Maximum number of CFR iterations. Defaults to as many as take a few seconds. */
  readonly iterations?: number;
  /** CFR stops when the bounds of the value are this close. Defaults to 1e-8, which only small trees reach. */
  readonly within?: number;
}

/** Default budget of node visits for CFR: a few seconds, but never less than 500 iterations. */
const visits = 6e7;

/** Solves an environment for a task. Throws an input fault if the game tree is too large. */
export function solve(environment: AnyEnvironment, input: Json = {}, options: SolveOptions = {}): Solution {
  const open = positions(environment, input);
  const tree = open ?? gameTree(environment, input);
  const chance = distance(tree, uniform(tree));
  return {
    environment: environment.id,
    task: environment.task(input),
    seats: tree.seats,
    ...solveValue(tree, open !== null, options),
    informationSets: tree.sets.length,
    nodes: tree.nodes.length,
    terminals: tree.terminals,
    uniform: {
      value: chance.values[0],
      bestResponses: Object.fromEntries(tree.seats.map((seat, i) => [seat, chance.bestResponses[i]])),
      nashConv: chance.nashConv,
    },
  };
}

function solveValue(tree: Tree, open: boolean, options: SolveOptions): Pick<Solution, 'method' | 'value' | 'bounds' | 'within'> {
  if (open && isZeroSum(tree)) {
    const { value } = minimax(tree);
    return { method: 'minimax', value, bounds: [value, value], within: null };
  }
  if (isZeroSum(tree)) {
    const wanted = options.within ?? 1e-8;
    const iterations = options.iterations ?? Math.max(500, Math.min(200_000, Math.ceil(visits / tree.nodes.length)));
    const strategy = cfr(tree, iterations, wanted);
    const { values, bestResponses } = distance(tree, strategy);
    const [first, second] = bestResponses as [number, number];
    return { method: 'cfr', value: values[0], bounds: [-second, first], within: { wanted, reached: first + second } };
  }
  if (isTeam(tree)) {
    const { value } = teamOptimum(tree);
    return { method: 'team', value, bounds: [value, value], within: null };
  }
  return { method: 'none', value: null, bounds: null, within: null };
}
