/** @file The shop behind the desk as plain JSON, drawn from dice: customers, products, orders, payments, tickets. */

import type { Rng } from '../../core/index.ts';
import { listOf } from '../../core/lists.ts';

export type ServiceAddress = { readonly street: string; readonly city: string; readonly zip: string };

export type Customer = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly address: ServiceAddress;
  readonly payment: string;
  readonly orders: readonly string[];
};

export type Product = {
  readonly id: string;
  readonly type: string;
  readonly label: string;
  readonly price: number;
  readonly stock: number;
  readonly finalSale: boolean;
};

export type ServiceItem = {
  readonly product: string;
  readonly type: string;
  readonly label: string;
  readonly price: number;
  readonly finalSale: boolean;
  readonly returned: boolean;
};

export type Status = 'pending' | 'shipped' | 'delivered' | 'cancelled';

export type ServiceOrder = {
  readonly id: string;
  readonly customer: string;
  readonly status: Status;
  readonly placed: string;
  readonly promised: string;
  readonly delivered: string | null;
  readonly address: ServiceAddress;
  readonly items: readonly ServiceItem[];
  readonly shipping: number;
  readonly exchanged: boolean;
  readonly reason: string | null;
};

/** Money taken (positive) or given back (negative) at the desk. What an order has cost at first is its total. */
export type Payment = { readonly order: string; readonly method: string; readonly amount: number };

export type Ticket = { readonly topic: string; readonly summary: string };

export type ServiceTable<T> = Readonly<Record<string, T>>;

/** Lists, because a record whose keys are drawn is dear to make, and a shop has few of each; only what a desk adds is found by its name. */
export type ServiceDatabase = {
  readonly customers: readonly Customer[];
  readonly products: readonly Product[];
  readonly orders: readonly ServiceOrder[];
  readonly payments: ServiceTable<Payment>;
  readonly tickets: ServiceTable<Ticket>;
};

/** A database as it is written in a task: its tables are lists, or records by number. */
export type WrittenDatabase = Pick<ServiceDatabase, 'payments' | 'tickets'> & {
  readonly customers: readonly Customer[] | ServiceTable<Customer>;
  readonly products: readonly Product[] | ServiceTable<Product>;
  readonly orders: readonly ServiceOrder[] | ServiceTable<ServiceOrder>;
};

export function readDatabase({ customers, products, orders, payments, tickets }: WrittenDatabase): ServiceDatabase {
  const list = <T>(table: readonly T[] | ServiceTable<T>): readonly T[] =>
    Array.isArray(table) ? table : Object.entries(table as ServiceTable<T>).map(([id, one]) => ({ ...one, id }));
  return { customers: list(customers), products: list(products), orders: list(orders), payments, tickets };
}

/** A record by its number. */
export function record<T extends { readonly id: string }>(table: readonly T[], id: unknown): T | undefined {
  for (let i = 0; i < table.length; i++) if (table[i]!.id === id) return table[i];
  return undefined;
}

/** A table in which a record stands for the one with its number. */
export function withRecord<T extends { readonly id: string }>(table: readonly T[], changed: T): readonly T[] {
  return listOf(table, (one) => (one.id === changed.id ? changed : one));
}

/** Fields in which people write as they like: two end states that differ only here are the same. */
export const freeText: readonly string[] = ['summary'];

/** The day on which every conversation takes place; dates are counted from it and stay within its year. */
export const today = '2025-06-15';
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const dayOfYear = 165;
const two = (n: number): string => String(n).padStart(2, '0');
const dates = monthLengths.flatMap((length, month) => Array.from({ length }, (_, day) => `2025-${two(month + 1)}-${two(day + 1)}`));

/** The date so many days after today; before it, where the number is negative. */
export const dateAt = (days: number): string => dates[dayOfYear + days]!;

export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000;

/** Rounds to cents, so that sums of prices are the numbers a person would write down. */
export const cents = (amount: number): number => Math.round(amount * 100) / 100;

export const colors: readonly string[] = ['red', 'blue', 'green', 'black', 'white', 'yellow'];
export const sizes: readonly string[] = ['small', 'medium', 'large'];
const types = ['mug', 'lamp', 'backpack', 'kettle', 'blanket', 'jacket', 'notebook', 'umbrella', 'pillow', 'clock'] as const;
const labels = new Map(types.map((type) => [type, colors.flatMap((color) => sizes.map((size) => `${color} ${size} ${type}`))]));
const perType = 6;
const [firstProduct, productNumbers] = [1000, 8000];
/** Numbers of products are written once: shops have many, and two shops some of the same. */
const productIds = Array.from({ length: productNumbers + types.length * perType }, (_, i) => `P-${firstProduct + i}`);

const firstNames = ['Ada', 'Bruno', 'Chiara', 'Dev', 'Elin', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Kaya', 'Luis', 'Mira', 'Nils'];
const lastNames = ['Abel', 'Brandt', 'Costa', 'Dubois', 'Eriksen', 'Fontana', 'Gupta', 'Hansen', 'Ito', 'Jansen', 'Kovacs', 'Lindt'];
const streets = ['Oak Street', 'Mill Lane', 'Harbour Road', 'Station Road', 'Garden Way', 'Hill Street', 'Bridge Road'];
const cities = ['Dover', 'Salem', 'Aurora', 'Milton', 'Clayton', 'Ashland', 'Burlington'];
const payments = ['credit card', 'gift card', 'bank account'];

/** A database under construction: the only thing here that changes in place, and only until the scenario is drawn. */
export interface ServiceDraft {
  readonly dice: Rng;
  readonly customers: Buyer[];
  /** All products, in the order of their numbers. */
  readonly goods: Product[];
  readonly orders: ServiceOrder[];
  /** Products not yet sold to the customer of the scenario, so that a label names one of their orders only. */
  readonly shelf: Product[];
  /** Numbers that have been given out, by the letter before them. */
  readonly used: Readonly<Record<NumberLetter, number[]>>;
}

/** A customer whose orders are still to come. */
export type Buyer = Customer & { readonly orders: string[] };

export interface ShopSize {
  readonly customers: number;
  readonly types: number;
}

/** A shop with products and customers, and no orders yet. */
export function openShop(size: ShopSize, dice: Rng): ServiceDraft {
  const goods: Product[] = [];
  let number = dice.int(productNumbers);
  for (const type of some(types, size.types, dice))
    for (const label of some(labels.get(type)!, perType, dice)) {
      const id = productIds[number++]!;
      const price = cents(8 + dice.int(9000) / 100);
      goods.push({ id, type, label, price, stock: 1 + dice.int(20), finalSale: dice.int(10) === 0 });
    }
  const draft: ServiceDraft = { dice, customers: [], goods, orders: [], shelf: dice.shuffle(goods), used: { '': [], C: [], W: [] } };
  for (let i = 0; i < size.customers; i++) addCustomer(draft);
  return draft;
}

/** So many different ones, in any order: a shuffle that stops early. */
function some<T>(items: readonly T[], count: number, dice: Rng): T[] {
  const left = items.slice();
  for (let i = 0; i < count; i++) {
    const j = i + dice.int(left.length - i);
    const held = left[i]!;
    left[i] = left[j]!;
    left[j] = held;
  }
  return left.slice(0, count);
}

function addCustomer(draft: ServiceDraft): void {
  const { dice } = draft;
  const id = fresh(draft, 'C', 4);
  const [first, last] = [dice.pick(firstNames), dice.pick(lastNames)];
  const email = `${first.toLowerCase()}.${last.toLowerCase()}${fresh(draft, '', 3)}@mail.example`;
  draft.customers.push({ id, name: `${first} ${last}`, email, address: drawAddress(draft), payment: dice.pick(payments), orders: [] });
}

/** An address with a zip code of its own, so that a name and a zip code name one customer. */
export function drawAddress(draft: ServiceDraft): ServiceAddress {
  const { dice } = draft;
  return { street: `${1 + dice.int(199)} ${dice.pick(streets)}`, city: dice.pick(cities), zip: fresh(draft, '', 5) };
}

/** What of an order is not left to chance. */
export type GivenOrder = Partial<Pick<ServiceOrder, 'status' | 'placed' | 'promised' | 'delivered' | 'exchanged'>>;

/** What is sold, and how. */
export interface Sale {
  readonly products: readonly Product[];
  readonly given?: GivenOrder;
}

const statuses: readonly Status[] = ['pending', 'shipped', 'delivered', 'cancelled'];
const nothing: GivenOrder = {};

/** Sells products to a customer. */
export function addOrder(draft: ServiceDraft, buyer: Buyer, { products, given = nothing }: Sale): ServiceOrder {
  const { dice } = draft;
  const status = given.status ?? dice.pick(statuses);
  const age = status === 'delivered' ? 15 + dice.int(30) : dice.int(9);
  const transit = 2 + dice.int(8);
  const id = fresh(draft, 'W', 5);
  const due = dateAt(status === 'delivered' ? -age : 3 + dice.int(5));
  const order: ServiceOrder = {
    id,
    customer: buyer.id,
    status,
    placed: given.placed ?? dateAt(-age - transit),
    promised: given.promised ?? due,
    delivered: given.delivered ?? (status === 'delivered' ? dateAt(-age) : null),
    address: buyer.address,
    items: listOf(products, itemOf),
    shipping: cents(3 + dice.int(60) / 10),
    exchanged: given.exchanged ?? false,
    reason: status === 'cancelled' ? 'no longer needed' : null,
  };
  draft.orders.push(order);
  buyer.orders.push(id);
  return order;
}

function itemOf({ id, type, label, price, finalSale }: Product): ServiceItem {
  return { product: id, type, label, price, finalSale, returned: false };
}

/** What was paid for an order in all. */
export function totalOf(order: ServiceOrder): number {
  return cents(order.items.reduce((sum, item) => sum + item.price, order.shipping));
}

/** The lowest number with so many digits. */
const lowestWith = [0, 0, 10, 100, 1000, 10_000];

/** What stands before a number: C for customers, W for orders, nothing for zip codes and mailboxes. */
type NumberLetter = 'C' | 'W' | '';

/** A number that has not been given out before in this shop, behind its letter: W-20417. */
export function fresh({ dice, used }: ServiceDraft, letter: NumberLetter, digits: number): string {
  const from = lowestWith[digits]!;
  let number = from + dice.int(9 * from);
  while (used[letter].includes(number)) number = from + dice.int(9 * from);
  used[letter].push(number);
  return letter === '' ? String(number) : `${letter}-${number}`;
}

export function closeShop({ customers, goods, orders }: ServiceDraft): ServiceDatabase {
  return { customers, products: goods, orders, payments: {}, tickets: {} };
}
