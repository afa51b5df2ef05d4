/** @file Detects that a run has collapsed, so that it stops with a sentence that says why. */

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
