/** @file τ²'s telecom in its form: a small company and a phone of our own, tasks that begin broken, and customers who do things by themselves. */

import { type JsonObject, type Script, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { checkDesk } from './check.ts';
import { deskEnvironment } from './desk.ts';
import type { DeskCall, DeskDatabase } from './document.ts';
import { readDesk } from './document.ts';
import { domainTools } from './domains/index.ts';
import { errandsIn } from './errands.ts';
import type { DeskOutcome } from './outcome.ts';
import { readTau2Domain, type Tau2Case } from './tau2.ts';
import { runCall } from './tools.ts';

const company = {
  plans: [{ plan_id: 'P1', name: 'Small', data_limit_gb: 5, price_per_month: 20, data_refueling_price_per_gb: 3 }],
  lines: [
    {
      ...{ line_id: 'L1', phone_number: '555-1', status: 'Active', plan_id: 'P1', device_id: 'D1', data_used_gb: 1 },
      ...{ data_refueling_gb: 0, roaming_enabled: false },
    },
  ],
  customers: [
    {
      ...{ customer_id: 'C1', full_name: 'Vera Stone', date_of_birth: '1990-01-02', email: 'vera@x.example', phone_number: '555-9' },
      ...{ line_ids: ['L1'], bill_ids: ['B1'] },
    },
  ],
  bills: [{ bill_id: 'B1', customer_id: 'C1', issue_date: '2025-02-01', total_due: 20, status: 'Paid', line_items: [] }],
  devices: [{ device_id: 'D1', device_type: 'phone' }],
};
const phone = {
  device: {
    ...{ sim_card_status: 'active', sim_card_missing: false, airplane_mode: false, battery_level: 80 },
    ...{ network_signal_strength: 'excellent', network_technology_connected: '5G', network_connection_status: 'connected' },
    ...{ data_enabled: true, roaming_enabled: false, network_mode_preference: '4g_5g_preferred', active_apn_settings: {} },
    ...{ wifi_enabled: false, wifi_connected: false, wifi_signal_strength: 'none', wifi_calling_enabled: false },
    ...{ wifi_calling_mms_over_wifi: false, data_saver_mode: false, vpn_enabled_setting: false, vpn_connected: false },
    app_statuses: { messaging: { app_name: 'messaging', permissions: { sms: true, storage: true } } },
  },
};
const set = (env_type: string, func_name: string, args: JsonObject = {}) => ({ env_type, func_name, arguments: args });
const line = { customer_id: 'C1', line_id: 'L1' };
const act = (requestor: string, name: string, args: JsonObject = {}) => ({ requestor, name, arguments: args });
const task = (
  id: string,
  faults: readonly object[],
  actions: readonly object[],
  asserted: readonly object[],
  basis = ['ENV_ASSERTION'],
) => ({
  id,
  user_scenario: { persona: null, instructions: { reason_for_call: 'My phone does not work.', known_info: 'You are Vera Stone, 555-1.' } },
  initial_state: { initialization_actions: [set('user', 'set_user_info', { name: 'Vera Stone', phone_number: '555-1' }), ...faults] },
  evaluation_criteria: { actions, env_assertions: asserted.map((item) => ({ ...item, assert_value: true })), reward_basis: basis },
});
const fast = set('user', 'assert_internet_speed', { expected_speed: 200, expected_desc: 'excellent' });
const sends = set('user', 'assert_can_send_mms', { expected_status: true });
const overdue = set('assistant', 'suspend_line_for_overdue_bill', { ...line, new_bill_id: 'B9', contract_ended: false });
const tasks = [
  task(
    '[mobile_data_issue]airplane_mode_on|data_usage_exceeded|bad_vpn[PERSONA:Easy]',
    [set('user', 'turn_airplane_mode_on'), set('assistant', 'set_data_usage', { ...line, data_used_gb: 6 }), set('user', 'break_vpn')],
    [act('user', 'toggle_airplane_mode'), act('assistant', 'refuel_data', { ...line, gb_amount: 2 }), act('user', 'disconnect_vpn')],
    [fast, set('assistant', 'assert_data_refueling_amount', { ...line, expected_amount: 2 })],
  ),
  task(
    '[mms_issue]break_apn_mms_setting|break_app_sms_permission[PERSONA:None]',
    [
      set('user', 'break_apn_mms_setting'),
      set('user', 'remove_app_permission', { app_name: 'messaging', permission: 'sms' }),
      set('user', 'set_wifi_calling', { enabled: true, mms_over_wifi: true }),
    ],
    [
      ...[act('user', 'reset_apn_settings'), act('user', 'reboot_device'), act('user', 'toggle_wifi_calling')],
      act('user', 'grant_app_permission', { app_name: 'messaging', permission: 'sms' }),
    ],
    [sends],
  ),
  task(
    '[service_issue]overdue_bill_suspension[PERSONA:Hard]',
    [overdue, set('user', 'simulate_network_search')],
    [
      ...[act('assistant', 'send_payment_request', { customer_id: 'C1', bill_id: 'B9' }), act('user', 'make_payment')],
      ...[act('assistant', 'resume_line', line), act('user', 'reboot_device')],
    ],
    [
      set('user', 'assert_service_status', { expected_status: 'connected' }),
      set('assistant', 'assert_no_overdue_bill', { overdue_bill_id: 'B9' }),
    ],
  ),
  task(
    '[service_issue]lock_sim_card_pin[PERSONA:None]',
    [set('user', 'lock_sim_card', { mode: 'pin' })],
    [act('assistant', 'transfer_to_human_agents', { summary: 'locked' })],
    [set('user', 'assert_service_status', { expected_status: 'no_service' })],
    ['ENV_ASSERTION', 'ACTION'],
  ),
];
const read = () => readTau2Domain({ domain: 'telecom', policy: '- Be kind.', database: company, phone, tasks: tasks as never });

/** Asks the customer for its part of the gold calls, and makes the others itself. */
const guide =
  (gold: readonly DeskCall[]): Script =>
  ({ mind }) => {
    const at = Number(mind ?? 0);
    const call = gold[at];
    if (call === undefined) return { action: { text: 'All of it is done. Anything else?' }, mind: at };
    const words = `Please use ${call.tool.replaceAll('_', ' ')} ${JSON.stringify(call.args)}.`;
    return { action: { text: call.by === 'customer' ? words : JSON.stringify({ tool: call.tool, args: call.args }) }, mind: at + 1 };
  };

async function talk({ case: deskCase, desk }: Tau2Case, agent: Script) {
  const agents = { agent: scripted('agent', agent), customer: scripted('customer', deskEnvironment.scripts!['customer']!) };
  const events = await Array.fromAsync(play(deskEnvironment, agents, { task: { case: deskCase, desk } as never, seed: 1 }));
  const notes = events.flatMap((event) => (event.kind === 'message' ? [event.data as JsonObject | undefined] : []));
  const audits = notes.flatMap((data) => (data?.['audit'] === undefined ? [] : [data['audit'] as JsonObject]));
  const agentReads = events.flatMap((event) => (event.kind === 'message' && event.to.includes('agent') ? [event.text] : []));
  return { outcome: notes.flatMap((data) => data?.['outcome'] ?? [])[0] as unknown as DeskOutcome, audits, agentReads };
}

describe('the telecom domain', () => {
  it('gives the desk 13 tools and the customer 30, none of which breaks or checks a task', () => {
    expect([domainTools('telecom').length, domainTools('telecom', 'customer').length]).toEqual([13, 30]);
    const all = [...domainTools('telecom'), ...domainTools('telecom', 'customer')].map(({ name }) => name);
    expect(all.filter((name) => /^(?:break|assert|turn|set_user)/.test(name))).toEqual([]);
  });

  it('imports every task with its initial faults, which name it', () => {
    const { cases, missing } = read();
    expect(missing).toEqual({});
    expect(cases.map(({ case: deskCase }) => deskCase.id)).toEqual([
      ...['telecom-1-mobile_data-3-Easy', 'telecom-2-mms-2-None', 'telecom-3-service-1-Hard', 'telecom-4-service-1-None'],
    ]);
    expect(cases[0]!.desk.database['phone']!['device']).toMatchObject({ airplane_mode: true, network_connection_status: 'no_service' });
    expect(cases[0]!.desk.database['phone']!['surroundings']).toMatchObject({ mobile_data_usage_exceeded: true });
  });

  it("is solved by the gold calls with the customer's actions, but not if any one is missing", async () => {
    for (const tau2Case of read().cases) {
      const { outcome, audits, agentReads } = await talk(tau2Case, guide(tau2Case.case.gold));
      expect({ id: tau2Case.case.id, problems: outcome.problems }).toEqual({ id: tau2Case.case.id, problems: [] });
      expect(audits.length).toBeGreaterThan(0);
      expect(audits.filter((audit) => audit['holds'] !== true)).toEqual([]);
      // What the customer does with the phone is its own business until it tells.
      expect(agentReads.filter((text) => text.startsWith('{"tool"'))).toEqual([]);
      for (const dropped of tau2Case.case.gold) {
        const less = await talk(tau2Case, guide(tau2Case.case.gold.filter((call) => call !== dropped)));
        expect({ id: tau2Case.case.id, dropped: dropped.tool, reward: less.outcome.reward }).toMatchObject({ reward: 0 });
      }
    }
  });

  it('synchronizes the desk and the phone after every call', () => {
    const { desk } = read().cases[2]!;
    const call = (database: DeskDatabase, tool: string, args: JsonObject, by?: 'customer') => {
      const result = runCall(desk, database, { tool, args, ...(by === undefined ? {} : { by }) });
      return result.ok ? result : { value: result.problem, database };
    };
    const asked = call(desk.database, 'send_payment_request', { customer_id: 'C1', bill_id: 'B9' });
    expect(call(asked.database, 'check_payment_request', {}, 'customer').value).toBe('You have a payment request for bill B9 of 20.0 USD.');
    expect(call(asked.database, 'send_payment_request', { customer_id: 'C1', bill_id: 'B1' }).value).toMatch(/already awaiting payment/);
    const paid = call(asked.database, 'make_payment', {}, 'customer');
    expect(paid.database['bills']!['B9']).toMatchObject({ status: 'Paid' });
    expect(call(paid.database, 'toggle_data', {}).value).toMatch(/There is no tool "toggle_data"/);
  });

  it('counts tasks that it cannot start or judge', () => {
    const odd = [
      { ...tasks[0], initial_state: { initialization_actions: [set('user', 'melt')] } },
      { ...tasks[1], user_scenario: {} },
    ];
    expect(readTau2Domain({ domain: 'telecom', policy: '- Be kind.', database: company, phone, tasks: odd as never }).missing).toEqual({
      'its set-up does not work here: melt: There is no program telecom.melt; there are those of airline, retail, telecom, banking_knowledge.': 1,
      'has no instructions in the usual form': 1,
    });
  });
});

describe('customer tools at a custom desk', () => {
  const lamp = (name: string, does: object, args: readonly string[] = []) => ({
    ...{ name, does, parameters: { type: 'object', properties: Object.fromEntries(args.map((arg) => [arg, {}])), required: args } },
  });
  const desk = readDesk({
    ...{ name: 'lamps', policy: '- Ask the customer to press the switch.', database: { lamps: { l1: { on: false, heat: 3 } } } },
    customerTools: [lamp('press_switch', { set: 'lamps', id: 'l1', to: { on: true } }), lamp('press', { returns: 'nothing' })],
    tasks: [
      {
        ...{ id: 'dark', says: ['My lamp is dark.'], gold: [{ tool: 'press_switch', by: 'customer' }] },
        holds: [{ does: { get: 'lamps', id: 'l1' }, gives: { on: true } }],
      },
    ],
  });

  it('are checked with the desk, and a goal that gold calls miss is a problem', () => {
    expect(checkDesk(desk).solvable).toBe(1);
    const [deskCase] = desk.tasks;
    const wrong = { ...desk, tasks: [{ ...deskCase!, holds: [{ does: { get: 'lamps', id: 'l1' }, args: {}, gives: { on: 'blue' } }] }] };
    expect(checkDesk(wrong).findings.filter(({ level }) => level === 'problem')[0]?.says).toMatch(
      /is not true: the result is \{"id":"l1","on":true,"heat":3\}\./,
    );
  });

  it('are recognized by name, longest first, and only with their arguments', () => {
    const [press] = desk.customerTools!;
    const tools = [...desk.customerTools!, { ...press!, name: 'turn', parameters: { required: ['way'] } }];
    expect(errandsIn('Please press switch, then press.', tools).map(({ tool }) => tool)).toEqual(['press_switch', 'press']);
    expect(errandsIn('turn {"way": "left"} and turn {', tools)).toEqual([{ tool: 'turn', args: { way: 'left' } }]);
    expect(errandsIn('It was pressed.', tools)).toEqual([]);
  });

  it('count even if only the text of a bot is available', async () => {
    const { tasks: _, ...plain } = desk;
    const said =
      (...texts: readonly string[]): Script =>
      ({ mind }) => ({ action: { text: texts[Number(mind ?? 0)] ?? 'It is done.', data: { plain: true } }, mind: Number(mind ?? 0) + 1 });
    const bare = { case: desk.tasks[0]!, desk: plain };
    expect((await talk(bare, said('Please use press_switch.'))).outcome).toMatchObject({ judged: 'words', state: true, reward: 1 });
    expect((await talk(bare, said())).outcome).toMatchObject({ judged: 'words', state: false, reward: 0 });
  });
});
