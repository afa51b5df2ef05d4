/**
 * @file A game about another environment in which a learner advises a player that does not change (RLAdapter, arXiv 2309.17176): before
 * each turn of the player, the adviser reads the player's observations and the number of hints followed so far, and may give a hint; it
 * receives the player's reward. The player may be any agent: a stronger model, a script, a bot.
 */

import {
  type AnyEnvironment,
  type Ask,
  type Environment,
  type EpisodeEvent,
  isObject,
  type Json,
  type JsonObject,
  nameOf,
  type Script,
  type Seat,
  type Step,
} from '@ludus-agents/kernel/internal/core/index';
import type { Recipe } from './recipe.ts';

const [adviser, player] = ['adviser', 'player'] as const;
/** The adviser's answer when it gives no hint. */
const noHint = 'no hint';

/** Training progress as shown to the adviser: the completed share, and the latest return as a share of the highest so far. */
export interface AdviceProgress {
  readonly over: number;
  readonly paid: number;
}

/** Splits a task into the base environment's task and the adviser's `progress`, which is true or the value written by the trainer. */
function splitTask(input: Json): { readonly task: Json; readonly progress: Json | undefined } {
  if (!isObject(input) || input['progress'] === undefined) return { task: input, progress: undefined };
  const { progress, ...task } = input;
  return { task, progress };
}

/** Progress as text with few distinct values, for learners with a table. */
function progressText(progress: Json | undefined): string | null {
  if (progress === undefined || progress === false) return null;
  // Outside of training, progress counts as complete, with the maximum payment.
  const { over, paid } = isObject(progress) ? (progress as unknown as AdviceProgress) : { over: 1, paid: 1 };
  const third = ['first', 'second', 'last'][Math.min(2, Math.floor(3 * over))];
  return `Training is in its ${third} third. The last games paid ${paid < 0.5 ? 'less' : 'more'} than half of the most so far.`;
}

/** The state of the base environment, plus whether the adviser is asked next, its last hint, and the counts of hints given and followed. */
type State = {
  readonly base: Json;
  /** The base environment's asks that wait for the adviser's answer. */
  readonly asks: readonly Json[];
  readonly own: Seat;
  readonly advising: boolean;
  readonly hint: string | null;
  readonly given: number;
  readonly followed: number;
};

type Count = Pick<State, 'own' | 'given' | 'followed'>;

export function createAdviceGame(base: AnyEnvironment): Environment<State, Json> {
  const seatNamer = (ownText: Seat) => (seat: Seat) => (seat === ownText ? player : seat);
  const byShown = <T>(ownText: Seat, list: Readonly<Record<Seat, T>> = {}) =>
    Object.fromEntries(Object.entries(list).map(([seat, value]) => [seatNamer(ownText)(seat), value]));
  /** Wraps a step of the base environment: the adviser reads the player's messages, receives the player's rewards, and is asked first. */
  const advised = ({ state, messages, asks, rewards, penalties }: Step<Json>, count: Count): Step<State> => {
    const { own, given, followed } = count;
    const withAdviser = (list: Readonly<Record<Seat, number>> | undefined) =>
      list === undefined ? undefined : { ...byShown(own, list), ...(own in list && { [adviser]: list[own] }) };
    const [earned, fined] = [withAdviser(rewards), withAdviser(penalties)];
    const request = asks.find(({ seat }) => seat === own);
    const advising = request !== undefined;
    const progress = given === 0 ? [] : [{ to: [adviser], text: `The player has followed ${followed} of ${given} hints.` }];
    return {
      state: { base: state, asks: asks, ...count, advising, hint: null },
      messages: [
        ...messages.map(({ to, from, ...rest }) => ({
          ...rest,
          to: [...to.map((seat) => (seat === adviser ? seat : seatNamer(own)(seat))), ...(to.includes(own) ? [adviser] : [])],
          ...(from !== undefined && { from: seatNamer(own)(from) }),
        })),
        ...(advising ? progress : []),
      ],
      asks: advising
        ? [{ seat: adviser, ...(request.choices !== undefined && { choices: [noHint, ...request.choices] }) }]
        : asks.map((ask) => ({ ...ask, seat: seatNamer(own)(ask.seat) })),
      ...(earned !== undefined && { rewards: earned }),
      ...(fined !== undefined && { penalties: fined }),
    };
  };
  return {
    id: `advice:${base.id}`,
    about: {
      summary: `An adviser gives hints to a player of ${nameOf(base)}, and is paid what the player is paid.`,
      tasks: base.about.tasks,
      turns: 2 * base.about.turns,
    },
    parameters: base.parameters,
    task(input) {
      const { task, progress } = splitTask(input);
      const baseTask = base.task(task) as Json;
      return progress === undefined ? baseTask : { ...(baseTask as JsonObject), progress };
    },
    seats: (input) => [adviser, player, ...base.seats(splitTask(input).task).slice(1)],
    start(input, dice) {
      const { task, progress } = splitTask(input);
      const first = base.start(task, dice);
      const text = progressText(progress);
      const messages = text === null ? first.messages : [...first.messages, { to: [adviser], text }];
      return advised({ ...first, messages }, { own: base.seats(task)[0], given: 0, followed: 0 });
    },
    step(state, actions, dice) {
      const { own, asks, given, followed } = state;
      if (state.advising) {
        const text = actions[adviser]?.text.trim() ?? '';
        const hint = text === '' || text === noHint ? null : text;
        return {
          state: { ...state, advising: false, hint },
          messages: hint === null ? [] : [{ to: [player], from: adviser, text: `Hint: ${hint}` }],
          asks: (asks as readonly Ask[]).map((ask) => ({
            ...ask,
            seat: seatNamer(own)(ask.seat),
            ...(ask.window !== undefined && ask.seat === own && hint !== null && { window: ask.window + 1 }),
          })),
        };
      }
      const done = Object.fromEntries(Object.entries(actions).map(([seat, action]) => [seat === player ? own : seat, action]));
      const [hints, heeded] = [Number(state.hint !== null), Number(state.hint !== null && done[own]?.text === state.hint)];
      return advised(base.step(state.base, done, dice), { own, given: given + hints, followed: followed + heeded });
    },
    scripts: { ...base.scripts, heeding, deaf },
  };
}

/** Tracks training progress for advisers whose task requests it (training.task.progress=true). */
export class TrainingProgress {
  #progress: AdviceProgress = { over: 0, paid: 0 };
  #most = 0;

  /** Records the mean return of an update and the completed share of the training. */
  add(returned: number, over: number): void {
    this.#most = Math.max(this.#most, returned);
    this.#progress = { over, paid: this.#most === 0 ? 0 : returned / this.#most };
  }

  /** Returns the recipe with the progress in its task, if the adviser reads it. */
  withProgress(recipe: Recipe): Recipe {
    const { training } = recipe;
    const task = (training.task ?? {}) as JsonObject;
    if (!training.environment.startsWith('advice:') || task['progress'] !== true) return recipe;
    return { ...recipe, training: { ...training, task: { ...task, progress: { ...this.#progress } } } };
  }

  write(): JsonObject {
    return { ...this.#progress, most: this.#most };
  }

  read(from: Json | undefined): void {
    const { most = 0, over = 0, paid = 0 } = (from ?? {}) as Readonly<Record<string, number>>;
    [this.#most, this.#progress] = [most, { over, paid }];
  }
}

/** The number of hints in an episode, and how many the player followed exactly. */
export function hintCounts(log: readonly EpisodeEvent[]): { readonly hints: number; readonly followed: number } {
  let [hints, followed] = [0, 0];
  let hint: string | null = null;
  for (const event of log) {
    if (event.kind === 'message' && event.from === adviser) {
      hint = event.text.replace('Hint: ', '');
      hints++;
    } else if (event.kind === 'action' && event.seat === player) {
      if (hint !== null && event.action.text === hint) followed++;
      hint = null;
    }
  }
  return { hints, followed };
}

/** A player without knowledge that follows a usable hint nine times out of ten. */
const heeding: Script = ({ view, ask, rng }) => {
  const last = view.seen.findLast((item) => item.kind === 'message');
  const hint = last?.kind === 'message' && last.from === adviser ? last.text.replace('Hint: ', '') : null;
  const choices = ask.choices ?? [];
  return {
    text: hint !== null && choices.includes(hint) && rng.next() < 0.9 ? hint : choices.length > 0 ? rng.pick(choices) : (hint ?? ''),
  };
};

/** The control: a player that ignores hints. */
const deaf: Script = ({ ask, rng }) => ({ text: (ask.choices ?? []).length > 0 ? rng.pick(ask.choices ?? []) : '' });
