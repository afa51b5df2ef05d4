/**
 * @file Games with perfect information: enumerates each position once and computes its value under best play by both sides.
 *
 * Branches that lead to the same state are merged, so tic-tac-toe has 5,478 nodes instead of 549,946. Each position is its own information
 * set, so everything in best-response.ts works on this graph as on any tree.
 */

import { type AnyEnvironment, canonical, equal, Fault, type Json, type Seat, type Step } from '@ludus-agents/kernel/internal/core/index';
import type { TreeStrategy } from './best-response.ts';
import { isZeroSum } from './cfr.ts';
import { type ChanceOutcome, outcomes } from './chance.ts';
import { choicesOf, type InformationSet, Known, KnownSet, learn, type Node, type Tree, tooLarge } from './tree.ts';

/** Maximum number of positions. Beyond this, enumeration would take longer than a person waits. */
const positionLimit = 250_000;

/**
 * Returns the positions of an environment without dice, in which one seat moves at a time and all seats are entitled to the same
 * information. Returns null for other environments. The mover knows its own move, so all seats know every move and nothing is hidden.
 */
export function positions(environment: AnyEnvironment, input: Json = {}, limit: number = positionLimit): Tree | null {
  const task = environment.task(input);
  const survey = new Survey(environment, environment.seats(task), limit);
  const solvedBySeat = survey.seats.map(() => new Known(null, null));
  const root = survey.visit(only(outcomes((dice) => environment.start(task, dice))), solvedBySeat);
  return root === null ? null : { seats: survey.seats, nodes: survey.nodes, root, sets: survey.sets, terminals: survey.terminals };
}

export interface Minimax {
  /** For the first seat. */
  readonly value: number;
  /** All best moves of a position, equally likely. */
  readonly strategy: TreeStrategy;
}

/** Returns the values of the positions of a two-seat zero-sum game under best play by both sides. */
export function minimax(tree: Tree): Minimax {
  if (!isZeroSum(tree) || tree.sets.some((set) => set.nodes.length > 1))
    throw new Fault('input', 'Minimax needs a two-seat zero-sum game without hidden information. This game is different.');
  const values = new Float64Array(tree.nodes.length);
  const strategy: number[][] = [];
  for (const node of tree.nodes) {
    if (node.kind === 'terminal') values[node.index] = node.returns[0];
    if (node.kind !== 'decision') continue;
    const worths = node.children.map((child) => values[child.index]);
    const best = node.set.seat === 0 ? Math.max(...worths) : Math.min(...worths);
    const count = worths.filter((worth) => worth === best).length;
    strategy[node.set.index] = worths.map((worth) => (worth === best ? 1 / count : 0));
    values[node.index] = best;
  }
  return { value: values[tree.root.index], strategy };
}

class Survey {
  readonly nodes: Node[] = [];
  readonly sets: InformationSet[] = [];
  terminals = 0;
  readonly seats: readonly Seat[];
  readonly #environment: AnyEnvironment;
  readonly #limit: number;
  readonly #visited = new Map<string, Node>();

  constructor(environment: AnyEnvironment, seats: readonly Seat[], limit: number) {
    this.#environment = environment;
    this.seats = seats;
    this.#limit = limit;
  }

  /** Returns the node of a position with its subtree, or null if information is hidden. */
  visit(step: Step | null, knowledge: readonly Known[]): Node | null {
    if (step === null || step.asks.length > 1) return null;
    const over = step.asks.length === 0;
    const key = canonical([step.state, over ? (step.rewards ?? null) : null]);
    const visited = this.#visited.get(key);
    if (visited !== undefined) return visited;
    const node = over ? this.#end(step) : this.#decision(step, knowledge);
    if (node === null) return null;
    this.#visited.set(key, node);
    this.nodes.push(node);
    if (this.nodes.length > this.#limit) throw tooLarge(this.#environment, this.#limit);
    return node;
  }

  #end({ rewards }: Step): Node {
    this.terminals++;
    return { kind: 'terminal', index: this.nodes.length, returns: this.seats.map((seat) => rewards?.[seat] ?? 0) };
  }

  #decision(step: Step, knowledge: readonly Known[]): Node | null {
    const ask = step.asks[0];
    const seat = this.seats.indexOf(ask.seat);
    // With intermediate rewards, the value of a position would depend on how it was reached.
    if (step.rewards !== undefined || !this.#shared(step.state)) return null;
    const observations = knowledge.map((before, i) => learn(before, step, this.seats[i]));
    const mine = observations[seat];
    const choices = choicesOf(this.#environment, ask);
    const set = new KnownSet(mine, { index: this.sets.length, seat, ask, choices });
    this.sets.push(set);
    const children: Node[] = [];
    for (const text of choices) {
      const action = { text };
      const next = only(outcomes((dice) => this.#environment.step(step.state, { [ask.seat]: action }, dice)));
      const child = this.visit(next, observations.with(seat, mine.and({ kind: 'action', action })));
      if (child === null) return null;
      children.push(child);
    }
    const node: Node = { kind: 'decision', index: this.nodes.length, set, children };
    set.nodes.push(node);
    return node;
  }

  #shared(state: Json): boolean {
    const { knows } = this.#environment;
    if (knows === undefined) return false;
    const first = knows(state, this.seats[0]);
    return this.seats.every((seat) => equal(knows(state, seat), first));
  }
}

/** Returns the only outcome of a deterministic step, or null if the step involves chance. */
function only(steps: Generator<ChanceOutcome<Step>>): Step | null {
  const [first, second] = [steps.next(), steps.next()];
  return second.done === true && first.done !== true ? first.value.value : null;
}
