/** @file A consultation table as plain data: what may be wrong, what may be found, and what looking costs. Nothing here is medical advice. */

/** Two conditions, one test: small enough to be solved by hand. Guessing is worth 0.5, testing first 0.85 − 0.05. */
export const mini: ClinicTable = {
  name: 'mini',
  seats: ['doctor'],
  scene: 'A sample is on your desk. It shows one of two made-up conditions, each as likely as the other.',
  conditions: [
    { id: 'redpox', prior: 0.5 },
    { id: 'bluepox', prior: 0.5 },
  ],
  // Present in nine of ten with redpox, absent in eight of ten without.
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
