/** @file What one-step look-ahead over wrong values is worth in tic-tac-toe, computed exactly and without the code under test. */

const lines = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
];

const free = (board: string) => [...board].flatMap((cell, i) => (cell === '.' ? [i] : []));
const put = (board: string, i: number, mark: string) => board.slice(0, i) + mark + board.slice(i + 1);
const markOf = (board: string) => (free(board).length % 2 === 1 ? 'X' : 'O');

/** To X: 1, 0 or −1 at an end; null while it goes on. */
function endOf(board: string): number | null {
  for (const line of lines) {
    const [a = '.'] = line.map((i) => board[i]!);
    if (a !== '.' && line.every((i) => board[i] === a)) return a === 'X' ? 1 : -1;
  }
  return board.includes('.') ? null : 0;
}

const solved = new Map<string, number>();

/** To X, under best play of both. */
function solvedValue(board: string): number {
  const known = solved.get(board);
  if (known !== undefined) return known;
  const end = endOf(board);
  const mark = markOf(board);
  const values = end === null ? free(board).map((i) => solvedValue(put(board, i, mark))) : [];
  const value = end ?? (mark === 'X' ? Math.max(...values) : Math.min(...values));
  solved.set(board, value);
  return value;
}

/** How likely each move is chosen when each value is, with probability `error`, one of −1, 0 and 1 instead; ties are broken by chance. */
function choiceOdds(values: readonly number[], error: number): readonly number[] {
  const key = `${error} ${values.join()}`;
  const odds = oddsBefore.get(key) ?? oddsOf(values, error);
  oddsBefore.set(key, odds);
  return odds;
}

const oddsBefore = new Map<string, readonly number[]>();

function oddsOf(values: readonly number[], error: number): readonly number[] {
  const odds = values.map((value) => [-1, 0, 1].map((seenCount) => (seenCount === value ? 1 - error : 0) + error / 3));
  return values.map((_, i) => {
    let sum = 0;
    for (let level = 0; level < 3; level++) {
      // ways[k]: the others are at most at this level, k of them just there.
      let ways = [1];
      for (const [j, chances] of odds.entries()) {
        if (j === i) continue;
        const below = chances.slice(0, level).reduce((total, value) => total + value, 0);
        const next = new Array<number>(ways.length + 1).fill(0);
        for (const [k, way] of ways.entries()) {
          next[k] = next[k]! + way * below;
          next[k + 1] = next[k + 1]! + way * chances[level]!;
        }
        ways = next;
      }
      sum += odds[i]![level]! * ways.reduce((total, way, k) => total + way / (k + 1), 0);
    }
    return sum;
  });
}

export type Rival = 'random' | 'optimal';

/** The mean return of X, who moves by such a look-ahead, or by reflexes alone. */
export function worthOfLooking(x: number | 'reactive', rival: Rival): number {
  const knownEntries = new Map<string, number>();
  const worth = (board: string): number => {
    const end = endOf(board);
    if (end !== null) return end;
    const found = knownEntries.get(board);
    if (found !== undefined) return found;
    const mark = markOf(board);
    const moves = free(board);
    const odds =
      mark === 'X'
        ? x === 'reactive'
          ? reflexes(board)
          : choiceOdds(
              moves.map((i) => solvedValue(put(board, i, 'X'))),
              x,
            )
        : rivalOdds(board, rival);
    const value = moves.reduce((sum, i, k) => sum + (odds[k]! === 0 ? 0 : odds[k]! * worth(put(board, i, mark))), 0);
    knownEntries.set(board, value);
    return value;
  };
  return worth('.........');
}

function rivalOdds(board: string, rival: Rival): readonly number[] {
  const moves = free(board);
  if (rival === 'random') return moves.map(() => 1 / moves.length);
  return evenly(moves.map((i) => -solvedValue(put(board, i, 'O'))));
}

/** Wins where it can, else blocks, else anything. */
function reflexes(board: string): readonly number[] {
  const moves = free(board);
  const wins = moves.map((i) => (endOf(put(board, i, 'X')) === 1 ? 2 : endOf(put(board, i, 'O')) === -1 ? 1 : 0));
  return evenly(wins);
}

function evenly(values: readonly number[]): readonly number[] {
  const best = Math.max(...values);
  const count = values.filter((value) => value === best).length;
  return values.map((value) => (value === best ? 1 / count : 0));
}
