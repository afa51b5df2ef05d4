/** @file The service desk in folder form: the policy as text, the tools as data, and the owners of records. Its cases are generated. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { DeskCustomers, DeskEffect, DeskTool } from '../document.ts';
import { daysBetween, type Order, type Product, type SoldItem, today } from './shop.ts';

const returnDays = 30;
export const cancelReasons: readonly string[] = ['no longer needed', 'ordered by mistake'];
const refundReasons: readonly string[] = ['late delivery', 'goodwill'];

const text = { type: 'string' };
const oneOf = (values: readonly string[]): JsonObject => ({ type: 'string', enum: values });

function tool(name: string, description: string, properties: JsonObject, does: DeskEffect, confirm?: string): DeskTool {
  const parameters = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  return { name, description, parameters, does, ...(confirm === undefined ? {} : { confirm }) };
}

const address = { street: text, city: text, zip: text };
const newAddress = { street: '{street}', city: '{city}', zip: '{zip}' };

/** A permitted call may still be wrong: the agent must follow the policy. */
export const tools: readonly DeskTool[] = [
  tool('find_by_email', 'Finds a customer by email.', { email: text }, { find: 'customers', where: { email: '{email}' } }),
  tool(
    'find_by_name',
    'Finds a customer by full name and zip code.',
    { name: text, zip: text },
    { find: 'customers', where: { name: '{name}', zip: '{zip}' } },
  ),
  tool('get_order', 'One order by its number.', { order_id: text }, { get: 'orders', id: '{order_id}' }),
  tool('list_items', 'The items of an order.', { order_id: text }, { find: 'items', where: { order: '{order_id}' } }),
  tool('search_products', 'The products nearest to a query.', { query: text }, { search: 'products', query: '{query}' }),
  tool(
    'cancel_order',
    'Cancels an order and pays back its total.',
    { order_id: text, reason: oneOf(cancelReasons) },
    { set: 'orders', id: '{order_id}', to: { status: 'cancelled', reason: '{reason}' } },
    'order_id',
  ),
  tool(
    'change_order_address',
    'Changes where an order goes.',
    { order_id: text, ...address },
    { set: 'orders', id: '{order_id}', to: newAddress },
    'order_id',
  ),
  tool(
    'change_account_address',
    'Changes the address of a customer.',
    { customer_id: text, ...address },
    { set: 'customers', id: '{customer_id}', to: newAddress },
    'zip',
  ),
  tool(
    'exchange_item',
    'Exchanges an item of an order for a product and settles the difference in price.',
    { item_id: text, product_id: text },
    { set: 'items', id: '{item_id}', to: { exchanged_for: '{product_id}' }, if: { exchanged_for: null } },
    'item_id',
  ),
  tool(
    'return_item',
    'Takes an item of an order back and pays back its price.',
    { item_id: text },
    { set: 'items', id: '{item_id}', to: { returned: true }, if: { returned: false } },
    'item_id',
  ),
  tool(
    'refund_order',
    'Pays back an amount for an order.',
    { order_id: text, amount: { type: 'number' }, reason: oneOf(refundReasons) },
    { set: 'orders', id: '{order_id}', to: { refunded: '{amount}', reason: '{reason}' }, if: { refunded: 0 } },
    'order_id',
  ),
  tool(
    'transfer_to_human',
    'Hands the conversation to a human colleague, with a summary.',
    { summary: text },
    { add: 'tickets', to: { topic: 'transfer' } },
  ),
];

export const customers: DeskCustomers = {
  table: 'customers',
  name: 'name',
  owns: { orders: 'customer', items: 'customer' },
  private: ['email', 'street', 'zip'],
  identify: ['find_by_email', 'find_by_name'],
};

export const policy = `Today is ${today}.

- Find the customer by email, or by full name and zip code, before you look at orders or accounts. Help one customer only: their account, their orders.
- Before you change anything, say what you are about to do, naming the number of the order or of the item (the new zip code for an account), and wait for a yes.
- Cancel pending orders only, for one of the reasons ${cancelReasons.map((reason) => `"${reason}"`).join(' and ')}.
- Send only pending orders to another address. The address of the account can always be changed.
- Exchange items of delivered orders only, for products of the same type, and never where items of that order were exchanged before.
- Take items back (a return) only within ${returnDays} days of delivery, and never those marked as final sale.
- Refund nothing but the shipping fee, whole, and only where an order was delivered after the promised date. Goodwill refunds are not given.
- Refuse what this policy forbids. Transfer to a human colleague only what your tools cannot do and the policy does not forbid.`;

/** A change that the desk could make, with the records that determine whether the policy allows it. */
export interface ProposedChange {
  readonly tool: string;
  readonly args: JsonObject;
  readonly order: Order | null;
  readonly item?: SoldItem | undefined;
  readonly product?: Product | undefined;
}

/** The reason why the policy forbids a change, phrased for a customer; null if it is allowed. */
export function forbiddenBy({ tool: name, args, order, item, product }: ProposedChange): string | null {
  if (order === null) return null;
  if (name === 'cancel_order') return order.status === 'pending' ? null : 'only pending orders can be cancelled';
  if (name === 'change_order_address') return order.status === 'pending' ? null : 'only pending orders can be sent elsewhere';
  if (name === 'exchange_item') {
    if (order.status !== 'delivered') return 'only items of delivered orders can be exchanged';
    if (order.exchanged) return 'items of this order were exchanged before';
    return item?.type === product?.type ? null : 'an item can only be exchanged for a product of the same type';
  }
  if (name === 'return_item') {
    if (order.delivered === null || daysBetween(order.delivered, today) > returnDays)
      return `items can only be returned within ${returnDays} days of delivery`;
    return item?.final_sale === true ? 'items sold as final sale cannot be returned' : null;
  }
  if (name === 'refund_order') {
    const isLate = order.delivered !== null && order.delivered > order.promised;
    const isFee = args['amount'] === order.shipping && args['reason'] === 'late delivery';
    return isLate && isFee ? null : 'only the shipping fee can be refunded, and only where the delivery came late';
  }
  return null;
}
