/** @file Tasks in the shop. */

import { expressFee, money, placeOrder, type ShopData, type ShopProduct } from '../shop.ts';
import { me, withRecord } from '../site.ts';
import type { PlanStep, SiteTemplate } from '../template.ts';
import { answerFact, cannot, done, follow, followField, number, press, search, selectIn, typeIn } from '../template.ts';

const inStock = ({ products }: ShopData, least = 1): [string, ShopProduct][] =>
  Object.entries(products).filter(([, shopProduct]) => shopProduct.stock >= least);
const productsSoldOut = ({ products }: ShopData): [string, ShopProduct][] =>
  Object.entries(products).filter(([, shopProduct]) => shopProduct.stock === 0);
const find: readonly PlanStep[] = [...search('Search products', 'item'), followField('item')];
const unlessSoldOut =
  (step: PlanStep): PlanStep =>
  (seenPage, fields, memo) =>
    seenPage.fact('Stock') === 'sold out' ? cannot('sold out') : step(seenPage, fields, memo);

const buy: SiteTemplate = {
  id: 'shop-buy',
  site: 'shop',
  impossible: true,
  draw(data: ShopData, dice, { possible }) {
    const delivery = dice.pick(['Standard', 'Express']);
    const isUnknown = !possible && dice.int(2) === 0;
    const [id, product] = dice.pick(possible ? inStock(data) : productsSoldOut(data));
    const item = isUnknown ? `golden ${product.name}` : product.name;
    const quantity = possible ? 1 + dice.int(Math.min(3, product.stock)) : 1;
    const goal = `Buy ${quantity} of "${item}" in the shop with ${delivery} delivery, and nothing else.`;
    const fields = { item, quantity: String(quantity), delivery };
    if (!possible) return { goal, fields, reason: isUnknown ? 'not found' : 'sold out' };
    return { goal, fields, want: placeOrder({ ...data, cart: { [id]: quantity } }, delivery).data! };
  },
  plan: [
    ...find,
    unlessSoldOut(typeIn('Quantity', 'quantity')),
    press('Add to cart'),
    (seenPage, { delivery }) => seenPage.click(delivery!, 'radio'),
    press('Place order'),
    done,
  ],
};

const cart: SiteTemplate = {
  id: 'shop-cart',
  site: 'shop',
  impossible: true,
  draw(data: ShopData, dice, { possible }) {
    const [id, { name: item }] = dice.pick(possible ? inStock(data) : productsSoldOut(data));
    const goal = `Put one "${item}" into the cart of the shop.`;
    return possible ? { goal, fields: { item }, want: { ...data, cart: { [id]: 1 } } } : { goal, fields: { item }, reason: 'sold out' };
  },
  plan: [...find, unlessSoldOut(press('Add to cart')), done],
};

const cheapest: SiteTemplate = {
  id: 'shop-cheapest',
  site: 'shop',
  draw({ products }: ShopData, dice) {
    const { category } = dice.pick(Object.values(products));
    const price = Math.min(...Object.values(products).flatMap((product) => (product.category === category ? [product.price] : [])));
    return {
      goal: `What does the cheapest product of the category ${category} cost?`,
      fields: { category, sort: 'price' },
      answer: number(price / 100),
    };
  },
  plan: [
    selectIn('Category', 'category'),
    selectIn('Sort by', 'sort'),
    press('Search'),
    (seenPage) => `[answer ${seenPage.rows()[0]?.[2]}]`,
  ],
};

const count: SiteTemplate = {
  id: 'shop-count',
  site: 'shop',
  draw({ products }: ShopData, dice) {
    const limit = 20 + 10 * dice.int(6);
    const right = Object.values(products).filter((product) => product.price < limit * 100).length;
    return {
      goal: `How many products of the shop, over all categories, cost less than ${limit}.00?`,
      fields: { limit: String(limit) },
      answer: number(right),
    };
  },
  plan: [
    (seenPage, { limit }, memo) => {
      const sum = Number(memo || '0') + seenPage.rows().filter((row) => Number(row[2]) < Number(limit)).length;
      const next = seenPage.click('Next page', 'link');
      return next === null ? `[answer ${sum}]` : { move: next, stay: true, memo: String(sum) };
    },
  ],
};

const cancel: SiteTemplate = {
  id: 'shop-cancel',
  site: 'shop',
  impossible: true,
  draw(data: ShopData, dice, { possible }) {
    const [id, order] = dice.pick(Object.entries(data.orders).filter(([, shopOrder]) => (shopOrder.status === 'processing') === possible));
    const fields = { order: `Order ${id}` };
    const goal = `Cancel order ${id} of the shop.`;
    if (!possible) return { goal, fields, reason: 'not allowed' };
    return { goal, fields, want: { ...data, orders: withRecord(data.orders, id, { ...order, status: 'cancelled' }) } };
  },
  plan: [follow('Orders'), followField('order'), (seenPage) => seenPage.click('Cancel order', 'button') ?? cannot('not allowed'), done],
};

const total: SiteTemplate = {
  id: 'shop-total',
  site: 'shop',
  draw({ orders }: ShopData, dice) {
    const [id, order] = dice.pick(Object.entries(orders));
    const goods = order.total - (order.delivery === 'Express' ? expressFee : 0);
    const goal = `What did the goods of order ${id} cost without the fee of ${money(expressFee)} for express delivery, if it was charged?`;
    return { goal, fields: { order: `Order ${id}` }, answer: number(goods / 100) };
  },
  plan: [
    follow('Orders'),
    followField('order'),
    (seenPage) => {
      const fee = seenPage.fact('Delivery') === 'Express' ? expressFee : 0;
      return `[answer ${money(Math.round(Number(seenPage.fact('Total')) * 100) - fee)}]`;
    },
  ],
};

const move: SiteTemplate = {
  id: 'shop-address',
  site: 'shop',
  draw(data: ShopData, dice) {
    const [street, city] = [
      `${81 + dice.int(100)} ${dice.pick(['Oak Road', 'Hill Street', 'Park Row'])}`,
      dice.pick(['Dover', 'Elm', 'Fenton']),
    ];
    return { goal: `Change your address in the shop to ${street}, ${city}.`, fields: { street, city }, want: { ...data, street, city } };
  },
  plan: [follow('Account'), typeIn('Street', 'street'), typeIn('City', 'city'), press('Save address'), done],
};

const review: SiteTemplate = {
  id: 'shop-review',
  site: 'shop',
  draw(data: ShopData, dice) {
    const [id, product] = dice.pick(Object.entries(data.products));
    const [stars, text] = [1 + dice.int(5), dice.pick(['Works well', 'Too small for me', 'A fair price', 'Not what I expected'])];
    const reviews = [...product.reviews, { by: me, stars, text }];
    return {
      goal: `Review "${product.name}" in the shop with ${stars} ${stars === 1 ? 'star' : 'stars'} and the text "${text}".`,
      fields: { item: product.name, stars: String(stars), text },
      want: { ...data, products: withRecord(data.products, id, { ...product, reviews }) },
    };
  },
  plan: [...find, selectIn('Stars', 'stars'), typeIn('Your review', 'text'), press('Post review'), done],
};

const stock: SiteTemplate = {
  id: 'shop-stock',
  site: 'shop',
  heldOut: true,
  draw(data: ShopData, dice) {
    const [, { name: item, stock: left }] = dice.pick(inStock(data));
    return { goal: `How many of "${item}" are in stock in the shop?`, fields: { item }, answer: number(left) };
  },
  plan: [...find, answerFact('Stock')],
};

export const shopTemplates: readonly SiteTemplate[] = [buy, cart, cheapest, count, cancel, total, move, review, stock];
