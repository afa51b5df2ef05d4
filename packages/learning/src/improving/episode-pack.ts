/**
 * @file An experience pack from stored episodes of any environment, by whichever agents: of each task the way that went best, with why and
 * with the end of that episode (GoalfyMax, arXiv 2507.09497). Tasks differ where the seat was told something else first.
 */

import { stepsOf } from '@ludus-agents/environments/internal/dream/steps';
import { type EpisodeEvent, Fault, type Seat, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { hasWorked } from '../experience.ts';
import { type ExperiencePack, longestTrace, type PackEntry } from './pack.ts';

interface Try {
  readonly opening: string;
  readonly moves: readonly string[];
  /** Moves with an effect; all moves if none had one. */
  readonly way: readonly string[];
  readonly paid: number;
  readonly log: readonly EpisodeEvent[];
}

const mostEntries = 50;
const longestOpening = 160;
const longestWay = 480;

/** The pack of a seat's episodes: first the best way of tasks with an above-average return, then failed attempts. */
export function packOfEpisodes(logs: readonly (readonly EpisodeEvent[])[], seat: Seat, from: string): ExperiencePack {
  const tries = logs.flatMap((log): readonly Try[] => {
    const episode = stepsOf(log, seat);
    const end = log.at(-1);
    if (episode === null || end?.kind !== 'end') return [];
    const { opening, steps } = episode;
    const moves = steps.map(({ move }) => move);
    const way = steps.filter((step, i) => hasWorked(step, steps[i - 1] ?? opening)).map(({ move }) => move);
    return [{ opening: opening.told, moves, way: way.length === 0 ? moves : way, paid: end.returns[seat] ?? 0, log }];
  });
  if (tries.length === 0) throw new Fault('input', `No finished episode of ${from} in which ${seat} acts. Play some with "ludus run".`);
  const mean = tries.reduce((sum, { paid }) => sum + paid, 0) / tries.length;
  const groups = Map.groupBy(tries, ({ opening }) => opening);
  const shared = sharedLength([...groups.keys()]);
  const entries = [...groups.values()].map((group) => entryOf(group, { mean, seat, shared })).sort((a, b) => b.gain - a.gain);
  return { name: from, from, entries: entries.slice(0, mostEntries) };
}

/** The length of the common beginning of all openings, in whole sentences: rules come first, and the task comes after them. */
function sharedLength([first = '', ...others]: readonly string[]): number {
  if (others.length === 0) return 0;
  const differs = (at: number) => others.some((opening) => opening[at] !== first[at]);
  let at = 0;
  while (at < first.length && !differs(at)) at++;
  return Math.max(first.lastIndexOf('\n', at - 1), first.lastIndexOf('. ', at - 1)) + 1;
}

interface PackContext {
  readonly mean: number;
  readonly seat: Seat;
  /** The length of the text with which all tasks start. */
  readonly shared: number;
}

function entryOf(group: readonly Try[], { mean, seat, shared }: PackContext): PackEntry {
  const best = group.reduce((top, item) =>
    item.paid > top.paid || (item.paid === top.paid && item.moves.length < top.moves.length) ? item : top,
  );
  const isGood = best.paid > mean || (best.paid === mean && best.paid > 0);
  const way = shorten((isGood ? best.way : best.moves).join(', then '), longestWay);
  return {
    component: 'task',
    text: `${shorten(best.opening.slice(shared).replace(/\s+/g, ' ').trim(), longestOpening)} ${isGood ? 'What worked' : 'What was tried'}: ${way}.`,
    why: `It was paid ${amount(best.paid)}, the mean of all episodes is ${amount(mean)}.${contrast(best, group)}`,
    gain: best.paid - mean,
    trace: textOf(viewOf(best.log, seat)).trim().slice(-longestTrace).toWellFormed(),
  };
}

/** How the most similar episode with a lower return differed. */
function contrast(best: Try, group: readonly Try[]): string {
  const worse = group.filter(({ paid }) => paid < best.paid).map((item) => ({ item, at: firstDifference(best.moves, item.moves) }));
  const near = worse.sort((a, b) => b.at - a.at)[0];
  const [right, wrong] = near === undefined ? [] : [best.moves[near.at], near.item.moves[near.at]];
  return near === undefined || right === undefined || wrong === undefined
    ? ''
    : ` With ${wrong} in place of ${right} at move ${near.at + 1} it was paid ${amount(near.item.paid)}.`;
}

function firstDifference(moves: readonly string[], others: readonly string[]): number {
  const at = moves.findIndex((move, i) => move !== others[i]);
  return at < 0 ? moves.length : at;
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

function amount(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
