/**
 * @file Bradley–Terry: the strengths that make the results likeliest, P(i beats j) = σ(θi − θj), with intervals from the curvature.
 *
 * Ties are half a win for each, or have their own chance (Davidson 1970): P(tie) ∝ ν √(πi πj). Both are one family: the log weights of a win, a
 * loss and a tie are d/2, −d/2 and ln ν, with d = θi − θj, so the likelihood is concave and Newton's method climbs it.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { normalQuantile } from '../statistics/distributions.ts';
import { invertSymmetric, type Matrix, solveSymmetric } from '../statistics/linear.ts';
import { checkLevel, type Interval } from '../statistics/mean.ts';
import { type GameTally, type HeadToHead, type RatedGame, reachable, tally } from './rated-game.ts';

export interface BradleyTerryOptions {
  readonly ties?: 'half' | 'davidson';
  /**
   * Games of every agent, half won and half lost, against an imagined average one. Without a number it is 0, or 1 where the likeliest
   * strengths (or ties) would be infinite, as when an agent won everything.
   */
  readonly prior?: number;
  readonly level?: number;
  /** Rating of the average agent on the Elo scale. */
  readonly anchor?: number;
}

export interface Rated {
  readonly name: string;
  /** θ, natural scale, mean 0. */
  readonly strength: number;
  readonly error: number;
  /** On the Elo scale: anchor + θ · 400 / ln 10. */
  readonly rating: number;
  readonly interval: Interval;
  readonly games: number;
}

export interface BradleyTerry {
  /** Strongest first. */
  readonly ratings: readonly Rated[];
  /** Of the strengths, in the order of `ratings`. */
  readonly covariance: Matrix;
  /** Davidson's ν: how likely a tie between equals is against a win (ν / (2 + ν)); null where ties are halves. */
  readonly tie: number | null;
  readonly prior: number;
  readonly games: number;
  readonly level: number;
}

const perStrength = 400 / Math.LN10;

export function bradleyTerry(games: readonly RatedGame[], options: BradleyTerryOptions = {}): BradleyTerry {
  const counted = tally(games);
  checkConnected(counted);
  const { level = 0.95, anchor = 1000 } = options;
  const davidson = options.ties === 'davidson' && counted.meetings.some((meeting) => meeting.ties > 0);
  const prior = options.prior ?? (infinite(counted, davidson) ? 1 : 0);
  const { strengths, logTie, covariance } = climb(counted, { prior, davidson });
  const z = normalQuantile(0.5 + checkLevel(level) / 2);
  const order = strengths.map((_, i) => i).sort((i, j) => strengths[j] - strengths[i]);
  const ratings = order.map((i): Rated => {
    const strength = strengths[i];
    const error = Math.sqrt(at(covariance, i, i));
    const rating = anchor + strength * perStrength;
    const half = z * error * perStrength;
    const met = counted.meetings.filter((meeting) => meeting.i === i || meeting.j === i);
    return { name: counted.names[i], strength, error, rating, interval: [rating - half, rating + half], games: sumOf(met) };
  });
  return {
    ratings,
    covariance: order.map((i) => order.map((j) => at(covariance, i, j))),
    tie: davidson ? Math.exp(logTie) : null,
    prior,
    games: games.length,
    level,
  };
}

export interface Climbed {
  /** Mean 0, in the order of the tally's names. */
  readonly strengths: readonly number[];
  readonly logTie: number;
  readonly covariance: Matrix;
}

export interface Climb {
  readonly prior: number;
  readonly davidson: boolean;
}

/** Maximises the likelihood; the tally must be connected or the prior above 0. */
export function climb(counted: GameTally, { prior, davidson }: Climb): Climbed {
  const n = counted.names.length;
  const meetings = davidson ? counted.meetings : counted.meetings.map(halveTies);
  const problem: Problem = { n, meetings, prior, davidson };
  let point = new Array<number>(davidson ? n + 1 : n).fill(0);
  let value = likelihood(problem, point);
  for (let iteration = 0; iteration < 200; iteration++) {
    const { gradient, curvature } = slopes(problem, point);
    const step = solveSymmetric(curvature, gradient);
    if (step === null) break;
    let size = 1;
    let next = point;
    let gained = -Infinity;
    for (; size > 1e-9; size /= 2) {
      next = point.map((x, k) => x + size * step[k]);
      gained = likelihood(problem, next);
      if (gained >= value - 1e-12 * Math.abs(value)) break;
    }
    point = next;
    value = gained;
    if (step.some((change) => Math.abs(change) > 1e-10)) continue;
    const inverse = invertSymmetric(slopes(problem, point).curvature);
    if (inverse === null) break;
    const middle = point.slice(0, n).reduce((sum, x) => sum + x, 0) / n;
    return { strengths: point.slice(0, n).map((x) => x - middle), logTie: point[n] ?? -Infinity, covariance: centreMatrix(inverse, n) };
  }
  throw new Fault(
    'input',
    'The ratings are not finite, for example because one agent won every game or all games were tied. Set a prior above 0, or play more games.',
  );
}

interface Problem {
  readonly n: number;
  readonly meetings: readonly HeadToHead[];
  readonly prior: number;
  readonly davidson: boolean;
}

function halveTies(meeting: HeadToHead): HeadToHead {
  return { ...meeting, wins: meeting.wins + meeting.ties / 2, losses: meeting.losses + meeting.ties / 2, ties: 0 };
}

function chances(gap: number, tie: number): { win: number; loss: number; tie: number; logTotal: number } {
  const top = Math.abs(gap) / 2;
  const win = Math.exp(gap / 2 - top);
  const loss = Math.exp(-gap / 2 - top);
  const level = tie * Math.exp(-top);
  const total = win + loss + level;
  return { win: win / total, loss: loss / total, tie: level / total, logTotal: top + Math.log(total) };
}

function likelihood({ n, meetings, prior, davidson }: Problem, point: readonly number[]): number {
  const logTie = davidson ? point[n] : -Infinity;
  let sum = 0;
  for (const { i, j, wins, losses, ties } of meetings) {
    const gap = point[i] - point[j];
    sum += ((wins - losses) * gap) / 2 - (wins + losses + ties) * chances(gap, Math.exp(logTie)).logTotal;
    if (ties > 0) sum += ties * logTie;
  }
  // Half a win and half a loss: the two halves of the gap cancel. That it was no tie also keeps ties from being all there is.
  if (prior > 0) for (let i = 0; i < n; i++) sum -= prior * chances(point[i], Math.exp(logTie)).logTotal;
  return sum;
}

function slopes({ n, meetings, prior, davidson }: Problem, point: readonly number[]): { gradient: number[]; curvature: number[][] } {
  const gradient = point.map(() => 0);
  // Without a prior strengths are fixed up to a constant: this term keeps their mean at 0. A prior fixes them by itself, and with the term
  // every step would be too short.
  const hold = prior > 0 ? 0 : 1 / n;
  const curvature = point.map((_, k) => point.map((_, l) => (k < n && l < n ? hold : 0)));
  const add = (k: number, l: number, amount: number) => {
    const row = curvature[k];
    row[l] = row[l] + amount;
  };
  const lift = (k: number, amount: number) => {
    gradient[k] = gradient[k] + amount;
  };
  const tie = davidson ? Math.exp(point[n]) : 0;
  /** One pair's part; the imagined average agent has no place of its own, and strength 0. */
  const meet = ({ i, j, wins, losses, ties }: Omit<HeadToHead, 'j'> & { readonly j: number | null }) => {
    const total = wins + losses + ties;
    const p = chances(point[i] - (j === null ? 0 : point[j]), tie);
    const lead = (p.win - p.loss) / 2;
    const spread = total * ((p.win + p.loss) / 4 - lead * lead);
    const ends: readonly (readonly [number, number])[] =
      j === null
        ? [[i, 1]]
        : [
            [i, 1],
            [j, -1],
          ];
    for (const [k, sign] of ends) {
      lift(k, sign * ((wins - losses) / 2 - total * lead));
      for (const [l, other] of ends) add(k, l, sign * other * spread);
      if (!davidson) continue;
      add(k, n, -sign * total * lead * p.tie);
      add(n, k, -sign * total * lead * p.tie);
    }
    if (!davidson) return;
    lift(n, ties - total * p.tie);
    add(n, n, total * p.tie * (1 - p.tie));
  };
  for (const meeting of meetings) meet(meeting);
  for (let i = 0; prior > 0 && i < n; i++) meet({ i, j: null, wins: prior / 2, losses: prior / 2, ties: 0 });
  return { gradient, curvature };
}

/** The covariance of the strengths after their mean has been taken away. */
function centreMatrix(inverse: Matrix, n: number): Matrix {
  const rows = Array.from({ length: n }, (_, i) => inverse[i]?.slice(0, n).reduce((sum, x) => sum + x, 0) as number);
  const all = rows.reduce((sum, x) => sum + x, 0);
  return rows.map((row, i) => rows.map((column, j) => at(inverse, i, j) - (row + column) / n + all / (n * n)));
}

function at(matrix: Matrix, i: number, j: number): number {
  return matrix[i][j];
}

function sumOf(meetings: readonly HeadToHead[]): number {
  return meetings.reduce((sum, meeting) => sum + meeting.wins + meeting.losses + meeting.ties, 0);
}

function checkConnected(counted: GameTally): void {
  if (counted.names.length < 2)
    throw new Fault('input', 'Ratings need games between at least two agents, but there are none. Play some first.');
  const group = reachable(counted, () => ({ forth: true, back: true }));
  const apart = counted.names.filter((_, i) => !group.has(i));
  if (apart.length > 0)
    throw new Fault(
      'input',
      `All agents must be linked by games to be rated on one scale, but ${apart.join(', ')} never played against ${counted.names[0]}'s group. Let the groups play each other.`,
    );
}

/**
 * Whether no finite strengths are likeliest. Ties as halves: some group of agents never lost to the others. Ties with a chance of their own:
 * that, or strengths can drift apart while ties grow as likely as wins, which only a round with more wins than ties in it forbids.
 */
export function infinite(counted: GameTally, davidson = false): boolean {
  const beat = (forwards: boolean) =>
    reachable(counted, ({ wins, losses, ties }) => {
      const up = wins + ties > 0;
      const down = losses + ties > 0;
      return forwards ? { forth: up, back: down } : { forth: down, back: up };
    });
  if (beat(true).size < counted.names.length || beat(false).size < counted.names.length) return true;
  return davidson && canDrift(counted);
}

/** Whether every agent can get a height with each win at least one step down and each tie at most one step apart (Bellman–Ford). */
function canDrift({ names, meetings }: GameTally): boolean {
  const steps = meetings.flatMap(({ i, j, wins, losses, ties }) => [
    ...(wins > 0 ? [{ from: i, to: j, most: -1 }] : []),
    ...(losses > 0 ? [{ from: j, to: i, most: -1 }] : []),
    ...(ties > 0
      ? [
          { from: i, to: j, most: 1 },
          { from: j, to: i, most: 1 },
        ]
      : []),
  ]);
  const height = names.map(() => 0);
  for (let round = 0; round <= names.length; round++) {
    let lowered = false;
    for (const { from, to, most } of steps) {
      const bound = height[from] + most;
      if (height[to] <= bound) continue;
      height[to] = bound;
      lowered = true;
    }
    if (!lowered) return true;
  }
  return false;
}
