/**
 * @file Extracts experience from kept episodes for an agent that plays on: moves of successful episodes, by situation; effective moves, by
 * object (knowledge-enhanced agents for text games); and windows of play grouped by their actions and effects, named, and retrieved by a
 * goal (latent plans from play, arXiv 1903.01973, in words: the original play had no goals).
 */

import type { Experience } from '@ludus-agents/agents/internal/mind/experience';
import { type DreamOpening, type DreamStep, stepsOf } from '@ludus-agents/environments/internal/dream/steps';
import { choose, type EpisodeEvent, Fault, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

interface PlayedEpisode {
  readonly opening: DreamOpening;
  readonly steps: readonly DreamStep[];
  readonly paid: number;
}

const most = { actions: 300, things: 100, plans: 24 };
/** The moves in a window, and the minimum overlap of two windows of one plan. */
const windowMoves = 4;
const enough = 0.5;
/** The minimum number of occurrences of a plan. */
const fewest = 3;
/** An observation after more than this share of all moves is uninformative about a plan's effect. */
const usual = 0.1;

export function experienceFrom(logs: readonly (readonly EpisodeEvent[])[], seat: Seat, what = 'this environment'): Experience {
  const episodes = logs.flatMap((log): readonly PlayedEpisode[] => {
    const dreamEpisode = stepsOf(log, seat);
    const end = log.at(-1);
    return dreamEpisode === null || end?.kind !== 'end' ? [] : [{ ...dreamEpisode, paid: end.returns[seat] ?? 0 }];
  });
  if (episodes.length === 0) throw new Fault('input', `No finished episode of ${what} in which ${seat} acts. Play some with "ludus run".`);
  return { actions: rightMoves(episodes), affordances: affordancesIn(episodes), plans: plansIn(episodes.map(({ steps }) => steps)) };
}

/** For every situation, the move with the highest mean return, among moves in episodes with an above-average return. */
function rightMoves(episodes: readonly PlayedEpisode[]): Experience['actions'] {
  const mean = episodes.reduce((sum, { paid }) => sum + paid, 0) / episodes.length;
  const tried = new Map<string, { at: string; after: string; move: string; sum: number; n: number; best: number }>();
  for (const { steps, paid } of episodes)
    for (const [i, { at, move }] of steps.entries()) {
      const after = steps[i - 1]?.move ?? '';
      const key = JSON.stringify([at, after, move]);
      const { sum, n, best } = tried.get(key) ?? { sum: 0, n: 0, best: paid };
      if (at.trim() !== '') tried.set(key, { at, after, move, sum: sum + paid, n: n + 1, best: Math.max(best, paid) });
    }
  const good = [...tried.values()].filter(({ best }) => best > mean).sort((a, b) => b.sum / b.n - a.sum / a.n || b.n - a.n);
  const choice = new Map<string, (typeof good)[number]>();
  for (const item of good) {
    const key = JSON.stringify([item.at, item.after]);
    if (!choice.has(key)) choice.set(key, item);
  }
  return [...choice.values()].slice(0, most.actions).map(({ at, after, move }) => ({ at, ...(after === '' ? {} : { after }), move }));
}

/** Effective verbs, by their object: "[take lamp]" is the verb take with the object lamp. */
function affordancesIn(episodes: readonly PlayedEpisode[]): Experience['affordances'] {
  const matches = new Map<string, Set<string>>();
  const refusals = commonRefusals(episodes.flatMap(({ steps }) => steps));
  for (const { opening, steps } of episodes)
    for (const [i, step] of steps.entries()) {
      const [verb, object] = partsOf(step.move);
      const isWorking = object !== '' && hasWorked(step, steps[i - 1] ?? opening, refusals);
      if (isWorking) matches.set(object, (matches.get(object) ?? new Set()).add(verb));
    }
  const sorted = [...matches].sort(([, a], [, b]) => b.size - a.size).slice(0, most.things);
  return Object.fromEntries(sorted.map(([object, verbs]) => [object, [...verbs].slice(0, 32)]));
}

/** The beginnings of replies that refuse a move. */
const refusal = linear(
  /^\W*nothing\b|\b(?:cannot|can not|(?:ca|wo|do|does|did|could|is|are)n['’]t|(?:do|does|did|could|is|are|was) not|unable|not (?:possible|allowed|valid)|no such|no effect|invalid|impossible|illegal|refuse[sd]?|fail(?:s|ed)?|already|unknown (?:command|verb|move))\b/i,
);
/** A reply to moves with at least this many verbs, and to more than the usual share of all moves, is a refusal in any wording. */
const manyVerbs = 3;

/** Replies that come after moves of many kinds, in a form without the words of the move. */
export function commonRefusals(steps: readonly DreamStep[]): ReadonlySet<string> {
  const byForm = Map.groupBy(steps, replyForm);
  const common = [...byForm].filter(([form, replies]) => {
    const verbs = new Set(replies.map(({ move }) => partsOf(move)[0]));
    return form !== '' && verbs.size >= manyVerbs && replies.length > usual * steps.length;
  });
  return new Set(common.map(([form]) => form));
}

/** The first sentence of a reply without the words of the move: "You cannot kick the box" and "You cannot eat the key" are one form. */
function replyForm({ move, told }: DreamStep): string {
  const moveWords = new Set(wordsIn(move));
  return wordsIn(firstSentence(told))
    .map((word) => (moveWords.has(word) ? '_' : word))
    .join(' ');
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A refusal comes first in a reply; later sentences may describe the place. */
function firstSentence(text: string): string {
  return text.trim().split(/[.!?\n]/, 1)[0] ?? '';
}

/** A legal move worked if it was rewarded, if it changed the possible moves, or if the reply is new and not a refusal. */
export function hasWorked(
  step: DreamStep,
  before: Pick<DreamStep, 'choices'> | undefined,
  refusals: ReadonlySet<string> = new Set(),
): boolean {
  const { at, move, told, reward, choices } = step;
  if (reward > 0) return true;
  const possible = before?.choices ?? null;
  if (possible !== null && !choose({ text: move }, possible).ok) return false;
  if (possible !== null && choices !== null && JSON.stringify(possible) !== JSON.stringify(choices)) return true;
  return told !== '' && told !== at && !refusal.test(firstSentence(told)) && !refusals.has(replyForm(step));
}

function partsOf(move: string): readonly [string, string] {
  const [verb = '', ...objectWords] = move
    .replace(/^\[|\]$/g, '')
    .trim()
    .toLowerCase()
    .split(/\s+/);
  // The object of "unlock door with key" is the door.
  return [verb, objectWords.join(' ').replace(linear(/ (?:with|to|from|on|in|into) .*$/), '')];
}

interface PlanGroup {
  readonly windows: (readonly DreamStep[])[];
  readonly bag: Set<string>;
}

/** Unlabeled plans in episodes. A plan ends at an unusual observation, if there is one. */
export function plansIn(play: readonly (readonly DreamStep[])[]): Experience['plans'] {
  const windows = play.flatMap((steps) => steps.slice(windowMoves - 1).map((_, i) => steps.slice(i, i + windowMoves)));
  const counts = Map.groupBy(play.flat(), ({ told }) => told);
  const steps = play.reduce((sum, { length }) => sum + length, 0);
  const leading = windows.filter((window) => (counts.get(window.at(-1)?.told ?? '')?.length ?? 0) <= usual * steps);
  const groups = groupWindows(leading.length > 0 ? leading : windows);
  const common = groups.filter((group) => group.windows.length >= fewest).sort((a, b) => b.windows.length - a.windows.length);
  return common.slice(0, most.plans).map(({ windows: ownItems }) => {
    const moves = commonest(ownItems.map((window) => window.map(({ move }) => move).join('\n'))).split('\n');
    const leads = commonest(ownItems.map((window) => window.at(-1)?.told ?? '')).slice(0, 300) || moves[moves.length - 1];
    return { name: moves.map((move) => move.replace(/^\[|\]$/g, '')).join(', '), moves, leads };
  });
}

/** Groups windows that share enough actions and effects, each with the first matching group. */
export function groupWindows(windows: readonly (readonly DreamStep[])[]): readonly PlanGroup[] {
  const groups: PlanGroup[] = [];
  for (const window of windows) {
    const bag = new Set(window.flatMap(({ move, told }) => [move, `=> ${told}`]));
    const near = groups.map((group) => ({ group, like: overlap(bag, group.bag) })).sort((a, b) => b.like - a.like)[0];
    if (near !== undefined && near.like >= enough) near.group.windows.push(window);
    else groups.push({ windows: [window], bag });
  }
  return groups;
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((item) => b.has(item)).length;
  return both / (a.size + b.size - both);
}

function commonest(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce((best, item) => (item[1] > best[1] ? item : best), ['', 0] as [string, number])[0];
}
