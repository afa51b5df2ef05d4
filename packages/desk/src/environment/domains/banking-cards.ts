/** @file Programs of τ³'s bank for debit cards and for disputes, by the rules of its release: the same checks, and the same changes. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import {
  addNew,
  addOnce,
  amountIn,
  type BankRow,
  bankDay,
  daysSince,
  decimal,
  dollars,
  need,
  oneOf,
  positive,
  recordName,
  rowOf,
  rowsWith,
} from './banking-draft.ts';
import type { DomainDraft } from './draft.ts';
import { type DomainTool, tool } from './tool.ts';

type Args = Readonly<Record<string, string>>;
type Mixed = Readonly<Record<string, string | number | boolean>>;

const disputeName = ({ user_id, transaction_id }: Mixed) => `dsp_${recordName(`dispute:${user_id}:${transaction_id}`, 12)}`;

function checkPin(pin: string): void {
  need(/^\d{4}$/.test(pin), 'PIN must be exactly 4 digits.');
  need(!'0123456789'.includes(pin) && !'9876543210'.includes(pin), 'PIN cannot be sequential.');
  need(new Set(pin).size > 1, 'PIN cannot be all the same digit.');
}

const lastFour = (text: string) => need(/^\d{4}$/.test(text), 'Last 4 digits must be exactly 4 digits.');

function checkLinked(draft: DomainDraft, card: BankRow, what: string): void {
  const id = String(card['account_id'] ?? '');
  if (id !== '' && draft.has('accounts', id))
    need(
      rowOf(draft, 'accounts', id)['status'] === 'OPEN',
      `The linked checking account '${id}' is no longer open. Card cannot be ${what}.`,
    );
}

const whyIssued: Readonly<Record<string, string>> = {
  activate_debit_card_8291: 'new_account first_card',
  activate_debit_card_8292: 'lost stolen fraud',
  activate_debit_card_8293: 'expired damaged upgrade bank_reissue',
};

function activate(name: string): DomainTool {
  const takes = 'card_id last_4_digits expiration_date cvv pin';
  return tool(`${name}!`, `Activates a card that was issued for: ${whyIssued[name]}.`, takes, (draft, args: Args) => {
    const { card_id = '', last_4_digits = '', cvv = '', pin = '' } = args;
    checkPin(pin);
    need(/^\d{3}$/.test(cvv), 'CVV must be exactly 3 digits.');
    lastFour(last_4_digits);
    const card = rowOf(draft, 'debit_cards', card_id);
    const why = String(card['issue_reason'] ?? 'new_account');
    const right = Object.entries(whyIssued).find(([, words]) => words.split(' ').includes(why))?.[0] ?? 'unknown';
    need(right === name, `Wrong activation tool. This card has issue_reason='${why}'. Please use ${right} instead of ${name}.`);
    need(card['status'] === 'PENDING', `Debit card '${card_id}' cannot be activated. Current status: ${card['status']}.`);
    need(card['last_4_digits'] === last_4_digits, 'Card verification failed. The last 4 digits do not match our records.');
    checkLinked(draft, card, 'activated');
    Object.assign(card, { status: 'ACTIVE', activated_date: bankDay });
    if (name !== 'activate_debit_card_8291')
      for (const other of rowsWith(draft, 'debit_cards', { account_id: card['account_id'], status: 'ACTIVE' }))
        if (other['card_id'] !== card_id)
          Object.assign(rowOf(draft, 'debit_cards', String(other['card_id'])), {
            ...{ status: 'DEACTIVATED', deactivated_date: bankDay },
            deactivation_reason: `Replacement card activated (${why})`,
          });
    return card as JsonObject;
  });
}

/** The reason for issuing a new card, derived from the account's previous cards. */
function issueReason(cards: readonly JsonObject[]): string {
  if (cards.length === 0) return 'new_account';
  const why = String(cards.find(({ status }) => status === 'CLOSED')?.['closure_reason'] ?? 'first_card');
  return ['lost', 'stolen', 'fraud', 'fraud_suspected'].includes(why) ? why.replace('_suspected', '') : 'first_card';
}

const digitsOf = (text: string, n: number) => text.replace(/\D/g, '').slice(0, n).padStart(n, '0');
const days = { STANDARD: '7-10 business days', EXPEDITED: '3-5 business days', RUSH: '1-2 business days' };

interface CardOrder {
  readonly account_id: string;
  readonly user_id: string;
  readonly delivery_option: string;
  readonly delivery_fee: number;
  readonly card_design: string;
  readonly design_fee: number;
  readonly shipping_address: string;
  readonly excess_replacement_fee?: number;
}

function orderCard(draft: DomainDraft, args: CardOrder): JsonObject {
  const { account_id, user_id, delivery_fee, design_fee, shipping_address, excess_replacement_fee = 0 } = args;
  const delivery = args.delivery_option.toUpperCase() as keyof typeof days;
  const design = args.card_design.toUpperCase();
  oneOf(delivery, 'STANDARD EXPEDITED RUSH', 'delivery_option');
  oneOf(design, 'CLASSIC PREMIUM CUSTOM', 'card_design');
  const account = rowOf(draft, 'accounts', account_id);
  need(account['class'] === 'checking', 'Debit cards can only be ordered for checking accounts.');
  need(account['status'] === 'OPEN', `Account must be OPEN. Account '${account_id}' has status: ${account['status']}`);
  need(account['user_id'] === user_id, `Account '${account_id}' does not belong to user '${user_id}'.`);
  // An amount with a dollar sign cannot be parsed here, as in the release.
  const text = String(account['current_holdings'] ?? 0);
  const holdings = text.includes('$') ? 0 : amountIn(text);
  need(holdings >= 25, `Account must have a minimum balance of $25. Current balance: ${dollars(holdings)}`);
  need(
    rowsWith(draft, 'debit_card_orders', { account_id, status: 'PENDING' }).length === 0,
    'There is already a pending debit card order.',
  );
  const cards = rowsWith(draft, 'debit_cards', { account_id });
  need(!cards.some(({ status }) => status === 'ACTIVE'), `Account '${account_id}' already has an active debit card.`);
  const total = delivery_fee + design_fee + excess_replacement_fee;
  need(total <= 0 || holdings >= total, `Insufficient funds for fees. Total fees: ${dollars(total)}.`);
  const order_id = `dcord_${recordName(`debit_card_order:${account_id}:${user_id}:${delivery}`, 12)}`;
  const fees = { delivery_fee, design_fee, excess_replacement_fee, total_fee: total };
  const order = { order_id, account_id, user_id, delivery_option: delivery, card_design: design, shipping_address };
  addNew(draft, 'debit_card_orders', order_id, {
    ...order,
    ...fees,
    order_date: bankDay,
    expected_delivery: days[delivery],
    status: 'PENDING',
  });
  if (total > 0) {
    account['current_holdings'] = (holdings - total).toFixed(2);
    const named = [
      ...(delivery_fee > 0 ? [`Delivery $${decimal(delivery_fee)}`] : []),
      ...(design_fee > 0 ? [`Design $${decimal(design_fee)}`] : []),
      ...(excess_replacement_fee > 0 ? [`Excess Replacement $${excess_replacement_fee.toFixed(0)}`] : []),
    ];
    const id = `btxn_dcfee_${order_id.slice(-8)}`;
    addOnce(draft, 'bank_account_transaction_history', id, {
      ...{ transaction_id: id, account_id, date: bankDay, description: `DEBIT CARD ORDER FEE - ${named.join(', ')}` },
      ...{ amount: -total, type: 'debit_card_fee', status: 'posted' },
    });
  }
  const card_id = `dbc_${recordName(`debit_card:${account_id}:${user_id}:${bankDay}`, 12)}`;
  const holder = draft.has('users', user_id) ? String(draft.row<BankRow>('users', user_id, '')['name'] ?? 'CARDHOLDER') : 'CARDHOLDER';
  addOnce(draft, 'debit_cards', card_id, {
    ...{ card_id, account_id, user_id, cardholder_name: holder.toUpperCase() },
    last_4_digits: digitsOf(recordName(`card_details:${card_id}:last4`, 8), 4),
    cvv: digitsOf(recordName(`card_details:${card_id}:cvv`, 6), 3),
    ...{ status: 'PENDING', issue_date: bankDay, expiration_date: '11/30/2029', card_design: design, issue_reason: issueReason(cards) },
  });
  return { order_id, card_id, total_fee: total, expected_delivery: days[delivery] };
}

const limits: Readonly<Record<string, number>> = {
  ...{ 'blue account': 500, 'green account': 600, 'light blue account': 400, 'green fee-free account': 500, 'evergreen account': 750 },
  ...{ 'bluest account': 1500, 'dark green account': 300, 'gold years account': 600, 'purple account': 1000 },
};

function raiseLimit(
  draft: DomainDraft,
  { card_id, limit_type, new_limit }: { card_id: string; limit_type: string; new_limit: number },
): JsonObject {
  oneOf(limit_type, 'atm purchase', 'limit_type');
  need(Number.isInteger(new_limit) && new_limit > 0, 'new_limit must be a positive whole number.');
  const card = rowOf(draft, 'debit_cards', card_id);
  need(card['status'] === 'ACTIVE', `Debit card '${card_id}' is not active.`);
  const account = rowOf(draft, 'accounts', String(card['account_id']));
  need(account['status'] === 'OPEN', 'The linked account is not in good standing.');
  need((daysSince(account['date_opened']) ?? 60) >= 60, 'Account must be at least 60 days old for a temporary limit increase.');
  const field = `daily_${limit_type}_limit`;
  const level = String(account['level'] ?? '').toLowerCase();
  need(
    card[field] != null || limit_type !== 'atm' || !level.includes('light green'),
    'Light Green Account cards have limits that cannot be modified.',
  );
  const now = Number(card[field] ?? (limit_type === 'atm' ? limits[level] : undefined) ?? Number.NaN);
  need(!Number.isNaN(now), `The card has no ${limit_type} limit that can be modified.`);
  need(new_limit <= Math.floor(now * 1.5), `Maximum temporary limit is $${Math.floor(now * 1.5)} (150% of current $${now} limit).`);
  need(new_limit > now, `Requested limit $${new_limit} is not higher than the current limit of $${now}.`);
  const change = { [field]: new_limit, [`temporary_${limit_type}_limit_increase`]: true, [`original_${limit_type}_limit`]: now };
  return Object.assign(card, change, { [`temporary_${limit_type}_limit_expires`]: bankDay }) as JsonObject;
}

const disputeWords =
  'unauthorized_fraudulent_charge duplicate_charge incorrect_amount goods_services_not_received goods_services_not_as_described canceled_subscription_still_charging refund_never_processed';
const debitWords =
  'unauthorized_transaction atm_cash_discrepancy atm_deposit_not_credited duplicate_charge incorrect_amount goods_services_not_received recurring_charge_after_cancellation card_present_fraud card_not_present_fraud';
const typeWords = 'pin_purchase signature_purchase online_purchase atm_withdrawal atm_deposit recurring_payment person_to_person';

export const cardPrograms: readonly DomainTool[] = [
  tool(
    'file_credit_card_transaction_dispute_4829!',
    `Files a dispute of a credit card transaction. card_action: keep_active or cancel_and_reissue; dispute_reason: ${disputeWords.replaceAll(' ', ', ')}; resolution_requested: full_refund or partial_refund.`,
    'transaction_id card_action card_last_4_digits full_name user_id phone email address contacted_merchant! purchase_date issue_noticed_date dispute_reason resolution_requested eligible_for_provisional_credit! partial_refund_amount#?',
    (draft, args: Mixed) => {
      oneOf(String(args['card_action']), 'keep_active cancel_and_reissue', 'card_action');
      oneOf(String(args['dispute_reason']), disputeWords, 'dispute_reason');
      oneOf(String(args['resolution_requested']), 'full_refund partial_refund', 'resolution_requested');
      const part = args['partial_refund_amount'] ?? null;
      need(args['resolution_requested'] === 'full_refund' || part !== null, 'partial_refund_amount is required for a partial refund.');
      const dispute_id = disputeName(args);
      const more = { provisional_credit_given: args['eligible_for_provisional_credit'], submitted_at: bankDay, status: 'SUBMITTED' };
      return addNew(draft, 'transaction_disputes', dispute_id, { dispute_id, ...args, partial_refund_amount: part, ...more });
    },
  ),
  tool(
    'file_debit_card_transaction_dispute_6281!',
    `Files a dispute of a debit card transaction. dispute_category: ${debitWords.replaceAll(' ', ', ')}; transaction_type: ${typeWords.replaceAll(' ', ', ')}; pin_compromised: yes_shared, yes_observed, no or unknown; card_action: keep_active, freeze_pending_investigation or close_and_reissue.`,
    'transaction_id account_id card_id user_id dispute_category transaction_date discovery_date disputed_amount# transaction_type card_in_possession! pin_compromised contacted_merchant! police_report_filed! written_statement_provided! provisional_credit_eligible! customer_max_liability_amount# card_action',
    (draft, args: Mixed) => {
      const category = String(args['dispute_category']);
      oneOf(category, debitWords, 'dispute_category');
      oneOf(String(args['transaction_type']), typeWords, 'transaction_type');
      oneOf(String(args['pin_compromised']), 'yes_shared yes_observed no unknown', 'pin_compromised');
      oneOf(String(args['card_action']), 'keep_active freeze_pending_investigation close_and_reissue', 'card_action');
      positive(args['disputed_amount'] as number, 'disputed_amount');
      const dispute_id = disputeName(args);
      const isEligible = args['provisional_credit_eligible'] === true;
      return addNew(draft, 'debit_card_disputes', dispute_id, {
        ...{ dispute_id, ...args, provisional_credit_issued: isEligible },
        provisional_credit_amount: isEligible ? args['disputed_amount'] : null,
        is_fraud_category: ['unauthorized_transaction', 'card_present_fraud', 'card_not_present_fraud'].includes(category),
        ...{ pin_shared_voluntarily: args['pin_compromised'] === 'yes_shared', submitted_at: bankDay, status: 'OPEN' },
      });
    },
  ),
  tool(
    'set_debit_card_recurring_block_7382!',
    'Blocks recurring payments, or allows them.',
    'card_id block_recurring!',
    (draft, args: Mixed) => {
      const card = rowOf(draft, 'debit_cards', String(args['card_id']));
      need(card['status'] === 'ACTIVE', `Cannot update a card with status '${card['status']}'. Card must be ACTIVE.`);
      return Object.assign(card, { recurring_blocked: args['block_recurring'] }) as JsonObject;
    },
  ),
  tool('get_debit_dispute_status_7483', 'The debit card disputes of a user.', 'user_id', (draft, { user_id }: Args) =>
    rowsWith(draft, 'debit_card_disputes', { user_id }),
  ),
  tool('get_debit_cards_by_account_id_7823', 'The debit cards of an account.', 'account_id', (draft, { account_id }: Args) => {
    const kind = String(rowOf(draft, 'accounts', account_id)['class'] ?? '').toLowerCase();
    need(['checking', 'business_checking'].includes(kind), `Account '${account_id}' is not a checking account.`);
    return rowsWith(draft, 'debit_cards', { account_id });
  }),
  tool(
    'order_debit_card_5739!',
    'Orders a debit card. delivery_option: STANDARD, EXPEDITED or RUSH; card_design: CLASSIC, PREMIUM or CUSTOM.',
    'account_id user_id delivery_option delivery_fee# card_design design_fee# shipping_address excess_replacement_fee#?',
    orderCard,
  ),
  ...Object.keys(whyIssued).map(activate),
  tool(
    'close_debit_card_4721!',
    'Closes a debit card. reason: lost, stolen, fraud_suspected, damaged, no_longer_needed or account_closing.',
    'card_id reason',
    (draft, { card_id = '', reason = '' }: Args) => {
      oneOf(reason.toLowerCase(), 'lost stolen fraud_suspected damaged no_longer_needed account_closing', 'reason');
      const card = rowOf(draft, 'debit_cards', card_id);
      need(['ACTIVE', 'PENDING'].includes(String(card['status'])), `Only ACTIVE or PENDING cards can be closed; it is ${card['status']}.`);
      return Object.assign(card, { status: 'CLOSED', closed_date: bankDay, closure_reason: reason.toLowerCase() }) as JsonObject;
    },
  ),
  tool('freeze_debit_card_3892!', 'Freezes a debit card.', 'card_id', (draft, { card_id = '' }: Args) => {
    const card = rowOf(draft, 'debit_cards', card_id);
    need(card['status'] === 'ACTIVE', `Only ACTIVE cards can be frozen; it is ${card['status']}.`);
    return Object.assign(card, { status: 'FROZEN', frozen_date: bankDay }) as JsonObject;
  }),
  tool('unfreeze_debit_card_3893!', 'Unfreezes a debit card.', 'card_id', (draft, { card_id = '' }: Args) => {
    const card = rowOf(draft, 'debit_cards', card_id);
    need(card['status'] === 'FROZEN', `Only FROZEN cards can be unfrozen; it is ${card['status']}.`);
    checkLinked(draft, card, 'unfrozen');
    return Object.assign(card, { status: 'ACTIVE', unfrozen_date: bankDay }) as JsonObject;
  }),
  tool(
    'clear_debit_card_fraud_alert_4892!',
    'Clears an alert. reason: customer_verified or velocity_clear.',
    'card_id reason',
    (draft, { card_id = '', reason = '' }: Args) => {
      oneOf(reason, 'customer_verified velocity_clear', 'reason');
      const card = rowOf(draft, 'debit_cards', card_id);
      if (reason === 'velocity_clear') {
        need(card['velocity_blocked'] === true, `Debit card '${card_id}' does not have an active velocity block.`);
        return Object.assign(card, { velocity_blocked: false, velocity_cleared_date: bankDay }) as JsonObject;
      }
      need(card['fraud_alert_active'] === true, `Debit card '${card_id}' does not have an active fraud alert.`);
      need(
        card['alert_source'] !== 'bank_initiated',
        'BANK_INITIATED_ALERT - it cannot be cleared by customer service; transfer the customer.',
      );
      return Object.assign(card, { fraud_alert_active: false, alert_source: null, fraud_alert_cleared_date: bankDay }) as JsonObject;
    },
  ),
  tool('reset_debit_card_pin_6284!', 'Resets a PIN.', 'card_id last_4_digits new_pin', (draft, args: Args) => {
    lastFour(args['last_4_digits']);
    checkPin(args['new_pin']);
    const card = rowOf(draft, 'debit_cards', args['card_id']);
    need(card['last_4_digits'] === args['last_4_digits'], 'Card verification failed. The last 4 digits do not match our records.');
    need(card['status'] === 'ACTIVE', `Cannot reset PIN. Card status is ${card['status']}.`);
    return Object.assign(card, { pin_last_changed: bankDay, pin_locked: false, pin_attempts_remaining: 3 }) as JsonObject;
  }),
  tool('change_debit_card_pin_6285!', 'Changes a PIN.', 'card_id current_pin new_pin', (draft, args: Args) => {
    need(/^\d{4}$/.test(args['current_pin']), 'Current PIN must be exactly 4 digits.');
    checkPin(args['new_pin']);
    need(args['current_pin'] !== args['new_pin'], 'New PIN must be different from current PIN.');
    const card = rowOf(draft, 'debit_cards', args['card_id']);
    need(card['status'] === 'ACTIVE', `Cannot change PIN. Card status is ${card['status']}.`);
    return Object.assign(card, { pin_last_changed: bankDay }) as JsonObject;
  }),
  tool(
    'request_temporary_debit_card_limit_increase_8374!',
    'Raises a daily limit for a day. limit_type: atm or purchase.',
    'card_id limit_type new_limit#',
    raiseLimit,
  ),
];

/** The customer's actions with a program that the agent has given. */
export const customerPrograms: readonly DomainTool[] = [
  tool('submit_cash_back_dispute_0589!', 'Disputes the cash back of a transaction.', 'user_id transaction_id', (draft, args: Args) => {
    const id = disputeName(args);
    const settings = rowsWith(draft, 'task_config', {})[0];
    const isResolved = settings?.['auto_resolve_disputes'] === true;
    const row = { dispute_id: id, user_id: args['user_id'], transaction_id: args['transaction_id'], submitted_at: bankDay };
    return addOnce(draft, 'cash_back_disputes', id, {
      ...{ ...row, status: isResolved ? 'RESOLVED' : 'SUBMITTED' },
      ...(isResolved ? { resolution: 'APPROVED' } : {}),
    });
  }),
  tool(
    'get_referral_link!',
    'A link to refer somebody to a card.',
    'user_id card_name',
    (draft, { user_id = '', card_name = '' }: Args) => {
      const referral_id = recordName(`referral_link:${user_id}:${card_name}`);
      const row = { referral_id, referrer_id: user_id, referred_account_type: card_name, referral_status: 'NO_PROGRESS', date: bankDay };
      return addOnce(draft, 'referrals', referral_id, row);
    },
  ),
  tool('get_card_last_4_digits', 'The last four digits of a credit card.', 'credit_card_account_id', (draft, args: Args) => {
    rowOf(draft, 'credit_card_accounts', args['credit_card_account_id']);
    return { last_4_digits: recordName(`card_last4:${args['credit_card_account_id']}`, 64).replace(/\D/g, '').slice(0, 4).padEnd(4, '0') };
  }),
  tool(
    'deposit_check_3847!',
    'Deposits a check.',
    'account_id check_amount#',
    (draft, args: { account_id: string; check_amount: number }) => {
      positive(args.check_amount, 'Check amount');
      const account = rowOf(draft, 'accounts', args.account_id);
      need(account['status'] === 'ACTIVE' || account['status'] === 'OPEN', `Account '${args.account_id}' is not active.`);
      account['current_holdings'] = dollars(amountIn(account['current_holdings'] ?? account['balance']) + args.check_amount);
      return { current_holdings: account['current_holdings'] };
    },
  ),
];
