/** @file The options object of a library function, checked at the entry: required names, unknown names, and values of the wrong shape. */

import { Fault } from './fault.ts';
import { didYouMean } from './suggest.ts';

/**
 * The type of an option: a list, a positive integer, or an integer from 0; `any` is validated by the function. A required one must be
 * given.
 */
export type OptionRule = 'any' | 'list' | 'count' | 'whole' | 'required' | 'required list';

/** Every option of a function; an incomplete table does not compile. */
export type OptionTable<Options> = Readonly<Record<keyof Options, OptionRule>>;

const isWhole = (least: number) => (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;

const shapes: Readonly<Partial<Record<OptionRule, readonly [expected: string, fits: (value: unknown) => boolean]>>> = {
  list: ['a list', Array.isArray],
  'required list': ['a list', Array.isArray],
  count: ['a positive integer', isWhole(1)],
  whole: ['a non-negative integer', isWhole(0)],
};

/** Throws a Fault for the first invalid option. */
export function checkOptions<Options extends object>(of: string, options: Options, table: OptionTable<Options>): void {
  checkObject(of, options);
  const names = Object.keys(table);
  for (const [option, value] of Object.entries(options))
    if (value !== undefined && !Object.hasOwn(table, option))
      throw new Fault(
        'input',
        `${of}: unknown option "${option}".${didYouMean(option, names) || ` Its options are ${names.join(', ')}.`}`,
        {
          code: 'E_UNKNOWN_OPTION',
          details: { function: of, option },
        },
      );
  checkNeeds(of, options, table);
}

/** The same for the named options only; others are checked elsewhere. */
export function checkNeeds(of: string, options: object, rules: Readonly<Record<string, OptionRule>>): void {
  checkObject(of, options);
  for (const [option, rule] of Object.entries(rules)) {
    const value = (options as Readonly<Record<string, unknown>>)[option];
    if (value === undefined) {
      if (rule.startsWith('required')) throw invalidOption(`${of}: the option "${option}" is missing.`, { function: of, option });
      continue;
    }
    const shape = shapes[rule];
    if (shape !== undefined && !shape[1](value))
      throw invalidOption(`${of}: "${option}" must be ${shape[0]}, but is ${describe(value)}.`, {
        function: of,
        option,
        value: describe(value),
      });
  }
}

function checkObject(of: string, options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw invalidOption(`${of}: expected one object with options, got ${describe(options)}.`, { function: of });
}

/** Throws a Fault if the value is not a name. */
export function checkName(of: string, name: unknown): void {
  if (typeof name !== 'string' || name.trim() === '')
    throw invalidOption(`${of}: expected a name, got ${describe(name)}.`, { function: of });
}

function invalidOption(message: string, details: Readonly<Record<string, string>>): Fault {
  return new Fault('input', message, { code: 'E_INVALID_OPTION', details });
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
