/**
 * @file Builds the whole game tree of a small environment by applying its rules with every roll of the dice and every choice of every seat.
 *
 * Nothing is pruned. All rolls of one transition form one chance node; seats that act simultaneously move one after the other without
 * seeing each other's moves. A seat's observations (messages to it, its own moves, its own rewards) are stored in a trie, and decisions at
 * the same place of a seat's trie form one information set: the seat has perfect recall and can't distinguish more.
 */

import type { Action, AnyEnvironment, Ask, Json, Seen, Step, View } from '@ludus-agents/kernel/internal/core/index';
import { canonical, Fault } from '@ludus-agents/kernel/internal/core/index';
import { type ChanceOutcome, outcomes } from './chance.ts';

/** A set of decisions that look the same to the seat that makes them. Seats are numbered in the order of `Tree.seats`. */
export interface InformationSet {
  readonly index: number;
  readonly seat: number;
  readonly view: View;
  readonly ask: Ask;
  readonly choices: readonly string[];
  readonly nodes: Decision[];
  /** The seat's previous move before this decision, or null at its first. */
  readonly after: Move | null;
}

export interface Move {
  readonly set: InformationSet;
  readonly choice: number;
}

export interface Decision {
  readonly kind: 'decision';
  readonly index: number;
  readonly set: InformationSet;
  /** One child for each choice of the set. */
  readonly children: readonly Node[];
}

export interface Chance {
  readonly kind: 'chance';
  readonly index: number;
  readonly chances: readonly number[];
  readonly children: readonly Node[];
}

export interface TreeTerminal {
  readonly kind: 'terminal';
  readonly index: number;
  /** The return of each seat. */
  readonly returns: readonly number[];
}

export type Node = Decision | Chance | TreeTerminal;

export interface Tree {
  readonly seats: readonly string[];
  /** Children before parents, so one pass through the list can sum values upward. The root is last. Branches may merge (see minimax.ts). */
  readonly nodes: readonly Node[];
  readonly root: Node;
  readonly sets: readonly InformationSet[];
  readonly terminals: number;
}

/** Maximum number of nodes. With this limit, even a verbose environment fits into Node's default memory. */
const nodeLimit = 1_000_000;

/** Builds the game tree of an environment for an unvalidated task. */
export function gameTree(environment: AnyEnvironment, input: Json = {}, limit: number = nodeLimit): Tree {
  const task = environment.task(input);
  const growth = new Growth(environment, environment.seats(task), limit);
  const blank = growth.seats.map(() => new Known(null, null));
  const root = growth.grow(
    outcomes((dice) => environment.start(task, dice)),
    blank,
    growth.seats.map(() => 0),
  );
  return { seats: growth.seats, nodes: growth.nodes, root, sets: growth.sets, terminals: growth.terminals };
}

/** A node in the trie of everything that one seat may observe. */
export class Known {
  readonly #before: Known | null;
  readonly #item: Seen | null;
  #next: Map<string, Known> | null = null;
  readonly after: Move | null;
  set: InformationSet | null = null;

  constructor(before: Known | null, item: Seen | null) {
    this.#before = before;
    this.#item = item;
    const set = before?.set ?? null;
    this.after = set !== null && item?.kind === 'action' ? { set, choice: set.choices.indexOf(item.action.text) } : (before?.after ?? null);
  }

  /** Returns the child for `item`. */
  and(item: Seen): Known {
    const key = keyOf(item);
    this.#next ??= new Map();
    let existing = this.#next.get(key);
    if (existing === undefined) {
      existing = new Known(this, item);
      this.#next.set(key, existing);
    }
    return existing;
  }

  /** Returns all observed items, oldest first. */
  seen(): readonly Seen[] {
    const items: Seen[] = [];
    for (let existing: Known = this; existing.#before !== null; existing = existing.#before) items.push(existing.#item as Seen);
    return items.reverse();
  }
}

/** Returns a key that is equal for equal items. Keys of common items are short, because lookups dominate the time to grow a tree. */
function keyOf(item: Seen): string {
  if (item.kind === 'message' && item.from === undefined && item.data === undefined) return item.text;
  return item.kind === 'action' ? `\u0000${item.action.text}` : canonical(item);
}

/** An information set that builds its view lazily, because there may be millions. */
export class KnownSet implements InformationSet {
  readonly index: number;
  readonly seat: number;
  readonly ask: Ask;
  readonly choices: readonly string[];
  readonly nodes: Decision[] = [];
  readonly #known: Known;

  constructor(existing: Known, facts: Pick<InformationSet, 'index' | 'seat' | 'ask' | 'choices'>) {
    this.#known = existing;
    this.index = facts.index;
    this.seat = facts.seat;
    this.ask = facts.ask;
    this.choices = facts.choices;
  }

  get after(): Move | null {
    return this.#known.after;
  }

  get view(): View {
    return { seat: this.ask.seat, seen: this.#known.seen() };
  }
}

class Growth {
  readonly nodes: Node[] = [];
  readonly sets: InformationSet[] = [];
  terminals = 0;
  readonly seats: readonly string[];
  readonly #environment: AnyEnvironment;
  readonly #limit: number;

  constructor(environment: AnyEnvironment, seats: readonly string[], limit: number) {
    this.#environment = environment;
    this.seats = seats;
    this.#limit = limit;
  }

  /** Returns the node of a transition: its only outcome, or a chance node over all outcomes. */
  grow(steps: Iterable<ChanceOutcome<Step>>, knowledge: readonly Known[], rewards: readonly number[]): Node {
    const chances: number[] = [];
    const children: Node[] = [];
    for (const { chance, value } of steps) {
      chances.push(chance);
      children.push(this.#enter(value, knowledge, rewards));
    }
    if (children.length === 1) return children[0];
    return this.#add({ kind: 'chance', index: this.nodes.length, chances, children });
  }

  #enter(step: Step, knowledge: readonly Known[], earlierReturns: readonly number[]): Node {
    const { rewards } = step;
    const returns = rewards === undefined ? earlierReturns : earlierReturns.map((sum, i) => sum + (rewards[this.seats[i]] ?? 0));
    if (step.asks.length === 0) {
      this.terminals++;
      return this.#add({ kind: 'terminal', index: this.nodes.length, returns });
    }
    const observations = knowledge.map((before, i) => learn(before, step, this.seats[i]));
    return this.#ask({ step, told: observations, paid: returns, actions: {} }, 0);
  }

  /**
   * Builds the decisions of the asked seats, from the `i`-th on. A seat is asked once per turn, so its knowledge is what it observed before
   * the turn.
   */
  #ask(turn: PartialTurn, i: number): Node {
    const { step, told, paid, actions } = turn;
    const ask = step.asks[i];
    if (ask === undefined) {
      return this.grow(
        outcomes((dice) => this.#environment.step(step.state, actions, dice)),
        told,
        paid,
      );
    }
    const seat = this.seats.indexOf(ask.seat);
    const set = this.#setAt(told[seat], ask, seat);
    const children = set.choices.map((text) => {
      const action: Action = { text };
      const knows = told[seat].and({ kind: 'action', action });
      return this.#ask({ step, paid, told: told.with(seat, knows), actions: { ...actions, [ask.seat]: action } }, i + 1);
    });
    const node: Decision = { kind: 'decision', index: this.nodes.length, set, children };
    set.nodes.push(node);
    return this.#add(node);
  }

  #setAt(existing: Known, ask: Ask, seat: number): InformationSet {
    const choices = choicesOf(this.#environment, ask);
    if (existing.set === null) {
      existing.set = new KnownSet(existing, { index: this.sets.length, seat, ask, choices });
      this.sets.push(existing.set);
    } else if (existing.set.choices.length !== choices.length || choices.some((choice, i) => choice !== existing.set?.choices[i])) {
      throw new Fault(
        'environment',
        `${this.#environment.id}: after the same view seat "${ask.seat}" is offered ${choices.join(' ')} in one state and ${existing.set.choices.join(' ')} in another. Show the seat what makes the difference.`,
      );
    }
    return existing.set;
  }

  #add<N extends Node>(node: N): N {
    this.nodes.push(node);
    if (this.nodes.length > this.#limit) throw tooLarge(this.#environment, this.#limit);
    return node;
  }
}

interface PartialTurn {
  readonly step: Step;
  readonly told: readonly Known[];
  readonly paid: readonly number[];
  readonly actions: Readonly<Record<string, Action>>;
}

/** Returns a seat's knowledge after a step's messages and reward, in the order in which an episode delivers them. */
export function learn(before: Known, step: Step, seat: string): Known {
  let existing = before;
  for (const message of step.messages) if (message.to.includes(seat)) existing = existing.and({ kind: 'message', ...message });
  const reward = step.rewards?.[seat];
  return reward === undefined ? existing : existing.and({ kind: 'reward', reward, penalty: 0 });
}

/** Returns the choices of an ask. An environment must list its choices to be solved. */
export function choicesOf(environment: AnyEnvironment, ask: Ask): readonly string[] {
  if (ask.window !== undefined)
    throw new Fault(
      'input',
      `${environment.id} hides earlier messages from seat "${ask.seat}". Only seats with perfect recall can be solved.`,
    );
  if (ask.choices === undefined || ask.choices.length === 0)
    throw new Fault(
      'input',
      `${environment.id} lists no choices for seat "${ask.seat}". Only environments that list every move can be solved.`,
    );
  return ask.choices;
}

export function tooLarge(environment: AnyEnvironment, limit: number): Fault {
  return new Fault('input', `The game tree of ${environment.id} has more than ${limit} nodes. Solve a smaller task.`);
}
