/** @file The bank of τ³ in its form: what is taken is solved by its gold calls and by nobody who is silent; programs of its documents are found, given and called. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
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
const unlock = (agent_tool_name: string) => ({
  ...{ name: 'unlock_discoverable_agent_tool', requestor: 'assistant', arguments: { agent_tool_name } },
});
const closeCard = (card_id: string, reason = 'lost') => ({
  ...{ name: 'call_discoverable_agent_tool', requestor: 'assistant' },
  arguments: { agent_tool_name: 'close_debit_card_4721', arguments: JSON.stringify({ card_id, reason }) },
});
const give = (discoverable_tool_name: string) => ({
  ...{ name: 'give_discoverable_user_tool', requestor: 'assistant', arguments: { discoverable_tool_name } },
});
const dispute = {
  ...{ name: 'call_discoverable_user_tool', requestor: 'user' },
  arguments: {
    discoverable_tool_name: 'submit_cash_back_dispute_0589',
    arguments: JSON.stringify({ user_id: 'u1', transaction_id: 't1' }),
  },
};
const reading = readTau2Domain({
  ...{ domain: 'banking_knowledge', policy: 'Be kind.' },
  database: {
    users: { data: { u1: { user_id: 'u1', name: 'Kay Moss', email: 'k@x.example' } }, notes: '' },
    debit_cards: { data: { card1: { card_id: 'card1', status: 'ACTIVE' }, card2: { card_id: 'card2', status: 'FROZEN' } } },
  },
  documents: Array.from({ length: 200 }, (_, i) => ({ id: `d${i}`, title: `Title ${i}`, content: 'Words.' })),
  tasks: [
    task('1', [apply], ['DB'], { user_tools: ['apply_for_credit_card'] }),
    task('2', [transfer('account_ownership_dispute')], ['ACTION']),
    task('3', [{ name: 'change_user_email', requestor: 'assistant', arguments: { user_id: 'u2', new_email: 'n@x.example' } }], ['DB'], {
      initial_state: begun,
    }),
    task('4', [unlock('close_debit_card_4721'), closeCard('card1')], ['DB']),
    task('5', [give('submit_cash_back_dispute_0589'), dispute], ['DB'], { user_tools: ['call_discoverable_user_tool'] }),
    task('6', [unlock('close_debit_card_4721'), closeCard('card1')], ['ACTION']),
    task('7', [unlock('open_vault_0001')], ['DB']),
    task('8', [{ name: 'print_money', requestor: 'assistant', arguments: {} }], ['DB']),
  ],
});

it('a τ³ banking domain imports the cases that its tools and programs support, and counts the rest', () => {
  expect(reading.missing).toEqual({
    'there is no program open_vault_0001': 1,
    'there is no tool print_money': 1,
  });
  const [first] = reading.cases;
  expect(Object.keys(first!.desk.database['articles']!)).toContain('d7');
  expect(first!.desk.customerTools?.map(({ name }) => name)).toEqual(['apply_for_credit_card']);
});

it.each(reading.cases.map((tau2Case) => [tau2Case.case.id, tau2Case] as const))(
  'a τ³ banking case is solved by its gold calls and not by silence: %s',
  (_, { case: deskCase, desk }) => {
    const lines = [{ by: 'agent', text: 'Hello.' }] as const;
    const judge = (calls: typeof deskCase.gold) => {
      let { database } = desk;
      for (const call of calls) {
        const result = runCall(desk, database, call);
        if (result.ok) database = result.database;
      }
      const called = calls.filter(({ by }) => by === undefined).map((call) => call.tool);
      return outcomeAt({ desk, case: deskCase, database, lines, judged: 'state', called }, 'stop').reward;
    };
    expect([judge(deskCase.gold), judge([])]).toEqual([1, 0]);
    // Another reason, or one that there is not, is another transfer.
    const other = deskCase.gold.map((call) => ({
      ...call,
      args: { ...call.args, reason: 'other', card_type: 'Gold Rewards Card', new_email: 'x', arguments: '{}' },
    }));
    expect(judge(other)).toBe(0);
  },
);

it('a τ³ banking program records failed calls and is unavailable until it is unlocked', () => {
  const [, , , closing, disputing] = reading.cases;
  const call = (at: typeof closing, { name, requestor, arguments: args }: ReturnType<typeof closeCard>) =>
    runCall(at!.desk, at!.desk.database, { tool: name, args, ...(requestor === 'user' ? { by: 'customer' as const } : {}) });
  const frozen = call(closing, closeCard('card2'));
  expect(frozen).toMatchObject({ ok: true, value: 'Error: Only ACTIVE or PENDING cards can be closed; it is FROZEN.' });
  expect(frozen.ok && Object.values(frozen.database['agent_discoverable_tools']!)).toEqual([
    { tool_name: 'close_debit_card_4721', status: 'CALLED' },
  ]);
  expect(frozen.ok && frozen.database['debit_cards']).toEqual(closing!.desk.database['debit_cards']);
  expect(call(disputing, { ...dispute, arguments: dispute.arguments as never })).toMatchObject({ ok: false });
  expect(
    call(closing, { ...closeCard('card1'), arguments: { agent_tool_name: 'close_debit_card_4721', arguments: '{"card": 1}' } }),
  ).toEqual({
    ok: false,
    problem: 'close_debit_card_4721 needs card_id, reason.',
  });
});
