/** @file The bank of τ³ in its form: what is taken is solved by its gold calls and by nobody who is silent; what needs programs of its documents is counted. */

import { expect, it } from 'vitest';
import type { Json } from '../../core/index.ts';
import { outcomeAt } from './outcome.ts';
import { readTau2Domain } from './tau2.ts';
import { runCall } from './tools.ts';

const task = (id: string, actions: readonly object[], reward_basis: readonly string[], more: object = {}) =>
  ({
    ...{ id, user_scenario: { persona: null, instructions: 'You are Kay Moss and want a card.' }, initial_state: null },
    ...{ evaluation_criteria: { actions, reward_basis }, required_documents: ['d7'], ...more },
  }) as unknown as Json;
const apply = {
  ...{ name: 'apply_for_credit_card', requestor: 'user' },
  arguments: { card_type: 'EcoCard', customer_name: 'Kay Moss', annual_income: 100, rho_bank_subscription: true },
};
const transfer = (reason: string) => ({
  ...{ name: 'transfer_to_human_agents', requestor: 'assistant', compare_args: ['reason'] },
  arguments: { reason, summary: '' },
});
const begun = {
  initialization_data: { agent_data: { users: { data: { u2: { user_id: 'u2', name: 'Lee Pine', email: 'l@x.example' } } } } },
};
const reading = readTau2Domain({
  ...{ domain: 'banking_knowledge', policy: 'Be kind.' },
  database: { users: { data: { u1: { user_id: 'u1', name: 'Kay Moss', email: 'k@x.example' } }, notes: '' } },
  documents: Array.from({ length: 200 }, (_, i) => ({ id: `d${i}`, title: `Title ${i}`, content: 'Words.' })),
  tasks: [
    task('1', [apply], ['DB'], { user_tools: ['apply_for_credit_card'] }),
    task('2', [transfer('account_ownership_dispute')], ['ACTION']),
    task('3', [{ name: 'change_user_email', requestor: 'assistant', arguments: { user_id: 'u2', new_email: 'n@x.example' } }], ['DB'], {
      initial_state: begun,
    }),
    task('4', [{ name: 'unlock_discoverable_agent_tool', requestor: 'assistant', arguments: {} }], ['DB']),
    task('5', [{ name: 'call_discoverable_user_tool', requestor: 'user', arguments: {} }], ['DB']),
    task('6', [{ name: 'submit_transaction', requestor: 'user', arguments: {} }], ['DB']),
  ],
});

it('takes what its everyday tools can do, and counts the rest with the reason', () => {
  expect(reading.missing).toEqual({
    'the agent needs programs that it finds in documents': 1,
    'the customer needs programs that the agent finds in documents': 1,
    'there is no tool submit_transaction': 1,
  });
  const [first] = reading.cases;
  expect(Object.keys(first!.desk.database['articles']!)).toContain('d7');
  expect(first!.desk.customerTools?.map(({ name }) => name)).toEqual(['apply_for_credit_card']);
});

it.each(reading.cases.map((one) => [one.case.id, one] as const))(
  'is solved by its gold calls, and not by silence: %s',
  (_, { case: one, desk }) => {
    const lines = [{ by: 'agent', text: 'Hello.' }] as const;
    const judge = (calls: typeof one.gold) => {
      let { database } = desk;
      for (const call of calls) {
        const result = runCall(desk, database, call);
        if (result.ok) database = result.database;
      }
      const called = calls.filter(({ by }) => by === undefined).map((call) => call.tool);
      return outcomeAt({ desk, case: one, database, lines, judged: 'state', called }, 'stop').reward;
    };
    expect([judge(one.gold), judge([])]).toEqual([1, 0]);
    // Another reason, or one that there is not, is another transfer.
    const other = one.gold.map((call) => ({
      ...call,
      args: { ...call.args, reason: 'other', card_type: 'Gold Rewards Card', new_email: 'x' },
    }));
    expect(judge(other)).toBe(0);
  },
);
