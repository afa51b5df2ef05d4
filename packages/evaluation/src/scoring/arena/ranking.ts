/** @file Ranks agents: Bradley–Terry decides the order; Elo, Glicko-2, and TrueSkill are shown with it, each with its interval. */

import type { Seed } from '@ludus-agents/kernel/internal/core/index';
import { type BradleyTerry, bradleyTerry } from '../ratings/bradley-terry.ts';
import { elo, eloIntervals } from '../ratings/elo.ts';
import { type Glicko, glickoInterval, glickoPeriod, glickoStart } from '../ratings/glicko.ts';
import { type RatedGame, reachable, tally } from '../ratings/rated-game.ts';
import { type Separation, separation } from '../ratings/separation.ts';
import { skillInterval, skillStart, type TrueSkillRating, trueskill } from '../ratings/trueskill.ts';
import { compare } from '../statistics/compare.ts';
import type { Interval } from '../statistics/mean.ts';
import { type ArenaGame, pairsOf, toRatedGame } from './matches.ts';

export interface RankedAgent {
  readonly agent: string;
  /** The range of its rank: from the best to the worst place of those from which it is not separated. */
  readonly places: readonly [number, number];
  readonly rating: number;
  readonly interval: Interval;
  readonly elo: number;
  readonly eloInterval: Interval | null;
  readonly glicko: number;
  readonly glickoInterval: Interval;
  readonly skill: number;
  readonly skillInterval: Interval;
  readonly matches: number;
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
}

export interface RankedPair {
  readonly a: string;
  readonly b: string;
  readonly matches: number;
  readonly wins: number;
  readonly draws: number;
  readonly losses: number;
  /** The margin of `a` over `b`, per episode. */
  readonly margin: number;
  readonly interval: Interval | null;
}

export interface Ranking {
  /** Strongest first. */
  readonly agents: readonly RankedAgent[];
  readonly pairs: readonly RankedPair[];
  readonly separation: Separation;
}

export interface RankingOptions {
  readonly seed?: Seed;
  readonly level?: number;
  /** The total number of looks at the order: each look is accounted for in advance. */
  readonly looks?: number;
}

/** Strengths, and whether they are apart; null as long as some agents have not met, directly or through others. */
export function orderOf(matches: readonly ArenaGame[], agents: readonly string[], options: RankingOptions = {}): FittedRanking | null {
  const { level = 0.95, looks = 1 } = options;
  const games = matches.map(toRatedGame);
  if (!isConnected(games, agents)) return null;
  const fit = bradleyTerry(games, { ties: 'davidson', level });
  return { fit, separation: separation(fit, { level: 1 - (1 - level) / looks }) };
}

export interface FittedRanking {
  readonly fit: BradleyTerry;
  readonly separation: Separation;
}

export function rankingOf(matches: readonly ArenaGame[], agents: readonly string[], options: RankingOptions = {}): Ranking | null {
  const { seed = 0, level = 0.95 } = options;
  const fittedRanking = orderOf(matches, agents, options);
  if (fittedRanking === null) return null;
  const { fit, separation: order } = fittedRanking;
  const games = matches.map(toRatedGame);
  const moving = elo(games);
  const around = games.length < 2 ? null : eloIntervals(games, { seed, level });
  const skills = skillsOf(games);
  const periods = glickoOf(matches);
  const ranked = fit.ratings.map(({ name, rating, interval }, i): RankedAgent => {
    const skill = skills.get(name) ?? skillStart;
    const glicko = periods.get(name) ?? glickoStart;
    return {
      ...{ agent: name, places: placesOf(order, i), rating, interval },
      ...{ elo: moving.get(name) ?? 1000, eloInterval: spread(around?.get(name)) },
      ...{ glicko: glicko.rating, glickoInterval: glickoInterval(glicko, level) },
      ...{ skill: skill.mean, skillInterval: skillInterval(skill, level) },
      ...record(games, name),
    };
  });
  return { agents: ranked, pairs: pairsOf(fit.ratings.map(({ name }) => name)).map(([a, b]) => pairOf(matches, a, b)), separation: order };
}

/** Whether all agents are connected by matches, directly or through others. */
function isConnected(games: readonly RatedGame[], agents: readonly string[]): boolean {
  if (games.length === 0) return false;
  const counted = tally(games, agents);
  return reachable(counted, () => ({ forth: true, back: true })).size === agents.length;
}

/** Games that all ended alike give the same value in every resample: that is no certainty, and no interval. */
function spread(interval: Interval | undefined): Interval | null {
  return interval === undefined || interval[0] === interval[1] ? null : interval;
}

/** The places that an agent may have: it shares them with all from which it is not separated. */
function placesOf({ open }: Separation, i: number): readonly [number, number] {
  const level = open.flatMap(([above, below]) => (above === i ? [below] : below === i ? [above] : []));
  return [Math.min(i, ...level) + 1, Math.max(i, ...level) + 1];
}

/** TrueSkill in the order of the matches; ties are as likely between equals as they were on the whole. */
function skillsOf(games: readonly RatedGame[]): ReadonlyMap<string, TrueSkillRating> {
  const ties = games.filter((game) => game.score === 0.5).length / games.length;
  const drawChance = Math.min(0.9, ties);
  const skills = new Map<string, TrueSkillRating>();
  for (const { first, second, score } of games) {
    const teams = [[skills.get(first) ?? skillStart], [skills.get(second) ?? skillStart]];
    const [[mine], [theirs]] = trueskill(teams, [1 - score, score], { drawChance }) as [[TrueSkillRating], [TrueSkillRating]];
    skills.set(first, mine);
    skills.set(second, theirs);
  }
  return skills;
}

/** Seeds in one rating period of Glicko-2, whose author asks for ten or more games each. */
const seedsInPeriod = 10;

/** Glicko-2, period by period in the order of the seeds. */
function glickoOf(matches: readonly ArenaGame[]): ReadonlyMap<string, Glicko> {
  const periods = Map.groupBy(matches, ({ seed }) => Math.floor(seed / seedsInPeriod));
  let ratings: ReadonlyMap<string, Glicko> = new Map();
  for (const period of [...periods.keys()].sort((a, b) => a - b))
    ratings = glickoPeriod(ratings, (periods.get(period) as ArenaGame[]).map(toRatedGame));
  return ratings;
}

function record(games: readonly RatedGame[], name: string): Pick<RankedAgent, 'matches' | 'wins' | 'draws' | 'losses'> {
  const scores = games.flatMap(({ first, second, score }) => (first === name ? [score] : second === name ? [1 - score] : []));
  return { matches: scores.length, ...countResults(scores) };
}

function pairOf(matches: readonly ArenaGame[], a: string, b: string): RankedPair {
  const arenaGames = matches.filter(({ first, second }) => (first === a && second === b) || (first === b && second === a));
  const margins = arenaGames.map(({ first, margin }) => (first === a ? margin : -margin));
  const scores = arenaGames.map((match) => (match.first === a ? toRatedGame(match).score : 1 - toRatedGame(match).score));
  const margin = margins.length === 0 ? 0 : margins.reduce((sum, value) => sum + value, 0) / margins.length;
  return { a, b, matches: arenaGames.length, ...countResults(scores), margin, interval: marginInterval(arenaGames, margins) };
}

/** The margin of `a` over `b`, tested against 0. Seeds are the sampling units. */
function marginInterval(matches: readonly ArenaGame[], margins: readonly number[]): Interval | null {
  if (margins.length < 2) return null;
  const sideOf = (name: string, value: (i: number) => number) => ({
    name,
    results: matches.map(({ seed }, i) => ({ task: '', seed, value: value(i) })),
  });
  return compare(
    sideOf('margin', (i) => margins[i]),
    sideOf('nothing', () => 0),
  ).interval;
}

function countResults(scores: readonly number[]): { wins: number; draws: number; losses: number } {
  const among = (score: number) => scores.filter((otherScore) => otherScore === score).length;
  return { wins: among(1), draws: among(0.5), losses: among(0) };
}
