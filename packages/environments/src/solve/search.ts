/**
 * @file Game-tree search for scripts: finds the best moves of a position, with a cache of positions and, for large games, a search horizon.
 */

/** A two-seat zero-sum game of perfect information, as used by the search. Values are from the perspective of the seat to move. */
export interface Game<P> {
  moves(position: P): readonly number[];
  after(position: P, move: number): P;
  /** Returns the payoff of the seat to move at an end, or null while the game continues. */
  end(position: P): number | null;
  /** Returns a key that is equal for positions with the same value. */
  key(position: P): string;
  /** The maximum payoff. The search stops once it finds a move with this value. */
  readonly most: number;
}

/**
 * Returns every best move of a position, looking `horizon` moves ahead. Positions beyond the horizon count as even. `memory` may be shared
 * between calls for the same game and horizon.
 */
export function bestMoves<P>(game: Game<P>, position: P, horizon: number, memory: Map<string, number> = new Map()): readonly number[] {
  const worths = game.moves(position).map((move) => -worthOf(game, game.after(position, move), horizon - 1, memory));
  const best = Math.max(...worths);
  return game.moves(position).filter((_, i) => worths[i] === best);
}

/** Returns the value of a position for the seat to move. */
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
