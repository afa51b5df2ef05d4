/** @file When a run has collapsed: there is no point in going on, and a sentence says why. */

export function collapse({
  update,
  loss,
  invalid,
}: {
  readonly update: number;
  readonly loss: number;
  readonly invalid: number;
}): string | null {
  if (!Number.isFinite(loss)) return `Update ${update} made the loss ${loss}: lower the learning rate, or clip harder.`;
  if (invalid > 0.9) return `At update ${update} nine moves in ten broke the rules: warm up by imitation first.`;
  return null;
}
