/**
 * @file Choices whose value changes halfway: a different person is served, a different goal is rewarded, or moves lead elsewhere. Measures
 * how much is lost, and how quickly the player recovers.
 *
 * Small enough that the optimal play is known: after a change, trying each option once finds the new best.
 */

import type { Message, MoveOutcome, Script, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, parameter, retries } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  change: parameter.choice({
    options: ['population', 'goal', 'dynamics', 'none'],
    default: 'population',
    description: 'what changes halfway: the customer, the reward, the effect of a move, or nothing',
  }),
  options: parameter.integer({ min: 2, max: 8, default: 4, description: 'number of dishes' }),
  steps: parameter.integer({ min: 8, max: 200, default: 40, description: 'number of choices' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Service, Task>;
type Service = {
  /** The value of each dish to the person served, before and after the change. */
  readonly tastes: readonly [readonly number[], readonly number[]];
  /** The dish that each order leads to, before and after the change. */
  readonly leads: readonly [readonly number[], readonly number[]];
  /** The first step after the change. */
  readonly at: number;
  readonly paid: readonly number[];
  readonly ordered: readonly number[];
  readonly over: boolean;
};

const seat = 'chooser';
const alone = [seat] as const;
export const dishes = ['soup', 'bread', 'rice', 'fish', 'beans', 'cake', 'salad', 'pie'] as const;
const menus = Array.from({ length: 9 }, (_, n) => dishes.slice(0, n).map((dish) => `[serve ${dish}]`));

export const shift = defineEnvironment({
  id: 'shift@1',
  about: {
    summary:
      'An agent serves dishes to a guest and is paid from 0 to 1 for the guest’s reaction, until something changes halfway: a new guest with other tastes, a reversed goal (which is announced), or a kitchen that serves other dishes than ordered. The return is the mean payment. Scorers get the level before the change, the loss, and the time to recover. Trying each dish once finds the best one again.',
    tasks: [{}, { change: 'goal', steps: 12 }, { change: 'dynamics', options: 3 }, { change: 'none', steps: 8 }],
    turns: 40 * 3 + 4,
    complete: true,
    words: ['serve'],
  },
  parameters,
  seats: alone,

  start(task, rng) {
    const { options, steps, change } = task;
    const places = Array.from({ length: options }, (_, i) => i);
    const worth = places.map((i) => i / (options - 1));
    const first = rng.shuffle(worth);
    const best = first.indexOf(1);
    // After the change, the previously best option has a low value; otherwise, there would be nothing to learn.
    const drawNewWorth = (): readonly number[] => {
      for (;;) {
        const next = rng.shuffle(worth);
        if (next[best] < 0.5) return next;
      }
    };
    const drawNewPlaces = () => {
      for (;;) {
        const next = rng.shuffle(places);
        if (first[next[best]] < 0.5) return next;
      }
    };
    const second = change === 'population' ? drawNewWorth() : change === 'goal' ? first.map((value) => 1 - value) : first;
    const leads = change === 'dynamics' ? drawNewPlaces() : places;
    const at = Math.floor(steps / 2) - 1 + rng.int(3);
    const state: Service = { tastes: [first, second], leads: [places, leads], at, paid: [], ordered: [], over: false };
    const text = `You serve one guest at a time, ${steps} times in all, from ${dishes.slice(0, options).join(', ')}. Each time you are told what the guest made of it, from 0 to 1, and are paid that over ${steps}. Things may change. Answer with exactly one move in square brackets, like ${menus[options][0]}.`;
    return { state, messages: text };
  },

  turn: ({ task, paid, ordered }) => ({ seat, choices: menus[task.options], data: { paid, ordered } }),

  play(state, move) {
    const { task, paid, at, tastes, leads } = state;
    const order = menus[task.options].indexOf(move);
    const now = paid.length >= at ? 1 : 0;
    const worth = tastes[now][leads[now][order]];
    const next: State = { ...state, paid: [...paid, worth], ordered: [...state.ordered, order] };
    const shownCount = Math.round(worth * 1000) / 1000;
    const messages: Message[] = [{ to: alone, text: `${dishes[order]}: ${shownCount}.`, data: { order, worth: shownCount } }];
    if (next.paid.length === at && task.change === 'goal')
      messages.push({ to: alone, text: 'From now on you are paid for what guests like least.', data: { turned: true } });
    const rewards = { [seat]: worth / task.steps };
    if (next.paid.length === task.steps) return { ...finish(next, messages), rewards };
    return { state: next, messages, rewards };
  },

  forfeit: (state, _, text) => finish(state, [{ to: alone, text: `${text} The service ends.` }]),

  knows: ({ paid, ordered, at, task, over }) => ({ paid, ordered, turned: task.change === 'goal' && paid.length >= at, over }),

  scripts: {
    /** Tries everything, then serves the best. Starts over if the reward differs from its expectation, and reacts to announcements. */
    adaptive: chooser(true),
    /** Tries everything once, and never again. */
    stubborn: chooser(false),
  },
});

function finish(state: State, messages: readonly Message[]): MoveOutcome<State> {
  const { at, paid, task } = state;
  const note: Message = { to: [], text: 'change', data: { change: { kind: task.change, at, paid } } };
  return { state: { ...state, over: true }, messages: [...messages, note], over: true };
}

function chooser(adapts: boolean): Script {
  return ({ ask, view }) => {
    const { paid, ordered } = ask.data as { readonly paid: readonly number[]; readonly ordered: readonly number[] };
    const knownEntries = new Map<number, number>();
    const turned = view.seen.findIndex(
      (item) => item.kind === 'message' && (item.data as { turned?: boolean } | undefined)?.turned === true,
    );
    const before = turned < 0 ? paid.length : view.seen.slice(0, turned).filter((item) => item.kind === 'action').length;
    for (const [i, order] of ordered.entries()) {
      const expected = knownEntries.get(order);
      if (adapts && i === before) for (const [value, worth] of knownEntries) knownEntries.set(value, 1 - worth);
      const now = knownEntries.get(order);
      if (adapts && now !== undefined && Math.abs(now - paid[i]) > 0.01) knownEntries.clear();
      if (adapts || expected === undefined) knownEntries.set(order, paid[i]);
    }
    if (adapts && before === ordered.length && turned >= 0) for (const [value, worth] of knownEntries) knownEntries.set(value, 1 - worth);
    const untried = (ask.choices ?? []).findIndex((_, i) => !knownEntries.has(i));
    const best = [...knownEntries].reduce((a, b) => (b[1] > a[1] ? b : a), [0, -1] as const)[0];
    // An option with a value of 1 cannot be improved on.
    const pick = untried >= 0 && knownEntries.get(best) !== 1 ? untried : best;
    return { text: (ask.choices ?? [])[pick] };
  };
}
