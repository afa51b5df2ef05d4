/**
 * @file Preference data from play: which of two episodes was better (DPO), which was good and which bad (KTO), which of two replies is
 * truer to a persona (APC-DPO, 2405.07726).
 *
 * Episodes are compared with those of the same task, seed and seat only. Tasks (personas, for replies) are either for training or for
 * evaluation, never for both. A side is plain data: a chat with a mask on the seat's own messages, and rows of tokens if the log has them.
 */

import type { ChatMessage, Lesson, ModelCall, Score, Seat, Seed, StartEvent } from '@ludus-agents/kernel/internal/core/index';
import { chatOf, hash, rng, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { callsOf, hasTokens, type Sequence, sequencesOf } from './sequences.ts';

export interface PreferenceSide {
  /** The source episode, or the number of the reply. */
  readonly from: string;
  /** Higher is better. */
  readonly score: number;
  readonly messages: readonly ChatMessage[];
  /** Message by message: 1 on the seat's own messages, the only ones trained on. */
  readonly mask: readonly number[];
  /** The full input and output, including the prompt; absent if the log has no tokens. */
  readonly rows?: readonly Sequence[];
}

interface Place {
  /** The unit of the train/eval split: an environment with its task, or a persona. */
  readonly task: string;
  /** The unit of comparison: the same task and random seed, or the same prompt. */
  readonly group: string;
  readonly seat: Seat;
  readonly split: 'train' | 'eval';
  /** The shared beginning of both sides, or the messages before the seat's first one. */
  readonly prompt: readonly ChatMessage[];
}

/** Two answers to one prompt, the better one chosen. */
export interface PreferencePair extends Place {
  readonly margin: number;
  readonly chosen: PreferenceSide;
  readonly rejected: PreferenceSide;
}

export interface Desirability extends Place {
  readonly good: boolean;
  /** Gives good and bad samples equal total weight, whatever their numbers. */
  readonly weight: number;
  readonly side: PreferenceSide;
}

export interface PreferenceOptions {
  /** The score to compare by; "return" is the environment's reward. */
  readonly score: string;
  /** The minimum difference of the sides, exclusive. */
  readonly margin?: number;
  /** extremes: the best and the worst. neighbors: each and the next better. all: every pair. */
  readonly pairs?: 'extremes' | 'neighbors' | 'all';
  /** The share of tasks reserved for evaluation, and the seed of the draw. */
  readonly evalShare?: number;
  readonly seed?: Seed;
}

/** The results, and the numbers of items left out, by reason. */
export interface Made<T> {
  readonly made: readonly T[];
  readonly left: Readonly<Record<string, number>>;
}

/** A reply in character with its score: how well it matches the persona's statements. */
export interface PersonaReply {
  readonly persona: string;
  readonly prompt: readonly ChatMessage[];
  readonly text: string;
  /** Null means missing; such replies are left out. */
  readonly score: number | null;
  readonly call?: ModelCall;
}

/** A lesson, and the numbers of its own turns that are not trained on; lessons with masked turns have no token rows. */
interface MaskedLesson extends Lesson {
  readonly masked?: ReadonlySet<number>;
}

/** One side before comparison. */
interface Entry extends PreferenceSide {
  readonly task: string;
  /** Equal for sides that can be compared. */
  readonly key: string;
  /** The group's identifier, computed lazily: most sides have no partner and need none. */
  readonly group: () => string;
  readonly seat: Seat;
}

class Tally {
  readonly left: Record<string, number> = {};

  leave(why: string): void {
    this.left[why] = (this.left[why] ?? 0) + 1;
  }
}

/** Builds pairs of answers from lessons of one group, for DPO and similar methods. */
export function preferencePairs(lessons: readonly MaskedLesson[], options: PreferenceOptions): Made<PreferencePair> {
  const tally = new Tally();
  return { made: pairsIn(entriesOf(lessons, options.score, tally), options, tally), left: tally.left };
}

/** Labels the samples of a group for KTO: good if above the mean by more than a margin, bad if below by as much; others are left out. */
export function desirabilities(lessons: readonly MaskedLesson[], options: Omit<PreferenceOptions, 'pairs'>): Made<Desirability> {
  const { margin = 0 } = options;
  const tally = new Tally();
  const judged: Desirability[] = [];
  for (const group of groupsOf(entriesOf(lessons, options.score, tally))) {
    const mean = meanOrZero(group.map(({ score }) => score));
    for (const entry of group) {
      if (Math.abs(entry.score - mean) <= margin) tally.leave('neither good nor bad');
      else {
        const index = entry.mask.indexOf(1);
        judged.push({ ...placeOf(entry, index, options), good: entry.score > mean, weight: 1, side: sideOf(entry, index) });
      }
    }
  }
  return { made: balanceLabels(judged), left: tally.left };
}

/** Pairs of replies to one prompt in one role, choosing the more faithful one; the default margin of 0.2 is the published one. */
export function personaPairs(replies: readonly PersonaReply[], options: Omit<PreferenceOptions, 'score'> = {}): Made<PreferencePair> {
  const tally = new Tally();
  const entries = replies.flatMap(({ persona, prompt, text, score, call }, i): readonly Entry[] => {
    if (score === null || !Number.isFinite(score)) {
      tally.leave('no score');
      return [];
    }
    const messages: readonly ChatMessage[] = [...prompt, { role: 'assistant', content: text }];
    const group = hash({ persona, prompt: prompt });
    const mask = messages.map((_, at) => (at === prompt.length ? 1 : 0));
    return [
      {
        task: hash({ persona }),
        key: group,
        group: () => group,
        seat: persona,
        from: `${i}`,
        score,
        messages,
        mask,
        ...rowsOf(call === undefined ? [] : [call], tally),
      },
    ];
  });
  return { made: pairsIn(entries, { margin: 0.2, ...options }, tally), left: tally.left };
}

function entriesOf(lessons: readonly MaskedLesson[], name: string, tally: Tally): readonly Entry[] {
  return lessons.flatMap((lesson): readonly Entry[] => {
    const { episode, seat } = lesson;
    const [start, end] = [episode.events[0], episode.events.at(-1)];
    if (start?.kind !== 'start' || end?.kind !== 'end' || end.reason === 'error' || end.reason === 'abort') {
      tally.leave('not played to an end');
      return [];
    }
    const score = scoreIn(lesson.scores, name, seat) ?? (name === 'return' ? end.returns[seat] : undefined);
    if (score === undefined || !Number.isFinite(score)) {
      tally.leave('no score');
      return [];
    }
    const messages = chatOf(viewOf(episode.events, seat));
    let turn = 0;
    const mask = messages.map(({ role }) => (role === 'assistant' && lesson.masked?.has(turn++) !== true ? 1 : 0));
    if (!mask.includes(1)) {
      tally.leave('no own words');
      return [];
    }
    const task = taskOf(start);
    return [
      {
        task,
        key: `${task} ${start.seed} ${seat}`,
        group: () => hash({ task, seed: start.seed, seat }),
        seat,
        from: episode.id,
        score,
        messages,
        mask,
        ...rowsOf(lesson.masked === undefined ? callsOf(episode.events, seat) : [], tally),
      },
    ];
  });
}

let latest: { readonly start: StartEvent; readonly task: string } | null = null;

/** Cached for the seats of one episode, which are processed one after another. */
function taskOf(start: StartEvent): string {
  if (latest?.start !== start) latest = { start, task: hash({ environment: start.environment, task: start.task }) };
  return latest.task;
}

/**
 * The value of an episode-level score, oriented so that higher is better. A score of this seat takes precedence over one without a seat.
 */
function scoreIn(scores: readonly Score[], name: string, seat: Seat): number | undefined {
  const fitting = scores.filter((score) => score.name === name && score.turn === undefined && (score.seat ?? seat) === seat);
  const score = fitting.find((score) => score.seat === seat) ?? fitting[0];
  if (score === undefined || score.status !== 'ok' || score.value === null) return undefined;
  return score.lowerIsBetter === true ? -score.value : score.value;
}

function rowsOf(calls: readonly ModelCall[], tally: Tally): { readonly rows?: readonly Sequence[] } {
  if (calls.length === 0) return {};
  if (calls.every(hasTokens)) return { rows: sequencesOf(calls) };
  tally.leave('rows without tokens');
  return {};
}

function pairsIn(entries: readonly Entry[], options: Omit<PreferenceOptions, 'score'>, tally: Tally): readonly PreferencePair[] {
  const { margin = 0, pairs = 'extremes' } = options;
  const preferencePairs: PreferencePair[] = [];
  for (const group of groupsOf(entries)) {
    if (group.length === 1) tally.leave('nothing to compare with');
    const ranked = group.toSorted((a, b) => b.score - a.score);
    for (const [better, worse] of choosePairs(ranked, pairs)) {
      const gap = better.score - worse.score;
      if (gap <= margin) tally.leave('too close');
      // If the texts are identical, the difference in score is luck.
      else if (ownText(better) === ownText(worse)) tally.leave('same words');
      else {
        const prompt = sharedMessages(better, worse);
        preferencePairs.push({
          ...placeOf(better, prompt, options),
          margin: gap,
          chosen: sideOf(better, prompt),
          rejected: sideOf(worse, prompt),
        });
      }
    }
  }
  return preferencePairs;
}

function choosePairs(ranked: readonly Entry[], pairs: 'extremes' | 'neighbors' | 'all'): readonly (readonly [Entry, Entry])[] {
  if (pairs === 'extremes') return ranked.length < 2 ? [] : [[ranked[0], ranked.at(-1) as Entry]];
  return ranked.flatMap((better, i) => {
    const worse = pairs === 'all' ? ranked.slice(i + 1) : ranked.slice(i + 1, i + 2);
    return worse.map((entry) => [better, entry] as const);
  });
}

function groupsOf(entries: readonly Entry[]): Iterable<readonly Entry[]> {
  return Map.groupBy(entries, ({ key }) => key).values();
}

/** The number of leading messages that two sides share; each side retains some of its own messages. */
function sharedMessages(a: PreferenceSide, b: PreferenceSide): number {
  const differs = a.messages.findIndex(({ role, content }, i) => role !== b.messages[i]?.role || content !== b.messages[i]?.content);
  return Math.min(differs === -1 ? a.messages.length : differs, a.mask.lastIndexOf(1), b.mask.lastIndexOf(1));
}

function ownText({ messages, mask }: PreferenceSide): string {
  return JSON.stringify(messages.filter((_, i) => mask[i] === 1).map(({ content }) => content));
}

function placeOf({ task, group, seat, messages }: Entry, prompt: number, { evalShare = 0, seed = 0 }: Partial<PreferenceOptions>): Place {
  const split = rng(seed, 'split', task).next() < evalShare ? 'eval' : 'train';
  return { task, group: group(), seat, split, prompt: messages.slice(0, prompt) };
}

function sideOf({ from, score, messages, mask, rows }: Entry, prompt: number): PreferenceSide {
  return { from, score, messages: messages.slice(prompt), mask: mask.slice(prompt), ...(rows === undefined ? {} : { rows }) };
}

function balanceLabels(judged: readonly Desirability[]): readonly Desirability[] {
  const count = (split: string, good: boolean) =>
    judged.filter((desirability) => desirability.split === split && desirability.good === good).length;
  const most = { train: Math.max(count('train', true), count('train', false)), eval: Math.max(count('eval', true), count('eval', false)) };
  return judged.map((desirability) => ({
    ...desirability,
    weight: most[desirability.split] / count(desirability.split, desirability.good),
  }));
}
