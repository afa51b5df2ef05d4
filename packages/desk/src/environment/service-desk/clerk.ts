/**
 * @file Scripted agents for the service desk. `gold` is a competent clerk who knows only its messages and the results of its tools: it finds the
 * customer, reads, asks for what is missing, checks the request against the policy, gets a yes, writes, reports. The others are floors.
 */

import { listOf } from '@ludus-agents/environments/internal/lists';
import { Fault, type Json, type Message, type Script, type Seen } from '@ludus-agents/kernel/internal/core/index';
import type { DeskCall } from '../document.ts';
import { saysYes } from '../procedure.ts';
import { cancelReasons, forbiddenBy } from './policy.ts';
import { type CustomerRequest, ofAccount, slotsTold, understand } from './requests.ts';
import { type Address, type Customer, cents, type Order, type Product, type ShopRecord, type SoldItem } from './shop.ts';

/** The clerk's information so far. `stage` names the input it is waiting for. */
type Mind = {
  readonly stage: 'talk' | 'yes' | 'result';
  readonly email?: string;
  readonly name?: string;
  readonly zip?: string;
  /** The number of times it asked for the customer's identity. */
  readonly questions: number;
  readonly unknown: boolean;
  /** The last call failed. */
  readonly failed: boolean;
  readonly customer: ShopRecord<Customer> | null;
  readonly request: CustomerRequest | null;
  readonly order: ShopRecord<Order> | null;
  readonly items: readonly ShopRecord<SoldItem>[];
  /** Orders whose items it has looked at. */
  readonly looked: readonly string[];
  readonly products: readonly ShopRecord<Product>[];
  readonly searched: number;
  /** Calls that the customer has confirmed and that are still pending. */
  readonly writes: readonly DeskCall[];
  readonly agreed: boolean;
  readonly refusal: string | null;
};

type Move = { readonly say: string; readonly mind: Mind } | { readonly call: DeskCall; readonly mind: Mind };

/** The state of one request; the next request starts without it. */
const nothingYet = {
  ...{ request: null, order: null, items: [], looked: [], products: [], searched: 0, writes: [] },
  ...{ agreed: false, failed: false, refusal: null },
} as const;
const newcomer: Mind = { stage: 'talk', questions: 0, unknown: false, customer: null, ...nothingYet };

const more = 'Is there anything else?';

export const gold: Script = clerk(true);

/** Does everything requested, as far as the tools allow, and ignores the policy. */
export const alwaysAgree: Script = clerk(false);

/** Hands every customer over. */
export const transferring: Script = atDesk(({ view }) => {
  const isFirst = !view.seen.some((item) => item.kind === 'action');
  const transfer: DeskCall = { tool: 'transfer_to_human', args: { summary: 'a customer' } };
  return { text: isFirst ? JSON.stringify(transfer) : handedOver };
});

const handedOver = `This is done: a human colleague takes it from here. ${more}`;

function atDesk(script: Script): Script {
  return (turn) => {
    if (turn.ask.seat !== 'agent') throw new Fault('input', `This script plays the agent, but was put on the seat "${turn.ask.seat}".`);
    return script(turn);
  };
}

function clerk(careful: boolean): Script {
  return atDesk((turn) => {
    const mind = absorb((turn.mind as Mind | undefined) ?? newcomer, turn.view.seen.findLast(isMessage) as Message);
    const move = decide(mind, careful);
    if ('say' in move) return { action: { text: move.say }, mind: move.mind };
    return { action: { text: JSON.stringify(move.call) }, mind: { ...move.mind, stage: 'result' } };
  });
}

function isMessage(item: Seen): boolean {
  return item.kind === 'message';
}

// ── reading new messages ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function absorb(mind: Mind, news: Message): Mind {
  if (news.from === 'customer') return listen(mind, news.text);
  const { tool, ok, value } = (news.data ?? {}) as { tool?: string | null; ok?: boolean; value?: Json };
  const isIdentity = tool?.startsWith('find_by_') === true;
  if (ok !== true)
    return isIdentity ? { ...mind, unknown: true } : { ...mind, failed: tool !== 'search_products', searched: mind.searched + 1 };
  if (isIdentity) return { ...mind, customer: (value as readonly ShopRecord<Customer>[])[0] };
  if (tool === 'get_order') return { ...mind, order: value as ShopRecord<Order> };
  if (tool === 'list_items') {
    const items = value as readonly ShopRecord<SoldItem>[];
    return { ...mind, items, looked: [...mind.looked, items[0].order] };
  }
  if (tool === 'search_products') {
    const label = (mind.request?.instead[mind.searched] ?? mind.request?.items[0]) as string;
    const products = (value as readonly ShopRecord<Product>[]).filter((product) => product.label === label);
    return { ...mind, searched: mind.searched + 1, products: [...mind.products, ...products.slice(0, 1)] };
  }
  return mind;
}

function listen(before: Mind, text: string): Mind {
  const { reason, address, identity } = slotsTold(text);
  const mind: Mind = { ...before, ...identity, agreed: before.stage === 'yes' && saysYes(text) };
  const customerRequest = understand(text);
  if (customerRequest === null) return mind.request === null ? mind : { ...mind, request: withDetails(mind.request, reason, address) };
  const { request } = before;
  // The same request with more detail; parts stated separately are kept.
  if (request !== null && request.want === customerRequest.want)
    return {
      ...mind,
      request: withDetails(
        customerRequest,
        customerRequest.reason ?? reason ?? request.reason ?? undefined,
        address ?? request.address ?? undefined,
      ),
    };
  return { ...mind, ...nothingYet, request: withDetails(customerRequest, reason, address) };
}

function withDetails(request: CustomerRequest, reason: string | undefined, address: Address | undefined): CustomerRequest {
  return { ...request, reason: reason ?? request.reason, address: address ?? request.address };
}

// ── deciding what to do ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The first of the clerk's habits that applies. */
function decide(mind: Mind, careful: boolean): Move {
  const { request, stage, writes } = mind;
  if (request === null) return say(mind, mind.refusal ?? 'How can I help you?');
  if (mind.failed) return refuse(mind, 'it is not possible');
  const [next, ...rest] = writes;
  if (stage === 'result' && next !== undefined) return { call: next, mind: { ...mind, writes: rest } };
  if (stage === 'result' && mind.agreed) return close(mind, `This is done: ${plan(mind, request)}. ${more}`);
  if (request.want === 'other')
    return stage === 'result' ? close(mind, handedOver) : { call: { tool: 'transfer_to_human', args: { summary: request.words } }, mind };
  if (request.topic === 'price' || request.topic === 'stock') return answerProduct(mind, request);
  return identify(mind, careful) ?? locate(mind, request, careful) ?? complete(mind, request) ?? serve(mind, request, careful);
}

function say(mind: Mind, text: string): Move {
  return { say: text, mind };
}

function ask(mind: Mind, text: string): Move {
  return say({ ...mind, stage: 'talk' }, text);
}

/** The request is finished; the next one starts over. */
function close(mind: Mind, text: string, refusal: string | null = null): Move {
  return say({ ...mind, ...nothingYet, stage: 'talk', refusal }, text);
}

function refuse(mind: Mind, why: string): Move {
  const text = `I am sorry, I cannot do that: ${why}. ${more}`;
  return close(mind, text, text);
}

function answerProduct(mind: Mind, request: CustomerRequest): Move {
  const label = request.items[0];
  if (mind.searched === 0) return { call: { tool: 'search_products', args: { query: label } }, mind };
  const product = mind.products[0];
  if (product === undefined) return refuse(mind, `there is no ${label}`);
  if (request.topic === 'price') return close(mind, `The price of the ${label} is ${product.price.toFixed(2)}. ${more}`);
  return close(mind, `We have ${product.stock} of the ${label}. ${more}`);
}

function identify(mind: Mind, careful: boolean): Move | null {
  const { email, name, zip } = mind;
  if (mind.customer !== null) return null;
  if (mind.unknown) return careful ? refuse(mind, 'there is no account with these details') : null;
  if (email !== undefined) return { call: { tool: 'find_by_email', args: { email } }, mind };
  if (name !== undefined && zip !== undefined) return { call: { tool: 'find_by_name', args: { name, zip } }, mind };
  if (mind.questions > 1) return refuse(mind, 'your account has to be found first');
  return ask({ ...mind, questions: mind.questions + 1 }, 'May I have your email, your full name and your zip code?');
}

/** Finds the order of a request by its number or by its items, and reads it with its items. */
function locate(mind: Mind, request: CustomerRequest, careful: boolean): Move | null {
  if (ofAccount(request)) return null;
  const { order, items, looked } = mind;
  const look = (tool: 'get_order' | 'list_items', id: string): Move => ({ call: { tool, args: { order_id: id } }, mind });
  const number = request.order ?? (holds(items, request) ? looked[looked.length - 1] : null);
  if (number !== null) {
    if (careful && mind.customer?.orders.includes(number) !== true) return refuse(mind, `order ${number} is not an order of yours`);
    if (order?.id !== number) return look('get_order', number);
    const needsItems = request.want === 'exchange' || request.want === 'return';
    return needsItems && looked.at(-1) !== number ? look('list_items', number) : null;
  }
  if (request.items.length === 0) return ask(mind, 'Which order is it? Please tell me its number, or which item is in it.');
  const next = mind.customer?.orders.find((id) => !looked.includes(id));
  return next === undefined ? refuse(mind, 'there is no such order of yours') : look('list_items', next);
}

function holds(items: readonly SoldItem[], request: CustomerRequest): boolean {
  return request.items.length > 0 && request.items.every((label) => items.some((item) => item.label === label));
}

/** Asks for missing slots that a write needs. */
function complete(mind: Mind, request: CustomerRequest): Move | null {
  const { want, reason, instead } = request;
  if (want === 'cancel' && reason === null) return ask(mind, `What is the reason: ${cancelReasons.join(', or ')}?`);
  if (want === 'cancel' && !cancelReasons.includes(reason as string)) return refuse(mind, 'it is none of the reasons we accept');
  if (want === 'address' && request.address === null) return ask(mind, 'What is the new address?');
  if (want === 'exchange' || want === 'return') {
    if (!holds(mind.items, request)) return ask(mind, 'Which item is it? Please tell me its name.');
    const label = instead[mind.searched];
    if (label !== undefined) return { call: { tool: 'search_products', args: { query: label } }, mind };
    if (mind.products.length < instead.length) return refuse(mind, 'we do not have what you want instead');
  }
  return null;
}

function serve(mind: Mind, request: CustomerRequest, careful: boolean): Move {
  if (request.want === 'ask') return close(mind, `${answerOrder(mind.order as ShopRecord<Order>, request)} ${more}`);
  const writes = writesFor(mind, request);
  const why = writes.map((write, i) =>
    forbiddenBy({ ...write, order: mind.order, item: itemsOf(mind, request)[i], product: mind.products[i] }),
  );
  const reason = why.find((item) => item !== null);
  if (careful && reason !== undefined) return refuse(mind, reason as string);
  const [first, ...rest] = writes;
  if (mind.stage === 'yes' && mind.agreed && first !== undefined) return { call: first, mind: { ...mind, writes: rest } };
  return say({ ...mind, stage: 'yes' }, `I am about to ${plan(mind, request)}. Shall I go ahead, yes or no?`);
}

function answerOrder({ id, status, total, delivered, promised }: ShopRecord<Order>, { topic }: CustomerRequest): string {
  if (topic === 'status') return `Order ${id} is ${status}.`;
  if (topic === 'total') return `The total of order ${id} is ${total.toFixed(2)}.`;
  return delivered === null ? `Order ${id} is due on ${promised}.` : `Order ${id} came on ${delivered}.`;
}

/** The items named by a request, in the order's sequence. */
function itemsOf({ items }: Mind, request: CustomerRequest): readonly ShopRecord<SoldItem>[] {
  return listOf(request.items, (label) => items.find((item) => item.label === label)).filter((item) => item !== undefined);
}

function writesFor(mind: Mind, request: CustomerRequest): readonly DeskCall[] {
  const { want, reason, address } = request;
  const order_id = mind.order?.id ?? '';
  const items = itemsOf(mind, request);
  if (want === 'cancel') return [{ tool: 'cancel_order', args: { order_id, reason } }];
  if (want === 'address' && ofAccount(request))
    return [{ tool: 'change_account_address', args: { customer_id: mind.customer?.id ?? '', ...address } }];
  if (want === 'address') return [{ tool: 'change_order_address', args: { order_id, ...address } }];
  if (want === 'exchange')
    return listOf(items, ({ id }, i) => ({ tool: 'exchange_item', args: { item_id: id, product_id: mind.products[i].id } }));
  if (want === 'return') return listOf(items, ({ id }) => ({ tool: 'return_item', args: { item_id: id } }));
  return [{ tool: 'refund_order', args: { order_id, amount: mind.order?.shipping ?? 0, reason } }];
}

/** The effect of the writes, with the amount, as shown to the customer for confirmation. */
function plan(mind: Mind, request: CustomerRequest): string {
  const { want, address } = request;
  const order = mind.order as ShopRecord<Order>;
  const items = itemsOf(mind, request);
  const goods = items.map(({ label, id }) => `the ${label} (item ${id})`).join(' and ');
  const price = items.reduce((sum, item) => sum + item.price, 0);
  const place = address === null ? '' : `${address.street}, ${address.city}, ${address.zip}`;
  if (want === 'cancel') return `cancel order ${order.id} as ${request.reason} and pay back ${order.total.toFixed(2)}`;
  if (want === 'address') return `change the address of ${ofAccount(request) ? 'your account' : `order ${order.id}`} to ${place}`;
  if (want === 'return') return `take back ${goods} and pay back ${cents(price).toFixed(2)}`;
  if (want === 'refund') return `pay back the shipping fee of order ${order.id}, ${order.shipping.toFixed(2)}`;
  const difference = cents(mind.products.reduce((sum, product) => sum + product.price, -price));
  const settled = `${difference < 0 ? 'pay back' : 'charge'} the difference of ${Math.abs(difference).toFixed(2)}`;
  return `exchange ${goods} for the ${request.instead.join(' and the ')} and ${settled}`;
}
