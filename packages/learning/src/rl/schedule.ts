/** @file How settings change over a run: along a geometric line, along a cosine. All are functions of the share that is done. */

/** From one value to another in equal ratios; `done` goes from 0 to 1. Where an end is 0 the line is straight. */
export function between({ from, to }: { readonly from: number; readonly to: number }, done: number): number {
  if (from === to) return from;
  return from > 0 && to > 0 ? from * (to / from) ** done : from + (to - from) * done;
}

/** From one value to another along half a cosine, and then on at the second. */
export function cosine(
  { from, to, updates }: { readonly from: number; readonly to: number; readonly updates: number },
  update: number,
): number {
  const done = Math.min(1, update / updates);
  return to + ((from - to) * (1 + Math.cos(Math.PI * done))) / 2;
}
