import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type EndEvent, type Json, type Script, scriptedPolicy } from '../../core/index.ts';
import { rollout } from '../../engine/rollout.ts';
import { serviceDesk } from './service-desk.ts';
import { readTau2, type Tau2Reading } from './tau2.ts';

const scripts = serviceDesk.scripts as Readonly<Record<string, Script>>;

/** How many covered tasks a script solves. */
async function solved(name: string, { tasks }: Tau2Reading): Promise<number> {
  let sum = 0;
  for (const { task } of tasks) {
    if (task === null) continue;
    const cast = {
      agent: scriptedPolicy(name, scripts[name]!),
      customer: scriptedPolicy('customer', scripts['customer']!),
    };
    const [log = []] = await rollout(serviceDesk, cast, { seeds: [1], task });
    sum += (log.at(-1) as EndEvent).returns['agent']!;
  }
  return sum;
}

function task(id: string, actions: readonly (readonly [string, Json])[], more: Record<string, Json> = {}): Json {
  return {
    id,
    user_scenario: {
      persona: null,
      instructions: {
        domain: 'retail',
        reason_for_call: 'You want things done.',
        known_info: 'You are Vera Stone in zip code 40404.',
        unknown_info: null,
        task_instructions: 'Be kind.',
      },
    },
    initial_state: null,
    evaluation_criteria: {
      actions: actions.map(([name, args], i) => ({ action_id: `${id}_${i}`, name, arguments: args })),
      communicate_info: [],
      nl_assertions: null,
      reward_basis: ['DB'],
      ...more,
    },
  };
}

const place = { address1: '1 Long Road', address2: 'Suite 2', city: 'Elm, North', state: 'TX', country: 'USA', zip: '50505' };
const small: Json = [
  task('cancel', [
    ['get_order_details', { order_id: '#W1111111' }],
    ['cancel_pending_order', { order_id: '#W1111111', reason: 'ordered by mistake' }],
  ]),
  task('two', [
    [
      'exchange_delivered_order_items',
      { order_id: '#W2222222', item_ids: ['11', '12'], new_item_ids: ['21', '22'], payment_method_id: 'card_1' },
    ],
    ['return_delivered_order_items', { order_id: '#W3333333', item_ids: ['13'], payment_method_id: 'card_1' }],
  ]),
  task('move', [
    ['modify_pending_order_address', { order_id: '#W4444444', ...place }],
    ['modify_user_address', { user_id: 'vera_stone_1234', ...place }],
  ]),
  task('hand over', [['transfer_to_human_agents', { summary: 'x' }]]),
  task('fact', [['cancel_pending_order', { order_id: '#W1111111', reason: 'ordered by mistake' }]], {
    communicate_info: ['12.50'],
    reward_basis: ['DB', 'COMMUNICATE'],
  }),
  task('nothing', [['get_order_details', { order_id: '#W1111111' }]]),
  task('foreign', [
    ['modify_pending_order_items', {}],
    ['fly_to_moon', {}],
  ]),
  task('torn', [
    ['cancel_pending_order', { order_id: '#W1111111', reason: 'ordered by mistake' }],
    ['return_delivered_order_items', { order_id: '#W1111111', item_ids: ['1'], payment_method_id: 'p' }],
  ]),
];

describe('a task file of our own making', () => {
  const reading = readTau2(small);

  it('is read, and says of each task what is not covered', () => {
    expect(reading.tasks.map((one) => [one.id, one.missing])).toEqual([
      ['cancel', []],
      ['two', []],
      ['move', []],
      ['hand over', []],
      ['fact', ['a fact to be told stands only in their database']],
      ['nothing', ['what to refuse or look up rests on their policy and database']],
      ['foreign', ['changes the items of a pending order', 'calls fly_to_moon, which has no counterpart']],
      ['torn', ['needs one order in two states']],
    ]);
    expect(reading.covered).toBe(4);
    expect(reading.reduced).toEqual({ 'prices are made up': 4, 'the payment method cannot be chosen': 1 });
    expect(reading.tasks.map((one) => one.passive)).toEqual([false, false, false, true, false, true, false, false]);
  });

  it('maps calls, customer and addresses', () => {
    expect(reading.tasks[2]?.gold[0]).toEqual({
      tool: 'change_address',
      args: { order_id: '#W4444444', street: '1 Long Road Suite 2', city: 'Elm  North TX', zip: '50505' },
    });
    expect(reading.tasks[0]?.task?.scenario.slots).toMatchObject({
      name: 'Vera Stone',
      zip: '40404',
      requests: [{ want: 'cancel', order: '#W1111111' }],
    });
    expect(reading.tasks[0]?.instructions).toContain('Be kind.');
  });

  it('can be played: gold solves what is covered, doing nothing solves none of it', async () => {
    expect(await solved('gold', reading)).toBe(4);
    expect(await solved('do-nothing', reading)).toBe(0);
  });

  it('is refused in a sentence where it has another shape', () => {
    expect(() => readTau2({})).toThrow(/list of tasks/);
    expect(() => readTau2([5])).toThrow(/task 0 should be an object/);
    expect(() => readTau2([{ id: 'x' }])).toThrow(/user_scenario of task "x"/);
  });
});

const folder = new URL('../../../../shared/data/scoring/tau2/', import.meta.url);
const present = existsSync(folder);
if (!present) console.log('skipped: no τ² samples at ../shared/data/scoring/tau2');

describe.skipIf(!present)('published task files', () => {
  const read = (name: string) => readTau2(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Json);

  it.each([
    ['retail/tasks.json', 114, 50, 6],
    ['airline/tasks.json', 50, 4, 23],
  ])('%s: %d tasks, %d covered, %d that doing nothing passes', async (name, tasks, covered, passive) => {
    const reading = read(name);
    console.log(name, 'not covered:', reading.missing);
    expect(reading.tasks).toHaveLength(tasks);
    expect(reading.covered).toBe(covered);
    expect(reading.tasks.filter((one) => one.passive)).toHaveLength(passive);
    expect(reading.tasks.every((one) => (one.task === null) === one.missing.length > 0)).toBe(true);
    expect(await solved('gold', reading)).toBe(covered);
    expect(await solved('do-nothing', reading)).toBe(0);
  });

  it('other domains are read, and said not to be covered', () => {
    expect(read('telecom/tasks_small.json')).toMatchObject({ covered: 0 });
    expect(read('mock/tasks.json').tasks).toHaveLength(10);
  });
});
