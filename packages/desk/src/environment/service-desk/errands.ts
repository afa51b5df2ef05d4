/** @file Errands: a request with its order, added to the shop, and the correct way to handle it. */

import { listOf } from '@ludus-agents/environments/internal/lists';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { DeskCall } from '../document.ts';
import { cancelReasons } from './policy.ts';
import { type CustomerRequest, request, type Topic } from './requests.ts';
import type { Address, Buyer, FixedOrder, Product, Sale, ShopDraft, ShopRecord } from './shop.ts';
import { addOrder, cents, dateAt, drawAddress } from './shop.ts';

export interface Errand {
  readonly request: CustomerRequest;
  /** The calls that make the required changes. */
  readonly calls: readonly DeskCall[];
  /** The facts that the customer must be told. */
  readonly tell: readonly (string | number)[];
  /** The customer knows the number and must state it: the order belongs to somebody else. */
  readonly fixed?: boolean;
  /** The customer pretends to be somebody else. */
  readonly impostor?: boolean;
}

export const errandKinds = ['cancel', 'exchange', 'return', 'refund', 'address', 'information'] as const;
export type ErrandKind = (typeof errandKinds)[number];

/** Customer requests that no tool supports. */
export const outsideWishes: readonly string[] = [
  'have my name engraved on a gift',
  'get an invoice with the tax number of my company',
  'talk to someone about a job at the shop',
  'have an order wrapped as a present',
];

/** The customer of an errand, and the shop. */
interface Place {
  readonly draft: ShopDraft;
  readonly who: Buyer;
  /** The errand must be about an order, even if it could be about the account or the shop. */
  readonly anOrder?: boolean;
}

/** An errand that the policy allows. */
export function drawErrand(kind: ErrandKind, { draft, who, anOrder = false }: Place): Errand {
  const { dice } = draft;
  const sell = (fixed: FixedOrder): Sale => addOrder(draft, who, goods(draft), fixed);
  if (kind === 'cancel') return cancelling(draft, sell({ status: 'pending' }));
  if (kind === 'address') {
    const address = drawAddress(draft);
    if (anOrder || dice.int(2) === 0) return moving(sell({ status: 'pending' }), address);
    const calls = [call('change_account_address', { customer_id: who.id, ...address })];
    return { request: request('address', { address, topic: 'account' }), calls, tell: [] };
  }
  if (kind === 'exchange') return exchanging(draft, sell({ status: 'delivered' }), targetOf);
  if (kind === 'return') return returning(draft, sell(recently(draft)));
  if (kind === 'refund') {
    const late = { status: 'delivered', promised: dateAt(-20 - dice.int(5)), delivered: dateAt(-10 - dice.int(9)) } as const;
    return refunding(sell(late), 'late delivery');
  }
  return asking(draft, who, dice.pick(anOrder ? orderTopics : topics));
}

/** An errand that the policy forbids although the tools would allow it. */
export function drawForbidden(draft: ShopDraft, who: Buyer): Errand {
  const { dice } = draft;
  const sell = (fixed: FixedOrder, products = goods(draft)): Sale => addOrder(draft, who, products, fixed);
  const reasons: readonly (() => Errand)[] = [
    () => cancelling(draft, sell({ status: 'shipped' })),
    () => moving(sell({ status: 'shipped' }), drawAddress(draft)),
    () => exchanging(draft, sell({ status: 'delivered' }), otherTypeOf),
    () => exchanging(draft, sell({ status: 'delivered', exchanged: true }), targetOf),
    () => returning(draft, sell({ status: 'delivered', ...deliveredOrder(-31 - dice.int(30)) })),
    () => returning(draft, sell(recently(draft), [take(draft, (product) => product.final_sale) ?? markFinalSale(draft)])),
    () => refunding(sell({ status: 'delivered' }), 'late delivery'),
    () => refunding(sell({ status: 'delivered' }), 'goodwill'),
  ];
  return { request: dice.pick(reasons)().request, calls: [], tell: [] };
}

// ── one function a wish ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function call(tool: string, args: JsonObject): DeskCall {
  return { tool, args };
}

const labels = ({ items }: Sale): string[] => listOf(items, (item) => item.label);

function cancelling(draft: ShopDraft, sale: Sale): Errand {
  const { id, total } = sale.order;
  const reason = draft.dice.pick(cancelReasons);
  const curious = draft.dice.int(2) === 0;
  return {
    request: request('cancel', { order: id, items: labels(sale).slice(0, 1), reason, amount: curious }),
    calls: [call('cancel_order', { order_id: id, reason })],
    tell: curious ? [total] : [],
  };
}

function moving(sale: Sale, address: Address): Errand {
  const { id } = sale.order;
  return {
    request: request('address', { order: id, items: labels(sale).slice(0, 1), address }),
    calls: [call('change_order_address', { order_id: id, ...address })],
    tell: [],
  };
}

function exchanging(draft: ShopDraft, sale: Sale, target: typeof targetOf): Errand {
  const wanted = listOf(sale.items, (item) => target(draft, item.type));
  const difference = cents(sale.items.reduce((sum, item, i) => sum + wanted[i].price - item.price, 0));
  const curious = difference !== 0 && draft.dice.int(2) === 0;
  const instead = listOf(wanted, (product) => product.label);
  return {
    request: request('exchange', { order: sale.order.id, items: labels(sale), instead, amount: curious }),
    calls: listOf(sale.items, (item, i) => call('exchange_item', { item_id: item.id, product_id: wanted[i].id })),
    tell: curious ? [Math.abs(difference)] : [],
  };
}

function returning(draft: ShopDraft, sale: Sale): Errand {
  const back = sale.items.slice(0, 1 + draft.dice.int(sale.items.length));
  const curious = draft.dice.int(2) === 0;
  return {
    request: request('return', { order: sale.order.id, items: listOf(back, (item) => item.label), amount: curious }),
    calls: listOf(back, (item) => call('return_item', { item_id: item.id })),
    tell: curious ? [cents(back.reduce((sum, item) => sum + item.price, 0))] : [],
  };
}

function refunding(sale: Sale, reason: string): Errand {
  const { id, shipping } = sale.order;
  return {
    request: request('refund', { order: id, items: labels(sale).slice(0, 1), reason, amount: true }),
    calls: [call('refund_order', { order_id: id, amount: shipping, reason })],
    tell: [shipping],
  };
}

const orderTopics: readonly Topic[] = ['status', 'total', 'delivery date'];
const topics: readonly Topic[] = [...orderTopics, 'price', 'stock'];

function asking(draft: ShopDraft, who: Buyer, topic: Topic): Errand {
  if (topic === 'price' || topic === 'stock') {
    const product = draft.dice.pick(draft.goods);
    return { request: request('ask', { topic, items: [product.label] }), calls: [], tell: [product[topic]] };
  }
  const sale = addOrder(draft, who, goods(draft), topic === 'delivery date' ? { status: 'delivered' } : {});
  const { id, status, total, delivered, promised } = sale.order;
  const answer = topic === 'status' ? status : topic === 'total' ? total : (delivered ?? promised);
  return { request: request('ask', { topic, order: id, items: labels(sale).slice(0, 1) }), calls: [], tell: [answer] };
}

// ── goods ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Takes one or two returnable products off the shelf. */
function goods(draft: ShopDraft): ShopRecord<Product>[] {
  const count = 1 + draft.dice.int(2);
  const picked: ShopRecord<Product>[] = [];
  for (let i = 0; i < count; i++) {
    const product = take(draft, (product) => !product.final_sale);
    if (product !== undefined) picked.push(product);
  }
  return picked;
}

function take(draft: ShopDraft, fits: (product: ShopRecord<Product>) => boolean): ShopRecord<Product> | undefined {
  const at = draft.shelf.findIndex(fits);
  return at < 0 ? undefined : draft.shelf.splice(at, 1)[0];
}

/** Marks a product on the shelf as final sale if none is by chance. */
function markFinalSale(draft: ShopDraft): ShopRecord<Product> {
  const regular = draft.shelf.shift() as ShopRecord<Product>;
  const product = { ...regular, final_sale: true };
  draft.goods[draft.goods.indexOf(regular)] = product;
  return product;
}

function targetOf(draft: ShopDraft, type: string): ShopRecord<Product> {
  return target(draft, (product) => product.type === type);
}

function otherTypeOf(draft: ShopDraft, type: string): ShopRecord<Product> {
  return target(draft, (product) => product.type !== type);
}

/** A replacement product, taken off the shelf so that no other order of the customer includes it. */
function target(draft: ShopDraft, fits: (product: ShopRecord<Product>) => boolean): ShopRecord<Product> {
  return take(draft, fits) ?? draft.dice.pick(draft.goods.filter(fits));
}

function deliveredOrder(days: number): FixedOrder {
  return { delivered: dateAt(days), promised: dateAt(days + 1), placed: dateAt(days - 5) };
}

function recently(draft: ShopDraft): FixedOrder {
  return { status: 'delivered', ...deliveredOrder(-1 - draft.dice.int(28)) };
}
