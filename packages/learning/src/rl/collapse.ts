/** @file Detects that a run has collapsed, so that it stops with an explanation. */

/** The flag to suggest for a learner that knows no legal move yet: imitation before its first game. */
export const warmUpFlag = `--set 'training.warmUp={"games":600,"steps":200,"rate":0.003}'`;

export function collapse({
  update,
  loss,
  invalid,
}: {
  readonly update: number;
  readonly loss: number;
  readonly invalid: number;
}): string | null {
  if (!Number.isFinite(loss)) return `Update ${update} has a loss of ${loss}. Lower the learning rate, or clip more.`;
  if (invalid > 0.9) return `At update ${update} nine moves in ten broke the rules. Let it imitate legal play first, with ${warmUpFlag}.`;
  return null;
}
