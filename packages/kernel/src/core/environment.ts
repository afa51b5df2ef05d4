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
  /** Images for agents with vision, shown only in this turn. */
  readonly images?: readonly ImagePart[];
};

/** An agent's answer to an ask. */
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
  /** For illegal moves: a penalty of 1 subtracts one. Kept in a separate channel, so that the sum of the payoffs is unchanged. */
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
  /** The sum of all seats' rewards in an episode, if it is constant: 0 for zero-sum. */
  readonly sum?: number;
  /** True if it never pays rewards: its returns are not scores, and never count as 0. */
  readonly unpaid?: boolean;
  /** True if `choices` lists every accepted move, exactly as it must be answered. */
  readonly complete?: boolean;
  /** True if that holds for every ask that has `choices`, and other asks are answered in free text. */
  readonly listed?: boolean;
  /** True if every seat knows the complete state, so a simulation on a copy reveals nothing. */
  readonly open?: boolean;
  /** True if every task is a separate question: agents use different random numbers for each, even with the same seed. */
  readonly taskDice?: boolean;
  /**
   * True if messages are complete prompts: a language agent with only texts is sent these texts and the messages, and nothing about games.
   */
  readonly bare?: boolean;
  /** Words of the surface that can be renamed without changing the rules (cards, verbs). */
  readonly words?: readonly string[];
}

/** Whether the choices of an ask, if any, are all that is accepted, so that answers can be constrained to them. */
export function listsMoves({ complete, listed }: About): boolean {
  return complete === true || listed === true;
}

/** The rules of an environment: pure functions over plain JSON state. */
export interface Environment<S extends Json = Json, Task extends Json = Json> {
  /** Name and version of the rules, e.g. "kuhn-poker@1": a log replays under the version that made it. */
  readonly id: string;
  readonly about: About;
  /** The task's parameters with their defaults and ranges. */
  readonly parameters: TaskParameters;
  /** Parses an external task, fills in defaults, and rejects errors with a message. */
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
   * A state that may be the true one as far as a seat knows: hidden information is sampled again. Agents that look ahead try their moves on
   * such states. The seat's knowledge must stay the same.
   */
  imagine?(state: S, seat: Seat, rng: Rng): S;
  /**
   * Words of someone who knows nothing of this environment's form, such as an existing bot, as an action. Without it they are the text of
   * the action. The end of the conversation is then up to the others. `calls` are those of its own tools that it has reported, `changes`
   * what it has changed in its own records so far, where it shows them: {"orders/17": {"status": "cancelled"}}, null for a record that is gone.
   */
  plain?(seat: Seat, text: string, calls?: readonly ToolCall[], changes?: JsonObject): Action;
  /** A seat's view of a state as an image that shows only what the seat was told in text: for the switch `pictures`. */
  draw?(state: S, seat: Seat): ImagePart | null;
  /** Whether a task can be solved at all, if the rules can tell: checked before a written task is used for training. */
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

/** An environment with any types of state and task. */
// biome-ignore lint/suspicious/noExplicitAny: state and task are private to each world, and a method cannot be contravariant in unknown.
export type AnyEnvironment = Environment<any, any>;

/** The name of an environment without its version. */
export function nameOf(environment: { readonly id: string }): string {
  return environment.id.split('@', 1)[0]!;
}
