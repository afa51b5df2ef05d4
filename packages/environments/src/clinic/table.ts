/**
 * @file A consultation table as plain data: possible conditions, possible findings, and the cost of looking. Nothing here is medical
 * advice.
 */

/** Two conditions and one test: small enough to solve by hand. Guessing is worth 0.5, testing first 0.85 − 0.05. */
export const mini: ClinicTable = {
  name: 'mini',
  seats: ['doctor'],
  scene: 'A sample is on your desk. It shows one of two made-up conditions, each as likely as the other.',
  conditions: [
    { id: 'redpox', prior: 0.5 },
    { id: 'bluepox', prior: 0.5 },
  ],
  // Present in nine of ten cases of redpox, absent in eight of ten others.
  findings: [{ id: 'swab', kind: 'test', chances: [0.9, 0.2], cost: 0.05 }],
  must: [],
  charges: { turn: 0, refer: 0.1, missed: 0.5 },
  concerns: [],
};

export const small: ClinicTable = {
  name: 'small',
  seats: ['doctor', 'patient'],
  scene: 'You keep the sickbay of a ship. A sailor comes in. The conditions are made up.',
  conditions: [
    { id: 'deck-fever', prior: 0.5 },
    { id: 'bilge-rash', prior: 0.3 },
    { id: 'gull-shakes', prior: 0.2 },
  ],
  findings: [
    {
      id: 'itching',
      kind: 'ask',
      chances: [0.2, 0.9, 0.1],
      words: ['itch', 'itches', 'itching', 'itchy'],
      plain: ['my skin itches', 'nothing itches'],
      learned: ['I suffer from itching', 'I am free of itching'],
    },
    {
      id: 'shaking',
      kind: 'ask',
      chances: [0.3, 0.05, 0.8],
      words: ['shake', 'shakes', 'shaking', 'tremble', 'trembling'],
      plain: ['my hands shake', 'my hands are steady'],
      learned: ['I notice a tremor', 'I notice no tremor'],
    },
    {
      id: 'rum',
      kind: 'ask',
      chances: [0.4, 0.4, 0.4],
      words: ['rum', 'drink', 'drinking'],
      plain: ['I had my rum today', 'I had no rum today'],
      learned: ['I have consumed spirits', 'I have consumed no spirits'],
    },
    { id: 'black-tongue', kind: 'exam', chances: [0.05, 0.02, 0.3], flag: true, cost: 0.01 },
    { id: 'brine', kind: 'test', chances: [0.85, 0.1, 0.3], cost: 0.04 },
  ],
  must: ['rum', 'shaking'],
  charges: { turn: 0.01, refer: 0.1, missed: 0.5 },
  concerns: ['I only came because the cook sent me', 'I am worried that I will miss shore leave'],
};

/** How a finding is obtained: by asking the helper seat, by examination, or by a test. */
export type ClinicKind = 'ask' | 'exam' | 'test';

export interface ClinicFinding {
  readonly id: string;
  readonly kind: ClinicKind;
  /** The probability of the finding under each condition. Findings are independent given the condition. */
  readonly chances: readonly number[];
  readonly cost?: number;
  /** Turns until the result arrives. */
  readonly delay?: number;
  /** If present, the case must be referred. */
  readonly flag?: boolean;
  /** Words in free talk that are understood as this question. */
  readonly words?: readonly string[];
  /** The helper's wording if present and if absent, in plain and in technical language. */
  readonly plain?: readonly [string, string];
  readonly learned?: readonly [string, string];
  /** A numeric reading: within the first range if present, within the second if not. */
  readonly reading?: { readonly unit: string; readonly present: readonly [number, number]; readonly absent: readonly [number, number] };
}

export interface ClinicTable {
  readonly name: string;
  /** Expert and helper. Without a helper, nobody can be asked. */
  readonly seats: readonly [string, string] | readonly [string];
  /** The expert's first message. */
  readonly scene: string;
  readonly conditions: readonly { readonly id: string; readonly prior: number }[];
  readonly findings: readonly ClinicFinding[];
  /** Questions that a careful expert never skips. */
  readonly must: readonly string[];
  readonly charges: { readonly turn: number; readonly refer: number; readonly missed: number };
  /** Worries that are unrelated to the case. */
  readonly concerns: readonly string[];
}

/** Lookups that are precomputed for each table. */
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

/** Returns the index of a finding in its table, or −1. */
export function indexOf(table: ClinicTable, id: string): number {
  return digestOf(table).indices.get(id) ?? -1;
}
