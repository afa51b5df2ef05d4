/** @file Generated tables, and questions composed from a program whose result is the answer. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { query, type Row, type TableAggregate, type TableSet } from './query.ts';

export type Condition = { readonly column: string; readonly sign: '=' | '>' | '<'; readonly value: string | number };

/** One aggregate over the matching orders, or the group with its highest value. */
export type QueryProgram = {
  readonly aggregate: TableAggregate;
  readonly conditions: readonly Condition[];
  readonly by: string | null;
};

export type TableQuestion = { readonly ask: string; readonly answer: string; readonly others: readonly string[] };

const cities = ['Arlen', 'Brosk', 'Culm', 'Dovre'];
const tiers = ['basic', 'plus', 'gold'];
const products = ['lamp', 'chair', 'desk', 'shelf', 'clock'];
const months = ['january', 'february', 'march', 'april'];
const names = ['Alda', 'Brun', 'Celia', 'Doran', 'Edda', 'Fenn', 'Gisa', 'Holt', 'Irma', 'Jory', 'Kaia', 'Lorn'];

/** Generates tables. Some amounts are missing, and some customers have no order. */
export function makeTables(rows: number, missing: number, dice: Rng): TableSet {
  const customers = names.map((name, i): Row => ({ id: i + 1, name, city: dice.pick(cities), tier: dice.pick(tiers) }));
  const orders = Array.from(
    { length: rows },
    (_, i): Row => ({
      id: i + 1,
      customer: 1 + dice.int(names.length - 2),
      product: dice.pick(products),
      month: dice.pick(months),
      amount: dice.next() < missing ? null : 5 + dice.int(195),
    }),
  );
  return { orders, customers };
}

const ofCustomers = ['city', 'tier'];

/** Returns the program in the query language. */
export function queryOf({ aggregate, conditions, by }: QueryProgram): string {
  const joins = [...conditions.map(({ column }) => column), by ?? ''].some((column) => ofCustomers.includes(column));
  const stages = [
    'orders',
    ...(joins ? ['join customers'] : []),
    ...conditions.map(({ column, sign, value }) => `where ${column} ${sign} ${value}`),
  ];
  const what = aggregate === 'count' ? 'count' : `${aggregate} amount`;
  return [...stages, ...(by === null ? [what] : [`group ${by} ${what}`, `sort ${aggregate} desc`])].join(' | ');
}

/** Returns the answer of a program: a number, or the name of the best group. Null if there is no answer or two groups tie. */
export function answerOf(tables: TableSet, program: QueryProgram): string | null {
  const result = query(tables, queryOf(program));
  if (!result.ok || result.value === null) return null;
  if (typeof result.value === 'number') return String(result.value);
  const groups = (result.value as readonly Row[]).filter((row) => row[program.aggregate] !== null);
  if (groups.length < 2 || groups[0][program.aggregate] === groups[1][program.aggregate]) return null;
  return String(groups[0][program.by!]);
}

export function questionText({ aggregate, conditions, by }: QueryProgram): string {
  const what = aggregate === 'count' ? 'number of orders' : `${aggregate} of amount`;
  const comparisons = { '=': 'is', '>': 'is above', '<': 'is below' } as const;
  const when = conditions.map(({ column, sign, value }) => `${column} ${comparisons[sign]} ${value}`).join(' and ');
  return `${by === null ? 'What is' : `Which ${by} has`} the ${by === null ? '' : 'highest '}${what} over all orders${when === '' ? '' : ` where ${when}`}?`;
}

/** Parses the program that a question was written from. */
export function programOf(ask: string): QueryProgram {
  const aggregate = (/the (?:highest )?(sum|mean|max|min) of amount/.exec(ask)?.[1] ?? 'count') as TableAggregate;
  const by = /^Which (\w+) has/.exec(ask)?.[1] ?? null;
  const when = linear(/ where (.+)\?$/).exec(ask)?.[1] ?? '';
  const conditions =
    when === ''
      ? []
      : when.split(' and ').map((part): Condition => {
          const [, column, how, value] = linear(/^(\w+) (is above|is below|is) (.+)$/).exec(part) as unknown as [
            string,
            string,
            string,
            string,
          ];
          return { column, sign: how === 'is' ? '=' : how === 'is above' ? '>' : '<', value };
        });
  return { aggregate, conditions, by };
}

/** Draws a program, from one condition on one table (lowest level) to a group over a join (highest level). */
export function makeProgram(level: number, dice: Rng): QueryProgram {
  const aggregate = dice.pick(level === 1 ? (['count', 'sum', 'max'] as const) : (['count', 'sum', 'mean', 'min'] as const));
  const ownConditions: readonly Condition[] = [
    { column: 'product', sign: '=', value: dice.pick(products) },
    { column: 'month', sign: '=', value: dice.pick(months) },
    { column: 'amount', sign: dice.pick(['>', '<'] as const), value: 60 + dice.int(80) },
  ];
  const joined: readonly Condition[] = [
    { column: 'city', sign: '=', value: dice.pick(cities) },
    { column: 'tier', sign: '=', value: dice.pick(tiers) },
  ];
  const conditions =
    level >= 4
      ? [dice.pick(ownConditions.slice(2)), ...dice.shuffle(joined).slice(0, 1)]
      : dice.shuffle(ownConditions).slice(0, level === 2 ? 2 : 1);
  const by =
    level === 3
      ? dice.pick(['product', 'month'].filter((column) => conditions.every((condition) => condition.column !== column)))
      : level >= 4
        ? 'product'
        : null;
  return { aggregate: level >= 3 && aggregate === 'min' ? 'sum' : aggregate, conditions, by };
}

/** Returns typical mistakes in a program: an omitted condition, another aggregate. */
function slipsOf(program: QueryProgram): readonly QueryProgram[] {
  return [
    { ...program, conditions: program.conditions.slice(1) },
    { ...program, conditions: program.conditions.slice(0, -1) },
    { ...program, aggregate: program.aggregate === 'sum' ? 'mean' : 'sum' },
    { ...program, aggregate: program.aggregate === 'count' ? 'max' : 'count' },
  ];
}

/** Returns candidate queries for a question, in alphabetical order: the correct one and those with typical mistakes. */
export function queriesFor(ask: string): readonly string[] {
  const program = programOf(ask);
  return [...new Set([program, ...slipsOf(program)].map(queryOf))].sort();
}

/**
 * Draws a question. Its wrong choices come from typical mistakes: an omitted condition, another aggregate, another group, or a slightly
 * different number.
 */
export function makeQuestion(tables: TableSet, level: number, dice: Rng): TableQuestion | null {
  const program = makeProgram(level, dice);
  const answer = answerOf(tables, program);
  if (answer === null) return null;
  const near =
    program.by === null
      ? [1, 2, 3].map((by) => String(Math.round((Number(answer) + by) * 100) / 100))
      : program.by === 'month'
        ? months
        : products;
  const matches = [...slipsOf(program).map((slip) => answerOf(tables, slip)), ...dice.shuffle(near)];
  const others = [...new Set(matches.filter((item): item is string => item !== null && item !== answer))].slice(0, 3);
  return others.length < 3 ? null : { ask: questionText(program), answer, others };
}
