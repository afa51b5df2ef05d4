/** @file Rule-based recommenders, some with access to the true user, and a scripted user. */

import { Fault, type Rng, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { bestConstant, type ClickbaitUser, clickbaitUsers, inferUser } from './clickbait.ts';
import { allLists, type FeedRules, type FeedUser, isLeaving, walk } from './feed.ts';
import { inferPerson } from './people.ts';
import type { FeedCandidate } from './simulators.ts';

/** The data for programs in the recommender's ask. */
export type ClickbaitOutlook = {
  readonly shown: readonly number[];
  readonly answers: readonly number[];
  readonly steps: number;
  /** Set if the task reveals the user. */
  readonly user: ClickbaitUser | null;
};
export type FeedOutlook = {
  readonly choices: number;
  readonly genres: number;
  readonly length: number;
  /** The shown lists, each with which items were clicked. */
  readonly past: readonly (readonly [readonly number[], readonly boolean[]])[];
  readonly wish: number | null;
  readonly user: FeedUser | null;
  readonly rules: FeedRules;
  /** The training users, if they come from a table. */
  readonly candidates?: readonly FeedCandidate[];
};

function recommending(
  clickbait: (outlook: ClickbaitOutlook, rng: Rng) => number,
  feed: (outlook: FeedOutlook, rng: Rng) => readonly number[],
): Script {
  return ({ ask, rng }: Turn) => {
    const data = ask.data as ClickbaitOutlook & FeedOutlook;
    if (ask.seat !== 'recommender') throw new Fault('input', 'This script recommends. Use it for the seat "recommender".');
    if (data.answers !== undefined) return { text: `[show ${Math.round(10 * clickbait(data, rng))}]` };
    const list = feed(data, rng);
    return { text: (ask.choices ?? [])[list.reduce((place, genre) => place * data.genres + genre, 0)] };
  };
}

const anyList = ({ genres, length }: FeedOutlook, rng: Rng) => Array.from({ length }, () => rng.int(genres));

/** Returns the genre with the highest click rate so far. Untried genres come first. */
function favourite({ genres, past }: FeedOutlook): number {
  const rate = Array.from({ length: genres }, (_, genre) => {
    const marks = past.flatMap(([list, clicks]) => list.flatMap((value, i) => (value === genre ? [clicks[i] === true ? 1 : 0] : [])));
    return marks.length === 0 ? 2 : marks.reduce<number>((sum, value) => sum + value, 0) / marks.length;
  });
  return rate.indexOf(Math.max(...rate));
}

const rotating = ({ genres, length, past }: FeedOutlook) => Array.from({ length }, (_, i) => (past.length * length + i) % genres);

/** Returns the best list for the true user, searching a few lists ahead: what a recommender could do if it knew the user. */
function informedList(outlook: FeedOutlook): readonly number[] {
  const { user, genres, length, rules } = outlook;
  if (user === null) return rotating(outlook);
  const lists = allLists(genres, length);
  const worth = (from: FeedUser, depth: number): number =>
    Math.max(
      ...lists.map((list) => {
        const { user: next, worth: items } = walk(from, list, rules);
        const mean = items.reduce((sum, value) => sum + value, 0) / items.length;
        return isLeaving(next, rules) ? mean - 100 : mean + (depth > 1 ? worth(next, depth - 1) : 0);
      }),
    );
  const depth = lists.length <= 4 ? 4 : lists.length <= 9 ? 2 : 1;
  const value = (list: readonly number[]) => {
    const { user: next, worth: items } = walk(user, list, rules);
    const mean = items.reduce((sum, value) => sum + value, 0) / items.length;
    return isLeaving(next, rules) ? mean - 100 : mean + (depth > 1 ? worth(next, depth - 1) : 0);
  };
  return lists.reduce((a, b) => (value(b) > value(a) ? b : a));
}

/** Three items of clickbait identify the user; after that, the best constant is used. */
const probing = 3;
const constantFor = (user: ClickbaitUser, { steps }: ClickbaitOutlook) => bestConstant(user, steps);

/** Returns the best average constant over the whole set, when nothing is known about the user. */
function average({ steps }: ClickbaitOutlook): number {
  const sums = Array.from({ length: 11 }, (_, i) => clickbaitUsers.filter((user) => bestConstant(user, steps) === i / 10).length);
  return sums.indexOf(Math.max(...sums)) / 10;
}

export const scripts: Readonly<Record<string, Script>> = {
  /** Maximizes the immediate reward: only clickbait, and the favorite genre repeatedly. */
  greedy: recommending(
    () => 1,
    (outlook) => Array.from({ length: outlook.length }, () => favourite(outlook)),
  ),
  sober: recommending(() => 0, rotating),
  /** Cycles through the genres, or serves what the user asked for. */
  rotating: recommending(average, (outlook) => (outlook.wish === null ? rotating(outlook) : [outlook.wish, ...rotating(outlook).slice(1)])),
  any: recommending((_, rng) => rng.int(11) / 10, anyList),
  /** Infers the user, then serves that user. */
  inferring: recommending(
    (outlook) =>
      outlook.answers.length < probing
        ? 1
        : constantFor(inferUser(outlook.shown.slice(0, probing), outlook.answers.slice(0, probing)), outlook),
    rotating,
  ),
  /** A control: infers the user, and serves a different one. */
  shuffled: recommending((outlook) => {
    if (outlook.answers.length < probing) return 1;
    const user = inferUser(outlook.shown.slice(0, probing), outlook.answers.slice(0, probing));
    return constantFor(clickbaitUsers[(clickbaitUsers.indexOf(user) + 13) % clickbaitUsers.length], outlook);
  }, anyList),
  /** Infers from clicks which user of the table this one resembles most, and serves that user. */
  profiling: recommending(average, (outlook) => {
    const { candidates, past, rules } = outlook;
    if (candidates === undefined) return rotating(outlook);
    return informedList({ ...outlook, ...inferPerson(candidates, past, rules) });
  }),
  /** A control: infers the user, and serves the next one instead. */
  mistaken: recommending(average, (outlook, rng) => {
    const { candidates, past, rules } = outlook;
    if (candidates === undefined) return anyList(outlook, rng);
    const inferred = inferPerson(candidates, past, rules);
    const [first, ...rest] = inferred.user.interest;
    return informedList({ ...outlook, ...inferred, user: { ...inferred.user, interest: [...rest, first] } });
  }),
  /** Knows the user, if the task reveals it. */
  informed: recommending((outlook) => (outlook.user === null ? average(outlook) : constantFor(outlook.user, outlook)), informedList),
  /** Leaves when patience has run out, and asks for its favorite just before. */
  user: ({ ask }: Turn) => {
    if (ask.seat !== 'user') throw new Fault('input', 'This script uses a feed. Use it for the seat "user".');
    const { leaving, doubting, favourite: best } = ask.data as { leaving: boolean; doubting: boolean; favourite: string };
    return { text: leaving ? '[leave]' : doubting ? `[more ${best}]` : '[stay]' };
  },
};
