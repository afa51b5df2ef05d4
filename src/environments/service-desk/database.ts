/** @file The shop behind the desk as plain JSON, drawn from dice: customers, products, orders, payments, tickets. */

import { emptyRecord, type Rng } from '../../core/index.ts';

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

/** Money taken (positive) or given back (negative). */
export type Payment = { readonly order: string; readonly method: string; readonly amount: number };

export type Ticket = { readonly topic: string; readonly summary: string };

export type ServiceTable<T> = Readonly<Record<string, T>>;

export type ServiceDatabase = {
  readonly customers: ServiceTable<Customer>;
  readonly products: ServiceTable<Product>;
  readonly orders: ServiceTable<ServiceOrder>;
  readonly payments: ServiceTable<Payment>;
  readonly tickets: ServiceTable<Ticket>;
};

/** A copy that may be changed; a spread would make an object literal of it. */
export function copyTable<T>(table: ServiceTable<T>): Record<string, T> {
  const copy = emptyRecord<T>();
  for (const id in table) copy[id] = table[id]!;
  return copy;
}

/** A record by its number; what a caller makes up is looked for among the records only. */
export function record<T>(table: ServiceTable<T>, id: unknown): T | undefined {
  return typeof id === 'string' && Object.hasOwn(table, id) ? table[id] : undefined;
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
  readonly customers: Record<string, Customer & { readonly orders: string[] }>;
  readonly products: Record<string, Product>;
  readonly orders: Record<string, ServiceOrder>;
  readonly payments: Record<string, Payment>;
  /** All products, in the order of their numbers. */
  readonly goods: Product[];
  /** Products not yet sold to the customer of the scenario, so that a label names one of their orders only. */
  readonly shelf: Product[];
  readonly used: Set<string>;
}

export interface ShopSize {
  readonly customers: number;
  readonly types: number;
}

/** A shop with products and customers, and no orders yet. */
export function openShop(size: ShopSize, dice: Rng): ServiceDraft {
  const draft: ServiceDraft = {
    dice,
    customers: emptyRecord(),
    products: emptyRecord(),
    orders: emptyRecord(),
    payments: emptyRecord(),
    goods: [],
    shelf: [],
    used: new Set(),
  };
  let number = dice.int(productNumbers);
  for (const type of some(types, size.types, dice))
    for (const label of some(labels.get(type)!, perType, dice)) {
      const id = productIds[number++]!;
      const price = cents(8 + dice.int(9000) / 100);
      const product = { id, type, label, price, stock: 1 + dice.int(20), finalSale: dice.int(10) === 0 };
      draft.products[id] = product;
      draft.goods.push(product);
    }
  draft.shelf.push(...dice.shuffle(draft.goods));
  for (let i = 0; i < size.customers; i++) addCustomer(draft);
  return draft;
}

/** So many different ones, in any order: a shuffle that stops early. */
function some<T>(items: readonly T[], count: number, dice: Rng): T[] {
  const left = items.slice();
  for (let i = 0; i < count; i++) {
    const j = i + dice.int(left.length - i);
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  left.length = count;
  return left;
}

function addCustomer(draft: ServiceDraft): void {
  const { dice } = draft;
  const id = fresh(draft, 'C', 4);
  const name = `${dice.pick(firstNames)} ${dice.pick(lastNames)}`;
  const email = `${name.toLowerCase().replace(' ', '.')}${fresh(draft, '', 3)}@mail.example`;
  draft.customers[id] = { id, name, email, address: drawAddress(draft), payment: dice.pick(payments), orders: [] };
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

/** Sells products to a customer: adds the order and its payment. */
export function addOrder(draft: ServiceDraft, customer: string, { products, given = nothing }: Sale): ServiceOrder {
  const { dice } = draft;
  const buyer = draft.customers[customer]!;
  const status = given.status ?? dice.pick(statuses);
  const age = status === 'delivered' ? 15 + dice.int(30) : dice.int(9);
  const transit = 2 + dice.int(8);
  const id = fresh(draft, 'W', 5);
  const due = dateAt(status === 'delivered' ? -age : 3 + dice.int(5));
  const order: ServiceOrder = {
    id,
    customer,
    status,
    placed: given.placed ?? dateAt(-age - transit),
    promised: given.promised ?? due,
    delivered: given.delivered ?? (status === 'delivered' ? dateAt(-age) : null),
    address: buyer.address,
    items: products.map(itemOf),
    shipping: cents(3 + dice.int(60) / 10),
    exchanged: given.exchanged ?? false,
    reason: status === 'cancelled' ? 'no longer needed' : null,
  };
  draft.orders[id] = order;
  buyer.orders.push(id);
  draft.payments[`${id}/charge`] = { order: id, method: buyer.payment, amount: totalOf(order) };
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

/** A number that has not been given out before in this shop, behind its letter: W-20417. */
export function fresh(draft: ServiceDraft, letter: string, digits: number): string {
  const from = lowestWith[digits]!;
  for (;;) {
    const number = `${letter === '' ? '' : `${letter}-`}${from + draft.dice.int(9 * from)}`;
    const before = draft.used.size;
    if (draft.used.add(number).size > before) return number;
  }
}

export function closeShop(draft: ServiceDraft): ServiceDatabase {
  const { customers, products, orders, payments: paid } = draft;
  return { customers, products, orders, payments: paid, tickets: {} };
}
