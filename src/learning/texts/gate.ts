/**
 * @file The gate: a child lives if it beats its parent on tasks that its proposer did not see, by more than luck explains.
 *
 * The default is the paired mean less one standard error above zero, and no protected task below where it was. Of edits that change nothing,
 * a strict comparison on three examples lets a third through and this one about a seventh; what is let through wrongly is found out on the
 * fresh tasks of the report.
 */

/** One task, both ways: means over the same repeats on the same seeds. */
export interface Pair {
  readonly task: number;
  readonly before: number;
  readonly after: number;
}

export interface GateRule {
  /** Standard errors that are taken off the mean before it must be above zero; 0 compares means alone. */
  readonly errors: number;
  /** May a child that is just as good live? Only where no errors are taken off. */
  readonly ties?: boolean;
  /** Tasks that may not get worse than `drop`; "all" for every one. */
  readonly protect?: readonly number[] | 'all';
  readonly drop?: number;
  /** Most characters that all texts of a child may have. */
  readonly size?: number;
}

export interface Verdict {
  readonly accept: boolean;
  /** Why, in words for a person and for the next proposal. */
  readonly words: string;
  readonly tasks: number;
  readonly mean: number;
  readonly error: number;
}

/** Rules by name. `ours` is the default; `minibatch` and `strict` are what others use. */
export const gateRules = {
  ours: { errors: 1 },
  strict: { errors: 0 },
  ties: { errors: 0, ties: true },
  cautious: { errors: 1.645 },
  'no-drop': { errors: 1, protect: 'all', drop: 0.4 },
} as const satisfies Readonly<Record<string, GateRule>>;

export type GateName = keyof typeof gateRules;

export function judge(pairs: readonly Pair[], rule: GateRule = gateRules.ours, size = 0): Verdict {
  const differences = pairs.map(({ before, after }) => after - before);
  const mean = meanOf(differences);
  const error = errorOf(differences);
  const verdict = (accept: boolean, words: string): Verdict => ({ accept, words, tasks: pairs.length, mean, error });
  if (pairs.length === 0) return verdict(false, 'rejected: no task could be compared');
  if (rule.size !== undefined && size > rule.size) return verdict(false, `rejected: ${size} characters are more than ${rule.size}`);
  const fallen = pairs.find(({ task, before, after }) => isProtected(task, rule) && before - after > (rule.drop ?? 0) + 1e-12);
  if (fallen !== undefined)
    return verdict(false, `rejected: protected task ${fallen.task} fell from ${short(fallen.before)} to ${short(fallen.after)}`);
  const found = `${signed(mean)} ± ${short(error)} over ${pairs.length} tasks`;
  const lead = mean - rule.errors * error;
  if (lead > 1e-12) return verdict(true, `accepted: ${found}`);
  if (rule.ties === true && mean > -1e-12) return verdict(true, `accepted: just as good, ${found}`);
  return verdict(false, mean > 1e-12 ? `rejected: ${found} may be luck` : `rejected: ${found} is no gain`);
}

function isProtected(task: number, { protect = [] }: GateRule): boolean {
  return protect === 'all' || protect.includes(task);
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Standard error of a mean; of a single value nothing is known, so it is as large as the value. */
export function errorOf(values: readonly number[]): number {
  const n = values.length;
  if (n < 2) return Math.abs(values[0] ?? 0);
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1) / n);
}

function short(value: number): string {
  return value.toFixed(3);
}

/** With its sign, and a real minus. */
export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${short(Math.abs(value))}`;
}
