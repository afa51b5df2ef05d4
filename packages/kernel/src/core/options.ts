/** @file The options object of a library function, checked at the entry: required names, unknown names, and values of the wrong shape. */

import { Fault } from './fault.ts';
import { didYouMean } from './suggest.ts';

/** What an option must be: a list, a whole number from 1, or one from 0; `any` is left to the function. A required one must be given. */
export type OptionRule = 'any' | 'list' | 'count' | 'whole' | 'required' | 'required list';

/** Every option of a function; a table that misses one does not compile. */
export type OptionTable<Options> = Readonly<Record<keyof Options, OptionRule>>;

const isWhole = (least: number) => (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;

const shapes: Readonly<Partial<Record<OptionRule, readonly [expected: string, fits: (value: unknown) => boolean]>>> = {
  list: ['a list', Array.isArray],
  'required list': ['a list', Array.isArray],
  count: ['a whole number of 1 or more', isWhole(1)],
  whole: ['a whole number of 0 or more', isWhole(0)],
};

/** Throws a Fault for the first option that a function cannot take. */
export function checkOptions<Options extends object>(of: string, options: Options, table: OptionTable<Options>): void {
  checkObject(of, options);
  const known = Object.keys(table);
  for (const [option, value] of Object.entries(options))
    if (value !== undefined && !Object.hasOwn(table, option))
      throw new Fault(
        'input',
        `${of}: unknown option "${option}".${didYouMean(option, known) || ` Its options are ${known.join(', ')}.`}`,
        {
          code: 'E_UNKNOWN_OPTION',
          details: { function: of, option },
        },
      );
  checkNeeds(of, options, table);
}

/** The same for the named options alone; others are checked elsewhere. */
export function checkNeeds(of: string, options: object, rules: Readonly<Record<string, OptionRule>>): void {
  checkObject(of, options);
  for (const [option, rule] of Object.entries(rules)) {
    const value = (options as Readonly<Record<string, unknown>>)[option];
    if (value === undefined) {
      if (rule.startsWith('required')) throw refused(`${of}: the option "${option}" is missing.`, { function: of, option });
      continue;
    }
    const shape = shapes[rule];
    if (shape !== undefined && !shape[1](value))
      throw refused(`${of}: "${option}" must be ${shape[0]}, but is ${shown(value)}.`, { function: of, option, value: shown(value) });
  }
}

function checkObject(of: string, options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw refused(`${of}: expected one object with options, got ${shown(options)}.`, { function: of });
}

/** Throws a Fault where something that is not a name stands for one. */
export function checkName(of: string, name: unknown): void {
  if (typeof name !== 'string' || name.trim() === '') throw refused(`${of}: expected a name, got ${shown(name)}.`, { function: of });
}

function refused(message: string, details: Readonly<Record<string, string>>): Fault {
  return new Fault('input', message, { code: 'E_INVALID_OPTION', details });
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
