/** @file The shop site: products to search, a cart, orders, reviews, and an address. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { fact, field, form, heading, link, type PageNode, table, text } from './page.ts';
import type { Records, Site, SitePost, SiteRequest } from './site.ts';
import { dayAt, fieldText, findRecord, idIn, matches, me, nextId, pagedTable, people, several, today, withRecord } from './site.ts';

export type ShopProduct = {
  readonly name: string;
  readonly category: string;
  /** In cents. */
  readonly price: number;
  readonly stock: number;
  readonly reviews: readonly { readonly by: string; readonly stars: number; readonly text: string }[];
};

export type ShopOrder = {
  readonly date: string;
  readonly items: Records<number>;
  readonly delivery: string;
  readonly status: string;
  readonly total: number;
};

export type ShopData = {
  readonly products: Records<ShopProduct>;
  readonly orders: Records<ShopOrder>;
  readonly cart: Records<number>;
  readonly street: string;
  readonly city: string;
};

const categories = ['lamps', 'chairs', 'bags', 'clocks', 'books', 'tools'] as const;
const colours = ['red', 'blue', 'green', 'white', 'black', 'yellow', 'grey', 'brown'] as const;
const sizes = ['small', 'large', 'light', 'heavy', 'plain'] as const;
const kindsOfProducts = categories.flatMap((kind) => colours.flatMap((colour) => sizes.map((form) => [kind, colour, form] as const)));
const verdicts = ['It does what it should.', 'The colour is not as shown.', 'Good for its price.', 'It broke in a week.'] as const;
const deliveries = ['Standard', 'Express'] as const;
export const expressFee = 900;

export const money = (cents: number): string => (cents / 100).toFixed(2);

function generate(size: number, dice: Rng): ShopData {
  const products: Record<string, ShopProduct> = {};
  const names = several(kindsOfProducts, size, dice);
  for (let i = 0; i < size; i++) {
    const [category, colour, form] = names[i];
    const reviews = Array.from({ length: dice.int(4) }, () => ({
      by: dice.pick(people),
      stars: 1 + dice.int(5),
      text: dice.pick(verdicts),
    }));
    // Prices are distinct, so there is one cheapest product. Two products are always sold out.
    const price = 500 + 100 * dice.int(90) + i;
    products[String(i + 1)] = {
      ...{ name: `${form} ${colour} ${category.slice(0, -1)}`, category, price, reviews },
      stock: i < 2 ? 0 : 1 + dice.int(9),
    };
  }
  const ids = Object.keys(products);
  const orders: Record<string, ShopOrder> = {};
  for (const [i, status] of dice.shuffle(['processing', 'processing', 'shipped', 'delivered', 'delivered']).entries()) {
    const [a, b] = several(ids, 2, dice) as [string, string];
    const items = { [a]: 1 + dice.int(3), ...(dice.int(2) === 0 ? { [b]: 1 } : {}) };
    const delivery = dice.pick(deliveries);
    const total = totalOf(products, items, delivery);
    orders[String(101 + i)] = { date: dayAt(-3 - i * 4), items, delivery, status, total };
  }
  return { products, orders, cart: {}, street: `${1 + dice.int(80)} Mill Lane`, city: dice.pick(['Arden', 'Brook', 'Caster']) };
}

function totalOf(products: Records<ShopProduct>, items: Records<number>, delivery: string): number {
  const goods = Object.entries(items).reduce((sum, [id, count]) => sum + products[id].price * count, 0);
  return goods + (delivery === 'Express' ? expressFee : 0);
}

const row = (id: string, { name, category, price, stock }: ShopProduct) => [
  link(name, `/product/${id}`),
  category,
  money(price),
  stock === 0 ? 'sold out' : `${stock} in stock`,
];

function show(data: ShopData, { path, query }: SiteRequest): readonly PageNode[] | null {
  if (path === '') return showList(data, query);
  if (path === '/cart') return showCart(data);
  if (path === '/orders') {
    const rows = Object.entries(data.orders).map(([id, shopOrder]) => [
      link(`Order ${id}`, `/order/${id}`),
      shopOrder.date,
      shopOrder.status,
      money(shopOrder.total),
    ]);
    return [heading('Your orders'), ...pagedTable({ name: 'Orders', head: ['Order', 'Date', 'Status', 'Total'], rows }, '/orders', query)];
  }
  if (path === '/account')
    return [
      heading('Your account'),
      fact('Name', me),
      form('Save address', '/account', [
        field('Street', 'street', { value: data.street, required: true }),
        field('City', 'city', { value: data.city, required: true }),
      ]),
    ];
  const order = findRecord(data.orders, idIn(path, '/order/'));
  if (order !== null) return showOrder(data, path, order);
  const product = findRecord(data.products, idIn(path, '/product/'));
  return product === null ? null : showProduct(path.slice(9), product);
}

function showList(data: ShopData, query: SiteRequest['query']): readonly PageNode[] {
  const { q = '', category = 'all', sort = 'name' } = query;
  const matchingEntries = Object.entries(data.products).filter(
    ([, shopProduct]) => (category === 'all' || shopProduct.category === category) && (q === '' || matches(shopProduct.name, q)),
  );
  matchingEntries.sort(([, a], [, b]) => (sort === 'price' ? a.price - b.price : a.name < b.name ? -1 : 1));
  return [
    form(
      'Search',
      '',
      [
        field('Search products', 'q', { type: 'search', value: q }),
        field('Category', 'category', { type: 'select', options: ['all', ...categories], value: category }),
        field('Sort by', 'sort', { type: 'select', options: ['name', 'price'], value: sort }),
      ],
      { method: 'get' },
    ),
    ...pagedTable(
      {
        name: 'Products',
        head: ['Product', 'Category', 'Price', 'Stock'],
        rows: matchingEntries.map(([id, shopProduct]) => row(id, shopProduct)),
      },
      '',
      query,
    ),
  ];
}

function showProduct(id: string, { name, category, price, stock, reviews }: ShopProduct): readonly PageNode[] {
  const stars = reviews.map((review) => review.stars);
  return [
    heading(name),
    fact('Category', category),
    fact('Price', money(price)),
    fact('Stock', stock === 0 ? 'sold out' : stock),
    ...(stock === 0
      ? []
      : [
          form('Add to cart', `/add/${id}`, [
            field('Quantity', 'quantity', { type: 'number', value: '1', required: true, min: 1, max: 99 }),
          ]),
        ]),
    heading('Reviews'),
    fact('Number of reviews', stars.length),
    ...(stars.length === 0
      ? []
      : [
          table(
            'Reviews',
            ['By', 'Stars', 'Review'],
            reviews.map((review) => [review.by, String(review.stars), review.text]),
          ),
        ]),
    form('Post review', `/review/${id}`, [
      field('Stars', 'stars', { type: 'select', options: ['1', '2', '3', '4', '5'], value: '5' }),
      field('Your review', 'text', { type: 'textarea', required: true }),
    ]),
  ];
}

function showCart({ products, cart }: ShopData): readonly PageNode[] {
  const lines = Object.entries(cart);
  if (lines.length === 0) return [heading('Your cart'), text('The cart is empty.')];
  const rows = lines.map(([id, count]) => [
    link(products[id].name, `/product/${id}`),
    String(count),
    money(products[id].price * count),
    form(`Remove ${products[id].name}`, `/remove/${id}`, []),
  ]);
  return [
    heading('Your cart'),
    table('Cart', ['Product', 'Quantity', 'Price', ''], rows),
    fact('Goods', money(totalOf(products, cart, 'Standard'))),
    text(`Express delivery costs ${money(expressFee)}.`),
    form('Place order', '/order', [field('Delivery', 'delivery', { type: 'radio', options: deliveries, value: 'Standard' })]),
  ];
}

function showOrder({ products }: ShopData, path: string, shopOrder: ShopOrder): readonly PageNode[] {
  const id = path.slice('/order/'.length);
  return [
    heading(`Order ${id}`),
    fact('Date', shopOrder.date),
    fact('Status', shopOrder.status),
    fact('Delivery', shopOrder.delivery),
    fact('Total', money(shopOrder.total)),
    table(
      'Items',
      ['Product', 'Quantity'],
      Object.entries(shopOrder.items).map(([item, count]) => [link(products[item].name, `/product/${item}`), String(count)]),
    ),
    ...(shopOrder.status === 'processing'
      ? [form('Cancel order', `/cancel/${id}`, [])]
      : [text('This order cannot be cancelled any more.')]),
  ];
}

function post(data: ShopData, { path, form: message }: SitePost): { data?: ShopData; to: string } | null {
  if (path === '/order') return placeOrder(data, message['delivery'] === 'Express' ? 'Express' : 'Standard');
  if (path === '/account') {
    const [street, city] = [fieldText(message, 'street'), fieldText(message, 'city')];
    if (street === '' || city === '') return { to: '/account?error=fields' };
    return { data: { ...data, street, city }, to: '/account?note=1' };
  }
  const [, verb, id = ''] = /^\/(\w+)\/(\d+)$/.exec(path) ?? [];
  const product = findRecord(data.products, id);
  if (verb === 'add' && product !== null) {
    const count = Number(message['quantity']) + (data.cart[id] ?? 0);
    if (!Number.isInteger(count) || count < 1 || count > product.stock) return { to: `/product/${id}?error=stock` };
    return { data: { ...data, cart: withRecord(data.cart, id, count) }, to: '/cart' };
  }
  if (verb === 'remove') {
    const { [id]: _, ...cart } = data.cart;
    return { data: { ...data, cart }, to: '/cart' };
  }
  if (verb === 'review' && product !== null) {
    const [stars, body] = [Number(message['stars']), fieldText(message, 'text')];
    if (body === '' || !(stars >= 1 && stars <= 5)) return { to: `/product/${id}?error=fields` };
    const reviews = [...product.reviews, { by: me, stars, text: body }];
    return { data: { ...data, products: withRecord(data.products, id, { ...product, reviews }) }, to: `/product/${id}?note=1` };
  }
  const order = findRecord(data.orders, id);
  if (verb !== 'cancel' || order === null) return null;
  if (order.status !== 'processing') return { to: `/order/${id}?error=rights` };
  return { data: { ...data, orders: withRecord(data.orders, id, { ...order, status: 'cancelled' }) }, to: `/order/${id}?note=1` };
}

/** Returns the data after the cart was ordered. */
export function placeOrder(data: ShopData, delivery: string): { data?: ShopData; to: string } {
  const { cart } = data;
  if (Object.keys(cart).length === 0) return { to: '/cart?error=empty' };
  const products: Record<string, ShopProduct> = { ...data.products };
  for (const [id, count] of Object.entries(cart)) products[id] = { ...products[id], stock: products[id].stock - count };
  const id = nextId(data.orders);
  const order: ShopOrder = { date: today, items: cart, delivery, status: 'processing', total: totalOf(products, cart, delivery) };
  return { data: { ...data, products, cart: {}, orders: withRecord(data.orders, id, order) }, to: `/order/${id}?note=1` };
}

export const shop: Site<ShopData> = {
  title: 'Shop',
  menu: [
    ['Products', ''],
    ['Cart', '/cart'],
    ['Orders', '/orders'],
    ['Account', '/account'],
  ],
  generate,
  show,
  post,
};
