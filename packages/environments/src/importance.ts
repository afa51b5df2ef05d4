/** @file The importance of the members of a team, from how they rated each other. */

/**
 * Agent importance (DyLAN, arXiv 2310.02170): in the last round those who agree with the answer share 1; before it, each gets from every
 * listener its part of the listener's importance. `ratings[t][i][j]` is what j in round t + 1 thinks of i in round t. The sum over rounds.
 */
export function importance(ratings: readonly (readonly (readonly number[])[])[], agreed: readonly boolean[]): readonly number[] {
  const agreeing = agreed.filter(Boolean).length;
  let layer = agreed.map((item) => (item ? 1 / agreeing : 0));
  const totals = [...layer];
  for (const round of ratings.toReversed()) {
    const listeners = layer;
    const messages = listeners.map((_, j) => round.reduce((sum, row) => sum + row[j], 0));
    layer = round.map((row) => row.reduce((sum, rating, j) => sum + (messages[j] === 0 ? 0 : (rating / messages[j]) * listeners[j]), 0));
    layer.forEach((value, i) => {
      totals[i] = totals[i] + value;
    });
  }
  return totals;
}
