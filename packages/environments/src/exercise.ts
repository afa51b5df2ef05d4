/**
 * @file The frame of environments in which a seat works on a task generated from the seed: strict parsing with retries, forfeits, and the
 * split into training and held-out tasks. Each environment defines its own work and judging.
 */

import type {
  About,
  Action,
  Ask,
  Environment,
  Json,
  JsonObject,
  Message,
  MoveOutcome,
  ParsedMove,
  Rng,
  Script,
  Seat,
  TaskParameters,
  TaskState,
  View,
} from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter } from '@ludus-agents/kernel/internal/core/index';
import { drawMap } from './grid.ts';

/** The split of generated tasks that an episode may draw from. */
export const taskSplit = parameter.choice({
  options: ['any', 'train', 'held-out'],
  default: 'any',
  description: 'which generated tasks may be drawn: about one in five, chosen by a hash of the task, is held out',
});

export type ExerciseTask = JsonObject & { readonly split: string; readonly retries: number };

/** The result of an accepted move. */
export interface Advance<P extends Json> {
  readonly progress: P;
  readonly messages: readonly Message[];
  readonly rewards?: Readonly<Record<Seat, number>>;
}

/** The state of one seat's work: the generated task (`made`), and the work on it (`progress`). */
type ExerciseState<W extends Json, P extends Json> = { readonly made: W; readonly progress: P };

export interface Exercise<T extends ExerciseTask, W extends Json, P extends Json> {
  readonly id: string;
  readonly about: About;
  readonly parameters: TaskParameters;
  task(input: Json): T;
  seats(task: T): readonly Seat[];
  /** Generates the work, or returns null if this draw gives nothing suitable. */
  make(task: T, rng: Rng): W | null;
  /** Returns the text whose hash decides the split. */
  key(made: W): string;
  begin(task: T, made: W): Advance<P>;
  /** Returns the next ask, or null when the work is over. */
  ask(task: T, made: W, progress: P): Ask | null;
  act(task: T, made: W, progress: P, action: Action): ParsedMove<Advance<P>>;
  knows(task: T, made: W, progress: P, seat: Seat): Json;
  /** Returns the rewards when a seat forfeits. Defaults to none. */
  forfeits?(task: T, made: W, progress: P, seat: Seat): Readonly<Record<Seat, number>>;
  readonly scripts: Readonly<Record<string, Script>>;
}

export function exercise<T extends ExerciseTask, W extends Json, P extends Json>({
  id,
  make,
  key,
  begin,
  ask,
  act,
  knows,
  forfeits,
  task,
  ...rules
}: Exercise<T, W, P>): Environment<TaskState<ExerciseState<W, P>, T>, T> {
  const outcome = (task: T, work: W, { progress, messages, rewards }: Advance<P>): MoveOutcome<ExerciseState<W, P>> => ({
    state: { made: work, progress },
    messages,
    over: ask(task, work, progress) === null,
    ...(rewards === undefined ? {} : { rewards }),
  });
  const environment = defineEnvironment<ExerciseState<W, P>, TaskParameters, Advance<P>, T>({
    ...rules,
    id,
    start(task, rng) {
      const exerciseItem = drawMap(id.split('@', 1)[0], task.split, () => make(task, rng), key);
      return outcome(task, exerciseItem, begin(task, exerciseItem));
    },
    turn: ({ task, made, progress }) => ask(task, made, progress)!,
    read: (action, { task, made, progress }) => act(task, made, progress, action),
    play: ({ task, made }, advance) => outcome(task, made, advance),
    forfeit: (state, seat, messages) => ({
      state,
      messages,
      rewards: forfeits?.(state.task, state.made, state.progress, seat) ?? { [seat]: 0 },
      over: true,
    }),
    knows: ({ task, made, progress }, seat) => knows(task, made, progress, seat),
  });
  return { ...environment, task };
}

/** Returns the text of the first message that a script needs. Throws a fault if there is none. */
export function firstText(view: View, sign: RegExp): string {
  for (const item of view.seen) if (item.kind === 'message' && sign.test(item.text)) return item.text;
  throw new Fault('input', 'This script must see its whole view. Play it without a window.');
}

/** Returns the texts of all messages of a view, in order. */
export function textsOf(view: View): readonly string[] {
  return view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
}

/** Returns the code in the only fenced block of an answer, or null if there is not exactly one. */
export function fencedCode(text: string): { readonly head: string; readonly code: string } | null {
  const match = /```([^\n`]*)\n([\s\S]*?)\n?```/.exec(text);
  return match === null ? null : { head: match[1].trim(), code: match[2] };
}
