/**
 * @file The frame of environments in which a seat works on a task that is made from the seed: strict reading with retries, forfeits, the split
 * into tasks to train on and held-out ones. What is worked on, and how it is judged, is each environment's own.
 */

import {
  type About,
  type Action,
  type Ask,
  askAgain,
  type Environment,
  Fault,
  forfeitText,
  type Json,
  type JsonObject,
  type Knobs,
  knob,
  type Message,
  type ParsedMove,
  type Rng,
  type Script,
  type Seat,
  type View,
} from '@ludus-agents/kernel/internal/core/index';
import { drawMap } from './grid.ts';

/** Which generated tasks an episode may draw. */
export const taskSplit = knob.one({
  of: ['any', 'train', 'held-out'],
  otherwise: 'any',
  about: 'which generated tasks may be drawn: about one in five, chosen by a hash of the task, is held out',
});

export type ExerciseTask = JsonObject & { readonly split: string; readonly retries: number };

/** What an accepted move leads to. */
export interface Advance<P extends Json> {
  readonly progress: P;
  readonly messages: readonly Message[];
  readonly rewards?: Readonly<Record<Seat, number>>;
}

/** The state of one seat's work: what was made is `made`, what was done with it is `progress`. */
export type ExerciseState<T extends Json, W extends Json, P extends Json> = {
  readonly task: T;
  readonly made: W;
  readonly progress: P;
  readonly misses: number;
};

export interface Exercise<T extends ExerciseTask, W extends Json, P extends Json> {
  readonly id: string;
  readonly about: About;
  readonly knobs: Knobs;
  task(input: Json): T;
  seats(task: T): readonly Seat[];
  /** Makes what is worked on, or null where these dice make nothing that is fair. */
  make(task: T, rng: Rng): W | null;
  /** The text whose hash decides the split. */
  key(made: W): string;
  begin(task: T, made: W): Advance<P>;
  /** Who is asked now; null when the work is over. */
  ask(task: T, made: W, progress: P): Ask | null;
  act(task: T, made: W, progress: P, action: Action): ParsedMove<Advance<P>>;
  knows(task: T, made: W, progress: P, seat: Seat): Json;
  /** What is paid when a seat forfeits; nothing by default. */
  forfeits?(task: T, made: W, progress: P, seat: Seat): Readonly<Record<Seat, number>>;
  readonly scripts: Readonly<Record<string, Script>>;
}

export function exercise<T extends ExerciseTask, W extends Json, P extends Json>(
  one: Exercise<T, W, P>,
): Environment<ExerciseState<T, W, P>, T> {
  const name = one.id.split('@', 1)[0]!;
  return {
    id: one.id,
    about: one.about,
    knobs: one.knobs,
    task: one.task,
    seats: one.seats,
    start(task, rng) {
      const made = drawMap(
        name,
        task.split,
        () => one.make(task, rng),
        (drawn) => one.key(drawn),
      );
      const { progress, messages } = one.begin(task, made);
      const ask = one.ask(task, made, progress);
      return { state: { task, made, progress, misses: 0 }, messages, asks: ask === null ? [] : [ask] };
    },
    step(state, actions) {
      const { task, made, progress } = state;
      const asked = one.ask(task, made, progress)!;
      const read = one.act(task, made, progress, actions[asked.seat]!);
      if (!read.ok)
        return (
          askAgain(state, asked, read.problem, task.retries) ?? {
            state,
            messages: [{ to: one.seats(task), text: forfeitText(asked.seat) }],
            asks: [],
            rewards: one.forfeits?.(task, made, progress, asked.seat) ?? { [asked.seat]: 0 },
          }
        );
      const { progress: next, messages, rewards } = read.move;
      const ask = one.ask(task, made, next);
      return {
        state: { task, made, progress: next, misses: 0 },
        messages,
        asks: ask === null ? [] : [ask],
        ...(rewards === undefined ? {} : { rewards }),
      };
    },
    knows: ({ task, made, progress }, seat) => one.knows(task, made, progress, seat),
    scripts: one.scripts,
  };
}

/** The text of the first message that a script needs, or the fault that says why there is none. */
export function firstText(view: View, sign: RegExp): string {
  for (const item of view.seen) if (item.kind === 'message' && sign.test(item.text)) return item.text;
  throw new Fault('input', 'This script must see its whole view; play it without a window.');
}

/** The texts of all messages of a view, in order. */
export function textsOf(view: View): readonly string[] {
  return view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
}

/** The code in the only fenced block of an answer, or null where there is none. */
export function fencedCode(text: string): { readonly head: string; readonly code: string } | null {
  const found = /```([^\n`]*)\n([\s\S]*?)\n?```/.exec(text);
  return found === null ? null : { head: found[1]!.trim(), code: found[2]! };
}
