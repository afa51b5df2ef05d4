/** @file A consultation table as plain data: what may be wrong, what may be found, and what looking costs. Nothing here is medical advice. */

/** How a finding comes to light: the helper seat is asked, the expert looks, or something is measured. */
export type ClinicKind = 'ask' | 'exam' | 'test';

export interface ClinicFinding {
  readonly id: string;
  readonly kind: ClinicKind;
  /** The probability that it is present, for each condition in turn; findings are independent given the condition. */
  readonly chances: readonly number[];
  readonly cost?: number;
  /** Turns that pass before the result is there. */
  readonly delay?: number;
  /** If present, the case must be referred. */
  readonly flag?: boolean;
  /** Words in free talk that are taken for this question. */
  readonly words?: readonly string[];
  /** How the helper seat puts it: present and absent, in plain words and in learned ones. */
  readonly plain?: readonly [string, string];
  readonly learned?: readonly [string, string];
  /** A number to read off, within the first range if present and within the second if not. */
  readonly reading?: { readonly unit: string; readonly present: readonly [number, number]; readonly absent: readonly [number, number] };
}

export interface ClinicTable {
  readonly name: string;
  /** Expert and helper; without a helper there is no one to ask. */
  readonly seats: readonly [string, string] | readonly [string];
  /** The expert's first message. */
  readonly scene: string;
  readonly conditions: readonly { readonly id: string; readonly prior: number }[];
  readonly findings: readonly ClinicFinding[];
  /** Questions that a careful expert never leaves out. */
  readonly must: readonly string[];
  readonly charges: { readonly turn: number; readonly refer: number; readonly missed: number };
  /** Worries that have nothing to do with the case. */
  readonly concerns: readonly string[];
}

/** What is looked up often, worked out once for each table. */
interface Digest {
  readonly indices: ReadonlyMap<string, number>;
  readonly flags: readonly number[];
  /** A bit for each must-ask item. */
  readonly must: number;
}

const digests = new WeakMap<ClinicTable, Digest>();

export function digestOf(table: ClinicTable): Digest {
  const digest = digests.get(table);
  if (digest !== undefined) return digest;
  const indices = new Map(table.findings.map(({ id }, f) => [id, f]));
  const flags = table.findings.flatMap(({ flag }, f) => (flag ? [f] : []));
  const result = { indices, flags, must: table.must.reduce((bits, id) => bits | (1 << (indices.get(id) as number)), 0) };
  digests.set(table, result);
  return result;
}

/** The index of a finding in its table, or −1. */
export function indexOf(table: ClinicTable, id: string): number {
  return digestOf(table).indices.get(id) ?? -1;
}
