/**
 * @file Finds the best joint strategy of seats that share one payoff: tries every pure strategy of all seats but one, and computes that
 * seat's exact best response.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { bestResponse, type TreeStrategy } from './best-response.ts';
import type { Tree } from './tree.ts';

/** Maximum number of joint pure strategies of all seats but one. Larger games are refused. */
const strategyLimit = 100_000;

export interface TeamOptimum {
  readonly value: number;
  readonly strategy: TreeStrategy;
}

/** Returns whether all seats get the same return at every end. */
export function isTeam(tree: Tree): boolean {
  return tree.nodes.every((node) => node.kind !== 'terminal' || node.returns.every((value) => value === node.returns[0]));
}

/** Returns the number of joint pure strategies of the seats other than `seat`. */
function pureStrategies(tree: Tree, seat: number): number {
  return tree.sets.reduce((count, set) => (set.seat === seat ? count : count * set.choices.length), 1);
}

export function teamOptimum(tree: Tree): TeamOptimum {
  if (!isTeam(tree)) throw new Fault('input', 'A team optimum needs seats that always get the same return. This game is different.');
  const counts = tree.seats.map((_, seat) => pureStrategies(tree, seat));
  const combinations = Math.min(...counts);
  if (combinations > strategyLimit)
    throw new Fault(
      'input',
      `There are ${combinations} joint strategies to try, more than the limit of ${strategyLimit}. Solve a smaller task.`,
    );
  // The seat with the most strategies best-responds to the others.
  const seat = counts.indexOf(combinations);
  const others = tree.sets.filter((set) => set.seat !== seat);
  const picks = new Int32Array(tree.sets.length);
  let best: TeamOptimum = { value: -Infinity, strategy: [] };
  for (let i = 0; i < combinations; i++) {
    let left = i;
    for (const { index, choices } of others) {
      picks[index] = left % choices.length;
      left = Math.floor(left / choices.length);
    }
    const answer = bestResponse(tree, pure(tree, picks), seat);
    if (answer.value <= best.value) continue;
    best = {
      value: answer.value,
      strategy: pure(
        tree,
        picks.map((pick, index) => Math.max(pick, answer.choices[index])),
      ),
    };
  }
  return best;
}

/** Returns the strategy that makes one fixed choice in each information set. */
export function pure(tree: Tree, picks: ArrayLike<number>): TreeStrategy {
  return tree.sets.map(({ index, choices }) => choices.map((_, choice) => (choice === picks[index] ? 1 : 0)));
}
