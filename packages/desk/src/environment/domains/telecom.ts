/**
 * @file The tools of τ²'s telecom desk, by the rules of its release, and the data exchanged between its records and the customer's
 * phone after every call: whether the line is active, roaming and data, and bills that were requested or paid.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { type DomainDraft, Misfit } from './draft.ts';
import type { Surroundings } from './phone.ts';
import { type DomainTool, tool } from './tool.ts';

type Line = {
  readonly line_id: string;
  readonly phone_number: string;
  readonly plan_id: string;
  status: string;
  data_used_gb: number;
  data_refueling_gb: number;
  roaming_enabled: boolean;
  contract_end_date: string | null;
  suspension_start_date: string | null;
};
type Bill = {
  readonly bill_id: string;
  readonly issue_date: string;
  readonly line_items: Json[];
  total_due: number;
  status: string;
};
type Customer = {
  readonly customer_id: string;
  readonly full_name: string;
  readonly date_of_birth: string;
  readonly phone_number: string;
  readonly line_ids: readonly string[];
  readonly bill_ids: string[];
};
interface Plan {
  readonly plan_id: string;
  readonly data_limit_gb: number;
  readonly price_per_month: number;
  readonly data_refueling_price_per_gb: number;
}

/** The current day of all tasks in the release. */
export const today = '2025-02-25';

type Args = Readonly<Record<string, string>>;
export type LineArgs = { readonly customer_id: string; readonly line_id: string };

export const customerOf = (draft: DomainDraft, id: string) => draft.row<Customer>('customers', id, `Customer with ID ${id} not found`);
export const lineOf = (draft: DomainDraft, id: string) => draft.row<Line>('lines', id, `Line with ID ${id} not found`);
export const planOf = (draft: DomainDraft, id: string) => draft.row<Plan>('plans', id, `Plan with ID ${id} not found`);
export const billOf = (draft: DomainDraft, id: string) => draft.row<Bill>('bills', id, `Bill with ID ${id} not found`);

/** A line of this customer. */
export function ownLine(draft: DomainDraft, { customer_id, line_id }: LineArgs): Line {
  if (!customerOf(draft, customer_id).line_ids.includes(line_id)) throw new Misfit(`Line ${line_id} not found for customer ${customer_id}`);
  return lineOf(draft, line_id);
}

function customerByPhone(draft: DomainDraft, phone: string): Customer {
  const customer = draft
    .rows<Customer>('customers')
    .find(({ phone_number, line_ids }) => phone_number === phone || line_ids.some((id) => lineOf(draft, id).phone_number === phone));
  if (customer === undefined) throw new Misfit(`Customer with phone number ${phone} not found`);
  return customerOf(draft, customer.customer_id);
}

function billsToPay(draft: DomainDraft, { bill_ids }: Customer): readonly Bill[] {
  return bill_ids.map((id) => billOf(draft, id)).filter(({ status }) => status === 'Awaiting Payment');
}

/** Numbers formatted as in the release's texts: whole numbers with ".0". */
export function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function charge(draft: DomainDraft, customer: Customer, amount: number, description: string): void {
  let bill = customer.bill_ids.map((id) => billOf(draft, id)).find(({ status }) => status === 'Draft');
  if (bill === undefined) {
    // The release draws a random name; here it is the next one, so a log can be replayed.
    const bill_id = `B${draft.rows('bills').length + 1001}-draft`;
    const period = { period_start: '2025-03-01', period_end: '2025-03-31', issue_date: '2025-03-01', due_date: '2025-03-15' };
    draft.add('bills', bill_id, { bill_id, customer_id: customer.customer_id, ...period, total_due: 0, line_items: [], status: 'Draft' });
    customer.bill_ids.push(bill_id);
    bill = billOf(draft, bill_id);
  }
  bill.line_items.push({ description, amount, date: today, item_type: amount < 0 ? 'Credit' : 'Charge' });
  bill.total_due += amount;
}

function refuel(draft: DomainDraft, input: LineArgs & { readonly gb_amount: number }): Json {
  const line = ownLine(draft, input);
  const { gb_amount } = input;
  if (gb_amount <= 0) throw new Misfit('Refuel amount must be positive');
  const price = planOf(draft, line.plan_id).data_refueling_price_per_gb;
  const amount = gb_amount * price;
  line.data_refueling_gb += gb_amount;
  const description = `Data refueling: ${decimal(gb_amount)} GB at $${decimal(price)}/GB`;
  charge(draft, customerOf(draft, input.customer_id), amount, description);
  const message = `Successfully added ${decimal(gb_amount)} GB of data for line ${line.line_id} for $${amount.toFixed(2)}`;
  return { message, new_data_refueling_gb: line.data_refueling_gb, charge: amount };
}

function setRoaming(draft: DomainDraft, lineArgs: LineArgs, on: boolean): string {
  const line = ownLine(draft, lineArgs);
  const word = on ? 'enabled' : 'disabled';
  if (line.roaming_enabled === on) return `Roaming was already ${word}`;
  line.roaming_enabled = on;
  return `Roaming ${word} successfully`;
}

const tables: Readonly<Record<string, string>> = { L: 'lines', D: 'devices', B: 'bills', C: 'customers', P: 'plans' };

export const telecom: readonly DomainTool[] = [
  tool(
    'get_customer_by_phone',
    'A customer by the number of an own line or of contact.',
    'phone_number',
    (draft, { phone_number }: Args) => customerByPhone(draft, phone_number) as Json,
  ),
  tool('get_customer_by_id', 'A customer.', 'customer_id', (draft, { customer_id }: Args) => customerOf(draft, customer_id) as Json),
  tool(
    'get_customer_by_name',
    'Customers by their whole name and date of birth, as YYYY-MM-DD.',
    'full_name dob',
    (draft, { full_name, dob }: Args) =>
      draft
        .rows<Customer>('customers')
        .filter((customer) => customer.full_name.toLowerCase() === full_name.toLowerCase() && customer.date_of_birth === dob) as Json,
  ),
  tool('get_details_by_id', 'A customer, line, device, bill or plan by its id.', 'id', (draft, { id }: Args) => {
    const table = tables[id.slice(0, 1)];
    if (table === undefined) throw new Misfit(`Unknown ID format or type: ${id}`);
    return draft.row<Json>(table, id, `${table.replace(/s$/, '').replace(/^./, (item) => item.toUpperCase())} with ID ${id} not found`);
  }),
  tool('suspend_line!', 'Suspends an active line for at most 6 months.', 'customer_id line_id reason', (draft, lineArgs: LineArgs) => {
    const line = ownLine(draft, lineArgs);
    if (line.status !== 'Active') throw new Misfit('Line must be active to suspend');
    line.status = 'Suspended';
    line.suspension_start_date = today;
    return { message: 'Line suspended successfully. $5/month holding fee will apply.', line: line };
  }),
  tool('resume_line!', 'Resumes a line that is suspended or not yet active.', 'customer_id line_id', (draft, lineArgs: LineArgs) => {
    const line = ownLine(draft, lineArgs);
    if (!['Suspended', 'Pending Activation'].includes(line.status)) throw new Misfit('Line must be suspended to resume');
    line.status = 'Active';
    line.suspension_start_date = null;
    return { message: 'Line resumed successfully', line: line };
  }),
  tool(
    'get_bills_for_customer',
    'The bills of a customer, the newest first.',
    'customer_id limit#?',
    (draft, { customer_id, limit = 12 }: { customer_id: string; limit?: number }) =>
      customerOf(draft, customer_id)
        .bill_ids.map((id) => billOf(draft, id))
        .sort((a, b) => b.issue_date.localeCompare(a.issue_date))
        .slice(0, limit) as Json,
  ),
  tool(
    'send_payment_request!',
    'Asks the customer to pay a bill; only one at a time. Whether it is paid already is not checked.',
    'customer_id bill_id',
    (draft, { customer_id, bill_id }: Args) => {
      const customer = customerOf(draft, customer_id);
      if (billsToPay(draft, customer).length > 0) throw new Misfit('A bill is already awaiting payment for this customer');
      if (!customer.bill_ids.includes(bill_id)) throw new Misfit(`Bill ${bill_id} not found for customer ${customer_id}`);
      billOf(draft, bill_id).status = 'Awaiting Payment';
      return `Payment request sent to the customer for bill ${bill_id}`;
    },
  ),
  tool('get_data_usage', 'What a line has used in this cycle, and its limits.', 'customer_id line_id', (draft, lineArgs: LineArgs) => {
    const { line_id, data_used_gb, data_refueling_gb, plan_id } = ownLine(draft, lineArgs);
    const { data_limit_gb } = planOf(draft, plan_id);
    return { line_id, data_used_gb, data_limit_gb, data_refueling_gb, cycle_end_date: '2025-02-28' };
  }),
  tool('enable_roaming!', 'Turns international roaming on for a line.', 'customer_id line_id', (draft, lineArgs: LineArgs) =>
    setRoaming(draft, lineArgs, true),
  ),
  tool('disable_roaming!', 'Turns international roaming off for a line.', 'customer_id line_id', (draft, lineArgs: LineArgs) =>
    setRoaming(draft, lineArgs, false),
  ),
  tool('transfer_to_human_agents', 'Hands the customer over to a person, with a summary.', 'summary', () => 'Transfer successful'),
  tool('refuel_data!', 'Adds data to a line, charged by its plan.', 'customer_id line_id gb_amount#', refuel),
];

/** The data exchanged between the desk and the phone after every call. */
export function syncPhone(draft: DomainDraft): void {
  const around = draft.row<Surroundings>('phone', 'surroundings', 'There is no phone.');
  const { phone_number } = around;
  if (phone_number === null) return;
  const line = draft.rows<Line>('lines').find((line) => line.phone_number === phone_number);
  if (line === undefined) throw new Misfit(`Line with phone number ${phone_number} not found`);
  around.line_active = line.status === 'Active';
  around.roaming_allowed = line.roaming_enabled;
  around.mobile_data_usage_exceeded = line.data_used_gb >= planOf(draft, line.plan_id).data_limit_gb + line.data_refueling_gb;
  if (around.payment_request?.paid === true) {
    billOf(draft, around.payment_request.bill_id).status = 'Paid';
    around.payment_request = null;
  }
  const bill = around.payment_request === null ? billsToPay(draft, customerByPhone(draft, phone_number))[0] : undefined;
  if (bill !== undefined) around.payment_request = { bill_id: bill.bill_id, amount_due: bill.total_due, paid: false };
}
