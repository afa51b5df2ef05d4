/** @file Exact solutions of small environments: their value, their size, and how far chance play is from an equilibrium. */

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
  /** minimax: over positions, nothing hidden. cfr: two seats, zero-sum. team: one shared payoff. none: no single value to speak of. */
  readonly method: 'minimax' | 'cfr' | 'team' | 'none';
  /** Under best play, to the first seat (of a team, to everyone); null without a method. */
  readonly value: number | null;
  /** The value lies between these, whatever was left undone: best responses prove it. Equal where the value is exact. */
  readonly bounds: readonly [number, number] | null;
  /** How close the bounds should be, and how close they are: CFR may stop before it gets there. Null where the value is exact or has none. */
  readonly within: { readonly wanted: number; readonly reached: number } | null;
  /** Where positions are counted once, an information set is a position. */
  readonly informationSets: number;
  readonly nodes: number;
  readonly terminals: number;
  /** Every choice equally likely, for every seat. */
  readonly uniform: {
    /** To the first seat. */
    readonly value: number;
    readonly bestResponses: Readonly<Record<Seat, number>>;
    readonly nashConv: number;
  };
}

export interface SolveOptions {
  /** How many iterations CFR makes at most; by default, as many as take a few seconds. */
  readonly iterations?: number;
  /** CFR stops when the bounds of the value are this close; 1e-8 by default, which only small trees come to. */
  readonly within?: number;
}

/** Nodes that CFR looks at before it stops of itself: a few seconds' worth, but never less than 500 iterations. */
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
