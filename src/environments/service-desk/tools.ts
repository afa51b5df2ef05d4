/** @file The agent's tools. They keep the database consistent and contain no policy: what they allow may still be wrong. */

import { type Action, emptyRecord, type Json, type JsonObject } from '../../core/index.ts';
import {
  type Customer,
  cents,
  type Payment,
  type Product,
  record,
  type ServiceAddress,
  type ServiceDatabase,
  type ServiceOrder,
  type ServiceTable,
  totalOf,
  withRecord,
} from './database.ts';

export type ServiceCall = { readonly tool: string; readonly args: JsonObject };

export type ServiceResult =
  | { readonly ok: true; readonly value: Json; readonly database: ServiceDatabase }
  | { readonly ok: false; readonly problem: string };

/** What an argument may be: a text, several texts, an amount of money, or one of these words. A question mark makes it optional. */
type Shape = 'text' | 'text?' | 'texts' | 'amount' | readonly string[];

interface Tool {
  readonly about: string;
  readonly writes: boolean;
  readonly args: Readonly<Record<string, Shape>>;
  run(database: ServiceDatabase, args: JsonObject): ServiceResult;
}

export const cancelReasons: readonly string[] = ['no longer needed', 'ordered by mistake'];
const refundReasons: readonly string[] = ['late delivery', 'goodwill'];
const address = { street: 'text', city: 'text', zip: 'text' } as const;

const tools: Readonly<Record<string, Tool>> = {
  find_customer: {
    about: 'Finds a customer by email, or by full name and zip code.',
    writes: false,
    args: { email: 'text?', name: 'text?', zip: 'text?' },
    run: findCustomer,
  },
  get_customer: {
    about: "A customer's record with the numbers of their orders.",
    writes: false,
    args: { customer_id: 'text' },
    run: getCustomer,
  },
  get_order: { about: 'An order with its items.', writes: false, args: { order_id: 'text' }, run: getOrder },
  search_products: {
    about: 'Products whose label has every word of the query.',
    writes: false,
    args: { query: 'text' },
    run: searchProducts,
  },
  cancel_order: {
    about: 'Cancels an order and pays back what was paid for it.',
    writes: true,
    args: { order_id: 'text', reason: cancelReasons },
    run: cancelOrder,
  },
  change_address: {
    about: 'Changes where an order goes, or the address of a customer; give order_id or customer_id, not both.',
    writes: true,
    args: { order_id: 'text?', customer_id: 'text?', ...address },
    run: changeAddress,
  },
  exchange_items: {
    about: 'Exchanges items of a delivered order, one for one, and settles the difference in price.',
    writes: true,
    args: { order_id: 'text', items: 'texts', new_items: 'texts' },
    run: exchangeItems,
  },
  return_items: {
    about: 'Takes items of a delivered order back and pays back their price.',
    writes: true,
    args: { order_id: 'text', items: 'texts' },
    run: returnItems,
  },
  refund: {
    about: 'Pays back an amount for an order.',
    writes: true,
    args: { order_id: 'text', amount: 'amount', reason: refundReasons },
    run: refund,
  },
  transfer_to_human: {
    about: 'Hands the conversation to a human colleague, with a summary.',
    writes: true,
    args: { summary: 'text' },
    run: transfer,
  },
};

export const writes = (call: ServiceCall): boolean => tools[call.tool]?.writes === true;

/** The tools as JSON Schema, for agents that call tools natively. */
export const toolNames: readonly string[] = Object.keys(tools);

export const toolSpecs: readonly Json[] = Object.entries(tools).map(([name, { about, args }]) => ({
  name,
  description: about,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(args).map(([arg, shape]) => [arg, schemaOf(shape)])),
    required: Object.keys(args).filter((arg) => args[arg] !== 'text?'),
    additionalProperties: false,
  },
}));

/** The tools as lines of text. */
export const toolLines: string = Object.entries(tools)
  .map(([name, { about, args }]) => `- ${name}(${Object.entries(args).map(signature).join(', ')}): ${about}`)
  .join('\n');

function signature([name, shape]: readonly [string, Shape]): string {
  if (typeof shape !== 'string') return `${name}: ${shape.map((word) => `"${word}"`).join(' or ')}`;
  return shape === 'text' ? name : shape === 'text?' ? `${name}?` : `${name}: ${shape === 'texts' ? 'list' : 'number'}`;
}

function schemaOf(shape: Shape): Json {
  if (typeof shape !== 'string') return { type: 'string', enum: shape };
  if (shape === 'texts') return { type: 'array', items: { type: 'string' } };
  return { type: shape === 'amount' ? 'number' : 'string' };
}

/** Carries out a call; a call that does not fit its tool, or the state of things, changes nothing and says why. */
export function run(database: ServiceDatabase, { tool: name, args }: ServiceCall): ServiceResult {
  const tool = Object.hasOwn(tools, name) ? tools[name]! : undefined;
  if (tool === undefined) return no(`There is no tool "${name}"; the tools are ${Object.keys(tools).join(', ')}.`);
  for (const arg of Object.keys(args))
    if (!Object.hasOwn(tool.args, arg)) return no(`${name} takes no "${arg}"; it takes ${Object.keys(tool.args).join(', ')}.`);
  for (const arg in tool.args) {
    const wanted = misfit(tool.args[arg]!, args[arg]);
    if (wanted !== null) return no(`${name} needs "${arg}" to be ${wanted}.`);
  }
  return tool.run(database, args);
}

function misfit(shape: Shape, value: Json | undefined): string | null {
  if (typeof shape !== 'string') return shape.includes(value as string) ? null : shape.map((word) => `"${word}"`).join(' or ');
  if (shape === 'text?' && value === undefined) return null;
  if (shape === 'texts')
    return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string') ? null : 'a list of one text or more';
  if (shape === 'amount') return typeof value === 'number' && value > 0 && cents(value) === value ? null : 'an amount above 0, in cents';
  return typeof value === 'string' && value !== '' ? null : 'a text';
}

// ── reading an answer ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ServiceAnswer =
  | { readonly kind: 'talk'; readonly text: string; readonly plain?: true }
  | { readonly kind: 'call'; readonly call: ServiceCall }
  | { readonly kind: 'broken'; readonly problem: string; readonly several: boolean };

/** An agent's answer is talk, or exactly one call and nothing else; whatever looks like a call and is not exactly that is broken. */
export function readAnswer(action: Action): ServiceAnswer {
  const { text, data } = action;
  // Plain words are words, whatever they look like: a bot that knows no tools of ours cannot call one.
  const plain = isPlain(data);
  if (plain && text.trim() !== '') return { kind: 'talk', text: text.trim(), plain: true };
  if (data !== undefined && data !== null && !plain) return asCall(data);
  const attempts = text.includes('"tool"') ? (text.match(/"tool"\s*:/g)?.length ?? 0) : 0;
  const trimmed = text.trim();
  if (trimmed === '') return broken('Your answer is empty; write to the customer, or call one tool.');
  if (attempts === 0 && !/^[{[]"|^\{/.test(trimmed)) return { kind: 'talk', text: trimmed };
  if (attempts > 1) return broken('Your answer has several tool calls; make one call per message.', true);
  try {
    return asCall(JSON.parse(trimmed) as Json);
  } catch {
    return broken('A tool call is the whole answer, as plain JSON with nothing around it: {"tool": "…", "args": {…}}.');
  }
}

function isPlain(data: Json | undefined): boolean {
  return typeof data === 'object' && data !== null && !Array.isArray(data) && (data as JsonObject)['plain'] === true;
}

function asCall(value: Json): ServiceAnswer {
  if (Array.isArray(value)) return broken('A tool call is one object, not a list; make one call per message.', value.length > 1);
  const given = (typeof value === 'object' ? (value ?? {}) : {}) as JsonObject;
  const { tool, args = {} } = given;
  const isOdd = Object.keys(given).some((key) => key !== 'tool' && key !== 'args');
  if (isOdd || typeof tool !== 'string' || typeof args !== 'object' || args === null || Array.isArray(args))
    return broken('A tool call has a "tool", a text, and "args", an object, and nothing else: {"tool": "…", "args": {…}}.');
  return { kind: 'call', call: { tool, args: args as JsonObject } };
}

function broken(problem: string, several = false): ServiceAnswer {
  return { kind: 'broken', problem, several };
}

// ── the tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function no(problem: string): ServiceResult {
  return { ok: false, problem };
}

function getCustomer(database: ServiceDatabase, { customer_id }: JsonObject): ServiceResult {
  const value = record(database.customers, customer_id);
  return value === undefined ? no(`There is no customer "${customer_id}".`) : { ok: true, value, database };
}

function findCustomer(database: ServiceDatabase, args: JsonObject): ServiceResult {
  const { email, name, zip } = args as { email?: string; name?: string; zip?: string };
  if (email === undefined && (name === undefined || zip === undefined)) return no('find_customer needs "email", or "name" and "zip".');
  for (const one of database.customers) {
    if (email !== undefined && one.email.toLowerCase() !== email.toLowerCase()) continue;
    if (name !== undefined && one.name.toLowerCase() !== name.toLowerCase()) continue;
    if (zip !== undefined && one.address.zip !== zip) continue;
    return { ok: true, value: { customer_id: one.id, name: one.name }, database };
  }
  return no('No customer fits these details.');
}

function getOrder(database: ServiceDatabase, { order_id }: JsonObject): ServiceResult {
  const order = record(database.orders, order_id);
  if (order === undefined) return no(`There is no order "${order_id}".`);
  return { ok: true, value: { ...order, total: totalOf(order) }, database };
}

function searchProducts(database: ServiceDatabase, { query }: JsonObject): ServiceResult {
  const words = (query as string).toLowerCase().split(/\s+/);
  const value: Product[] = [];
  for (const product of database.products) {
    const label = product.label.toLowerCase();
    // Most labels do not even have the letters, and need not be taken apart.
    if (label.includes(words[0]!) && hasWords(label.split(' '), words)) value.push(product);
  }
  return { ok: true, value, database };
}

function hasWords(label: readonly string[], words: readonly string[]): boolean {
  return words.every((word) => label.includes(word));
}

function cancelOrder(database: ServiceDatabase, { order_id, reason }: JsonObject): ServiceResult {
  const order = record(database.orders, order_id);
  if (order === undefined) return no(`There is no order "${order_id}".`);
  if (order.status === 'cancelled' || order.status === 'delivered') return no(`Order ${order.id} is ${order.status} already.`);
  return write(database, { ...order, status: 'cancelled', reason: reason as string }, { cancel: -totalOf(order) });
}

function changeAddress(database: ServiceDatabase, args: JsonObject): ServiceResult {
  const { order_id, customer_id, street, city, zip } = args as Record<string, string | undefined>;
  if ((order_id === undefined) === (customer_id === undefined)) return no('change_address needs "order_id" or "customer_id", not both.');
  const to = { street, city, zip } as ServiceAddress;
  if (customer_id !== undefined) {
    const customer = record(database.customers, customer_id);
    if (customer === undefined) return no(`There is no customer "${customer_id}".`);
    const value: Customer = { ...customer, address: to };
    return { ok: true, value, database: { ...database, customers: withRecord(database.customers, value) } };
  }
  const order = record(database.orders, order_id);
  if (order === undefined) return no(`There is no order "${order_id}".`);
  if (order.status === 'cancelled' || order.status === 'delivered') return no(`Order ${order.id} is ${order.status} already.`);
  return write(database, { ...order, address: to });
}

function exchangeItems(database: ServiceDatabase, args: JsonObject): ServiceResult {
  const { order_id, items, new_items } = args as { order_id: string; items: readonly string[]; new_items: readonly string[] };
  const order = record(database.orders, order_id);
  if (order === undefined) return no(`There is no order "${order_id}".`);
  if (order.status !== 'delivered') return no(`Order ${order_id} is not delivered yet.`);
  if (items.length !== new_items.length) return no('exchange_items needs as many new items as items.');
  const kept = [...order.items];
  const settled = emptyRecord<number>();
  for (const [i, id] of items.entries()) {
    const at = kept.findIndex((item) => item.product === id && !item.returned);
    const product = record(database.products, new_items[i]);
    if (at < 0) return no(`Order ${order_id} has no item "${id}" to exchange.`);
    if (product === undefined || product.stock === 0) return no(`Product "${new_items[i]}" is not available.`);
    const { type, label, price, finalSale } = product;
    settled[`exchange/${product.id}`] = cents(price - kept[at]!.price);
    kept[at] = { product: product.id, type, label, price, finalSale, returned: false };
  }
  return write(database, { ...order, items: kept, exchanged: true }, settled);
}

function returnItems(database: ServiceDatabase, args: JsonObject): ServiceResult {
  const { order_id, items } = args as { order_id: string; items: readonly string[] };
  const order = record(database.orders, order_id);
  if (order === undefined) return no(`There is no order "${order_id}".`);
  if (order.status !== 'delivered') return no(`Order ${order_id} is not delivered yet.`);
  const kept = [...order.items];
  const settled = emptyRecord<number>();
  for (const id of items) {
    const at = kept.findIndex((item) => item.product === id && !item.returned);
    if (at < 0) return no(`Order ${order_id} has no item "${id}" to return.`);
    const item = kept[at]!;
    kept[at] = { ...item, returned: true };
    settled[`return/${id}`] = -item.price;
  }
  return write(database, { ...order, items: kept }, settled);
}

function refund(database: ServiceDatabase, args: JsonObject): ServiceResult {
  const { order_id, amount, reason } = args as { order_id: string; amount: number; reason: string };
  const order = record(database.orders, order_id);
  if (order === undefined) return no(`There is no order "${order_id}".`);
  if (amount > totalOf(order)) return no(`Order ${order_id} cost ${totalOf(order)}, less than ${amount}.`);
  if (Object.hasOwn(database.payments, `${order_id}/refund/${reason}`)) return no(`Order ${order_id} has had a refund for ${reason}.`);
  return write(database, order, { [`refund/${reason}`]: -amount });
}

function transfer(database: ServiceDatabase, { summary }: JsonObject): ServiceResult {
  const id = `T-${Object.keys(database.tickets).length + 1}`;
  const ticket = { topic: 'transfer', summary: summary as string };
  return { ok: true, value: { ticket: id }, database: { ...database, tickets: { ...database.tickets, [id]: ticket } } };
}

/** The database with an order rewritten and money moved; payments are named by what they are for, so that their order does not matter. */
function write(database: ServiceDatabase, order: ServiceOrder, settled: Readonly<Record<string, number>> = {}): ServiceResult {
  const { id } = order;
  const settlement = Object.entries(settled).map(([what, amount]) => ({ what, amount }));
  const orders = record(database.orders, id) === order ? database.orders : withRecord(database.orders, order);
  let { payments } = database;
  if (settlement.length > 0) {
    const method = payments[`${id}/charge`]?.method ?? record(database.customers, order.customer)?.payment ?? 'credit card';
    const changed = copyOf(payments);
    for (const { what, amount } of settlement) changed[`${id}/${what}`] = { order: id, method, amount };
    payments = changed;
  }
  return { ok: true, value: { order, settlement }, database: { ...database, orders, payments } };
}

/** A copy that may be changed; a spread would make an object literal of it. */
function copyOf(payments: ServiceTable<Payment>): Record<string, Payment> {
  const copy = emptyRecord<Payment>();
  for (const id in payments) copy[id] = payments[id]!;
  return copy;
}
