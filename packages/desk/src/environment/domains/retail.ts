/** @file The tools of τ²'s retail desk, by the rules of its release: the same checks in the same order, and the same changes. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { calculate, cents, type DomainDraft, Misfit } from './draft.ts';
import { type DomainTool, tool } from './tool.ts';

type Variant = {
  readonly item_id: string;
  readonly available: boolean;
  readonly price: number;
  readonly options: Json;
};
type Product = {
  readonly name: string;
  readonly product_id: string;
  readonly variants: Readonly<Record<string, Variant>>;
};
interface Item {
  item_id: string;
  readonly product_id: string;
  price: number;
  options: Json;
}
interface Payment {
  readonly transaction_type: string;
  readonly amount: number;
  readonly payment_method_id: string;
}
interface Order {
  readonly user_id: string;
  status: string;
  address: Json;
  readonly items: Item[];
  readonly payment_history: Payment[];
  [more: string]: unknown;
}
type Method = {
  readonly source: string;
  balance: number;
};
type User = {
  readonly user_id: string;
  readonly name: { readonly first_name: string; readonly last_name: string };
  readonly email: string;
  address: JsonObject;
  readonly payment_methods: Record<string, Method>;
};

type Args = Readonly<Record<string, string>>;
type Exchange = {
  readonly order_id: string;
  readonly item_ids: readonly string[];
  readonly new_item_ids: readonly string[];
  readonly payment_method_id: string;
};

const orderOf = (draft: DomainDraft, id: string) => draft.row<Order>('orders', id, 'Order not found');
const userOf = (draft: DomainDraft, id: string) => draft.row<User>('users', id, 'User not found');
const productOf = (draft: DomainDraft, id: string) => draft.row<Product>('products', id, 'Product not found');

function methodOf(draft: DomainDraft, user: string, id: string): Method {
  const method = userOf(draft, user).payment_methods[id];
  if (method === undefined) throw new Misfit('Payment method not found');
  return method;
}

const isCard = ({ source }: Method) => source === 'gift_card';

function pay(method: Method, amount: number): void {
  if (isCard(method)) method.balance = cents(method.balance - amount);
}

const times = (list: readonly string[], item: string) => list.filter((other) => other === item).length;

function checkItems({ items }: Order, wanted: readonly string[], says: (id: string) => string): void {
  const all = items.map(({ item_id }) => item_id);
  for (const id of wanted) if (times(wanted, id) > times(all, id)) throw new Misfit(says(id));
}

/** The price difference between new and old items, and the last of the new ones. */
function difference(
  draft: DomainDraft,
  order: Order,
  { item_ids, new_item_ids }: Exchange,
  mayStay: boolean,
): readonly [number, Variant | null] {
  let [sum, last]: [number, Variant | null] = [0, null];
  for (const [i, id] of item_ids.entries()) {
    const wanted = new_item_ids[i];
    if (!mayStay && id === wanted) throw new Misfit('The new item id should be different from the old item id');
    const item = order.items.find(({ item_id }) => item_id === id);
    if (item === undefined) throw new Misfit(`Item ${id} not found`);
    const variant = productOf(draft, item.product_id).variants[wanted];
    if (variant === undefined) throw new Misfit('Variant not found');
    if (!variant.available) throw new Misfit(`New item ${wanted} not found or available`);
    sum += variant.price - item.price;
    last = variant;
  }
  return [sum, last];
}

function addressIn({ address1, address2, city, state, country, zip }: Args): JsonObject {
  return { address1: address1, address2: address2, city: city, state: state, country: country, zip: zip };
}

const place = 'address1 address2 city state country zip';

export const retail: readonly DomainTool[] = [
  tool('calculate', 'The result of an expression of numbers.', 'expression', (_, { expression }: Args) => String(calculate(expression))),
  tool(
    'cancel_pending_order!',
    'Cancels a pending order. The reason is "no longer needed" or "ordered by mistake".',
    'order_id reason',
    (draft, { order_id, reason }: Args) => {
      const order = orderOf(draft, order_id);
      if (order.status !== 'pending') throw new Misfit('Non-pending order cannot be cancelled');
      if (reason !== 'no longer needed' && reason !== 'ordered by mistake') throw new Misfit('Invalid reason');
      const refunds = order.payment_history.map(({ amount, payment_method_id }) => {
        const method = methodOf(draft, order.user_id, payment_method_id);
        if (isCard(method)) method.balance = cents(method.balance + amount);
        return { transaction_type: 'refund', amount, payment_method_id };
      });
      order.status = 'cancelled';
      order['cancel_reason'] = reason;
      order.payment_history.push(...refunds);
      return order as Json;
    },
  ),
  tool(
    'exchange_delivered_order_items!',
    'Exchanges items of a delivered order for others of the same product.',
    'order_id item_ids[] new_item_ids[] payment_method_id',
    (draft, exchange: Exchange) => {
      const order = orderOf(draft, exchange.order_id);
      if (order.status !== 'delivered') throw new Misfit('Non-delivered order cannot be exchanged');
      checkItems(order, exchange.item_ids, (id) => `Number of ${id} not found.`);
      if (exchange.item_ids.length !== exchange.new_item_ids.length) throw new Misfit('The number of items to be exchanged should match.');
      const more = cents(difference(draft, order, exchange, true)[0]);
      const method = methodOf(draft, order.user_id, exchange.payment_method_id);
      if (isCard(method) && method.balance < more) throw new Misfit('Insufficient gift card balance to pay for the price difference');
      order.status = 'exchange requested';
      order['exchange_items'] = [...exchange.item_ids].sort();
      order['exchange_new_items'] = [...exchange.new_item_ids].sort();
      order['exchange_payment_method_id'] = exchange.payment_method_id;
      order['exchange_price_difference'] = more;
      return order as Json;
    },
  ),
  tool(
    'find_user_id_by_name_zip',
    'The id of a customer by first name, last name and zip code.',
    'first_name last_name zip',
    (draft, { first_name, last_name, zip }: Args) => {
      const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
      const user = draft
        .rows<User>('users')
        .find(({ name, address }) => same(name.first_name, first_name) && same(name.last_name, last_name) && address['zip'] === zip);
      if (user === undefined) throw new Misfit('User not found');
      return user.user_id;
    },
  ),
  tool('find_user_id_by_email', 'The id of a customer by email.', 'email', (draft, { email }: Args) => {
    const matchingUser = draft.rows<User>('users').find((user) => user.email.toLowerCase() === email.toLowerCase());
    if (matchingUser === undefined) throw new Misfit('User not found');
    return matchingUser.user_id;
  }),
  tool(
    'get_order_details',
    'An order with its items, status and payments. Ids begin with #.',
    'order_id',
    (draft, { order_id }: Args) => orderOf(draft, order_id) as Json,
  ),
  tool(
    'get_product_details',
    'A product with its items. A product id is no item id.',
    'product_id',
    (draft, { product_id }: Args) => productOf(draft, product_id) as Json,
  ),
  tool('get_item_details', 'One item of a product.', 'item_id', (draft, { item_id }: Args) => {
    const product = draft.rows<Product>('products').find(({ variants }) => Object.hasOwn(variants, item_id));
    if (product === undefined) throw new Misfit('Item not found');
    return product.variants[item_id] as unknown as Json;
  }),
  tool(
    'get_user_details',
    'A customer with addresses, payment methods and orders.',
    'user_id',
    (draft, { user_id }: Args) => userOf(draft, user_id) as Json,
  ),
  tool('list_all_product_types', 'The names of all products with their ids.', '', (draft) => {
    const pairs = draft.rows<Product>('products').map(({ name, product_id }) => [name, product_id] as const);
    return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
  }),
  tool('modify_pending_order_address!', 'Changes where a pending order goes.', `order_id ${place}`, (draft, args: Args) => {
    const order = orderOf(draft, args['order_id']);
    if (!order.status.includes('pending')) throw new Misfit('Non-pending order cannot be modified');
    order.address = addressIn(args);
    return order as Json;
  }),
  tool(
    'modify_pending_order_items!',
    'Changes items of a pending order to others of the same product; it can be done once.',
    'order_id item_ids[] new_item_ids[] payment_method_id',
    (draft, exchange: Exchange) => {
      const order = orderOf(draft, exchange.order_id);
      if (order.status !== 'pending') throw new Misfit('Non-pending order cannot be modified');
      checkItems(order, exchange.item_ids, (id) => `${id} not found`);
      if (exchange.item_ids.length !== exchange.new_item_ids.length) throw new Misfit('The number of items to be exchanged should match');
      const [more, last] = difference(draft, order, exchange, false);
      const method = methodOf(draft, order.user_id, exchange.payment_method_id);
      if (isCard(method) && method.balance < more) throw new Misfit('Insufficient gift card balance to pay for the new item');
      order.payment_history.push({
        ...{ transaction_type: more > 0 ? 'payment' : 'refund', amount: Math.abs(more), payment_method_id: exchange.payment_method_id },
      });
      pay(method, more);
      // All changed items get the price and the options of the last new one, as in the release: its end states depend on it.
      for (const [i, id] of exchange.item_ids.entries()) {
        const item = order.items.find(({ item_id }) => item_id === id);
        if (item === undefined) throw new Misfit(`Item ${id} not found`);
        item.item_id = exchange.new_item_ids[i];
        item.price = last!.price;
        item.options = last!.options;
      }
      order.status = 'pending (item modified)';
      return order as Json;
    },
  ),
  tool(
    'modify_pending_order_payment!',
    'Changes how a pending order is paid.',
    'order_id payment_method_id',
    (draft, { order_id, payment_method_id }: Args) => {
      const order = orderOf(draft, order_id);
      if (!order.status.includes('pending')) throw new Misfit('Non-pending order cannot be modified');
      const method = methodOf(draft, order.user_id, payment_method_id);
      const [first, ...others] = order.payment_history;
      if (first === undefined || others.length > 0 || first.transaction_type !== 'payment')
        throw new Misfit('There should be exactly one payment for a pending order');
      if (first.payment_method_id === payment_method_id)
        throw new Misfit('The new payment method should be different from the current one');
      const { amount } = first;
      if (isCard(method) && method.balance < amount) throw new Misfit('Insufficient gift card balance to pay for the order');
      order.payment_history.push(
        { transaction_type: 'payment', amount, payment_method_id: payment_method_id },
        { transaction_type: 'refund', amount, payment_method_id: first.payment_method_id },
      );
      pay(method, amount);
      pay(methodOf(draft, order.user_id, first.payment_method_id), -amount);
      return order as Json;
    },
  ),
  tool('modify_user_address!', "Changes a customer's own address.", `user_id ${place}`, (draft, args: Args) => {
    const user = userOf(draft, args['user_id']);
    user.address = addressIn(args);
    return user;
  }),
  tool(
    'return_delivered_order_items!',
    'Takes items of a delivered order back.',
    'order_id item_ids[] payment_method_id',
    (draft, input: Omit<Exchange, 'new_item_ids'>) => {
      const order = orderOf(draft, input.order_id);
      if (order.status !== 'delivered') throw new Misfit('Non-delivered order cannot be returned');
      const method = methodOf(draft, order.user_id, input.payment_method_id);
      if (!isCard(method) && input.payment_method_id !== order.payment_history[0]?.payment_method_id)
        throw new Misfit('Payment method should be the original payment method');
      checkItems(order, input.item_ids, () => 'Some item not found');
      order.status = 'return requested';
      order['return_items'] = [...input.item_ids].sort();
      order['return_payment_method_id'] = input.payment_method_id;
      return order as Json;
    },
  ),
  tool('transfer_to_human_agents', 'Hands the customer over to a person, with a summary.', 'summary', () => 'Transfer successful'),
];
