/**
 * @file Reads τ²-bench task files (parsed tasks.json of the retail and airline domains) into scenarios of this desk.
 *
 * A task file holds what the user wants and the gold calls, but not the database they run on. So the state is built from what a task
 * mentions: its customer, its orders with the items named, each in the state that the gold calls need. Prices are made up. What rests on
 * their database or policy, or has no counterpart among our tools, is not covered, and each task says why.
 */

import { Fault, type Json, type JsonObject } from '../../core/index.ts';
import { linear } from '../../core/linear.ts';
import type { CustomerSlots } from './customer.ts';
import {
  type Customer,
  dateAt,
  type Product,
  type ServiceAddress,
  type ServiceItem,
  type ServiceOrder,
  type Status,
  type WrittenDatabase,
} from './database.ts';
import { request, type ServiceRequest } from './requests.ts';
import type { WrittenScenario } from './scenario.ts';
import { cancelReasons, type ServiceCall } from './tools.ts';

export interface Tau2Task {
  readonly id: string;
  readonly domain: string;
  /** A task for `service-desk`, or null where it is not covered. */
  readonly task: { readonly scenario: WrittenScenario } | null;
  /** Why it is not covered; empty where it is. */
  readonly missing: readonly string[];
  /** What was left out or made up, though it is covered. */
  readonly reduced: readonly string[];
  /** The scenario in words, for a model that plays the customer. */
  readonly instructions: string;
  readonly gold: readonly ServiceCall[];
  readonly facts: readonly string[];
  readonly assertions: readonly string[];
  /** True where doing and saying nothing passes in τ²'s own terms: no gold call changes their database and nothing need be said. */
  readonly passive: boolean;
}

export interface Tau2Reading {
  readonly tasks: readonly Tau2Task[];
  readonly covered: number;
  /** How many tasks each reason keeps out. */
  readonly missing: Readonly<Record<string, number>>;
  readonly reduced: Readonly<Record<string, number>>;
}

const reads = new Set(
  'find_user_id_by_email find_user_id_by_name_zip get_user_details get_order_details get_product_details get_item_details list_all_product_types calculate get_reservation_details search_direct_flight search_onestop_flight get_flight_status list_all_airports'.split(
    ' ',
  ),
);

/** Calls of theirs that change something and have no counterpart here, and what they do. */
const foreign: Readonly<Record<string, string>> = {
  modify_pending_order_items: 'changes the items of a pending order',
  modify_pending_order_payment: 'changes the payment of an order',
  book_reservation: 'books a reservation',
  update_reservation_flights: 'changes the flights of a reservation',
  update_reservation_baggages: 'changes the baggage of a reservation',
  update_reservation_passengers: 'changes the passengers of a reservation',
  send_certificate: 'sends a certificate',
};

/** All tasks of a file, with the counts of what is not covered. */
export function readTau2(input: Json): Tau2Reading {
  if (!Array.isArray(input))
    throw new Fault(
      'input',
      `A τ² task file is a list of tasks, but came as ${JSON.stringify(input)?.slice(0, 60)}; give the parsed tasks.json.`,
    );
  const tasks = input.map((one, i) => readOne(object(one, `task ${i}`)));
  const count = (lists: readonly (readonly string[])[]) => {
    const counts: Record<string, number> = {};
    for (const reason of lists.flatMap((list) => [...new Set(list)])) counts[reason] = (counts[reason] ?? 0) + 1;
    return counts;
  };
  const covered = tasks.filter((one) => one.task !== null);
  return {
    tasks,
    covered: covered.length,
    missing: count(tasks.map((one) => one.missing)),
    reduced: count(covered.map((one) => one.reduced)),
  };
}

function readOne(given: JsonObject): Tau2Task {
  const id = String(given['id'] ?? '');
  const scenario = object(given['user_scenario'], `user_scenario of task "${id}"`);
  const criteria = object(given['evaluation_criteria'] ?? {}, `evaluation_criteria of task "${id}"`);
  const actions = list(criteria['actions']).map((one) => object(one, `action of task "${id}"`));
  const basis = list(criteria['reward_basis']);
  const [facts, assertions] = [texts(criteria['communicate_info']), texts(criteria['nl_assertions'])];
  const words = inWords(scenario['instructions'] ?? '');
  const shop = shopOf(actions, words.all);
  const changing = actions.filter((one) => !reads.has(String(one['name'])) && one['name'] !== 'transfer_to_human_agents');
  const missing = new Set(shop.missing);
  if (facts.length > 0) missing.add('a fact to be told stands only in their database');
  if (changing.length === 0 && !actions.some((one) => one['name'] === 'transfer_to_human_agents'))
    missing.add('what to refuse or look up rests on their policy and database');
  if (given['initial_state'] != null) missing.add('begins from a state or a talk of its own');
  if (list(criteria['env_assertions']).length > 0) missing.add('asserts something about the end state by their code');
  const judged = basis.includes('NL_ASSERTION') && assertions.length > 0;
  return {
    id,
    domain: words.domain,
    task: missing.size > 0 ? null : { scenario: scenarioFrom(id, words, shop) },
    missing: [...missing],
    reduced: [...shop.reduced, ...(judged ? ['assertions in words are left to a judge'] : [])],
    instructions: words.all,
    gold: shop.gold,
    facts,
    assertions,
    passive: changing.length === 0 && (facts.length === 0 || !(basis.includes('COMMUNICATE') || judged)),
  };
}

// ── their words ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Words {
  readonly domain: string;
  readonly all: string;
}

function inWords(instructions: Json): Words {
  if (typeof instructions === 'string') return { domain: 'unnamed', all: instructions };
  const parts = object(instructions, 'instructions');
  const told = ['reason_for_call', 'known_info', 'unknown_info', 'task_instructions'].map((name) => parts[name]);
  return { domain: String(parts['domain'] ?? 'unnamed'), all: told.filter((text) => typeof text === 'string').join('\n') };
}

function object(value: Json | undefined, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Fault('input', `In a τ² task file, ${what} should be an object, but is ${JSON.stringify(value)?.slice(0, 60)}.`);
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function texts(value: Json | undefined): string[] {
  return list(value).filter((one): one is string => typeof one === 'string');
}

// ── their state, as far as it is mentioned ───────────────────────────────────────────────────────────────────────────────────────────

interface Shop {
  readonly customer: Customer;
  readonly orders: Record<string, ServiceOrder>;
  readonly products: Record<string, Product>;
  readonly requests: ServiceRequest[];
  readonly gold: ServiceCall[];
  readonly missing: Set<string>;
  readonly reduced: Set<string>;
}

function shopOf(actions: readonly JsonObject[], words: string): Shop {
  const reduced = new Set(['prices are made up']);
  const customer = personIn(actions, words, reduced);
  const shop: Shop = { customer, orders: {}, products: {}, requests: [], gold: [], missing: new Set(), reduced };
  for (const action of actions) {
    const name = String(action['name']);
    const args = (action['arguments'] ?? {}) as JsonObject;
    const serve = servings[name];
    if (serve !== undefined) serve(shop, args);
    else if (!reads.has(name)) shop.missing.add(foreign[name] ?? `calls ${name}, which has no counterpart`);
  }
  return { ...shop, customer: { ...customer, orders: Object.keys(shop.orders) } };
}

function personIn(actions: readonly JsonObject[], words: string, reduced: Set<string>): Customer {
  const found = Object.assign({}, ...actions.map((one) => one['arguments'] ?? {})) as Record<string, Json | undefined>;
  const byZip = actions.find((one) => one['name'] === 'find_user_id_by_name_zip')?.['arguments'] as Record<string, string> | undefined;
  const id = String(found['user_id'] ?? /\b[a-z]+_[a-z]+_\d{4}\b/.exec(words)?.[0] ?? 'customer');
  const name =
    byZip === undefined
      ? (linear(/\b(?:name is|are|You're) ([A-Z][a-z]+ [A-Z][a-z]+)/).exec(words)?.[1] ?? id)
      : `${byZip['first_name']} ${byZip['last_name']}`;
  const email = String(found['email'] ?? linear(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/).exec(words)?.[0] ?? '');
  const zip = String(byZip?.['zip'] ?? /\b\d{5}\b/.exec(words)?.[0] ?? '');
  if (email === '' && zip === '') reduced.add('the user id stands in for an email');
  return {
    id,
    name,
    email: email === '' ? id : email,
    address: { street: 'unknown', city: 'unknown', zip },
    payment: 'credit card',
    orders: [],
  };
}

/** What each changing call of theirs asks of this desk: the state it needs, the request behind it, our call. */
const servings: Readonly<Record<string, (shop: Shop, args: JsonObject) => void>> = {
  cancel_pending_order: (shop, args) => cancel(shop, String(args['order_id']), String(args['reason'])),
  cancel_reservation: (shop, args) => {
    shop.reduced.add('the reason for a cancellation is made up');
    cancel(shop, String(args['reservation_id']), cancelReasons[0]!);
  },
  modify_pending_order_address: (shop, args) => {
    const order = orderIn(shop, String(args['order_id']), { status: 'pending' });
    const address = addressIn(args);
    shop.requests.push(request('address', { order, address }));
    shop.gold.push({ tool: 'change_address', args: { order_id: order, ...address } });
  },
  modify_user_address: (shop, args) => {
    const address = addressIn(args);
    shop.requests.push(request('address', { address, topic: 'account' }));
    shop.gold.push({ tool: 'change_address', args: { customer_id: shop.customer.id, ...address } });
  },
  return_delivered_order_items: (shop, args) => {
    const items = texts(args['item_ids']);
    const order = orderIn(shop, String(args['order_id']), { status: 'delivered', items });
    shop.reduced.add('the payment method cannot be chosen');
    shop.requests.push(request('return', { order, items: items.map(labelOf) }));
    shop.gold.push({ tool: 'return_items', args: { order_id: order, items } });
  },
  exchange_delivered_order_items: (shop, args) => {
    const [items, wanted] = [texts(args['item_ids']), texts(args['new_item_ids'])];
    const order = orderIn(shop, String(args['order_id']), { status: 'delivered', items });
    shop.reduced.add('the payment method cannot be chosen');
    for (const [i, id] of wanted.entries()) stock(shop, id, typeOf(items[i]!));
    shop.requests.push(request('exchange', { order, items: items.map(labelOf), instead: wanted.map(labelOf) }));
    shop.gold.push({ tool: 'exchange_items', args: { order_id: order, items, new_items: wanted } });
  },
  transfer_to_human_agents: (shop) => {
    const summary = 'get something that this desk cannot do';
    shop.requests.push(request('other', { words: summary }));
    shop.gold.push({ tool: 'transfer_to_human', args: { summary } });
  },
};

function cancel(shop: Shop, id: string, reason: string): void {
  const order = orderIn(shop, id, { status: 'pending' });
  shop.requests.push(request('cancel', { order, reason }));
  shop.gold.push({ tool: 'cancel_order', args: { order_id: order, reason } });
}

const typeOf = (product: string): string => `kind-${product}`;
const labelOf = (product: string): string => `item ${product}`;

function stock(shop: Shop, id: string, type: string): Product {
  shop.products[id] ??= { id, type, label: labelOf(id), price: 10, stock: 1, finalSale: false };
  return shop.products[id];
}

/** The order with this number in the state that a call needs, with these items among others. */
function orderIn(shop: Shop, id: string, { status, items = [] }: { status: Status; items?: readonly string[] }): string {
  const { customer, orders } = shop;
  const day = dateAt(-5);
  orders[id] ??= {
    id,
    customer: customer.id,
    status,
    placed: dateAt(-9),
    promised: day,
    delivered: status === 'delivered' ? day : null,
    address: customer.address,
    items: [],
    shipping: 0,
    exchanged: false,
    reason: null,
  };
  const order = orders[id];
  if (order.status !== status) shop.missing.add('needs one order in two states');
  const added = items.map((product): ServiceItem => ({ product, ...toItem(stock(shop, product, typeOf(product))), returned: false }));
  orders[id] = { ...order, items: [...order.items, ...added] };
  return id;
}

function toItem({ type, label, price, finalSale }: Product): Omit<ServiceItem, 'product' | 'returned'> {
  return { type, label, price, finalSale };
}

function addressIn(args: JsonObject): ServiceAddress {
  const part = (...names: readonly string[]): string =>
    names
      .map((name) => String(args[name] ?? '').replaceAll(',', ' '))
      .filter((text) => text !== '')
      .join(' ');
  return { street: part('address1', 'address2'), city: part('city', 'state'), zip: part('zip') };
}

function scenarioFrom(id: string, words: Words, shop: Shop): WrittenScenario {
  const { customer, orders, products } = shop;
  const database: WrittenDatabase = { customers: { [customer.id]: customer }, products, orders, payments: {}, tickets: {} };
  const slots: CustomerSlots = {
    name: customer.name,
    email: customer.email,
    zip: customer.address.zip === '' ? null : customer.address.zip,
    requests: shop.requests,
    terse: false,
    insist: 0,
    chatter: '',
    voice: 0,
    instructions: words.all,
  };
  return { kind: `tau2 ${words.domain} ${id}`, database, slots, gold: shop.gold, facts: [] };
}
