/** @file Kept episodes as rows to imitate: each answer with its state, masked if it was wrong, weighted by its value. */

import type { Action, EpisodeEvent, Learner, Seat, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { isObject, textOf } from '@ludus-agents/kernel/internal/core/index';
import { type LoggedTurn, turnsInLog } from './log-turns.ts';
import { without } from './losses/imitation.ts';
import { advantageWeight, implicitValues, type KeptStep, monteCarloValues } from './offline-critic.ts';
import type { Weighing } from './recipe.ts';
import { toDemonstrationRow } from './warm-up.ts';

/** One seat's part of an episode, as training data. */
export interface KeptEpisode {
  readonly log: readonly EpisodeEvent[];
  readonly seat: Seat;
  /** Numbers of the seat's own turns that are input but not trained on. */
  readonly masked?: ReadonlySet<number>;
  /** Character ranges of answers that are input but not trained on, by the number of the turn. */
  readonly quoted?: ReadonlyMap<number, readonly (readonly [number, number])[]>;
}

export interface KeptRows {
  readonly rows: readonly TokenRow[];
  /** The number of episodes and turns that became rows, and of turns left out, by reason. */
  readonly episodes: number;
  readonly turns: number;
  readonly left: Readonly<Record<string, number>>;
}

/** The best share of episodes by their seat's reward; ties prefer the earlier episode. */
export function bestOf<E extends KeptEpisode>(episodes: readonly E[], share: number): readonly E[] {
  const count = Math.ceil(share * episodes.length);
  const ranked = episodes.map((episode, i) => ({ episode, i, paid: returnOf(episode) })).toSorted((a, b) => b.paid - a.paid || a.i - b.i);
  return ranked.slice(0, count).map(({ episode }) => episode);
}

export function returnOf({ log, seat }: KeptEpisode): number {
  const end = log.at(-1);
  return end?.kind === 'end' ? (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0) : 0;
}

/** The texts for a vocabulary: the input of each answer in kept episodes, and the answers. */
export function textsInKept(episodes: readonly KeptEpisode[]): readonly string[] {
  return episodes.flatMap(({ log, seat }) =>
    turnsInLog(log, [seat]).flatMap(({ turn: { view }, action }) => [`${textOf(view)}${view.seat}: `, answerIn(action)]),
  );
}

/** Converts kept turns to rows as if the learner had played them. */
export function keptRows(learner: Learner, episodes: readonly KeptEpisode[], weighing: Weighing = { kind: 'alike' }): KeptRows {
  const left: Record<string, number> = {};
  const steps: { readonly step: KeptStep; readonly row: TokenRow | null; readonly paid: number; readonly reward: number }[] = [];
  for (const episode of episodes) {
    let next: KeptStep | null = null;
    for (const loggedTurn of turnsInLog(episode.log, [episode.seat]).toReversed()) {
      const reward = loggedTurn.reward - loggedTurn.penalty;
      const hidden = episode.quoted?.get(loggedTurn.number);
      const whole = rowOf(learner, loggedTurn);
      const row = whole === null || hidden === undefined ? whole : withoutSpans(learner, loggedTurn, { row: whole, spans: hidden });
      const { data } = loggedTurn.action;
      const isUnlearned = isObject(data) && data['weight'] === 0;
      const isHidden =
        isUnlearned || episode.masked?.has(loggedTurn.number) === true || (row !== null && !Array.from(row.mask).includes(1));
      const why = row === null ? 'no listed move' : isHidden ? 'masked' : null;
      if (why !== null) left[why] = (left[why] ?? 0) + 1;
      const step: KeptStep = { state: stateOf(loggedTurn, row), answer: loggedTurn.action.text, reward, next };
      next = step;
      steps.push({ step, row: why === null ? row : null, paid: returnOf(episode), reward });
    }
  }
  const weights = weightsOf(steps, weighing);
  const rows = steps.flatMap(({ row }, i) => (row === null || weights[i] === 0 ? [] : [withWeight(row, weights[i])]));
  return { rows, episodes: episodes.length, turns: rows.length, left };
}

/** A learner that chooses among listed moves can only learn a listed move. */
function rowOf(learner: Learner, { turn, action }: LoggedTurn): TokenRow | null {
  if (learner.rowFor === undefined && !(turn.ask.choices ?? []).includes(action.text)) return null;
  return toDemonstrationRow(learner, turn, answerIn(action));
}

/** An answer as a learner writes it: a native tool call of a model becomes a line of text, as in a view with tools. */
function answerIn({ text, data }: Action): string {
  const calls = isObject(data) && Array.isArray(data['toolCalls']) ? data['toolCalls'].filter(isObject) : [];
  const lines = calls.map(({ name, arguments: input }) => `Tool: ${String(name)} ${JSON.stringify(input ?? {})}`);
  return [...(text === '' && lines.length > 0 ? [] : [text]), ...lines].join('\n');
}

/**
 * A row in which parts of the answer are not trained on. Tokens may cross the border of a part, so its place is found by tokenizing the
 * text before it and the text after it: only the answer's leading and trailing tokens that match theirs are trained on.
 */
export function withoutSpans(
  learner: Learner,
  { turn, action }: LoggedTurn,
  { row, spans }: { readonly row: TokenRow; readonly spans: readonly (readonly [number, number])[] },
): TokenRow {
  const written = (tokenRow: TokenRow) => Array.from(tokenRow.tokens).filter((_, i) => tokenRow.mask[i] === 1);
  const answer = written(row);
  const places = Array.from(row.mask).flatMap((bit, i) => (bit === 1 ? [i] : []));
  const stretches = spans.map(([from, to]): readonly [number, number] => {
    const [before, after] = [action.text.slice(0, from), action.text.slice(to)].map((part) =>
      learner.rowFor === undefined ? [] : written(toDemonstrationRow(learner, turn, part)),
    ) as [number[], number[]];
    let [first, last] = [0, 0];
    while (first < answer.length && answer[first] === before[first]) first++;
    while (last < answer.length - first && answer.at(-1 - last) === after.at(-1 - last)) last++;
    return first + last >= answer.length ? [0, 0] : [places[first], places[answer.length - 1 - last] + 1];
  });
  return { ...row, mask: without(row.mask, stretches) };
}

/** The learner's input before its answer. */
function stateOf({ turn: { view } }: LoggedTurn, row: TokenRow | null): string {
  if (row === null) return JSON.stringify([view.seat, view.seen]);
  return Array.from(row.tokens)
    .filter((_, i) => row.mask[i] === 0)
    .join(' ');
}

function weightsOf(
  steps: readonly { readonly step: KeptStep; readonly paid: number; readonly reward: number }[],
  weighing: Weighing,
): readonly number[] {
  switch (weighing.kind) {
    case 'alike':
      return steps.map(() => 1);
    case 'return':
      return steps.map(({ paid }) => Math.max(0, paid));
    case 'reward':
      return steps.map(({ reward }) => Math.exp(reward / weighing.temperature));
    case 'monte-carlo':
    case 'implicit': {
      const all = steps.map(({ step }) => step);
      const values = weighing.kind === 'implicit' ? implicitValues(all, weighing) : monteCarloValues(all, weighing.discount);
      return values.map((value) => advantageWeight(value, weighing.beta));
    }
  }
}

/** A row with every token's weight multiplied by `weight`. */
function withWeight(row: TokenRow, weight: number): TokenRow {
  return weight === 1 ? row : { ...row, weights: Array.from(row.mask, (bit) => bit * weight) };
}
