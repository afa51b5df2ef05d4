/**
 * @file Simulators of feed users, fitted to a table of interactions. They differ in how showings cause fatigue. Each infers every user's
 * interests from the earlier clicks. Simulators that predict the later clicks worse than the best one are filtered out.
 */

import { clicked, type FeedRules, type FeedUser, freshUser, walk } from './feed.ts';

/** The lists shown to a user in one session, and the clicks on each. */
export type FeedSession = readonly (readonly [items: readonly number[], clicks: readonly boolean[]])[];
export type FeedSimulator = {
  readonly id: string;
  readonly fatigue: 'genre' | 'global';
  readonly tiring: number;
  /** The interests of each user under these rules. */
  readonly interests: readonly (readonly number[])[];
  /** The share of later clicks that it predicts. */
  readonly accuracy: number;
  /** How much better the best simulator predicts, with the bounds of a 95% interval over users. */
  readonly worse: readonly [low: number, mean: number, high: number];
};

const variants: readonly Pick<FeedSimulator, 'id' | 'fatigue' | 'tiring'>[] = [
  { id: 'tireless', fatigue: 'genre', tiring: 0 },
  ...(['genre', 'global'] as const).flatMap((fatigue) =>
    [0.1, 0.2, 0.3, 0.4].map((tiring) => ({ id: `${fatigue} ${tiring}`, fatigue, tiring })),
  ),
];

const levels = Array.from({ length: 21 }, (_, i) => i / 20);

/** Returns how much interest in its genre each item has lost to showings. It does not depend on the user. */
function tirednessOf(past: FeedSession, rules: Pick<FeedRules, 'fatigue' | 'tiring'>, count: number): readonly (readonly number[])[] {
  let user: FeedUser = freshUser(Array.from({ length: count }, () => 0));
  const full: FeedRules = { ...rules, patience: 1, threshold: 0 };
  return past.map(([items]) => {
    const after = walk(user, items, full);
    user = after.user;
    return after.worth.map((worth) => 0 - worth);
  });
}

type Observation = {
  readonly user: number;
  readonly genre: number;
  readonly tired: number;
  readonly clicks: boolean;
  readonly isLate: boolean;
};

/** Returns the simulators, best prediction first. */
export function fitSimulators(sessions: readonly (readonly FeedSession[])[], genreCount: number): readonly FeedSimulator[] {
  const fitted = variants.map((variant) => {
    const observations = sessions.flatMap((list, user) => observe(list, user, variant, genreCount));
    const early = observations.filter(({ isLate }) => !isLate);
    const interests = sessions.map((_, user) =>
      Array.from({ length: genreCount }, (_, genre) => {
        const ofGenre = early.filter((item) => item.genre === genre);
        const mine = ofGenre.filter((item) => item.user === user);
        // For a genre that a user was never shown, uses all users' interest.
        return interestFrom(mine.length > 0 ? mine : ofGenre);
      }),
    );
    const isHit = ({ user, genre, tired, clicks }: Observation) => interests[user][genre] - tired >= clicked === clicks;
    const late = sessions.map((_, user) => {
      const mine = observations.filter((item) => item.isLate && item.user === user);
      return mine.filter(isHit).length / mine.length;
    });
    return { ...variant, interests, late, accuracy: mean(late) };
  });
  const [best] = fitted.toSorted((a, b) => b.accuracy - a.accuracy);
  return fitted
    .map(({ late, ...simulator }) => ({ ...simulator, worse: intervalOf(late.map((value, user) => best.late[user] - value)) }))
    .toSorted((a, b) => b.accuracy - a.accuracy);
}

/** A simulator fits unless the best one is significantly better. */
export const isFitting = ({ worse: [low] }: FeedSimulator): boolean => low <= 0;

/** Returns the share of later clicks that the majority answer predicts. */
export function commonShare(sessions: readonly (readonly FeedSession[])[]): number {
  const late = sessions.flatMap((list, user) => observe(list, user, variants[0], 4)).filter(({ isLate }) => isLate);
  const share = late.filter(({ clicks }) => clicks).length / late.length;
  return Math.max(share, 1 - share);
}

/** Lists all items of a user in order. The last third of the lists is the later part. */
function observe(
  list: readonly FeedSession[],
  user: number,
  rules: Pick<FeedRules, 'fatigue' | 'tiring'>,
  count: number,
): readonly Observation[] {
  const from = Math.floor((2 * list.reduce((sum, session) => sum + session.length, 0)) / 3);
  let at = 0;
  return list.flatMap((session) => {
    const tiredness = tirednessOf(session, rules, count);
    return session.flatMap(([items, clicks], i) => {
      const isLate = at++ >= from;
      return items.map((genre, j) => ({ user, genre, tired: tiredness[i][j], clicks: clicks[j], isLate }));
    });
  });
}

/** Returns the interest that agrees with the most clicks. Ties go to the middle value. */
function interestFrom(observations: readonly Observation[]): number {
  const hits = levels.map((level) => observations.filter(({ tired, clicks }) => level - tired >= clicked === clicks).length);
  const most = Math.max(...hits);
  const best = levels.filter((_, i) => hits[i] === most);
  return best[best.length >> 1];
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the mean with a 95% interval by Student's t. The quantile is approximated from four degrees of freedom on. */
function intervalOf(values: readonly number[]): readonly [number, number, number] {
  const center = mean(values);
  const freedom = values.length - 1;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / freedom);
  const half = ((1.96 + 2.37 / freedom + 2.8 / freedom ** 2) * deviation) / Math.sqrt(values.length);
  return [center - half, center, center + half];
}

/** A user as represented in one simulator. */
export type FeedCandidate = { readonly interest: readonly number[]; readonly fatigue: 'genre' | 'global'; readonly tiring: number };

/** Likelihood of a click that a candidate does not predict. */
const slip = 0.1;

/**
 * Returns the expected interest in each genre and the current utility of its items, averaged over candidates weighted by how well they
 * predict the clicks.
 */
export function inferWorth(
  candidates: readonly FeedCandidate[],
  past: FeedSession,
): { readonly interest: readonly number[]; readonly worth: readonly number[] } {
  const count = candidates[0].interest.length;
  const tiredness = new Map<string, readonly (readonly number[])[]>();
  const sums = { interest: Array.from({ length: count }, () => 0), worth: Array.from({ length: count }, () => 0) };
  let total = 0;
  for (const { interest, fatigue, tiring } of candidates) {
    const key = `${fatigue} ${tiring}`;
    // One more list of every genre gives the current fatigue of each genre.
    const next = Array.from({ length: count }, (_, genre) => genre);
    const tired = tiredness.get(key) ?? [
      ...tirednessOf(past, { fatigue, tiring }, count),
      next.map((genre) => tirednessOf([...past, [[genre], [true]]], { fatigue, tiring }, count)[past.length][0]),
    ];
    tiredness.set(key, tired);
    let weight = 1;
    for (const [i, [items, clicks]] of past.entries())
      for (const [j, genre] of items.entries()) weight *= interest[genre] - tired[i][j] >= clicked === clicks[j] ? 1 - slip : slip;
    total += weight;
    for (const genre of next) {
      sums.interest[genre] += weight * interest[genre];
      sums.worth[genre] += weight * (interest[genre] - tired[past.length][genre]);
    }
  }
  return { interest: sums.interest.map((value) => value / total), worth: sums.worth.map((value) => value / total) };
}
