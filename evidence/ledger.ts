/** @file The ledger: one file per research system with its registered claim, the experiment that tests it, and the result. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  list,
  number,
  object,
  one as oneOf,
  optional,
  readAs,
  record,
  required,
  type Shape,
  words as sentence,
  whole,
  withDefault,
} from '@ludus-agents/kernel/internal/core/shape';
import { meaningOf } from './meaning.ts';

export const root = join(import.meta.dirname, '..');
const entriesFolder = join(import.meta.dirname, 'entries');

export const tiers = ['exact', 'script', 'table', 'transformer', 'model-1.1B'] as const;
export const verdicts = ['effect', 'valid', 'no effect', 'unclear', 'void', 'not run'] as const;
export type Tier = (typeof tiers)[number];
export type Verdict = (typeof verdicts)[number];

/** The plan for a system, written before its ground existed by people who did not write the method. */
export interface Registration {
  readonly claim: string;
  readonly ground: string;
  readonly on: string;
  readonly off: string;
  readonly equal: string;
  readonly measure: string;
  readonly expected: string;
  readonly repetitions: string;
  readonly tier: string;
  readonly traps: string;
}

export interface Experiment {
  readonly tier: Tier;
  /** The ground as it was run, in a sentence. */
  readonly ground: string;
  /** How the experiment differs from the registration, and why. */
  readonly departs: string;
  /** The primary measure: what it is, where it is in an arm's JSON, and which direction is better. */
  readonly measure: { readonly about: string; readonly path: string; readonly better: 'higher' | 'lower' };
  /** The smallest effect worth the name, in units of the measure. */
  readonly smallest: number;
  /** How often the mechanism acted: above 0 in `on`, 0 in `off`. Instruments, which act on nothing, have none. */
  readonly counter?: { readonly about: string; readonly path: string };
  /** Instead of a counter: why a mechanism that is part of the structure (a network, a set of roles, a reward) acts in every step of `on`. */
  readonly structural?: string;
  readonly on: string;
  readonly off: string;
  readonly placebo?: string;
  readonly ceiling?: string;
  readonly seeds: { readonly from: number; readonly count: number };
  /** Files whose content the result depends on, besides the commands. */
  readonly code: readonly string[];
}

export interface ArmResult {
  readonly mean: number;
  readonly values: readonly number[];
  /** The mechanism's counter, averaged over seeds. */
  readonly acted?: number;
}

export interface Result {
  readonly verdict: Exclude<Verdict, 'not run'>;
  /** How much better `on` is than `off`, paired by seed, with a 95% interval. */
  readonly effect: { readonly value: number; readonly low: number; readonly high: number; readonly seeds: number };
  readonly arms: Readonly<Record<string, ArmResult>>;
  readonly note?: string;
  readonly fingerprint: string;
  readonly date: string;
  readonly commit: string;
}

export interface TextTrial {
  readonly experiment: Experiment;
  readonly result?: Result;
  readonly history: readonly string[];
}

export interface Entry {
  readonly row: number;
  readonly system: string;
  readonly kind: 'effect' | 'validity' | 'capability';
  readonly registered: Registration;
  readonly experiment?: Experiment;
  readonly result?: Result;
  /** The same claim with a language model that reads and writes text, where the experiment above has a table or scripts. */
  readonly text?: TextTrial;
  /** What a system without a result still needs. */
  readonly missing?: string;
  /** Grounds that failed, and results that were replaced. */
  readonly history: readonly string[];
}

const registration: Shape<Registration> = object<Registration>({
  claim: required(sentence),
  ground: required(sentence),
  on: required(sentence),
  off: required(sentence),
  equal: required(sentence),
  measure: required(sentence),
  expected: required(sentence),
  repetitions: required(sentence),
  tier: required(sentence),
  traps: required(sentence),
});

const experiment: Shape<Experiment> = object<Experiment>({
  tier: required(oneOf(...tiers)),
  ground: required(sentence),
  departs: required(sentence),
  measure: required(
    object<Experiment['measure']>({ about: required(sentence), path: required(sentence), better: required(oneOf('higher', 'lower')) }),
  ),
  smallest: required(number(0)),
  counter: optional(object<NonNullable<Experiment['counter']>>({ about: required(sentence), path: required(sentence) })),
  structural: optional(sentence),
  on: required(sentence),
  off: required(sentence),
  placebo: optional(sentence),
  ceiling: optional(sentence),
  seeds: required(object<Experiment['seeds']>({ from: required(whole(7001)), count: required(whole(3, 200)) })),
  code: required(list(sentence, { from: 1 })),
});

const arm: Shape<ArmResult> = object<ArmResult>({
  mean: required(number()),
  values: required(list(number())),
  acted: optional(number()),
});

const result: Shape<Result> = object<Result>({
  verdict: required(oneOf('effect', 'valid', 'no effect', 'unclear', 'void')),
  effect: required(
    object<Result['effect']>({ value: required(number()), low: required(number()), high: required(number()), seeds: required(whole(2)) }),
  ),
  arms: required(record(arm)),
  note: optional(sentence),
  fingerprint: required(sentence),
  date: required(sentence),
  commit: required(sentence),
});

const textTrial: Shape<TextTrial> = object<TextTrial>({
  experiment: required(experiment),
  result: optional(result),
  history: withDefault(list(sentence), []),
});

const entry: Shape<Entry> = object<Entry>({
  row: required(whole(1, 215)),
  system: required(sentence),
  kind: required(oneOf('effect', 'validity', 'capability')),
  registered: required(registration),
  experiment: optional(experiment),
  result: optional(result),
  text: optional(textTrial),
  missing: optional(sentence),
  history: withDefault(list(sentence), []),
});

export function readEntry(file: string): Entry {
  return readAs(entry, JSON.parse(readFileSync(join(entriesFolder, file), 'utf8')), { where: file, called: 'the entry' });
}

/** Every entry, by row. */
export function readLedger(): readonly Entry[] {
  const files = readdirSync(entriesFolder).filter((file) => file.endsWith('.json'));
  return files.map(readEntry).sort((a, b) => a.row - b.row);
}

export function fileOf({ row, system }: Pick<Entry, 'row' | 'system'>): string {
  const slug = system
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${String(row).padStart(3, '0')}-${slug}.json`;
}

export function writeEntry(value: Entry): void {
  writeFileSync(join(entriesFolder, fileOf(value)), `${JSON.stringify(value, null, 2)}\n`);
}

/** The experiment with a language model as an entry of its own; null where none is written. */
export function textEntry({ text, missing: _, experiment: __, result: ___, ...entry }: Entry): Entry | null {
  return text === undefined ? null : { ...entry, ...text };
}

/** Whether the player of an experiment reads and writes text. */
export function readsText({ tier }: Experiment): boolean {
  return tier === 'transformer' || tier === 'model-1.1B';
}

export function verdictOf(value: Entry): Verdict {
  return value.result?.verdict ?? 'not run';
}

/** Changes where the experiment or the behavior of a file that it depends on changes; formatting, comments and local names do not count. */
export function fingerprintOf({ code, ...settings }: Experiment): string {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  // A file that was moved or removed makes a result stale, too.
  for (const file of code)
    hash.update(file).update(existsSync(join(root, file)) ? meaningOf(file, readFileSync(join(root, file), 'utf8')) : '');
  return hash.digest('hex').slice(0, 16);
}

export function isStale({ experiment: plan, result: outcome }: Entry): boolean {
  return plan !== undefined && outcome !== undefined && fingerprintOf(plan) !== outcome.fingerprint;
}
