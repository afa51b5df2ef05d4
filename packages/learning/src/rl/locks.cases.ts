/**
 * @file A small environment for tests of lessons: locks with keys of several digits; only the complete key is rewarded. Exactly solvable:
 * the chance to open a lock is the product of the chances of its digits.
 */

import type { Environment, Json, Learner, Script, Seen, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { toDemonstrationRow } from './warm-up.ts';

type State = { readonly lock: number; readonly at: number; readonly right: boolean; readonly digits: number };

const choices = ['a', 'b', 'c', 'd'] as const;

/** The correct letter of a lock at a position. */
function letterOf(lock: number, at: number): string {
  return choices[rng(7, 'lock', lock, at).int(choices.length)] as string;
}

function askOf({ lock, at }: State) {
  return { messages: [{ to: ['opener'], text: `Lock ${lock}, letter ${at + 1}.` }], asks: [{ seat: 'opener', choices }] };
}

/** Four locks, three letters each by default. */
export const locks: Environment<State, { digits: number; locks: number }> = {
  id: 'locks@1',
  about: { summary: 'Open a lock.', tasks: [{}], turns: 6, complete: true },
  parameters: {},
  task: (input: Json) => ({ digits: 3, locks: 4, ...(input as object) }),
  seats: () => ['opener'],
  start({ digits, locks: count }, dice) {
    const state = { lock: dice.int(count), at: 0, right: true, digits };
    return { state, ...askOf(state) };
  },
  step(state, actions) {
    const right = state.right && actions['opener']?.text === letterOf(state.lock, state.at);
    const next = { ...state, at: state.at + 1, right };
    if (next.at === state.digits) return { state: next, messages: [], asks: [], rewards: { opener: right ? 1 : 0 } };
    return { state: next, ...askOf(next) };
  },
  scripts: {
    keyholder: (turn) => ({ text: correctMove(turn) }),
    /** Knows only the first lock. */
    novice: (turn) => ({ text: placeOf(turn).lock === 0 ? correctMove(turn) : correctMove(turn) === 'a' ? 'b' : 'a' }),
  } satisfies Record<string, Script>,
};

function placeOf({ view }: Turn): { readonly lock: number; readonly at: number } {
  const last = view.seen.findLast((item) => item.kind === 'message');
  const [, lock, letter] = /Lock (\d+), letter (\d+)/.exec(last?.kind === 'message' ? last.text : '') ?? [];
  return { lock: Number(lock), at: Number(letter) - 1 };
}

function correctMove(turn: Turn): string {
  const { lock, at } = placeOf(turn);
  return letterOf(lock, at);
}

/** The exact chance that a learner opens a lock, averaged over `count` locks. */
export async function chanceToOpen(learner: Learner, { digits = 3, count = 4 } = {}): Promise<number> {
  let sum = 0;
  for (let lock = 0; lock < count; lock++) {
    const observations: Seen[] = [];
    const rows = Array.from({ length: digits }, (_, at) => {
      const { messages, asks } = askOf({ lock, at, right: true, digits });
      observations.push(...messages.map((message) => ({ kind: 'message' as const, ...message })));
      const row = toDemonstrationRow(
        learner,
        { view: { seat: 'opener', seen: [...observations] }, ask: asks[0]!, rng: rng(0) },
        letterOf(lock, at),
      );
      observations.push({ kind: 'action', action: { text: letterOf(lock, at) } });
      return row;
    });
    const logprobs = await learner.logprobs(rows);
    sum += Math.exp(logprobs.reduce((all, list) => all + list[list.length - 1]!, 0));
  }
  return sum / count;
}
