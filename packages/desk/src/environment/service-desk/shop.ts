/** @file The shop behind the service desk, randomly generated: customers, products, and orders with their items, as tables of records. */

import { listOf } from '@ludus-agents/environments/internal/lists';
import { emptyRecord, type JsonObject, type Rng } from '@ludus-agents/kernel/internal/core/index';
import type { DeskDatabase } from '../document.ts';

export type Address = { readonly street: string; readonly city: string; readonly zip: string };

export type Customer = Address & { readonly name: string; readonly email: string; readonly orders: readonly string[] };

export type Product = {
  readonly type: string;
  readonly label: string;
  readonly price: number;
  readonly stock: number;
  readonly final_sale: boolean;
};

type Status = 'pending' | 'shipped' | 'delivered' | 'cancelled';

export type Order = Address & {
  readonly customer: string;
  readonly status: Status;
  readonly placed: string;
  readonly promised: string;
  readonly delivered: string | null;
  readonly shipping: number;
  readonly total: number;
  /** Items of it were exchanged before. */
  readonly exchanged: boolean;
  readonly refunded: number;
  readonly reason: string | null;
};

export type SoldItem = {
  readonly order: string;
  readonly customer: string;
  readonly label: string;
  readonly type: string;
  readonly price: number;
  readonly final_sale: boolean;
  readonly returned: boolean;
  /** The product that it was exchanged for. */
  readonly exchanged_for: string | null;
};

/** A record with its number. */
export type ShopRecord<T> = T & { readonly id: string };

/** The day on which every conversation takes place; dates are counted from it and stay within its year. */
export const today = '2025-06-15';
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const dayOfYear = 165;
const two = (n: number): string => String(n).padStart(2, '0');
const dates = monthLengths.flatMap((length, month) => Array.from({ length }, (_, day) => `2025-${two(month + 1)}-${two(day + 1)}`));

/** The date the given number of days after today; a negative number gives an earlier date. */
export const dateAt = (days: number): string => dates[dayOfYear + days];

export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000;

/** Rounds to cents, so sums of prices look as a person would write them. */
export const cents = (amount: number): number => Math.round(amount * 100) / 100;

const colors = ['red', 'blue', 'green', 'black', 'white', 'yellow'];
const sizes = ['small', 'medium', 'large'];
const types = ['mug', 'lamp', 'backpack', 'kettle', 'blanket', 'jacket', 'notebook', 'umbrella', 'pillow', 'clock'] as const;
const labels = new Map(types.map((type) => [type, colors.flatMap((color) => sizes.map((size) => `${color} ${size} ${type}`))]));
const perType = 6;
const [firstProduct, productNumbers] = [1000, 8000];
/** Product numbers are written once: shops have many products, and two shops share some. */
const productIds = Array.from({ length: productNumbers + types.length * perType }, (_, i) => `P-${firstProduct + i}`);

const firstNames = ['Ada', 'Bruno', 'Chiara', 'Dev', 'Elin', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Kaya', 'Luis', 'Mira', 'Nils'];
const lastNames = ['Abel', 'Brandt', 'Costa', 'Dubois', 'Eriksen', 'Fontana', 'Gupta', 'Hansen', 'Ito', 'Jansen', 'Kovacs', 'Lindt'];
const streets = ['Oak Street', 'Mill Lane', 'Harbour Road', 'Station Road', 'Garden Way', 'Hill Street', 'Bridge Road'];
const cities = ['Dover', 'Salem', 'Aurora', 'Milton', 'Clayton', 'Ashland', 'Burlington'];

/** A customer without orders so far. */
export type Buyer = ShopRecord<Omit<Customer, 'orders'>> & { orders: string[] };

/** An order with its items. */
export type Sale = { readonly order: ShopRecord<Order>; readonly items: readonly ShopRecord<SoldItem>[] };

/** A shop under construction: the only mutable object here, until the case is drawn. */
export interface ShopDraft {
  readonly dice: Rng;
  readonly customers: Buyer[];
  /** All products, in the order of their numbers. */
  readonly goods: ShopRecord<Product>[];
  readonly sales: Sale[];
  /** Products not yet sold to the customer of the case, so that a label names one of their orders only. */
  readonly shelf: ShopRecord<Product>[];
  /** Used numbers, by the letter before them. */
  readonly used: Readonly<Record<NumberLetter, number[]>>;
}

export interface ShopSize {
  readonly customers: number;
  readonly types: number;
}

/** A shop with products and customers, and no orders yet. */
export function openShop(size: ShopSize, dice: Rng): ShopDraft {
  const goods: ShopRecord<Product>[] = [];
  let number = dice.int(productNumbers);
  for (const type of sample(types, size.types, dice))
    for (const label of sample(labels.get(type)!, perType, dice)) {
      const id = productIds[number++];
      const price = cents(8 + dice.int(9000) / 100);
      goods.push({ id, type, label, price, stock: 1 + dice.int(20), final_sale: dice.int(10) === 0 });
    }
  const draft: ShopDraft = { dice, customers: [], goods, sales: [], shelf: dice.shuffle(goods), used: { '': [], C: [], W: [] } };
  for (let i = 0; i < size.customers; i++) addCustomer(draft);
  return draft;
}

/** The given number of distinct items, in any order: a partial shuffle. */
function sample<T>(items: readonly T[], count: number, dice: Rng): T[] {
  const left = items.slice();
  for (let i = 0; i < count; i++) {
    const j = i + dice.int(left.length - i);
    const swapped = left[i];
    left[i] = left[j];
    left[j] = swapped;
  }
  return left.slice(0, count);
}

function addCustomer(draft: ShopDraft): void {
  const { dice } = draft;
  const id = fresh(draft, 'C', 4);
  const [first, last] = [dice.pick(firstNames), dice.pick(lastNames)];
  const email = `${first.toLowerCase()}.${last.toLowerCase()}${fresh(draft, '', 3)}@mail.example`;
  draft.customers.push({ id, name: `${first} ${last}`, email, ...drawAddress(draft), orders: [] });
}

/** An address with a unique zip code, so a name and a zip code identify one customer. */
export function drawAddress(draft: ShopDraft): Address {
  const { dice } = draft;
  return { street: `${1 + dice.int(199)} ${dice.pick(streets)}`, city: dice.pick(cities), zip: fresh(draft, '', 5) };
}

/** The parts of an order that are not random. */
export type FixedOrder = Partial<Pick<Order, 'status' | 'placed' | 'promised' | 'delivered' | 'exchanged'>>;

const statuses: readonly Status[] = ['pending', 'shipped', 'delivered', 'cancelled'];

/** Sells products to a customer. */
export function addOrder(draft: ShopDraft, buyer: Buyer, products: readonly ShopRecord<Product>[], fixed: FixedOrder = {}): Sale {
  const { dice } = draft;
  const status = fixed.status ?? dice.pick(statuses);
  const age = status === 'delivered' ? 15 + dice.int(30) : dice.int(9);
  const transit = 2 + dice.int(8);
  const id = fresh(draft, 'W', 5);
  const due = dateAt(status === 'delivered' ? -age : 3 + dice.int(5));
  const shipping = cents(3 + dice.int(60) / 10);
  const { street, city, zip } = buyer;
  const order: ShopRecord<Order> = {
    id,
    customer: buyer.id,
    status,
    placed: fixed.placed ?? dateAt(-age - transit),
    promised: fixed.promised ?? due,
    delivered: fixed.delivered ?? (status === 'delivered' ? dateAt(-age) : null),
    ...{ street, city, zip, shipping },
    total: cents(products.reduce((sum, { price }) => sum + price, shipping)),
    exchanged: fixed.exchanged ?? false,
    refunded: 0,
    reason: status === 'cancelled' ? 'no longer needed' : null,
  };
  const items = listOf(products, ({ label, type, price, final_sale }, i): ShopRecord<SoldItem> => {
    return { id: `${id}-${i + 1}`, order: id, customer: buyer.id, label, type, price, final_sale, returned: false, exchanged_for: null };
  });
  const sale: Sale = { order, items };
  draft.sales.push(sale);
  buyer.orders.push(id);
  return sale;
}

/** The lowest number with the given number of digits. */
const lowestWith = [0, 0, 10, 100, 1000, 10_000];

/** The prefix of a number: C for customers, W for orders, empty for zip codes and mailboxes. */
type NumberLetter = 'C' | 'W' | '';

/** An unused number in this shop, with its prefix: W-20417. */
export function fresh({ dice, used }: ShopDraft, letter: NumberLetter, digits: number): string {
  const from = lowestWith[digits];
  let number = from + dice.int(9 * from);
  while (used[letter].includes(number)) number = from + dice.int(9 * from);
  used[letter].push(number);
  return letter === '' ? String(number) : `${letter}-${number}`;
}

/** The tables of the shop, each record by its number. */
export function closeShop({ customers, goods, sales }: ShopDraft): DeskDatabase {
  return {
    customers: tableOf(customers),
    products: tableOf(goods),
    orders: tableOf(sales.map(({ order }) => order)),
    items: tableOf(sales.flatMap(({ items }) => items)),
    tickets: {},
  };
}

function tableOf(rows: readonly (JsonObject & { readonly id: string })[]): DeskDatabase[string] {
  const table = emptyRecord<JsonObject>();
  for (const { id, ...columns } of rows) table[id] = columns as JsonObject;
  return table;
}
