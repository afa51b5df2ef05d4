/** @file The initial state of tasks at τ²'s telecom desk, and the conditions at their end. No participant has a tool for these. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { type DomainDraft, Misfit } from './draft.ts';
import * as phone from './phone.ts';
import { billOf, customerOf, type LineArgs, lineOf, ownLine, planOf, today } from './telecom.ts';
import { type DomainTool, tool } from './tool.ts';

const { deviceIn, aroundIn, searchNetwork } = phone;

interface Overdue extends LineArgs {
  readonly new_bill_id: string;
  readonly contract_ended: boolean;
}

function suspendForBill(draft: DomainDraft, { customer_id, line_id, new_bill_id, contract_ended }: Overdue): string {
  const line = lineOf(draft, line_id);
  if (line.status !== 'Active') throw new Misfit('Line must be active to suspend for unpaid bill');
  const amount = planOf(draft, line.plan_id).price_per_month;
  const customer = customerOf(draft, customer_id);
  if (customer.bill_ids.some((id) => billOf(draft, id).status === 'Overdue')) throw new Misfit('Customer already has an overdue bill');
  const item = { description: `Charge for line ${line_id}`, amount, date: today, item_type: 'Charge' };
  draft.add('bills', new_bill_id, {
    ...{ bill_id: new_bill_id, customer_id, period_start: '2025-01-01', period_end: '2025-01-31', issue_date: '2025-01-01' },
    ...{ total_due: amount, due_date: '2025-01-15', line_items: [item], status: 'Overdue' },
  });
  customer.bill_ids.push(new_bill_id);
  line.status = 'Suspended';
  line.suspension_start_date = today;
  if (contract_ended) line.contract_end_date = '2025-01-31';
  return `Line ${line_id} suspended for unpaid bill ${new_bill_id}.`;
}

/** One switch of the phone in a given position. */
function put(name: string, change: (device: phone.Device) => void, { searches = false } = {}): DomainTool {
  return tool(`${name}!`, '', '', (draft) => {
    change(deviceIn(draft));
    if (searches) searchNetwork(draft);
    return null;
  });
}

const searching = { searches: true };

const setUps: readonly DomainTool[] = [
  tool('set_user_info!', '', 'name phone_number', (draft, input: { readonly name: string; readonly phone_number: string }) => {
    Object.assign(aroundIn(draft), input);
    return null;
  }),
  tool('set_user_location!', '', 'abroad!', (draft, { abroad }: { readonly abroad: boolean }) => {
    aroundIn(draft).is_abroad = abroad;
    return null;
  }),
  tool('simulate_network_search!', '', '', (draft) => {
    searchNetwork(draft);
    return null;
  }),
  tool('turn_airplane_mode_on!', '', '', (draft) => {
    phone.setAirplaneMode(draft, true);
    return null;
  }),
  tool('turn_airplane_mode_off!', '', '', (draft) => {
    phone.setAirplaneMode(draft, false);
    return null;
  }),
  put('turn_data_on', (device) => Object.assign(device, { data_enabled: true })),
  put('turn_data_off', (device) => Object.assign(device, { data_enabled: false }), searching),
  put('turn_roaming_on', (device) => Object.assign(device, { roaming_enabled: true }), searching),
  put('turn_roaming_off', (device) => Object.assign(device, { roaming_enabled: false }), searching),
  put('turn_data_saver_mode_on', (device) => Object.assign(device, { data_saver_mode: true })),
  put('turn_data_saver_mode_off', (device) => Object.assign(device, { data_saver_mode: false })),
  put('unseat_sim_card', (device) => Object.assign(device, { sim_card_missing: true }), searching),
  put('break_apn_settings', (device) => Object.assign(device.active_apn_settings, { apn_name: 'broken' }), searching),
  put('break_apn_mms_setting', (device) => Object.assign(device.active_apn_settings, { mmsc_url: null })),
  put('break_vpn', (device) => {
    if (!device.vpn_connected) phone.connectVpn(device);
    if (device.vpn_details !== null) device.vpn_details.server_performance = 'poor';
  }),
  tool('lock_sim_card!', '', 'mode', (draft, { mode }: { readonly mode: string }) => {
    deviceIn(draft).sim_card_status = `locked_${mode}`;
    searchNetwork(draft);
    return null;
  }),
  tool(
    'set_wifi_calling!',
    '',
    'enabled! mms_over_wifi!?',
    (draft, { enabled, mms_over_wifi: mms }: { readonly enabled: boolean; readonly mms_over_wifi?: boolean | null }) => {
      const device = deviceIn(draft);
      device.wifi_calling_enabled = enabled;
      if (typeof mms === 'boolean') device.wifi_calling_mms_over_wifi = mms;
      return null;
    },
  ),
  tool(
    'remove_app_permission!',
    '',
    'app_name permission',
    (draft, { app_name, permission }: { readonly app_name: string; readonly permission: string }) => {
      const app = deviceIn(draft).app_statuses[app_name];
      if (app === undefined) throw new Misfit(`App '${app_name}' not found.`);
      app.permissions[permission.toLowerCase()] = false;
      return null;
    },
  ),
  tool('set_data_usage!', '', 'customer_id line_id data_used_gb#', (draft, input: LineArgs & { readonly data_used_gb: number }) => {
    ownLine(draft, input).data_used_gb = input.data_used_gb;
    return null;
  }),
  tool('suspend_line_for_overdue_bill!', '', 'customer_id line_id new_bill_id contract_ended!', suspendForBill),
];

type Expected<T> = { readonly expected_status: T };

/** A check of the phone against a value. */
function compare<T extends Json>(name: string, kind: '' | '!', read: (draft: DomainDraft) => T): DomainTool {
  return tool(name, '', `expected_status${kind}`, (draft, { expected_status }: Expected<T>) => read(draft) === expected_status);
}

const checks: readonly DomainTool[] = [
  compare('assert_airplane_mode_status', '!', (draft) => deviceIn(draft).airplane_mode),
  compare('assert_service_status', '', (draft) => deviceIn(draft).network_connection_status),
  compare('assert_mobile_data_status', '!', phone.hasMobileData),
  compare('assert_mobile_roaming_status', '!', (draft) => deviceIn(draft).roaming_enabled),
  compare('assert_mobile_data_saver_mode_status', '!', (draft) => deviceIn(draft).data_saver_mode),
  compare('assert_can_send_mms', '!', phone.canSendMms),
  compare('assert_mobile_data_usage_exceeded', '!', (draft) => aroundIn(draft).mobile_data_usage_exceeded),
  tool(
    'assert_internet_speed',
    '',
    'expected_speed# expected_desc?',
    (draft, { expected_speed, expected_desc: word }: { readonly expected_speed: number; readonly expected_desc?: string | null }) => {
      const match = phone.speedOf(draft);
      const fits = typeof word !== 'string' || (match?.word ?? 'No Connection').toLowerCase() === word.toLowerCase();
      return (match?.speed ?? 0) >= expected_speed && fits;
    },
  ),
  tool('assert_internet_not_excellent', '', '', (draft) => phone.speedOf(draft)?.word !== 'Excellent'),
  tool(
    'assert_data_refueling_amount',
    '',
    'customer_id line_id expected_amount#',
    (draft, input: LineArgs & { readonly expected_amount: number }) =>
      Math.abs(ownLine(draft, input).data_refueling_gb - input.expected_amount) < 1e-6,
  ),
  tool(
    'assert_line_status',
    '',
    'customer_id line_id expected_status',
    (draft, input: LineArgs & Expected<string>) => ownLine(draft, input).status === input.expected_status,
  ),
  tool(
    'assert_overdue_bill_exists',
    '',
    'customer_id overdue_bill_id',
    (draft, { customer_id, overdue_bill_id: id }: { readonly customer_id: string; readonly overdue_bill_id: string }) =>
      customerOf(draft, customer_id).bill_ids.includes(id) && billOf(draft, id).status === 'Overdue',
  ),
  tool(
    'assert_no_overdue_bill',
    '',
    'overdue_bill_id',
    (draft, { overdue_bill_id: id }: { readonly overdue_bill_id: string }) =>
      !draft.has('bills', id) || billOf(draft, id).status === 'Paid',
  ),
];

export const telecomSetup: readonly DomainTool[] = [...setUps, ...checks].map((domainTool) => ({ ...domainTool, of: 'nobody' }));
