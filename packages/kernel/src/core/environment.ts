/** @file The interface of an environment: pure functions over plain JSON state, `start` and `step`, which both return a Step. */

import type { Script } from './agent.ts';
import type { ImagePart } from './image.ts';
import type { Json, JsonObject } from './json.ts';
import type { ToolCall } from './model.ts';
import type { Rng } from './rng.ts';
import type { TaskParameters } from './task.ts';

/** A named place in an environment, filled by one agent for one episode. */
export type Seat = string;

/** A text for some seats. A message to no seat is a note for scorers; the engine shows it to no agent. */
export type Message = {
  readonly to: readonly Seat[];
  readonly text: string;
  readonly from?: Seat;
  readonly data?: Json;
  /** Images of the text, for agents with vision. */
  readonly images?: readonly ImagePart[];
};

/**
 * A seat is asked to act. `choices` lets an agent that reads nothing play; `window` hides all but the latest messages; `data` is for agents
 * that are programs, and is not shown to models. `schema` is what the text must fit; `fields` is a JSON Schema of the `data` that is wanted
 * with the text, such as a private bet.
 */
export type Ask = {
  readonly seat: Seat;
  readonly choices?: readonly string[];
  readonly schema?: Json;
  readonly fields?: Json;
  readonly window?: number;
  readonly data?: Json;
  /** What an agent that sees is shown now, and not again later. */
  readonly images?: readonly ImagePart[];
};

/** What an agent answers when asked. */
export type Action = {
  readonly text: string;
  readonly data?: Json;
};

/** The result of a transition. Without asks, the episode is over. With several asks, the seats act simultaneously. */
export interface Step<S extends Json = Json> {
  readonly state: S;
  readonly messages: readonly Message[];
  readonly asks: readonly Ask[];
  /** Payoffs of the episode. */
  readonly rewards?: Readonly<Record<Seat, number>>;
  /** For broken form (an illegal move): 1 takes one off. In their own channel, so that payoffs keep their sum. */
  readonly penalties?: Readonly<Record<Seat, number>>;
}

/** Facts about an environment, as data: read by `check`, `list`, solvers and the documentation. */
export interface About {
  /** What the environment is, in a paragraph for a person. */
  readonly summary: string;
  /** Inputs for `task`, each an environment worth checking; the first is the default. */
  readonly tasks: readonly Json[];
  /** The most turns an episode can take under any play, over all of `tasks`. */
  readonly turns: number;
  /** What all seats' rewards of an episode add up to, where that is a constant: 0 for zero-sum. */
  readonly sum?: number;
  /** True when nothing is ever paid: its returns are then no scores, and never count as 0. */
  readonly unpaid?: boolean;
  /** True when `choices` lists every move that is accepted, written as it would be answered. */
  readonly complete?: boolean;
  /** True when that holds for every ask that has `choices`, and other asks are answered in words. */
  readonly listed?: boolean;
  /** True if every seat knows the complete state, so a simulation on a copy reveals nothing. */
  readonly open?: boolean;
  /** True when every task is its own question: agents roll other dice for each, even under the same seed. */
  readonly taskDice?: boolean;
  /** True when messages are whole prompts: a language agent of texts alone is sent these texts and the messages, and nothing about games. */
  readonly bare?: boolean;
  /** Words of the surface that can be renamed without changing the rules (cards, verbs). */
  readonly words?: readonly string[];
}

/** Where an ask has choices, are they all that is accepted? Then an answer can be held to them. */
export function listsMoves({ complete, listed }: About): boolean {
  return complete === true || listed === true;
}

/** The rules of a world: pure functions over plain JSON state. */
export interface Environment<S extends Json = Json, Task extends Json = Json> {
  /** Name and version of the rules, e.g. "kuhn-poker@1": a log replays under the version that made it. */
  readonly id: string;
  readonly about: About;
  /** The task's parameters with their defaults and ranges. */
  readonly parameters: TaskParameters;
  /** Reads an external task, fills in defaults, and rejects errors with a message. */
  task(input: Json): Task;
  seats(task: Task): readonly Seat[];
  start(task: Task, rng: Rng): Step<S>;
  step(state: S, actions: Readonly<Record<Seat, Action>>, rng: Rng): Step<S>;
  /**
   * What a seat is entitled to know of a state. Two steps that agree on what the seat knew before, did, was paid and knows after must show
   * it the same messages and ask it the same, so everything a seat has just learned (a card, a sentence) is part of the state.
   */
  knows?(state: S, seat: Seat): Json;
  /**
   * A state that may be the true one for all that a seat knows: what is hidden from it is dealt again. Agents that look ahead try their moves
   * on such states. What the seat knows must stay as it is.
   */
  imagine?(state: S, seat: Seat, rng: Rng): S;
  /**
   * Words of someone who knows nothing of this environment's form, such as an existing bot, as an action. Without it they are the text of
   * the action. The end of the conversation is then up to the others. `calls` are those of its own tools that it has reported, `changes`
   * what it has changed in its own records so far, where it shows them: {"orders/17": {"status": "cancelled"}}, null for a record that is gone.
   */
  plain?(seat: Seat, text: string, calls?: readonly ToolCall[], changes?: JsonObject): Action;
  /** What a seat sees of a state, as a picture of nothing but what it was told in words: for the switch `pictures`. */
  draw?(state: S, seat: Seat): ImagePart | null;
  /** Whether a task can be solved at all, where the rules can tell: checked before a written task is practiced. */
  winnable?(task: Task): boolean;
  /** The documents that a task is about, by path: writers of tasks search them, and checks retrieve from them. */
  documents?(task: Task): Json;
  /**
   * How a task is written move by move, for writers that choose among moves: from the moves so far to the next choice or to the finished
   * task. `base` holds what every task shares. Without it, tasks are written parameter by parameter.
   */
  draft?(base: Json, moves: readonly string[]): TaskDraft;
  /** Scripted players by name. One named after a seat is the default agent for that seat. */
  readonly scripts?: Readonly<Record<string, Script>>;
}

/** A task that is being written: the writer's next choices, or the finished task as `task` reads it. */
export type TaskDraft = { readonly text: string; readonly choices: readonly string[] } | { readonly task: Json };

/** Rules of any environment, where state and task are not looked into. */
// biome-ignore lint/suspicious/noExplicitAny: state and task are private to each world, and a method cannot be contravariant in unknown.
export type AnyEnvironment = Environment<any, any>;

/** The name of an environment without its version. */
export function nameOf(environment: { readonly id: string }): string {
  return environment.id.split('@', 1)[0]!;
}
