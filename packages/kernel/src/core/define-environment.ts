/**
 * @file `defineEnvironment`: creates an environment from its rules, and handles parsing, retries, penalties, forfeits, and simultaneous
 * moves.
 *
 * The rules define which seats act (`turn`), the effect of a legal move (`play`), and the loss of a seat that never makes one (`forfeit`).
 * An illegal answer costs a penalty in its own channel and is requested again, at most `retries` times. Moves are never substituted.
 */

import type { Script } from './agent.ts';
import type { About, Action, Ask, Environment, Message, Seat, Step, TaskDraft } from './environment.ts';
import { Fault } from './fault.ts';
import type { ImagePart } from './image.ts';
import type { Json, JsonObject } from './json.ts';
import type { ToolCall } from './model.ts';
import { askAgain, choose, forfeitText, type ParsedMove, retries, spokenText } from './moves.ts';
import type { Rng } from './rng.ts';
import { RecurringPositions } from './shared-step.ts';
import { gather, type Holding, nothingHeld } from './simultaneous.ts';
import { readTask, type TaskOf, type TaskParameters } from './task.ts';

type RetryParameters = { readonly retries: typeof retries };

/** A state of the rules, with the task and the number of illegal answers in a row, which `defineEnvironment` adds and keeps up to date. */
export type TaskState<S, T> = S & { readonly task: T; readonly misses: number };

/** The result of a move. Unless the episode is over, the seats that `turn` returns for the new state are asked next. */
export interface MoveOutcome<S> {
  readonly state: S;
  /** A text for all seats, or a list of such texts and messages to chosen seats: private information is sent only to its seat. */
  readonly messages: string | readonly (Message | string)[];
  readonly rewards?: Readonly<Record<Seat, number>>;
  readonly over?: boolean;
}

/** The turn in which a move was made. */
export interface MoveContext {
  readonly seat: Seat;
  readonly ask: Ask;
  readonly action: Action;
  /** Draw every random outcome from this, so that a seed always plays the same. */
  readonly rng: Rng;
}

/** The definition of one environment: its parameters, the asked seats, the effect of actions, and the knowledge of each seat. */
export interface EnvironmentRules<S extends JsonObject, K extends TaskParameters, M, T extends JsonObject> {
  /** Name and version, e.g. "coin@1". */
  readonly id: string;
  readonly about: About;
  /** The parameters of a task. `retries` is added. */
  readonly parameters?: K;
  /** Validates or completes a task whose parameters are each in range; throws a Fault if they are incompatible. */
  task?(read: TaskOf<K & RetryParameters>): T;
  readonly seats: readonly Seat[] | ((task: T) => readonly Seat[]);
  start(task: T, rng: Rng): MoveOutcome<S>;
  /** The seats that act in this state; several asks are answered simultaneously. With `choices`, only these are legal. */
  turn(state: TaskState<S, T>): Ask | readonly Ask[];
  /** Parses an answer. By default, a legal answer is one of the ask's choices or, without choices, any non-empty text. */
  read?(action: Action, state: TaskState<S, T>, ask: Ask): ParsedMove<M>;
  /** The effect of a legal move. */
  play?(state: TaskState<S, T>, move: M, context: MoveContext): MoveOutcome<S>;
  /** The same if several seats move simultaneously: each seat's move, or null for a seat that has forfeited. */
  playTogether?(state: TaskState<S, T>, moves: Readonly<Record<Seat, M | null>>, rng: Rng): MoveOutcome<S>;
  /** The result if a seat has used up its retries; `text` explains it. By default, the episode ends with 0 for that seat. */
  forfeit?(state: TaskState<S, T>, seat: Seat, text: string, rng: Rng): MoveOutcome<S>;
  /** What a seat may know of a state. Where `about.open` is true, that is everything. */
  knows?(state: TaskState<S, T>, seat: Seat): Json;
  /** A state consistent with the seat's knowledge: hidden information is sampled again. */
  imagine?(state: TaskState<S, T>, seat: Seat, rng: Rng): S;
  plain?(seat: Seat, text: string, calls?: readonly ToolCall[], changes?: JsonObject): Action;
  draw?(state: TaskState<S, T>, seat: Seat): ImagePart | null;
  /** For writers of tasks: whether a task can be solved, the documents that it is about, and how tasks are written move by move. */
  winnable?(task: T): boolean;
  documents?(task: T): Json;
  draft?(base: Json, moves: readonly string[]): TaskDraft;
  readonly scripts?: Readonly<Record<string, Script>>;
  /** The key of a position that many episodes reach, or null. Steps between such positions are computed once and shared. */
  recurs?(state: TaskState<S, T>): string | null;
}

/** Makes an environment from its rules. See `ludus new environment` for a complete example. */
export function defineEnvironment<
  S extends JsonObject,
  const K extends TaskParameters = Record<never, never>,
  M = string,
  T extends JsonObject = TaskOf<K & RetryParameters>,
>(rules: EnvironmentRules<S, K, M, T>): Environment<TaskState<S, T>, T> {
  type State = TaskState<S, T>;
  const name = rules.id.split('@', 1)[0]!;
  const parameters = { ...(rules.parameters as K), ...(rules.parameters?.['retries'] === undefined ? { retries } : {}) };
  if (rules.play === undefined && rules.playTogether === undefined)
    throw new Fault(
      'input',
      `${rules.id}: the rules do not handle moves. Add play(state, move, context) or playTogether(state, moves, rng).`,
    );
  const { seats } = rules;
  const seatsOf = typeof seats === 'function' ? seats : () => seats;

  const asksOf = (state: State): readonly Ask[] => {
    const asks = rules.turn(state);
    return Array.isArray(asks) ? (asks as readonly Ask[]) : [asks as Ask];
  };

  const isSimultaneous = rules.playTogether !== undefined;

  /** The step of an outcome: its state carries the task and no misses. */
  const stepTo = (outcome: MoveOutcome<S>, task: T): Step<State> => {
    const before = outcome.state as State;
    const { messages, rewards, over } = outcome;
    const hasPending = isSimultaneous && 'pendingMoves' in before;
    const isFresh = before.misses === 0 && before.task === task && !hasPending;
    const state = isFresh ? before : { ...(hasPending ? withoutPending(before) : before), task, misses: 0 };
    const isToAll = typeof messages === 'string' || messages.some((message) => typeof message === 'string');
    const observedMessages = isToAll ? addressedToAll(messages, seatsOf(task)) : (messages as readonly Message[]);
    const asks = over === true ? [] : asksOf(state);
    return rewards === undefined ? { state, messages: observedMessages, asks } : { state, messages: observedMessages, asks, rewards };
  };

  const read: NonNullable<typeof rules.read> =
    rules.read ?? ((action, _, { choices }) => (choices === undefined ? spokenText(action) : choose(action, choices)) as ParsedMove<never>);

  const forfeit = (state: State, seat: Seat, rng: Rng): MoveOutcome<S> => {
    const text = forfeitText(seat);
    return rules.forfeit?.(state, seat, text, rng) ?? { state, messages: text, rewards: { [seat]: 0 }, over: true };
  };

  const stepAlone = (state: State, ask: Ask, action: Action, rng: Rng): Step<State> => {
    const answer = read(action, state, ask);
    if (answer.ok) return stepTo(rules.play!(state, answer.move, { seat: ask.seat, ask, action, rng }), state.task);
    return askAgain(state, ask, answer.problem, triesOf(state.task)) ?? stepTo(forfeit(state, ask.seat, rng), state.task);
  };

  const stepTogether = (state: State, asks: readonly Ask[], actions: Readonly<Record<Seat, Action>>, rng: Rng): Step<State> => {
    const { pendingMoves } = state as State & { readonly pendingMoves?: Holding<M & Json> };
    const tries = triesOf(state.task);
    const gathered = gather(pendingMoves ?? nothingHeld, actions, {
      asks,
      read: (action, ask) => read(action, state, ask) as ParsedMove<M & Json>,
      tries,
    });
    if (gathered.done) return stepTo(rules.playTogether!(state, gathered.moves, rng), state.task);
    const { messages, asks: again, penalties } = gathered;
    return { state: { ...state, pendingMoves: gathered.holding }, messages, asks: again, penalties };
  };

  const recurring = rules.recurs === undefined ? null : new RecurringPositions<State>(rules.recurs);
  const { knows = rules.about.open === true ? withoutCounts : undefined } = rules;
  return {
    id: rules.id,
    about: rules.about,
    parameters,
    task(input) {
      const read = readTask(name, parameters, input) as TaskOf<K & RetryParameters>;
      return rules.task?.(read) ?? (read as unknown as T);
    },
    seats: seatsOf,
    start(task, rng) {
      const step = stepTo(rules.start(task, rng), task);
      return recurring === null ? step : recurring.opening(step);
    },
    step(state, actions, rng) {
      const knownEntries = recurring?.after(state);
      if (knownEntries !== undefined)
        for (const seat in actions) {
          const step = knownEntries.get(actions[seat]!.text);
          if (step !== undefined) return step;
        }
      const asks = asksOf(state);
      if (isSimultaneous && (asks.length > 1 || rules.play === undefined)) return stepTogether(state, asks, actions, rng);
      if (asks.length > 1)
        throw new Fault(
          'input',
          `${rules.id}: turn asks ${asks.length} seats at the same time. Add playTogether(state, moves, rng) for simultaneous moves.`,
        );
      const ask = asks[0]!;
      const action = actions[ask.seat]!;
      const step = stepAlone(state, ask, action, rng);
      // Only listed moves are cached, because other answers are unlimited.
      return knownEntries !== undefined && ask.choices?.includes(action.text) === true
        ? recurring!.keep(knownEntries, action.text, step)
        : step;
    },
    ...(knows === undefined
      ? {}
      : {
          knows(state, seat) {
            const { pendingMoves } = state as State & { readonly pendingMoves?: Holding<Json> };
            const knowledge = knows(state, seat);
            return pendingMoves === undefined ? knowledge : { ...(knowledge as JsonObject), given: pendingMoves.held[seat] ?? null };
          },
        }),
    ...(rules.imagine === undefined ? {} : { imagine: (state, seat, rng) => rules.imagine!(state, seat, rng) as State }),
    ...(rules.plain === undefined ? {} : { plain: rules.plain }),
    ...(rules.draw === undefined ? {} : { draw: rules.draw }),
    ...(rules.winnable === undefined ? {} : { winnable: rules.winnable }),
    ...(rules.documents === undefined ? {} : { documents: rules.documents }),
    ...(rules.draft === undefined ? {} : { draft: rules.draft }),
    ...(rules.scripts === undefined ? {} : { scripts: rules.scripts }),
  };
}

function triesOf(task: JsonObject): number {
  return (task['retries'] as number | undefined) ?? retries.default;
}

/** A state that waits for no answer. */
function withoutPending<S>(state: S): S {
  const { pendingMoves: _, ...rest } = state as S & { readonly pendingMoves?: unknown };
  return rest as S;
}

function withoutCounts(state: JsonObject): Json {
  const { misses: _, pendingMoves: __, ...rest } = state;
  return rest;
}

/** Addresses every bare text to all seats. */
function addressedToAll(messages: MoveOutcome<JsonObject>['messages'], to: readonly Seat[]): readonly Message[] {
  return [messages].flat().map((message) => (typeof message === 'string' ? { to, text: message } : message));
}
