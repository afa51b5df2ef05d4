/** @file Domains of τ²: a small shop and a small airline in its format, the rules of their tools, and the conversion of their tasks. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { deskEnvironment } from './desk.ts';
import type { DeskDatabase } from './document.ts';
import { domainTools } from './domains/index.ts';
import { goldDatabase } from './outcome.ts';
import { readTau2Domain } from './tau2.ts';
import { changesIn, runTool } from './tools.ts';

const address = { address1: '1 Elm', address2: '', city: 'Rome', state: 'NY', country: 'USA', zip: '10001' };
const shop = {
  users: {
    vera_stone_1111: {
      ...{ user_id: 'vera_stone_1111', name: { first_name: 'Vera', last_name: 'Stone' }, email: 'vera@x.example', address },
      payment_methods: {
        gift_card_1: { source: 'gift_card', id: 'gift_card_1', balance: 10 },
        paypal_1: { source: 'paypal', id: 'paypal_1' },
      },
      orders: ['#W1', '#W2'],
    },
    otto_pine_2222: {
      user_id: 'otto_pine_2222',
      name: { first_name: 'Otto', last_name: 'Pine' },
      email: 'otto@x.example',
      address,
      payment_methods: {},
    },
  },
  orders: {
    '#W1': {
      ...{ order_id: '#W1', user_id: 'vera_stone_1111', status: 'pending', address },
      items: [{ name: 'Lamp', product_id: '500', item_id: '501', price: 20, options: { light: 'dim' } }],
      payment_history: [{ transaction_type: 'payment', amount: 20, payment_method_id: 'gift_card_1' }],
    },
    '#W2': {
      ...{ order_id: '#W2', user_id: 'vera_stone_1111', status: 'delivered', address },
      items: [{ name: 'Lamp', product_id: '500', item_id: '501', price: 20, options: { light: 'dim' } }],
      payment_history: [{ transaction_type: 'payment', amount: 20, payment_method_id: 'paypal_1' }],
    },
    '#W3': { order_id: '#W3', user_id: 'otto_pine_2222', status: 'pending', address, items: [], payment_history: [] },
  },
  products: {
    '500': {
      ...{ name: 'Lamp', product_id: '500' },
      variants: {
        '501': { item_id: '501', available: true, price: 20, options: { light: 'dim' } },
        '502': { item_id: '502', available: true, price: 28.5, options: { light: 'bright' } },
        '503': { item_id: '503', available: false, price: 5, options: {} },
      },
    },
    '600': { name: 'Desk', product_id: '600', variants: { '601': { item_id: '601', available: true, price: 1, options: {} } } },
  },
};

const day = (seats: number) => ({ status: 'available', available_seats: { economy: seats }, prices: { economy: 100 } });
const flight = (flight_number: string, origin: string, destination: string, from: string, to: string) => ({
  ...{ flight_number, origin, destination, scheduled_departure_time_est: from, scheduled_arrival_time_est: to },
  dates: { '2024-05-20': day(2), '2024-05-21': { status: 'cancelled' } },
});
const airline = {
  users: {
    ada_moss_3333: {
      ...{ user_id: 'ada_moss_3333', name: { first_name: 'Ada', last_name: 'Moss' }, email: 'a@x.example', reservations: ['AAAAAA'] },
      payment_methods: {
        gift_card_9: { source: 'gift_card', amount: 150, id: 'gift_card_9' },
        certificate_9: { source: 'certificate', amount: 100, id: 'certificate_9' },
      },
    },
  },
  reservations: {
    AAAAAA: {
      ...{
        reservation_id: 'AAAAAA',
        user_id: 'ada_moss_3333',
        origin: 'SFO',
        destination: 'JFK',
        flight_type: 'one_way',
        cabin: 'economy',
      },
      flights: [{ origin: 'SFO', destination: 'JFK', flight_number: 'HAT001', date: '2024-05-20', price: 80 }],
      ...{ passengers: [{ first_name: 'Ada' }], payment_history: [{ payment_id: 'gift_card_9', amount: 80 }] },
      ...{ total_baggages: 0, nonfree_baggages: 0, insurance: 'no' },
    },
  },
  flights: {
    HAT001: flight('HAT001', 'SFO', 'JFK', '08:00:00', '12:00:00'),
    HAT002: flight('HAT002', 'SFO', 'ORD', '08:00:00', '10:00:00'),
    HAT003: flight('HAT003', 'ORD', 'JFK', '11:00:00', '13:00:00'),
    HAT004: flight('HAT004', 'ORD', 'JFK', '09:00:00', '11:00:00'),
  },
};

const run = (domain: string, database: object, tool: string, args: object) =>
  runTool({ tools: domainTools(domain) }, database as DeskDatabase, { tool, args: args as JsonObject });
const changes = (domain: string, database: object, tool: string, args: object) => {
  const result = run(domain, database, tool, args);
  return result.ok ? changesIn(database as DeskDatabase, result.database) : result.problem;
};

describe('the tools of the retail desk', () => {
  const did = (tool: string, args: object) => changes('retail', shop, tool, args);

  it('refund to a gift card immediately and to other methods later', () => {
    expect(did('cancel_pending_order', { order_id: '#W1', reason: 'no longer needed' })).toMatchObject({
      'orders/#W1': { status: 'cancelled', payment_history: [{}, { transaction_type: 'refund', amount: 20 }] },
      'users/vera_stone_1111': { payment_methods: { gift_card_1: { balance: 30 } } },
    });
    expect(did('return_delivered_order_items', { order_id: '#W2', item_ids: ['501'], payment_method_id: 'paypal_1' })).toMatchObject({
      'orders/#W2': { status: 'return requested', return_items: ['501'] },
    });
  });

  it('exchange and modify orders, and charge the difference', () => {
    const swap = { item_ids: ['501'], new_item_ids: ['502'], payment_method_id: 'gift_card_1' };
    expect(did('exchange_delivered_order_items', { order_id: '#W2', ...swap })).toMatchObject({
      'orders/#W2': { status: 'exchange requested', exchange_price_difference: 8.5 },
    });
    expect(did('modify_pending_order_items', { order_id: '#W1', ...swap })).toMatchObject({
      'orders/#W1': { status: 'pending (item modified)', items: [{ item_id: '502', price: 28.5 }] },
      'users/vera_stone_1111': { payment_methods: { gift_card_1: { balance: 1.5 } } },
    });
    expect(did('modify_pending_order_payment', { order_id: '#W1', payment_method_id: 'paypal_1' })).toMatchObject({
      'users/vera_stone_1111': { payment_methods: { gift_card_1: { balance: 30 } } },
    });
  });

  it.each([
    ['cancel_pending_order', { order_id: '#W2', reason: 'no longer needed' }, 'Non-pending order'],
    ['cancel_pending_order', { order_id: '#W1', reason: 'bored' }, 'Invalid reason'],
    [
      'exchange_delivered_order_items',
      { order_id: '#W2', item_ids: ['501'], new_item_ids: ['503'], payment_method_id: 'paypal_1' },
      'not found or available',
    ],
    [
      'exchange_delivered_order_items',
      { order_id: '#W2', item_ids: ['501', '501'], new_item_ids: ['502', '502'], payment_method_id: 'paypal_1' },
      'Number of 501',
    ],
    ['modify_pending_order_payment', { order_id: '#W1', payment_method_id: 'gift_card_1' }, 'different from the current'],
    ['get_order_details', { order_id: '#W9' }, 'Order not found'],
    ['calculate', { expression: 'process.exit()' }, 'Invalid characters'],
  ])('reject invalid calls: %s %j', (tool, args, problem) => {
    expect(did(tool, args)).toContain(problem);
  });

  it('read without changing', () => {
    expect(run('retail', shop, 'calculate', { expression: '2 * (3 + 4.5) / -2' })).toMatchObject({ ok: true, value: '-7.5' });
    expect(run('retail', shop, 'find_user_id_by_name_zip', { first_name: 'vera', last_name: 'STONE', zip: '10001' })).toMatchObject({
      value: 'vera_stone_1111',
    });
    expect(run('retail', shop, 'list_all_product_types', {})).toMatchObject({ value: { Desk: '600', Lamp: '500' } });
    expect(did('get_item_details', { item_id: '502' })).toEqual({});
  });
});

describe('the tools of the airline desk', () => {
  const did = (tool: string, args: object) => changes('airline', airline, tool, args);
  const booking = {
    ...{ user_id: 'ada_moss_3333', origin: 'SFO', destination: 'JFK', flight_type: 'one_way', cabin: 'economy', insurance: 'yes' },
    ...{
      flights: [{ flight_number: 'HAT001', date: '2024-05-20' }],
      passengers: [{ first_name: 'Ada' }],
      total_baggages: 1,
      nonfree_baggages: 0,
    },
    payment_methods: [
      { payment_id: 'certificate_9', amount: 100 },
      { payment_id: 'gift_card_9', amount: 30 },
    ],
  };

  it('book available seats with valid payments, using up certificates', () => {
    const jsonObject = did('book_reservation', booking) as JsonObject;
    expect(jsonObject).toMatchObject({
      'reservations/HATHAT': { cabin: 'economy', flights: [{ price: 100 }] },
      'flights/HAT001': { dates: { '2024-05-20': { available_seats: { economy: 1 } } } },
      'users/ada_moss_3333': { reservations: ['AAAAAA', 'HATHAT'], payment_methods: { gift_card_9: { amount: 120 } } },
    });
    expect(JSON.stringify(jsonObject)).not.toContain('"certificate_9":');
    expect(did('book_reservation', { ...booking, insurance: 'no' })).toContain('total price is 100, but paid 130');
    const late = { ...booking, flights: [{ flight_number: 'HAT001', date: '2024-05-21' }] };
    expect(did('book_reservation', late)).toContain('not available');
    expect(did('book_reservation', { ...booking, passengers: [1, 2, 3] })).toContain('Not enough seats');
    expect(did('book_reservation', { ...booking, flights: [null] })).toContain('do not fit');
  });

  it('change and cancel reservations, and search connections by time', () => {
    const flights = [
      { flight_number: 'HAT002', date: '2024-05-20' },
      { flight_number: 'HAT003', date: '2024-05-20' },
    ];
    expect(
      did('update_reservation_flights', { reservation_id: 'AAAAAA', cabin: 'economy', flights, payment_id: 'gift_card_9' }),
    ).toMatchObject({
      'reservations/AAAAAA': { payment_history: [{}, { amount: 120 }] },
      'users/ada_moss_3333': { payment_methods: { gift_card_9: { amount: 30 } } },
    });
    const bags = { reservation_id: 'AAAAAA', total_baggages: 2, nonfree_baggages: 1, payment_id: 'certificate_9' };
    expect(did('update_reservation_baggages', bags)).toContain('Certificate cannot be used');
    expect(did('cancel_reservation', { reservation_id: 'AAAAAA' })).toMatchObject({
      'reservations/AAAAAA': { status: 'cancelled', payment_history: [{}, { amount: -80 }] },
    });
    const deskResult = run('airline', airline, 'search_onestop_flight', { origin: 'SFO', destination: 'JFK', date: '2024-05-20' });
    expect(
      deskResult.ok && (deskResult.value as Json[][]).map((pair) => pair.map((item) => (item as JsonObject)['flight_number'])),
    ).toEqual([['HAT002', 'HAT003']]);
  });
});

describe('the tasks of a domain', () => {
  const task = (id: string, actions: readonly (readonly [string, Json])[], more: object = {}): Json =>
    ({
      id,
      user_scenario: {
        persona: null,
        instructions: { reason_for_call: 'You want your order gone.', known_info: 'You are Vera Stone.', task_instructions: '.' },
      },
      initial_state: null,
      evaluation_criteria: {
        actions: actions.map(([name, args]) => ({ name, arguments: args })),
        communicate_info: ['20'],
        reward_basis: ['DB', 'COMMUNICATE'],
        ...more,
      },
    }) as unknown as Json;
  const cancel = ['cancel_pending_order', { order_id: '#W1', reason: 'no longer needed' }] as const;
  const worded = (...nl_assertions: readonly string[]) => ({ nl_assertions, reward_basis: ['DB', 'NL_ASSERTION'] });
  const reading = readTau2Domain({
    ...{ domain: 'retail', policy: 'Be kind.', database: shop as unknown as Json },
    tasks: [
      task('1', [cancel]),
      task('2', [cancel], { env_assertions: [{}] }),
      { id: '3' },
      task('4', [cancel], { ...worded('Agent should tell the user that $1,020.00 come back.'), communicate_info: ['1020'] }),
      task('5', [cancel], worded('Agent should cancel the order.')),
      task('6', [cancel], worded('Agent should tell the user why.')),
      task('7', [cancel], worded()),
    ],
  });

  it('become cases with their part of the database, and the rest is counted', () => {
    expect(reading).toMatchObject({
      tasks: 7,
      missing: { 'the customer has tools': 1, 'has no instructions in the usual form': 1 },
      reduced: {
        'assertions in words: what has to be told is judged by rule': 1,
        'assertions in words: what has to be done is judged by the end state': 1,
        'assertions in words that only "ludus score --scorers states=MODEL" judges': 1,
      },
    });
    expect(reading.cases.map((tau2Case) => [tau2Case.case.tell, tau2Case.case.rubrics?.length ?? 0])).toEqual([
      [[20], 0],
      [[1020], 1],
      [[20], 1],
      [[20], 1],
      [[], 0],
    ]);
    const [first] = reading.cases;
    expect(Object.keys(first?.desk.database['users'] ?? {})).toEqual(['vera_stone_1111']);
    expect(Object.keys(first?.desk.database['orders'] ?? {})).toEqual(['#W1', '#W2']);
    expect(first?.desk.database['products']?.['600']).toMatchObject({ name: 'Desk', variants: {} });
    expect(Object.keys(changesIn(first!.desk.database, goldDatabase(first!.desk, first!.case)))).toEqual([
      'users/vera_stone_1111',
      'orders/#W1',
    ]);
    expect(() => readTau2Domain({ domain: 'banking', policy: '', database: {}, tasks: [] })).toThrow(
      'Supported: airline, retail, telecom, banking_knowledge.',
    );
  });

  it('are passed by the gold calls and not by silence', async () => {
    const [first] = reading.cases;
    const customer = scripted('customer', ({ view }) => ({
      text: view.seen.some((item) => item.kind === 'action') ? 'Thanks. [stop]' : 'Please cancel #W1.',
    }));
    const paid = async (answers: readonly string[], task: unknown = first) => {
      let at = 0;
      const agent = scripted('agent', () => ({ text: answers[at++] ?? 'Bye.' }));
      const log = await Array.fromAsync(play(deskEnvironment, { agent, customer }, { task: task as Json, seed: 1 }));
      return (log.at(-1) as { returns: Record<string, number> }).returns['agent'];
    };
    const call = JSON.stringify({ tool: cancel[0], args: cancel[1] });
    expect(await paid([call, 'It is cancelled, 20 dollars come back.'])).toBe(1);
    expect(await paid([call, 'It is cancelled.'])).toBe(0);
    expect(await paid(['It is cancelled, 20 dollars come back.'])).toBe(0);
    expect(await paid([call, 'It is cancelled, $1,020 come back.'], reading.cases[1])).toBe(1);
    expect(await paid([call, 'It is cancelled, $1,002 come back.'], reading.cases[1])).toBe(0);
  });
});
