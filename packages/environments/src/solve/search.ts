/** @file Game-tree search for scripts: the best moves of a position, with a cache of positions and, where the game is large, a horizon. */

/** A two-seat zero-sum game of perfect information, as a search sees it. Values are from the side of the seat that is to move. */
export interface Game<P> {
  moves(position: P): readonly number[];
  after(position: P, move: number): P;
  /** What the seat to move gets at an end; null while the game goes on. */
  end(position: P): number | null;
  /** Equal for positions that are worth the same. */
  key(position: P): string;
  /** The most a seat can get: no search goes on once it is found. */
  readonly most: number;
}

/**
 * Every best move of a position, looking `horizon` moves ahead; a position beyond the horizon counts as even. `memory` may be shared
 * between calls for the same game and horizon.
 */
export function bestMoves<P>(game: Game<P>, position: P, horizon: number, memory: Map<string, number> = new Map()): readonly number[] {
  const worths = game.moves(position).map((move) => -worthOf(game, game.after(position, move), horizon - 1, memory));
  const best = Math.max(...worths);
  return game.moves(position).filter((_, i) => worths[i] === best);
}

/** What a position is worth to the seat that is to move. */
export function worthOf<P>(game: Game<P>, position: P, horizon: number, memory: Map<string, number> = new Map()): number {
  const end = game.end(position);
  if (end !== null) return end;
  if (horizon <= 0) return 0;
  const key = Number.isFinite(horizon) ? `${horizon} ${game.key(position)}` : game.key(position);
  const remembered = memory.get(key);
  if (remembered !== undefined) return remembered;
  let best = -Infinity;
  for (const move of game.moves(position)) {
    best = Math.max(best, -worthOf(game, game.after(position, move), horizon - 1, memory));
    if (best >= game.most) break;
  }
  memory.set(key, best);
  return best;
}
