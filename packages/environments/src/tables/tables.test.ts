import { type EndEvent, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { aggregate, query } from './query.ts';
import { answerOf, makeProgram, makeTables, programOf, queriesFor, queryOf, questionText } from './questions.ts';
import { tables } from './tables.ts';

const some = {
  orders: [
    { id: 1, customer: 1, product: 'lamp', amount: 9 },
    { id: 2, customer: 2, product: 'desk', amount: 10 },
    { id: 3, customer: 1, product: 'lamp', amount: null },
    { id: 4, customer: 9, product: 'desk', amount: 100 },
  ],
  customers: [
    { id: 1, city: 'Arlen' },
    { id: 2, city: 'Brosk' },
  ],
};

describe('table queries', () => {
  it.each([
    ['orders | count', 4],
    ['orders | sum amount', 119],
    ['orders | mean amount', 39.67],
    ['orders | where amount > 9 | count', 2],
    ['orders | sort amount desc | take 1 | show amount', [{ amount: 100 }]],
    ['orders | sort amount | take 2 | show id', [{ id: 1 }, { id: 2 }]],
    [
      'orders | join customers | group city sum amount',
      [
        { city: 'Arlen', sum: 9 },
        { city: 'Brosk', sum: 10 },
      ],
    ],
    ['orders | where product = LAMP | max amount', 9],
  ])('%s compares numerically and ignores missing values', (text, value) => {
    expect(query(some, text)).toEqual({ ok: true, value });
  });

  it.each([
    'nothing',
    'orders | where',
    'orders | where colour = red',
    'orders | count | count',
    'orders | fly',
    'orders | group product',
    'orders | join nobody',
  ])('reject %s with a readable error', (text) => {
    const result = query(some, text);
    expect(result.ok ? '' : result.problem).toMatch(/\w+ .*\./);
  });

  it('return null for a sum over no values', () => {
    expect(aggregate('sum', [], 'amount')).toBeNull();
  });
});

describe('table questions', () => {
  it('parse back to the program they were generated from, with the same answer', () => {
    for (let seed = 0; seed < 200; seed++) {
      const dice = rng(seed);
      const program = makeProgram(1 + (seed % 4), dice);
      const tables = makeTables(40, 0.1, dice);
      const back = programOf(questionText(program));
      expect(queryOf(back)).toBe(queryOf(program));
      expect(answerOf(tables, back)).toBe(answerOf(tables, program));
    }
  });

  it.each([1, 2, 3, 4])('of level %i have the same answer by query and by code', async (level) => {
    const logs = await rollout(
      tables,
      { analyst: scriptedPolicy('coder', tables.scripts?.['coder'] as Script) },
      { seeds: [1, 2, 3, 4, 5, 6], task: { level } },
    );
    for (const log of logs) expect((log.at(-1) as EndEvent).returns).toEqual({ analyst: 1 });
  });

  it('look the same for two answers', () => {
    const { state } = tables.start(tables.task({}), rng(1));
    const other = { ...state, made: { ...state.made, question: { ...state.made.question, answer: 'another' } } };
    for (const text of ['[query orders | count]', '```js\ntables.orders.length\n```'])
      expect(tables.step(other, { analyst: { text } }, rng(1)).messages).toEqual(
        tables.step(state, { analyst: { text } }, rng(1)).messages,
      );
  });

  it('survive an endless program', () => {
    const { state } = tables.start(tables.task({}), rng(1));
    expect(tables.step(state, { analyst: { text: '```js\nwhile (true) {}\n```' } }, rng(1)).messages[0]!.text).toMatch(
      /failed: The program took more than/,
    );
  });
});

it('queriesFor lists the correct query among variants with common mistakes', () => {
  expect(queriesFor('What is the sum of amount over all orders where product is lamp?')).toEqual([
    'orders | sum amount',
    'orders | where product = lamp | count',
    'orders | where product = lamp | mean amount',
    'orders | where product = lamp | sum amount',
  ]);
  const verbs = (task: { readonly workings?: true }) =>
    new Set(tables.start(tables.task(task), rng(1, 'x')).asks[0]!.choices!.map((choice) => /\w+/.exec(choice)![0]));
  expect(verbs({ workings: true })).toEqual(new Set(['query', 'answer']));
  expect(verbs({})).toEqual(new Set(['answer']));
});
