/** @file Programs of τ³'s bank for accounts and credit cards, by the rules of its release: the same checks, and the same changes. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import {
  addNew,
  addOnce,
  amountIn,
  type BankRow,
  balanceOf,
  bankDay,
  daysSince,
  decimal,
  dollars,
  isOpen,
  need,
  oneOf,
  positive,
  recordName,
  rowOf,
  rowsWith,
} from './banking-draft.ts';
import { type DomainDraft, Misfit } from './draft.ts';
import { type DomainTool, tool } from './tool.ts';

type Args = Readonly<Record<string, string>>;
type Amount = Readonly<{ amount: number }> & Args;

const whole = (value: number, about: string) => need(Number.isInteger(value) && value > 0, `${about} must be a positive whole number.`);

function ownCard(draft: DomainDraft, { credit_card_account_id: id, user_id }: Args): BankRow {
  const card = rowOf(draft, 'credit_card_accounts', id);
  need(card['user_id'] === user_id, `Credit card account '${id}' does not belong to user '${user_id}'.`);
  return card;
}

const increaseName = ({ credit_card_account_id, user_id }: Args, amount: number) =>
  `cli_${recordName(`cli_request:${credit_card_account_id}:${user_id}:${amount.toFixed(2)}`, 12)}`;

const typeOf = (account: BankRow) => account['account_type'] ?? account['class'] ?? '';
const isPersonal = (account: BankRow) => ['checking', 'personal_checking'].includes(String(typeOf(account)));

function checkOpening(accounts: readonly BankRow[], kind: string): void {
  const isOld = (account: BankRow, days: number) => isOpen(account) && (daysSince(account['date_opened']) ?? 0) >= days;
  const fits: Readonly<Record<string, () => boolean>> = {
    checking: () => true,
    savings: () => accounts.some((account) => isPersonal(account) && isOld(account, 14)),
    business_checking: () =>
      !accounts.some(({ status }) => status === 'CLOSED') && accounts.some((account) => isPersonal(account) && isOpen(account)),
    business_savings: () =>
      accounts.every((account) => balanceOf(account) >= 0) &&
      accounts.some((account) => typeOf(account) === 'business_checking' && isOld(account, 30)),
  };
  need(fits[kind]?.() === true, 'Account eligibility requirements not met.');
}

/** The fee for closing early, by account: dollars and days. */
const early: Readonly<Record<string, readonly [names: string, fee: number, days: number][]>> = {
  checking: [
    ['Light Blue Account|Light Green Account|Green Fee-Free Account', 15, 30],
    ['Blue Account|Green Account', 25, 60],
    ['Evergreen Account', 50, 90],
    ['Bluest Account', 100, 180],
  ],
  savings: [
    ['Bronze Account', 20, 60],
    ['Silver Account|Silver Plus Account', 35, 90],
    ['Gold Account|Gold Plus Account|Gold Years Account', 75, 180],
    ['Platinum Account|Platinum Plus Account|Diamond Elite Account', 150, 270],
  ],
};

function closingFee(account: BankRow): number {
  const rule = early[String(account['class'])]?.find(([names]) => names.split('|').includes(String(account['level'])));
  const days = daysSince(account['date_opened']);
  if (rule === undefined || days === null || days >= rule[2]) return 0;
  need(balanceOf(account) >= rule[1], 'Account unable to be closed.');
  return rule[1];
}

interface Credit {
  readonly kinds: string;
  readonly of: readonly string[];
  readonly seed: string;
  readonly write: (amount: number) => string;
}

function giveCredit(draft: DomainDraft, { account_id, amount, credit_type }: Amount, { kinds, of, seed, write }: Credit): JsonObject {
  positive(amount, 'Credit amount');
  oneOf(credit_type, kinds, 'credit_type');
  const account = rowOf(draft, 'accounts', account_id);
  need(of.includes(String(account['class']).toLowerCase()), `Account '${account_id}' is not a ${of.at(-1)} account.`);
  need(isOpen(account), `Account '${account_id}' is not active.`);
  account['current_holdings'] = write(balanceOf(account) + amount);
  const id = `txn_${recordName(`${seed}:${account_id}:${credit_type}:${decimal(amount)}:${bankDay}`)}`;
  const description = `${credit_type.replaceAll('_', ' ').toUpperCase()} - CUSTOMER SERVICE`;
  const row = { transaction_id: id, account_id: account_id, date: bankDay, description, amount, type: credit_type, status: 'posted' };
  draft.add('bank_account_transaction_history', id, row);
  return row;
}

export const accountPrograms: readonly DomainTool[] = [
  tool(
    'update_transaction_rewards_3847!',
    'Updates the rewards of a card transaction.',
    'transaction_id new_rewards_earned',
    (draft, args: Args) => {
      const id = args['transaction_id'];
      const row = draft.row<BankRow>('credit_card_transaction_history', id, `Transaction '${id}' not found.`);
      row['rewards_earned'] = args['new_rewards_earned'];
      return row as JsonObject;
    },
  ),
  tool('get_user_dispute_history_7291', 'The card disputes of a user.', 'user_id', (draft, { user_id }: Args) =>
    rowsWith(draft, 'transaction_disputes', { user_id }),
  ),
  tool('get_pending_replacement_orders_5765', 'Replacement orders of a credit card.', 'credit_card_account_id', (draft, args: Args) =>
    rowsWith(draft, 'credit_card_orders', { credit_card_account_id: args['credit_card_account_id'] }),
  ),
  tool('get_closure_reason_history_8293', 'Why a credit card was to be closed.', 'credit_card_account_id', (draft, args: Args) =>
    rowsWith(draft, 'credit_card_closure_reasons', { credit_card_account_id: args['credit_card_account_id'] }),
  ),
  tool('get_credit_limit_increase_history_4829', 'Requests for a higher limit.', 'credit_card_account_id', (draft, args: Args) =>
    rowsWith(draft, 'credit_limit_increase_requests', { credit_card_account_id: args['credit_card_account_id'] }),
  ),
  tool(
    'get_payment_history_6183',
    'Payments of the last months.',
    'credit_card_account_id months#',
    (draft, args: Args & { months: number }) => {
      whole(args.months, 'months');
      const all = rowsWith(draft, 'payment_history', { credit_card_account_id: args['credit_card_account_id'] });
      return all.sort((a, b) => (String(a['payment_date']) < String(b['payment_date']) ? 1 : -1)).slice(0, args.months);
    },
  ),
  tool('get_all_user_accounts_by_user_id_3847', 'All accounts and credit cards of a user.', 'user_id', (draft, { user_id }: Args) => ({
    accounts: rowsWith(draft, 'accounts', { user_id }),
    credit_card_accounts: rowsWith(draft, 'credit_card_accounts', { user_id }),
  })),
  tool('get_bank_account_transactions_9173', 'The transactions of an account.', 'account_id', (draft, { account_id }: Args) => {
    rowOf(draft, 'accounts', account_id);
    return rowsWith(draft, 'bank_account_transaction_history', { account_id });
  }),
  tool(
    'order_replacement_credit_card_7291!',
    'Orders a replacement for a credit card; the old one is closed. reason: fraud_suspected, lost, stolen, damaged, expired or other.',
    'credit_card_account_id user_id shipping_address reason expedited_shipping!?',
    (draft, args: Args & { expedited_shipping?: boolean }) => {
      const { credit_card_account_id: card = '', user_id = '', shipping_address = '', reason = '' } = args;
      oneOf(reason, 'fraud_suspected lost stolen damaged expired other', 'reason');
      const account = rowOf(draft, 'credit_card_accounts', card);
      const id = `ccord_${recordName(`credit_card_order:${card}:${user_id}:${reason}`, 12)}`;
      const row = { order_id: id, credit_card_account_id: card, user_id, shipping_address, reason };
      const more = {
        expedited_shipping: args.expedited_shipping ?? false,
        order_date: bankDay,
        status: 'ORDERED',
        old_card_cancelled: true,
      };
      addNew(draft, 'credit_card_orders', id, { ...row, ...more });
      Object.assign(account, { status: 'CLOSED', closed_date: bankDay });
      return { ...row, ...more };
    },
  ),
  tool(
    'log_credit_card_closure_reason_4521!',
    'Logs why a customer wants to close a credit card: annual_fee, not_using_card, found_better_card, unhappy_with_rewards, simplifying_finances, negative_experience or other.',
    'credit_card_account_id user_id closure_reason',
    (draft, { credit_card_account_id = '', user_id = '', closure_reason = '' }: Args) => {
      oneOf(
        closure_reason,
        'annual_fee not_using_card found_better_card unhappy_with_rewards simplifying_finances negative_experience other',
        'closure_reason',
      );
      const record_id = `clsr_${recordName(`closure_reason:${credit_card_account_id}:${user_id}`, 12)}`;
      const row = { record_id, credit_card_account_id, user_id, closure_reason, logged_at: bankDay, status: 'LOGGED' };
      return addOnce(draft, 'credit_card_closure_reasons', record_id, row);
    },
  ),
  tool(
    'apply_statement_credit_8472!',
    'Gives a credit on a card statement. reason: goodwill_adjustment, promotional_credit, annual_fee_reversal, late_fee_reversal, interest_charge_reversal, dispute_resolution, price_match, retention_offer, error_correction or other.',
    'user_id credit_card_account_id amount# reason',
    (draft, { user_id = '', credit_card_account_id = '', amount, reason = '' }: Amount) => {
      positive(amount, 'Credit amount');
      oneOf(
        reason,
        'goodwill_adjustment promotional_credit annual_fee_reversal late_fee_reversal interest_charge_reversal dispute_resolution price_match retention_offer error_correction other',
        'reason',
      );
      rowOf(draft, 'credit_card_accounts', credit_card_account_id);
      const id = `txn_${recordName(`transaction:${user_id}:STATEMENT_CREDIT:${reason}:${amount.toFixed(2)}:Statement Credit`, 12)}`;
      return addNew(draft, 'credit_card_transaction_history', id, {
        ...{ transaction_id: id, user_id, credit_card_account_id, credit_card_type: 'N/A', merchant_name: 'Rho-Bank Statement Credit' },
        ...{ transaction_amount: `-${dollars(amount)}`, transaction_date: bankDay, category: 'Statement Credit', status: 'COMPLETED' },
        ...{ rewards_earned: '0 points', credit_reason: reason },
      });
    },
  ),
  tool(
    'apply_credit_card_account_flag_6147!',
    'Sets a flag: annual_fee_waived, promotional_apr, rewards_bonus or other. reason: retention_offer, loyalty_benefit, promotional, error_correction or other.',
    'credit_card_account_id user_id flag_type expiration_date reason',
    (draft, { credit_card_account_id = '', user_id = '', flag_type = '', expiration_date = '', reason = '' }: Args) => {
      oneOf(flag_type, 'annual_fee_waived promotional_apr rewards_bonus other', 'flag_type');
      oneOf(reason, 'retention_offer loyalty_benefit promotional error_correction other', 'reason');
      rowOf(draft, 'credit_card_accounts', credit_card_account_id);
      const flag_id = `ccflag_${recordName(`account_flag:${credit_card_account_id}:${flag_type}:${expiration_date}`, 12)}`;
      return addNew(draft, 'credit_card_account_flags', flag_id, {
        ...{ flag_id, credit_card_account_id, user_id, flag_type, effective_date: bankDay, expiration_date, reason },
        ...{ applied_at: bankDay, status: 'ACTIVE' },
      });
    },
  ),
  tool('close_credit_card_account_7834!', 'Closes a credit card account.', 'credit_card_account_id user_id', (draft, args: Args) => {
    const account = rowOf(draft, 'credit_card_accounts', args['credit_card_account_id']);
    return Object.assign(account, { status: 'CLOSED', closed_date: bankDay, closed_by: args['user_id'] }) as JsonObject;
  }),
  tool(
    'pay_credit_card_from_checking_9182!',
    'Pays a credit card from a checking account.',
    'user_id checking_account_id credit_card_account_id amount#',
    (draft, args: Amount) => {
      const { amount, checking_account_id: id = '' } = args;
      positive(amount, 'Payment amount');
      const from = rowOf(draft, 'accounts', id);
      need(from['user_id'] === args['user_id'], `Checking account '${id}' does not belong to the user.`);
      need(from['class'] === 'checking', `Account '${id}' is not a checking account.`);
      need(amount <= balanceOf(from), `Insufficient funds in checking account. Available balance: ${dollars(balanceOf(from))}.`);
      const card = ownCard(draft, args);
      const owed = amountIn(card['current_balance']);
      need(amount <= owed, `Payment amount (${dollars(amount)}) exceeds credit card balance (${dollars(owed)}).`);
      from['current_holdings'] = (balanceOf(from) - amount).toFixed(2);
      card['current_balance'] = dollars(owed - amount);
      return { paid: amount, checking: from['current_holdings'], card: card['current_balance'] };
    },
  ),
  tool(
    'submit_credit_limit_increase_request_7392!',
    'Asks for a higher limit.',
    'credit_card_account_id user_id requested_increase_amount#',
    (draft, args: Args & { requested_increase_amount: number }) => {
      whole(args.requested_increase_amount, 'requested_increase_amount');
      ownCard(draft, args);
      const request_id = increaseName(args, args.requested_increase_amount);
      const row = { credit_card_account_id: args['credit_card_account_id'], user_id: args['user_id'] };
      return addNew(draft, 'credit_limit_increase_requests', request_id, {
        ...{ request_id, ...row, requested_increase_amount: args.requested_increase_amount, submitted_at: bankDay, status: 'PENDING' },
      });
    },
  ),
  tool(
    'approve_credit_limit_increase_5847!',
    'Approves a higher limit.',
    'credit_card_account_id user_id new_credit_limit#',
    (draft, args: Args & { new_credit_limit: number }) => {
      const card = ownCard(draft, args);
      const { user_id = '', credit_card_account_id = '' } = args;
      const disputes = rowsWith(draft, 'transaction_disputes', { user_id });
      const orders = rowsWith(draft, 'credit_card_orders', { credit_card_account_id });
      const stops = ['PAST_DUE', 'DELINQUENT', 'COLLECTIONS', 'CLOSED'];
      const isBarred =
        disputes.some(({ status }) => ['SUBMITTED', 'UNDER_REVIEW', 'PENDING'].includes(String(status))) ||
        orders.some(({ status }) => ['PENDING', 'PROCESSING', 'SHIPPED'].includes(String(status))) ||
        stops.includes(String(card['account_status'] ?? '').toUpperCase());
      need(!isBarred, 'The account is not eligible for a credit limit increase.');
      const before = amountIn(card['credit_limit']);
      card['credit_limit'] = dollars(args.new_credit_limit);
      const request_id = increaseName(args, args.new_credit_limit - before);
      return addOnce(draft, 'credit_limit_increase_requests', request_id, {
        ...{ request_id, credit_card_account_id, user_id, previous_limit: dollars(before), new_limit: dollars(args.new_credit_limit) },
        ...{ increase_amount: dollars(args.new_credit_limit - before), decision_date: bankDay, status: 'APPROVED' },
      });
    },
  ),
  tool(
    'deny_credit_limit_increase_5848!',
    'Denies a higher limit. denial_reason: insufficient_account_age, cooldown_period_active, pending_disputes, pending_replacement_card, past_due_balance, high_utilization, insufficient_payment_history, requested_amount_exceeds_limit or other.',
    'credit_card_account_id user_id denial_reason',
    (draft, args: Args) => {
      const { credit_card_account_id = '', user_id = '', denial_reason = '' } = args;
      oneOf(
        denial_reason,
        'insufficient_account_age cooldown_period_active pending_disputes pending_replacement_card past_due_balance high_utilization insufficient_payment_history requested_amount_exceeds_limit other',
        'denial_reason',
      );
      rowOf(draft, 'credit_card_accounts', credit_card_account_id);
      const request_id = increaseName(args, 0);
      const row = { request_id, credit_card_account_id, user_id, denial_reason, decision_date: bankDay, status: 'DENIED' };
      return addOnce(draft, 'credit_limit_increase_requests', request_id, row);
    },
  ),
  tool(
    'open_bank_account_4821!',
    'Opens an account. account_type: checking, savings, business_checking or business_savings; account_class: the name of the product.',
    'user_id account_type account_class',
    (draft, { user_id = '', account_type = '', account_class = '' }: Args) => {
      oneOf(account_type, 'checking savings business_checking business_savings', 'account_type');
      checkOpening(rowsWith(draft, 'accounts', { user_id }) as BankRow[], account_type);
      const account_id = recordName(`account:${user_id}:${account_type}:${account_class}`);
      const row = { account_id, user_id, account_type, account_class, current_holdings: '0.00', status: 'OPEN', date_opened: bankDay };
      return addNew(draft, 'accounts', account_id, row);
    },
  ),
  tool(
    'close_bank_account_7392!',
    'Closes an account that is empty.',
    'account_id reason? waive_early_closure_fee!?',
    (draft, args: Args & { waive_early_closure_fee?: boolean }) => {
      const account = rowOf(draft, 'accounts', args['account_id']);
      need(account['status'] !== 'CLOSED', `Account '${args['account_id']}' is already closed.`);
      const waived = args.waive_early_closure_fee ?? false;
      const left = balanceOf(account) - (waived ? 0 : closingFee(account));
      if (left !== 0) throw new Misfit(`Account balance must be $0.00 before closing. Current balance: ${dollars(balanceOf(account))}`);
      const change = { status: 'CLOSED', date_closed: bankDay, closure_reason: args['reason'] ?? 'Customer requested closure' };
      return Object.assign(account, change, { early_closure_fee_waived: waived }) as JsonObject;
    },
  ),
  tool(
    'transfer_funds_between_bank_accounts_7291!',
    'Moves money between accounts.',
    'source_account_id destination_account_id amount#',
    (draft, args: Amount) => {
      const { amount, source_account_id: source = '', destination_account_id: destination = '' } = args;
      positive(amount, 'Transfer amount');
      need(source !== destination, 'Source and destination accounts cannot be the same.');
      const [from, to] = [rowOf(draft, 'accounts', source), rowOf(draft, 'accounts', destination)];
      need(isOpen(from), `Source account '${source}' is not active.`);
      need(isOpen(to), `Destination account '${destination}' is not active.`);
      need(balanceOf(from) >= amount, `Insufficient funds. Available balance: ${dollars(balanceOf(from))}.`);
      [from['current_holdings'], to['current_holdings']] = [dollars(balanceOf(from) - amount), dollars(balanceOf(to) + amount)];
      return { source: from['current_holdings'], destination: to['current_holdings'] };
    },
  ),
  tool(
    'apply_checking_account_credit_5829!',
    'Gives a credit on a checking account. credit_type: rebate_credit or fee_refund.',
    'account_id amount# credit_type',
    (draft, args: Amount) =>
      giveCredit(draft, args, { kinds: 'rebate_credit fee_refund', of: ['checking'], seed: 'checking_credit', write: dollars }),
  ),
  tool(
    'apply_savings_account_credit_6831!',
    'Gives a credit on a savings account. credit_type: interest_correction, fee_refund or goodwill_credit.',
    'account_id amount# credit_type',
    (draft, args: Amount) =>
      giveCredit(draft, args, {
        ...{ kinds: 'interest_correction fee_refund goodwill_credit', of: ['saving', 'savings'], seed: 'savings_credit' },
        write: (amount) => amount.toFixed(2),
      }),
  ),
  tool(
    'submit_interest_discrepancy_report_7294!',
    'Reports interest that is not what it should be.',
    'account_id user_id expected_apy# actual_apy# amount_difference#',
    (draft, args: Args & { expected_apy: number; actual_apy: number; amount_difference: number }) => {
      rowOf(draft, 'accounts', args['account_id']);
      draft.row('users', args['user_id'], `User '${args['user_id']}' not found.`);
      // The release has no table for reports, so only the fact that one was made is stored.
      return { ...args, apy_difference: Number((args.expected_apy - args.actual_apy).toFixed(4)), status: 'PENDING_REVIEW' };
    },
  ),
];
