/** @file Stores the real steps of one seat for a dream (observation, action, outcome), and finds the one that best matches a question. */

import type { EpisodeEvent, Rng, Seat } from '@ludus-agents/kernel/internal/core/index';

/** One real step. `at` is the seat's observation before its action; choices are null if moves are not listed. */
export type DreamStep = {
  readonly at: string;
  readonly move: string;
  readonly told: string;
  readonly choices: readonly string[] | null;
  readonly reward: number;
  readonly over: boolean;
};

/** The start of an episode for the seat. */
export type DreamOpening = { readonly told: string; readonly choices: readonly string[] | null };

export type DreamEpisode = { readonly opening: DreamOpening; readonly steps: readonly DreamStep[] };

/** Extracts the steps of a seat from a finished log. Returns null if the seat never acted or the episode did not end. */
export function stepsOf(events: readonly EpisodeEvent[], seat: Seat): DreamEpisode | null {
  const end = events.at(-1);
  if (end?.kind !== 'end' || (end.reason !== 'over' && end.reason !== 'limit')) return null;
  let [observations, payment]: [string[], number] = [[], 0];
  let move: string | null = null;
  let opening: DreamOpening | null = null;
  let at = '';
  const steps: DreamStep[] = [];
  for (const event of events) {
    if (event.kind === 'message' && event.to.includes(seat)) observations.push(event.text);
    if (event.kind === 'reward') payment += (event.rewards[seat] ?? 0) - (event.penalties?.[seat] ?? 0);
    if (event.kind === 'action' && event.seat === seat) move = event.action.text;
    const ask = event.kind === 'turn' ? event.asks.find((item) => item.seat === seat) : undefined;
    if (ask !== undefined) {
      const [now, choices] = [observations.join('\n'), ask.choices ?? null];
      if (move === null) opening ??= { told: now, choices };
      else steps.push({ at, move, told: now, choices, reward: payment, over: false });
      // Without a message, the situation is unchanged.
      [at, observations, payment] = [now === '' ? at : now, [], 0];
    }
    if (event.kind === 'end' && move !== null)
      steps.push({ at, move, told: observations.join('\n'), choices: null, reward: payment, over: true });
  }
  return opening === null || steps.length === 0 ? null : { opening, steps };
}

/** Finds real steps that answer a question. Built once per dream. */
export interface StepIndex {
  /** Returns a real step with this situation and move (a random one of several), or the one with the most similar situation. */
  outcome(at: string, move: string, rng: Rng): DreamStep | null;
  /** Returns the most similar steps, best first. */
  nearest(at: string, move: string, most: number): readonly DreamStep[];
  /** Returns whether this situation and move were ever seen. */
  has(at: string, move: string): boolean;
}

const mostFound = 100_000;

export function indexSteps(steps: readonly DreamStep[]): StepIndex {
  const exact = new Map<string, DreamStep[]>();
  const byMove = new Map<string, DreamStep[]>();
  const wordSets = new Map<DreamStep, ReadonlySet<string>>();
  const matches = new Map<string, DreamStep | null>();
  const keyOf = (at: string, move: string) => JSON.stringify([at, move]);
  for (const step of steps) {
    const [key, dreamSteps] = [keyOf(step.at, step.move), byMove.get(step.move) ?? []];
    exact.set(key, [...(exact.get(key) ?? []), step]);
    dreamSteps.push(step);
    byMove.set(step.move, dreamSteps);
  }
  const wordsIn = (step: DreamStep) => {
    const word = wordSets.get(step) ?? wordSet(step.at);
    wordSets.set(step, word);
    return word;
  };
  const nearest = (at: string, move: string, most: number): readonly DreamStep[] => {
    const wanted = wordSet(at);
    const ranked = (byMove.get(move) ?? steps).map((step) => ({ step, near: likeness(wanted, wordsIn(step)) }));
    return ranked
      .sort((a, b) => b.near - a.near)
      .slice(0, most)
      .map(({ step }) => step);
  };
  return {
    nearest,
    has: (at, move) => exact.has(keyOf(at, move)),
    outcome(at, move, rng) {
      const key = keyOf(at, move);
      const dreamSteps = exact.get(key);
      if (dreamSteps !== undefined) return rng.pick(dreamSteps);
      // A search repeats the same questions.
      const dreamStep = matches.get(key);
      if (dreamStep !== undefined) return dreamStep;
      const near = nearest(at, move, 1)[0] ?? null;
      if (matches.size < mostFound) matches.set(key, near);
      return near;
    },
  };
}

function wordSet(text: string): ReadonlySet<string> {
  // Punctuation counts, because boards consist of it.
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]+/gu) ?? []).map((word, i) =>
      /[\p{L}\p{N}]/u.test(word) ? word : `${i}${word}`,
    ),
  );
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return a.size + b.size === 0 ? 1 : shared / (a.size + b.size - shared);
}
