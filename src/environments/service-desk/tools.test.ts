import { describe, expect, it } from 'vitest';
import { amount } from '../../../test/fixtures/amount.ts';
import { type JsonObject, rng } from '../../core/index.ts';
import { record, type ServiceDatabase, type ServiceOrder, totalOf } from './database.ts';
import { changesOf, databaseHash } from './outcome.ts';
import { drawScenario, kinds } from './scenario.ts';
import { readAnswer, run, type ServiceCall, toolSpecs } from './tools.ts';

const easy = { customers: 3, orders: 3, types: 5, requests: 2, forgetful: 0, terse: 0, chatter: 0, insist: 0 };
const scenario = (kind: (typeof kinds)[number], seed: number) => drawScenario(kind, easy, rng(seed));
const call = (tool: string, args: JsonObject): ServiceCall => ({ tool, args });

/** The database after a call that must work. */
function done(database: ServiceDatabase, one: ServiceCall): ServiceDatabase {
  const result = run(database, one);
  if (!result.ok) throw new Error(result.problem);
  return result.database;
}

function problem(database: ServiceDatabase, tool: string, args: JsonObject): string {
  const result = run(database, call(tool, args));
  return result.ok ? 'it worked' : result.problem;
}

const orderOf = (database: ServiceDatabase, status: string): ServiceOrder =>
  database.orders.find((one) => one.status === status) as ServiceOrder;

describe('reading an answer', () => {
  it.each([
    ['Hello there.', 'talk'],
    ['I looked at the "tool" box.', 'talk'],
    ['[done] Goodbye.', 'talk'],
    ['{"tool": "get_order", "args": {"order_id": "W-1"}}', 'call'],
    ['  {"tool": "find_customer"}\n', 'call'],
    ['', 'broken'],
    ['{"tool": "get_order"', 'broken'],
    ['{"args": {}}', 'broken'],
    ['{"tool": 5, "args": {}}', 'broken'],
    ['{"tool": "a", "args": []}', 'broken'],
    ['{"tool": "a", "args": {}, "why": "x"}', 'broken'],
    ['Sure! {"tool": "get_order", "args": {"order_id": "W-1"}}', 'broken'],
    ['```json\n{"tool": "get_order", "args": {}}\n```', 'broken'],
    ['[{"tool": "a", "args": {}}]', 'broken'],
    ['{"tool": "a", "args": {}} {"tool": "b", "args": {}}', 'broken'],
  ])('%j is %s', (text, kind) => {
    expect(readAnswer({ text }).kind).toBe(kind);
  });

  it('takes a call from data, and marks several calls in one message', () => {
    expect(readAnswer({ text: 'x', data: { tool: 'a', args: { b: 'c' } } })).toEqual({
      kind: 'call',
      call: { tool: 'a', args: { b: 'c' } },
    });
    expect(readAnswer({ text: '', data: [{ tool: 'a' }, { tool: 'b' }] })).toMatchObject({ kind: 'broken', several: true });
    expect(readAnswer({ text: '{"tool":"a"}{"tool":"b"}' })).toMatchObject({ kind: 'broken', several: true });
    expect(readAnswer({ text: '{"tool":"a"' })).toMatchObject({ kind: 'broken', several: false });
  });
});

describe('tools', () => {
  const { database } = scenario('cancel', 1);

  it('refuses unknown tools, unknown and wrong arguments, and records that are not there', () => {
    const order_id = orderOf(database, 'pending').id;
    expect(problem(database, 'drop_table', {})).toMatch(/no tool/);
    expect(problem(database, 'constructor', {})).toMatch(/no tool/);
    expect(problem(database, 'get_order', { order_id, why: 'x' })).toMatch(/takes no "why"/);
    expect(problem(database, 'get_order', {})).toMatch(/needs "order_id"/);
    expect(problem(database, 'get_order', { order_id: 'constructor' })).toMatch(/no order/);
    expect(problem(database, 'get_customer', { customer_id: '__proto__' })).toMatch(/no customer/);
    expect(problem(database, 'cancel_order', { order_id, reason: 'bored' })).toMatch(/needs "reason"/);
    expect(problem(database, 'find_customer', { name: 'x' })).toMatch(/needs "email"/);
    expect(problem(database, 'refund', { order_id, amount: -1, reason: 'goodwill' })).toMatch(/amount above 0/);
    expect(problem(database, 'refund', { order_id, amount: 1.001, reason: 'goodwill' })).toMatch(/amount above 0/);
    expect(problem(database, 'return_items', { order_id, items: [] })).toMatch(/one text or more/);
    expect(problem(database, 'change_address', { street: 'a', city: 'b', zip: 'c' })).toMatch(/order_id" or "customer_id/);
    expect(run(database, call('get_order', { order_id })).ok).toBe(true);
    expect(toolSpecs).toHaveLength(10);
  });

  it('keeps the database sound: a state that does not fit is refused', () => {
    for (let seed = 0; seed < 60; seed++) {
      const shop = scenario('multi-request', seed).database;
      for (const { id, status, items } of shop.orders) {
        const product = items[0]?.product as string;
        expect(run(shop, call('cancel_order', { order_id: id, reason: 'no longer needed' })).ok).toBe(
          status === 'pending' || status === 'shipped',
        );
        expect(run(shop, call('return_items', { order_id: id, items: [product] })).ok).toBe(status === 'delivered');
        expect(run(shop, call('return_items', { order_id: id, items: [product, product] })).ok).toBe(false);
        expect(run(shop, call('exchange_items', { order_id: id, items: [product], new_items: ['P-1'] })).ok).toBe(false);
        if (status !== 'delivered') continue;
        const returned = done(shop, call('return_items', { order_id: id, items: [product] }));
        expect(problem(returned, 'return_items', { order_id: id, items: [product] })).toMatch(/no item/);
        expect(problem(returned, 'exchange_items', { order_id: id, items: [product], new_items: [product] })).toMatch(/no item/);
      }
    }
  });

  it('moves money by what things cost', () => {
    const order = orderOf(database, 'pending');
    const cancelled = done(database, call('cancel_order', { order_id: order.id, reason: 'no longer needed' }));
    expect(cancelled.payments[`${order.id}/cancel`]?.amount).toBe(-totalOf(order));
    expect(record(cancelled.orders, order.id)).toMatchObject({ status: 'cancelled', reason: 'no longer needed' });
    expect(record(database.orders, order.id)?.status).toBe('pending');
  });
});

describe('end states', () => {
  it('do not depend on the order of independent writes', () => {
    for (let seed = 0; seed < 100; seed++) {
      const { database, gold } = scenario('multi-request', seed);
      const forward = gold.reduce(done, database);
      const backward = gold.toReversed().reduce(done, database);
      expect(databaseHash(backward)).toBe(databaseHash(forward));
      expect(changesOf(database, backward)).toEqual(changesOf(database, forward));
    }
  });

  it('leave free text out, and nothing else', () => {
    const { database } = scenario('transfer', 3);
    const [a, b] = ['one way', 'another way'].map((summary) => done(database, call('transfer_to_human', { summary }))) as [
      ServiceDatabase,
      ServiceDatabase,
    ];
    expect(a.tickets).not.toEqual(b.tickets);
    expect(databaseHash(a)).toBe(databaseHash(b));
    expect(databaseHash(a)).not.toBe(databaseHash(database));
    const twice = done(a, call('transfer_to_human', { summary: 'x' }));
    expect(databaseHash(twice)).not.toBe(databaseHash(a));
  });

  it('are equal by their changes exactly if they are equal by their hash', () => {
    for (let seed = 0; seed < amount(30, 100); seed++) {
      const { database, gold } = scenario(kinds[seed % kinds.length]!, seed);
      const prefixes = gold.map((_, i) => gold.slice(0, i).reduce(done, database));
      for (const one of prefixes)
        for (const other of prefixes)
          expect(JSON.stringify(changesOf(database, one)) === JSON.stringify(changesOf(database, other))).toBe(
            databaseHash(one) === databaseHash(other),
          );
    }
  });

  it('count a change that was taken back as none', () => {
    const { database } = scenario('address', 5);
    const customer = database.customers[0]!;
    const away = done(database, call('change_address', { customer_id: customer.id, street: 'x', city: 'y', zip: '1' }));
    const back = done(away, call('change_address', { customer_id: customer.id, ...customer.address }));
    expect(Object.keys(changesOf(database, away))).toEqual([`customers/${customer.id}`]);
    expect(changesOf(database, back)).toEqual({});
  });
});
