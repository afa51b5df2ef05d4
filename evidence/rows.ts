/** @file Runs the experiment of a row: every arm on every seed, resumable, and the verdict. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { numberAt, runCommand } from './arms.ts';
import { type Entry, type Experiment, fingerprintOf, type Result, root, textEntry, writeEntry } from './ledger.ts';
import { type ArmOutcomes, judge, type SeedOutcome } from './measure.ts';

export interface RowOptions {
  /** Seeds below 1,000, and nothing is stored. */
  readonly pilot?: number;
  /** Fresh seeds, and nothing is stored: does the stored verdict hold? */
  readonly again?: boolean;
  /** Run the experiment with a language model instead of the main one. */
  readonly text?: boolean;
  /** No seed is started after this time of `performance.now()`. */
  readonly deadline: number;
}

const armNames = ['on', 'off', 'placebo', 'ceiling'] as const;

/** Runs a row and stores its result; returns a sentence about the outcome. */
export async function runRow(stored: Entry, { pilot, again = false, text: asText = false, deadline }: RowOptions): Promise<string> {
  const entry = asText ? textEntry(stored) : stored;
  const plan = entry?.experiment;
  if (entry === null || plan === undefined) return `not run: ${entry?.missing ?? 'no experiment is written'}`;
  const stores = pilot === undefined && !again;
  const from = pilot !== undefined ? 101 : again ? plan.seeds.from + 1000 : plan.seeds.from;
  const count = pilot ?? plan.seeds.count;
  const partial = new PartialOutcomes(stores ? `${entry.row}${asText ? '-text' : ''}` : null, fingerprintOf(plan));
  const began = performance.now();
  for (let i = 0; i < count; i++)
    for (const arm of armNames) {
      const command = plan[arm];
      if (command === undefined || partial.has(arm, i)) continue;
      if (performance.now() > deadline) return `stopped after ${i} of ${count} seeds; run it again to continue`;
      partial.add(arm, await runSeed(plan, command, from + i));
    }
  const judged = judge(entry, plan, partial.outcomes);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const text = `${describe(judged)} (${seconds} s)`;
  if (again) return `${text}; stored: ${entry.result?.verdict ?? 'none'}`;
  if (!stores) return text;
  const result = { ...judged, fingerprint: fingerprintOf(plan), date: today(), commit: commit() };
  const { missing: _, text: trial, ...rest } = stored;
  writeEntry(
    asText && trial !== undefined ? { ...stored, text: { ...trial, result } } : { ...rest, result, ...(trial && { text: trial }) },
  );
  partial.remove();
  return text;
}

export async function runSeed(plan: Experiment, command: string, seed: number): Promise<SeedOutcome> {
  const printed = await runCommand(command, seed);
  const value = numberAt(printed, plan.measure.path) ?? (numberAt(printed, 'nothing') === 1 ? 0 : null);
  if (value === null) throw new Error(`"${command}" prints no number at ${plan.measure.path}: ${JSON.stringify(printed).slice(0, 300)}`);
  return { value, acted: plan.counter === undefined ? null : (numberAt(printed, plan.counter.path) ?? 0) };
}

function describe({ verdict, effect, arms, note }: Pick<Result, 'verdict' | 'effect' | 'arms' | 'note'>): string {
  const each = Object.entries(arms).map(([name, { mean, acted }]) => `${name} ${mean}${acted === undefined ? '' : ` [acted ${acted}]`}`);
  return `${verdict} ${effect.value} (${effect.low} to ${effect.high}), ${effect.seeds} seeds; ${each.join(', ')}${note === undefined ? '' : `. ${note}`}`;
}

/** Outcomes so far, in a file that the next run continues from where nothing has changed. */
class PartialOutcomes {
  readonly #file: string | null;
  readonly #fingerprint: string;
  #outcomes: Record<string, SeedOutcome[]> = {};

  constructor(name: string | null, fingerprint: string) {
    this.#file = name === null ? null : join(root, '.ludus', 'evidence', `${name}.json`);
    this.#fingerprint = fingerprint;
    if (this.#file === null || !existsSync(this.#file)) return;
    const stored = JSON.parse(readFileSync(this.#file, 'utf8')) as { fingerprint: string; outcomes: Record<string, SeedOutcome[]> };
    if (stored.fingerprint === fingerprint) this.#outcomes = stored.outcomes;
  }

  get outcomes(): ArmOutcomes {
    return this.#outcomes;
  }

  has(arm: string, index: number): boolean {
    return (this.#outcomes[arm]?.length ?? 0) > index;
  }

  add(arm: string, outcome: SeedOutcome): void {
    this.#outcomes[arm] = [...(this.#outcomes[arm] ?? []), outcome];
    if (this.#file === null) return;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify({ fingerprint: this.#fingerprint, outcomes: this.#outcomes }));
  }

  remove(): void {
    if (this.#file !== null) rmSync(this.#file, { force: true });
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The commit that the result was made on; "-dirty" where files of the packages have changed since. A copy without history is told its commit. */
function commit(): string {
  const copied = process.env['LUDUS_EVIDENCE_COMMIT'];
  if (copied !== undefined) return copied;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const dirty = git('status', '--porcelain', '--', 'packages', 'evidence/programs') !== '';
  return `${git('rev-parse', '--short=10', 'HEAD')}${dirty ? '-dirty' : ''}`;
}
