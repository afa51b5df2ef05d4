/**
 * @file What kept episodes show an agent that plays on: moves of episodes that went well, by situation; what changed something, by the thing it
 * was done to (knowledge-enhanced agents for text games); and windows of play put together by what is done and what comes of it, named, and
 * retrieved by a goal (latent plans from play, arXiv 1903.01973, in words: no goal was given when they were played).
 */

import type { Experience } from '@ludus-agents/agents/internal/mind/experience';
import { type DreamStep, stepsOf } from '@ludus-agents/environments/internal/dream/steps';
import { type EpisodeEvent, Fault, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

interface PlayedEpisode {
  readonly steps: readonly DreamStep[];
  readonly paid: number;
}

const most = { actions: 300, things: 100, plans: 24 };
/** Moves of a window, and how much two windows must share to be one plan. */
const windowMoves = 4;
const enough = 0.5;
/** A plan was made at least so often. */
const fewest = 3;
/** What follows more than this share of all moves says nothing of where a plan leads. */
const usual = 0.1;

export function experienceFrom(logs: readonly (readonly EpisodeEvent[])[], seat: Seat, what = 'this environment'): Experience {
  const episodes = logs.flatMap((log): readonly PlayedEpisode[] => {
    const dreamEpisode = stepsOf(log, seat);
    const end = log.at(-1);
    return dreamEpisode === null || end?.kind !== 'end' ? [] : [{ steps: dreamEpisode.steps, paid: end.returns[seat] ?? 0 }];
  });
  if (episodes.length === 0) throw new Fault('input', `No finished episode of ${what} in which ${seat} acts. Play some with "ludus run".`);
  return { actions: rightMoves(episodes), affordances: affordancesIn(episodes), plans: plansIn(episodes.map(({ steps }) => steps)) };
}

/** Of every situation the move after which most was paid on the mean, of those that were made in an episode paid above the mean of all. */
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

/** Verbs that worked, by what they were done to: "[take lamp]" is take, done to lamp. */
function affordancesIn(episodes: readonly PlayedEpisode[]): Experience['affordances'] {
  const matches = new Map<string, Set<string>>();
  for (const { steps } of episodes)
    for (const [i, step] of steps.entries()) {
      const [verb, object] = partsOf(step.move);
      if (object !== '' && hasWorked(step, steps[i - 1])) matches.set(object, (matches.get(object) ?? new Set()).add(verb));
    }
  const sorted = [...matches].sort(([, a], [, b]) => b.size - a.size).slice(0, most.things);
  return Object.fromEntries(sorted.map(([object, verbs]) => [object, [...verbs].slice(0, 32)]));
}

/** How replies begin that refuse a move. */
const refusal = linear(
  /^\W*nothing\b|\b(?:cannot|can not|(?:ca|wo|do|does|did|could|is|are)n['’]t|(?:do|does|did|could|is|are|was) not|unable|not (?:possible|allowed|valid)|no such|no effect|invalid|impossible|illegal|refuse[sd]?|fail(?:s|ed)?|already|unknown (?:command|verb|move))\b/i,
);

/** A move worked where it was rewarded, where other moves are possible after it, or where something new was told that is not a refusal. */
export function hasWorked({ at, told, reward, choices }: DreamStep, before: DreamStep | undefined): boolean {
  if (reward > 0) return true;
  if (before !== undefined && before.choices !== null && choices !== null && JSON.stringify(before.choices) !== JSON.stringify(choices))
    return true;
  // A refusal comes first in a reply; later sentences may describe the place.
  const [first = ''] = told.trim().split(/[.!?\n]/, 1);
  return told !== '' && told !== at && !refusal.test(first);
}

function partsOf(move: string): readonly [string, string] {
  const [verb = '', ...objectWords] = move
    .replace(/^\[|\]$/g, '')
    .trim()
    .toLowerCase()
    .split(/\s+/);
  // "unlock door with key" is done to the door.
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

/** Windows that share enough of what is done and what comes of it, each in the first group that it fits. */
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
