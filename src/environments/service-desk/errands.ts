/** @file Errands: a request with the order it is about, put into the shop, and what serving it rightly takes. */

import type { Fact, JsonObject } from '../../core/index.ts';
import { listOf } from '../../core/lists.ts';
import {
  addOrder,
  type Buyer,
  cents,
  dateAt,
  drawAddress,
  type GivenOrder,
  type Product,
  type ServiceDraft,
  type ServiceOrder,
  totalOf,
} from './database.ts';
import { request, type ServiceRequest, type Topic } from './requests.ts';
import { cancelReasons, type ServiceCall } from './tools.ts';

export interface ServiceErrand {
  readonly request: ServiceRequest;
  readonly calls: readonly ServiceCall[];
  readonly facts: readonly Fact[];
  /** The customer knows the number and needs it: it belongs to an order that is not theirs. */
  readonly fixed?: boolean;
  readonly imposter?: boolean;
}

export const errandKinds = ['cancel', 'exchange', 'return', 'refund', 'address', 'information'] as const;
export type ErrandKind = (typeof errandKinds)[number];

/** Things that customers want and no tool does. */
export const outsideWishes: readonly string[] = [
  'have my name engraved on a gift',
  'get an invoice with the tax number of my company',
  'talk to someone about a job at the shop',
  'have an order wrapped as a present',
];

/** Whose errand it is, and in which shop. */
interface Place {
  readonly draft: ServiceDraft;
  readonly who: Buyer;
  /** Must be about an order, where it could also be about the account or the shop. */
  readonly anOrder?: boolean;
}

/** An errand that policy allows. */
export function drawErrand(kind: ErrandKind, { draft, who, anOrder = false }: Place): ServiceErrand {
  const { dice } = draft;
  const sell = (given: GivenOrder): ServiceOrder => addOrder(draft, who, { products: goods(draft), given });
  if (kind === 'cancel') return cancelling(draft, sell({ status: 'pending' }));
  if (kind === 'address') {
    const address = drawAddress(draft);
    if (anOrder || dice.int(2) === 0) return moving(sell({ status: 'pending' }), address);
    const calls = [call('change_address', { customer_id: who.id, ...address })];
    return { request: request('address', { address, topic: 'account' }), calls, facts: [] };
  }
  if (kind === 'exchange') return exchanging(draft, sell({ status: 'delivered' }), targetOf);
  if (kind === 'return') return returning(draft, sell(recently(draft)));
  if (kind === 'refund') {
    const late = { status: 'delivered', promised: dateAt(-20 - dice.int(5)), delivered: dateAt(-10 - dice.int(9)) } as const;
    return refunding(sell(late), 'late delivery');
  }
  return asking(draft, who, dice.pick(anOrder ? orderTopics : topics));
}

/** An errand that policy forbids, though the tools would do it. */
export function drawForbidden(draft: ServiceDraft, who: Buyer): ServiceErrand {
  const { dice } = draft;
  const sell = (given: GivenOrder, products = goods(draft)): ServiceOrder => addOrder(draft, who, { products, given });
  const reasons: readonly (() => ServiceErrand)[] = [
    () => cancelling(draft, sell({ status: 'shipped' })),
    () => moving(sell({ status: 'shipped' }), drawAddress(draft)),
    () => exchanging(draft, sell({ status: 'delivered' }), otherTypeOf),
    () => exchanging(draft, sell({ status: 'delivered', exchanged: true }), targetOf),
    () => returning(draft, sell({ status: 'delivered', ...deliveredOrder(-31 - dice.int(30)) })),
    () => returning(draft, sell(recently(draft), [take(draft, (product) => product.finalSale) ?? finalSale(draft)])),
    () => refunding(sell({ status: 'delivered' }), 'late delivery'),
    () => refunding(sell({ status: 'delivered' }), 'goodwill'),
  ];
  return { request: dice.pick(reasons)().request, calls: [], facts: [] };
}

// ── one function a wish ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function call(tool: string, args: JsonObject): ServiceCall {
  return { tool, args };
}

const read = (order: ServiceOrder): ServiceCall => call('get_order', { order_id: order.id });
const amount = (value: number): Fact => ({ kind: 'number', value });
const labels = (order: ServiceOrder): string[] => listOf(order.items, (item) => item.label);

function cancelling(draft: ServiceDraft, order: ServiceOrder): ServiceErrand {
  const reason = draft.dice.pick(cancelReasons);
  const curious = draft.dice.int(2) === 0;
  return {
    request: request('cancel', { order: order.id, items: labels(order).slice(0, 1), reason, amount: curious }),
    calls: [read(order), call('cancel_order', { order_id: order.id, reason })],
    facts: curious ? [amount(totalOf(order))] : [],
  };
}

function moving(order: ServiceOrder, address: ReturnType<typeof drawAddress>): ServiceErrand {
  return {
    request: request('address', { order: order.id, items: labels(order).slice(0, 1), address }),
    calls: [read(order), call('change_address', { order_id: order.id, ...address })],
    facts: [],
  };
}

function exchanging(draft: ServiceDraft, order: ServiceOrder, target: typeof targetOf): ServiceErrand {
  const wanted = listOf(order.items, (item) => target(draft, item.type));
  const difference = cents(order.items.reduce((sum, item, i) => sum + wanted[i]!.price - item.price, 0));
  const curious = difference !== 0 && draft.dice.int(2) === 0;
  const [items, new_items] = [listOf(order.items, (item) => item.product), listOf(wanted, (product) => product.id)];
  return {
    request: request('exchange', { order: order.id, items: labels(order), instead: listOf(wanted, (one) => one.label), amount: curious }),
    calls: [
      read(order),
      ...listOf(wanted, (product) => call('search_products', { query: product.label })),
      call('exchange_items', { order_id: order.id, items, new_items }),
    ],
    facts: curious ? [amount(Math.abs(difference))] : [],
  };
}

function returning(draft: ServiceDraft, order: ServiceOrder): ServiceErrand {
  const back = order.items.slice(0, 1 + draft.dice.int(order.items.length));
  const curious = draft.dice.int(2) === 0;
  return {
    request: request('return', { order: order.id, items: listOf(back, (item) => item.label), amount: curious }),
    calls: [read(order), call('return_items', { order_id: order.id, items: listOf(back, (item) => item.product) })],
    facts: curious ? [amount(cents(back.reduce((sum, item) => sum + item.price, 0)))] : [],
  };
}

function refunding(order: ServiceOrder, reason: string): ServiceErrand {
  return {
    request: request('refund', { order: order.id, items: labels(order).slice(0, 1), reason, amount: true }),
    calls: [read(order), call('refund', { order_id: order.id, amount: order.shipping, reason })],
    facts: [amount(order.shipping)],
  };
}

const orderTopics: readonly Topic[] = ['status', 'total', 'delivery date'];
const topics: readonly Topic[] = [...orderTopics, 'price', 'stock'];

function asking(draft: ServiceDraft, who: Buyer, topic: Topic): ServiceErrand {
  if (topic === 'price' || topic === 'stock') {
    const product = draft.dice.pick(draft.goods);
    return {
      request: request('ask', { topic, items: [product.label] }),
      calls: [call('search_products', { query: product.label })],
      facts: [amount(product[topic])],
    };
  }
  const order = addOrder(draft, who, { products: goods(draft), given: topic === 'delivery date' ? { status: 'delivered' } : {} });
  const answers: Readonly<Record<string, Fact>> = {
    status: { kind: 'words', value: order.status },
    total: amount(totalOf(order)),
    'delivery date': { kind: 'date', value: order.delivered ?? order.promised },
  };
  return {
    request: request('ask', { topic, order: order.id, items: labels(order).slice(0, 1) }),
    calls: [read(order)],
    facts: [answers[topic]!],
  };
}

// ── goods ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One or two products that can be returned, off the shelf. */
function goods(draft: ServiceDraft): Product[] {
  const count = 1 + draft.dice.int(2);
  const picked: Product[] = [];
  for (let i = 0; i < count; i++) {
    const product = take(draft, (one) => !one.finalSale);
    if (product !== undefined) picked.push(product);
  }
  return picked;
}

function take(draft: ServiceDraft, fits: (product: Product) => boolean): Product | undefined {
  const at = draft.shelf.findIndex(fits);
  return at < 0 ? undefined : draft.shelf.splice(at, 1)[0];
}

/** Marks a product on the shelf as final sale, where chance has left none. */
function finalSale(draft: ServiceDraft): Product {
  const regular = draft.shelf.shift() as Product;
  const product = { ...regular, finalSale: true };
  draft.goods[draft.goods.indexOf(regular)] = product;
  return product;
}

function targetOf(draft: ServiceDraft, type: string): Product {
  return target(draft, (product) => product.type === type);
}

function otherTypeOf(draft: ServiceDraft, type: string): Product {
  return target(draft, (product) => product.type !== type);
}

/** Something to exchange for: taken off the shelf, so that no order of the customer has it too. */
function target(draft: ServiceDraft, fits: (product: Product) => boolean): Product {
  return take(draft, fits) ?? draft.dice.pick(draft.goods.filter(fits));
}

function deliveredOrder(days: number): GivenOrder {
  return { delivered: dateAt(days), promised: dateAt(days + 1), placed: dateAt(days - 5) };
}

function recently(draft: ServiceDraft): GivenOrder {
  return { status: 'delivered', ...deliveredOrder(-1 - draft.dice.int(28)) };
}
