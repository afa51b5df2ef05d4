/** @file Describes an error in a value as a clause: position, expected value, actual value, and suggestion. */

import { didYouMean } from './suggest.ts';

/** One problem. The surrounding shapes complete its path, so that valid documents have no overhead. */
export interface ShapeProblem {
  readonly path: (string | number)[];
  /** The text after the path in the sentence. */
  readonly says: string;
  /** For an unknown field: the known fields. */
  readonly known?: readonly string[];
  /** For an unknown field: where its value belongs. */
  readonly elsewhere?: string | undefined;
  /** For a value that must be one of several names: the actual value, and the names. */
  readonly slip?: NameSlip;
}

/** An invalid word instead of one of several names. */
interface NameSlip {
  readonly typed: string;
  readonly names: readonly string[];
}

/** Problems as clauses that begin with their positions. `called` names the whole value. */
export function clausesOf(problems: readonly ShapeProblem[], called: string): readonly string[] {
  return problems.map((problem) => clauseOf(problem, called));
}

/** The first few of many clauses. */
export function firstOf(clauses: readonly string[]): string {
  const more = clauses.length > 3 ? `; and ${clauses.length - 3} more` : '';
  return `${clauses.slice(0, 3).join('; ')}${more}`;
}

/** The most field names that a message lists. */
const most = 14;

/** An unexpected value; if one of several names was expected, the nearest is suggested. */
export function misfit(wanted: string, value: unknown, names: readonly (string | number)[] = []): ShapeProblem {
  const says = value === undefined ? `must be ${wanted}, but is missing` : `must be ${wanted}, but got ${briefValue(value)}`;
  if (typeof value !== 'string' || names.length === 0) return { path: [], says };
  return { path: [], says, slip: { typed: value, names: names.filter((name) => typeof name === 'string') } };
}

/** Formats a value for a message. Values from programs may not be JSON, and values from a store may be nested too deeply to print. */
function briefValue(value: unknown): string {
  let written: string | undefined;
  try {
    written = JSON.stringify(value);
  } catch (thrown) {
    return thrown instanceof RangeError ? 'something nested too deep' : 'a value that is not JSON';
  }
  if (written === undefined) return `a ${typeof value}`;
  if (typeof value === 'number') return String(value);
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}

function clauseOf({ path, says, known, slip, elsewhere }: ShapeProblem, called: string): string {
  const at = pathText(path) || called;
  if (known === undefined) return `${at} ${says}${slip === undefined ? '' : inBrackets(suggestion(slip))}`;
  if (elsewhere !== undefined) return `${says} "${at}"; use ${elsewhere}`;
  const parent = pathText(path.slice(0, -1)) || called;
  const meant = suggestion({ typed: String(path.at(-1)), names: known });
  const names = known.length > most ? [...known.slice(0, most), '…'] : known;
  const has = known.length === 0 ? `${parent} has no fields` : `${parent} has ${names.join(', ')}`;
  return `${says} "${at}"${inBrackets(meant)}; ${has}`;
}

/** `did you mean "size"?`, or an empty text. */
function suggestion({ typed, names }: NameSlip): string {
  return typed.length < 3 ? '' : didYouMean(typed, names).replace('Did', 'did').trimStart();
}

/** Whether an unknown field is nearly a known one. */
export function hasNearField({ path, known }: ShapeProblem): boolean {
  return known !== undefined && suggestion({ typed: String(path.at(-1)), names: known }) !== '';
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`;
}

function pathText(path: readonly (string | number)[]): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}
