/**
 * @file Scripted agents for the desk. `gold` is a competent clerk who knows only its messages and what its tools return: it finds the
 * customer, reads, asks for what is missing, checks the request against the policy, gets a yes, writes, reports. The others are floors.
 */

import { Fault, type Json, type Message, type Script, type Seen } from '../../core/index.ts';
import { listOf } from '../../core/lists.ts';
import { type Customer, cents, type Product, type ServiceAddress, type ServiceOrder, totalOf } from './database.ts';
import { forbiddenBy, rules, saysYes } from './policy.ts';
import { ofAccount, type ServiceRequest, slotsTold, understand } from './requests.ts';
import { cancelReasons, type ServiceCall } from './tools.ts';

/** What the clerk has gathered so far. `stage` says what it is waiting for. */
type Mind = {
  readonly stage: 'talk' | 'yes' | 'result' | 'over';
  readonly email?: string;
  readonly name?: string;
  readonly zip?: string;
  readonly asked: number;
  readonly id: string | null;
  readonly unknown: boolean;
  /** The last call came to nothing. */
  readonly failed: boolean;
  readonly customer: Customer | null;
  readonly request: ServiceRequest | null;
  readonly order: ServiceOrder | null;
  readonly looked: readonly string[];
  readonly products: readonly Product[];
  readonly searched: number;
  readonly write: ServiceCall | null;
  readonly agreed: boolean;
  readonly refusal: string | null;
};

type Move = { readonly say: string; readonly mind: Mind } | { readonly call: ServiceCall; readonly mind: Mind };

const noOne: Mind = {
  stage: 'talk',
  asked: 0,
  id: null,
  unknown: false,
  failed: false,
  customer: null,
  request: null,
  order: null,
  looked: [],
  products: [],
  searched: 0,
  write: null,
  agreed: false,
  refusal: null,
};

const more = 'Is there anything else I can help you with?';

export const gold: Script = clerk(true);

/** Does all that is asked for, as far as the tools let it, and never looks at the policy. */
export const alwaysAgree: Script = clerk(false);

export const doNothing: Script = atDesk(() => ({ text: 'Goodbye. [done]' }));
export const alwaysRefuse: Script = atDesk(() => ({ text: 'I am sorry, I cannot help you with that. [done]' }));
export const transferring: Script = atDesk(({ view }) => {
  const begun = view.seen.some((item) => item.kind === 'action');
  return { text: begun ? 'Goodbye. [done]' : '{"tool": "transfer_to_human", "args": {"summary": "a customer"}}' };
});

function atDesk(script: Script): Script {
  return (turn) => {
    if (turn.ask.seat !== 'agent') throw new Fault('input', `This script plays the agent, but was put on the seat "${turn.ask.seat}".`);
    return script(turn);
  };
}

function clerk(careful: boolean): Script {
  return atDesk((turn) => {
    const mind = absorb((turn.mind as Mind | undefined) ?? noOne, turn.view.seen.findLast(isMessage) as Message);
    const move = decide(mind, careful);
    if ('say' in move) return { action: { text: move.say }, mind: move.mind };
    return { action: { text: JSON.stringify(move.call) }, mind: { ...move.mind, stage: 'result' } };
  });
}

function isMessage(item: Seen): boolean {
  return item.kind === 'message';
}

// ── taking in what is new ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function absorb(mind: Mind, news: Message): Mind {
  if (news.from === 'customer') return listen(mind, news.text);
  const { tool, ok, value } = (news.data ?? {}) as { tool?: string; ok?: boolean; value?: Json };
  if (ok !== true) return tool === 'find_customer' ? { ...mind, unknown: true } : { ...mind, failed: true };
  if (tool === 'find_customer') return { ...mind, id: (value as { customer_id: string }).customer_id };
  if (tool === 'get_customer') return { ...mind, customer: value as Customer };
  if (tool === 'get_order') return { ...mind, order: value as ServiceOrder, looked: [...mind.looked, (value as ServiceOrder).id] };
  if (tool === 'search_products')
    return { ...mind, searched: mind.searched + 1, products: [...mind.products, ...(value as readonly Product[]).slice(0, 1)] };
  return mind;
}

function listen(mind: Mind, text: string): Mind {
  const { reason, address, identity } = slotsTold(text);
  const agreed = mind.stage === 'yes' && saysYes(text);
  const known: Mind = identity === null ? { ...mind, agreed } : { ...mind, ...identity, agreed };
  const heard = understand(text);
  if (heard === null) {
    if (/\bthat is all\b/i.test(text)) return { ...known, stage: 'over', request: null };
    return known.request === null ? known : { ...known, request: withDetails(known.request, reason, address) };
  }
  const before = mind.request;
  if (before !== null && before.want === heard.want) {
    // The same again, with more detail: what was said separately stays.
    return {
      ...known,
      request: withDetails(heard, heard.reason ?? reason ?? before.reason ?? undefined, address ?? before.address ?? undefined),
    };
  }
  return {
    ...known,
    request: withDetails(heard, reason, address),
    order: null,
    looked: [],
    products: [],
    searched: 0,
    write: null,
    refusal: null,
  };
}

function withDetails(one: ServiceRequest, reason: string | undefined, address: ServiceAddress | undefined): ServiceRequest {
  return { ...one, reason: reason ?? one.reason, address: address ?? one.address };
}

// ── deciding what to do ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The first of the clerk's habits that applies. */
function decide(mind: Mind, careful: boolean): Move {
  const one = mind.request;
  if (mind.stage === 'over') return say({ ...mind, stage: 'talk' }, 'Thank you, goodbye. [done]');
  if (one === null) return say(mind, mind.refusal ?? 'How can I help you?');
  if (mind.failed) return refuse({ ...mind, failed: false }, 'it is not possible');
  if (mind.stage === 'result' && mind.write !== null) return close(mind, `${reportDone(mind, one)} ${more}`);
  if (one.want === 'other') return { call: { tool: 'transfer_to_human', args: { summary: one.words } }, mind };
  if (one.topic === 'price' || one.topic === 'stock') return answerProduct(mind, one);
  return identify(mind, careful) ?? locate(mind, one, careful) ?? complete(mind, one) ?? serve(mind, one, careful);
}

function say(mind: Mind, text: string): Move {
  return { say: text, mind };
}

function ask(mind: Mind, text: string): Move {
  return say({ ...mind, stage: 'talk' }, text);
}

/** The request has been dealt with; the next one starts afresh. */
function close(mind: Mind, text: string): Move {
  return say({ ...mind, stage: 'talk', request: null, refusal: null, write: null, agreed: false }, text);
}

function refuse(mind: Mind, why: string): Move {
  const text = `I am sorry, I cannot do that: ${why}. ${more}`;
  return say({ ...mind, stage: 'talk', request: null, refusal: text, write: null, agreed: false }, text);
}

function answerProduct(mind: Mind, one: ServiceRequest): Move {
  const label = one.items[0]!;
  if (mind.searched === 0) return { call: { tool: 'search_products', args: { query: label } }, mind };
  const product = mind.products[0];
  if (product === undefined) return refuse(mind, `there is no ${label}`);
  if (one.topic === 'price') return close(mind, `The price of the ${label} is ${product.price.toFixed(2)}. ${more}`);
  return close(mind, `We have ${product.stock} of the ${label}. ${more}`);
}

function identify(mind: Mind, careful: boolean): Move | null {
  const { email, name, zip } = mind;
  if (mind.customer !== null) return null;
  if (mind.id !== null) return { call: { tool: 'get_customer', args: { customer_id: mind.id } }, mind };
  if (mind.unknown) return careful ? refuse(mind, 'there is no account with these details') : null;
  if (email !== undefined) return { call: { tool: 'find_customer', args: { email } }, mind };
  if (name !== undefined && zip !== undefined) return { call: { tool: 'find_customer', args: { name, zip } }, mind };
  if (mind.asked > 1) return refuse(mind, 'I need to find your account first');
  return ask({ ...mind, asked: mind.asked + 1 }, 'May I have your email, or your full name and zip code?');
}

/** Finds the order that a request is about, by its number or by what is in it. */
function locate(mind: Mind, one: ServiceRequest, careful: boolean): Move | null {
  if (ofAccount(one)) return null;
  const { order } = mind;
  if (order !== null && (order.id === one.order || (one.order === null && holds(order, one)))) return null;
  const look = (id: string): Move => ({ call: { tool: 'get_order', args: { order_id: id } }, mind });
  if (one.order !== null) {
    if (careful && mind.customer?.orders.includes(one.order) !== true) return refuse(mind, `order ${one.order} is not an order of yours`);
    return look(one.order);
  }
  if (one.items.length === 0) return ask(mind, 'Which order is it? Please tell me its number, or which item is in it.');
  const next = mind.customer?.orders.find((id) => !mind.looked.includes(id));
  return next === undefined ? refuse(mind, 'there is no such order of yours') : look(next);
}

function holds(order: ServiceOrder, one: ServiceRequest): boolean {
  return one.items.length > 0 && one.items.every((label) => order.items.some((item) => item.label === label));
}

/** Asks for the slots that a write needs and that are still unknown. */
function complete(mind: Mind, one: ServiceRequest): Move | null {
  if (one.want === 'cancel' && one.reason === null) return ask(mind, `What is the reason: ${cancelReasons.join(', or ')}?`);
  if (one.want === 'cancel' && !cancelReasons.includes(one.reason as string)) return refuse(mind, `it is none of the reasons we accept`);
  if (one.want === 'address' && one.address === null) return ask(mind, 'What is the new address?');
  if (one.want === 'exchange' || one.want === 'return') {
    if (!holds(mind.order as ServiceOrder, one)) return ask(mind, 'Which item is it? Please tell me its name.');
    const label = one.instead[mind.searched];
    if (label !== undefined) return { call: { tool: 'search_products', args: { query: label } }, mind };
    if (mind.products.length < one.instead.length) return refuse(mind, 'we do not have what you want instead');
  }
  return null;
}

function serve(mind: Mind, one: ServiceRequest, careful: boolean): Move {
  if (one.want === 'ask') return close(mind, `${answerOrder(mind.order as ServiceOrder, one)} ${more}`);
  const write = writeFor(mind, one);
  const rule = forbiddenBy(write, mind.order, (id) => mind.products.find((product) => product.id === id)?.type);
  if (careful && rule !== null) return refuse(mind, rules[rule]);
  if (mind.stage === 'yes' && mind.agreed) return { call: write, mind: { ...mind, write } };
  return say({ ...mind, stage: 'yes', write }, `I am about to ${plan(mind, one)}. Shall I go ahead, yes or no?`);
}

function answerOrder(order: ServiceOrder, { topic }: ServiceRequest): string {
  if (topic === 'status') return `Order ${order.id} is ${order.status}.`;
  if (topic === 'total') return `The total of order ${order.id} is ${totalOf(order).toFixed(2)}.`;
  return order.delivered === null ? `Order ${order.id} is due on ${order.promised}.` : `Order ${order.id} came on ${order.delivered}.`;
}

function writeFor(mind: Mind, one: ServiceRequest): ServiceCall {
  const { order, id } = mind;
  const order_id = order?.id ?? '';
  const items = listOf(one.items, (label) => order?.items.find((item) => item.label === label)?.product ?? label);
  if (one.want === 'cancel') return { tool: 'cancel_order', args: { order_id, reason: one.reason } };
  if (one.want === 'address')
    return { tool: 'change_address', args: { ...(ofAccount(one) ? { customer_id: id } : { order_id }), ...one.address } };
  if (one.want === 'exchange')
    return { tool: 'exchange_items', args: { order_id, items, new_items: listOf(mind.products, (product) => product.id) } };
  if (one.want === 'return') return { tool: 'return_items', args: { order_id, items } };
  return { tool: 'refund', args: { order_id, amount: order?.shipping ?? 0, reason: one.reason } };
}

/** What a write would do, with its amount, as the customer reads it before. */
function plan(mind: Mind, one: ServiceRequest): string {
  const order = mind.order as ServiceOrder;
  const goods = one.items.join(' and the ');
  const prices = order?.items.filter((item) => one.items.includes(item.label)).reduce((sum, item) => sum + item.price, 0);
  const place = one.address === null ? '' : `${one.address.street}, ${one.address.city}, ${one.address.zip}`;
  if (one.want === 'cancel') return `cancel order ${order.id} as ${one.reason} and pay back ${totalOf(order).toFixed(2)}`;
  if (one.want === 'address') return `change the address of ${ofAccount(one) ? 'your account' : `order ${order.id}`} to ${place}`;
  if (one.want === 'return') return `take back the ${goods} from order ${order.id} and pay back ${cents(prices).toFixed(2)}`;
  if (one.want === 'refund') return `pay back the shipping fee of order ${order.id}, ${order.shipping.toFixed(2)}`;
  const difference = cents(mind.products.reduce((sum, product) => sum + product.price, -prices));
  const settled = `${difference < 0 ? 'pay back' : 'charge'} the difference of ${Math.abs(difference).toFixed(2)}`;
  return `exchange the ${goods} from order ${order.id} for the ${one.instead.join(' and the ')} and ${settled}`;
}

function reportDone(mind: Mind, one: ServiceRequest): string {
  return `This has been done: ${plan(mind, one)}.`;
}
