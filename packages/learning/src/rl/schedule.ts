/** @file How settings change during a run: along a geometric line or a cosine, as functions of the completed share. */

/** Geometric interpolation; `done` is from 0 to 1. Linear if either end is 0. */
export function between({ from, to }: { readonly from: number; readonly to: number }, done: number): number {
  if (from === to) return from;
  return from > 0 && to > 0 ? from * (to / from) ** done : from + (to - from) * done;
}

/** From one value to another along half a cosine; constant afterwards. */
export function cosine(
  { from, to, updates }: { readonly from: number; readonly to: number; readonly updates: number },
  update: number,
): number {
  const done = Math.min(1, update / updates);
  return to + ((from - to) * (1 + Math.cos(Math.PI * done))) / 2;
}
