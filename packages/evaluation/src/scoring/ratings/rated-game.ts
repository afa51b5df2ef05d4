/** @file A rated game is one result between two agents; a tally adds games up by pair. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';

export interface RatedGame {
  readonly first: string;
  readonly second: string;
  /** The score of the first: 1 for a win, 0 for a loss, 0.5 for a tie, or any share between. */
  readonly score: number;
  /** Games of one task share their luck: a bootstrap draws them together. */
  readonly task?: string;
}

/** Everything that happened between two agents, seen from the one with the smaller index. */
export interface HeadToHead {
  readonly i: number;
  readonly j: number;
  wins: number;
  losses: number;
  ties: number;
}

export interface GameTally {
  readonly names: readonly string[];
  readonly meetings: readonly HeadToHead[];
}

/** The names in games, in alphabetical order. */
export function namesIn(games: readonly RatedGame[]): string[] {
  return [...new Set(games.flatMap((game) => [game.first, game.second]))].sort();
}

export function tally(games: readonly RatedGame[], names: readonly string[] = namesIn(games)): GameTally {
  const index = new Map(names.map((name, i) => [name, i]));
  const meetings = new Map<number, HeadToHead>();
  for (const game of games) {
    checkRatedGame(game);
    const first = index.get(game.first) as number;
    const second = index.get(game.second) as number;
    const [i, j, score] = first < second ? [first, second, game.score] : [second, first, 1 - game.score];
    const key = i * names.length + j;
    let meeting = meetings.get(key);
    if (meeting === undefined) {
      meeting = { i, j, wins: 0, losses: 0, ties: 0 };
      meetings.set(key, meeting);
    }
    if (score === 0.5) meeting.ties++;
    else {
      meeting.wins += score;
      meeting.losses += 1 - score;
    }
  }
  return { names, meetings: [...meetings.values()] };
}

export function checkRatedGame({ first, second, score }: RatedGame): void {
  if (first === second)
    throw new Fault('input', `A game must be between two agents, but ${first} played itself. Leave self-play out of ratings.`);
  if (!(score >= 0 && score <= 1))
    throw new Fault('input', `The score of a game must be from 0 (lost) to 1 (won), but got ${score} for ${first} against ${second}.`);
}

/** The agents that can be walked to from the first along the links that meetings make. */
export function reachable(
  { names, meetings }: GameTally,
  links: (meeting: HeadToHead) => { readonly forth: boolean; readonly back: boolean },
): Set<number> {
  const next = names.map((): number[] => []);
  for (const meeting of meetings) {
    const { forth, back } = links(meeting);
    if (forth) next[meeting.i].push(meeting.j);
    if (back) next[meeting.j].push(meeting.i);
  }
  const visited = new Set([0]);
  for (const at of visited) for (const to of next[at]) visited.add(to);
  return visited;
}
