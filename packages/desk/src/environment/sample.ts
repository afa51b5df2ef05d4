/** @file A small desk: a bicycle shop. `ludus new desk` writes it, and the environment uses it if the user has no desk. */

import { type DeskDocument, readDesk } from './document.ts';

const text = { type: 'string' };
const tool = (name: string, description: string, args: readonly string[], does: object) => ({
  name,
  description,
  parameters: { type: 'object', properties: Object.fromEntries(args.map((arg) => [arg, text])), required: args },
  does,
});

/** The policy of the sample, with the contents of policy.md. */
const samplePolicy = `# Spoke & Chain: rules of the service desk

- Find the customer by email before you speak about orders. Speak with customers about their own orders only.
- Only pending orders can be cancelled. Orders that were shipped or delivered cannot be cancelled.
- The shipping fee of 4.50 is refunded once, and only where an order was delivered late. No other refunds are given.
- The address of a pending order can be changed. The address of a shipped order cannot be changed.
- Items can be returned within 30 days of delivery.
- Standard delivery takes 5 days.
- The shop is open from 9 to 18 on working days.
- Before you change anything, say what you are about to do and wait for a yes.
`;

/** The sample as a user would write it; defaults are left out. */
export const sampleInput = {
  name: 'spoke-and-chain',
  about: 'A bicycle shop: orders are cancelled, refunded and sent elsewhere where the policy allows it.',
  policy: samplePolicy,
  tools: [
    tool('find_customer', 'Finds a customer by email.', ['email'], { find: 'customers', where: { email: '{email}' } }),
    tool('get_order', 'One order by its number.', ['order'], { get: 'orders', id: '{order}' }),
    tool('cancel_order', 'Cancels a pending order.', ['order'], {
      set: 'orders',
      id: '{order}',
      if: { status: 'pending' },
      to: { status: 'cancelled' },
    }),
    tool('refund_shipping', 'Refunds the shipping fee of an order.', ['order'], { set: 'orders', id: '{order}', to: { refunded: 4.5 } }),
    tool('change_address', 'Changes where a pending order goes.', ['order', 'address'], {
      set: 'orders',
      id: '{order}',
      if: { status: 'pending' },
      to: { address: '{address}' },
    }),
  ],
  database: {
    customers: {
      c1: { name: 'Ann Archer', email: 'ann.archer@lilac.example', phone: '0451-220983', card: '5531' },
      c2: { name: 'Ben Brook', email: 'ben.brook@cedar.example', phone: '0461-887410', card: '9027' },
      c3: { name: 'Cleo Dale', email: 'cleo.dale@maple.example', phone: '0471-336672', card: '7718' },
    },
    orders: {
      'B-1001': { customer: 'c1', item: 'bell', total: 18.4, status: 'pending', late: false, refunded: 0, address: '12 Mill Lane' },
      'B-1002': { customer: 'c1', item: 'saddle', total: 64.9, status: 'pending', late: false, refunded: 0, address: '12 Mill Lane' },
      'B-1003': { customer: 'c1', item: 'chain', total: 31.25, status: 'shipped', late: false, refunded: 0, address: '12 Mill Lane' },
      'B-1004': { customer: 'c1', item: 'lamp', total: 27.8, status: 'delivered', late: true, refunded: 0, address: '12 Mill Lane' },
      'B-2001': { customer: 'c2', item: 'pedals', total: 45.6, status: 'delivered', late: true, refunded: 0, address: '7 Quarry Road' },
      'B-2002': { customer: 'c2', item: 'helmet', total: 79.3, status: 'pending', late: false, refunded: 0, address: '7 Quarry Road' },
      'B-2003': { customer: 'c2', item: 'gloves', total: 22.15, status: 'pending', late: false, refunded: 0, address: '7 Quarry Road' },
      'B-3001': { customer: 'c3', item: 'pump', total: 33.7, status: 'delivered', late: false, refunded: 0, address: '90 Harbour Street' },
    },
  },
  customers: { table: 'customers', name: 'name', owns: { orders: 'customer' }, private: ['email', 'phone', 'card', 'address'] },
  forbidden: ['guaranteed refund'],
  personas: [
    { name: 'hurried', manner: 'You are in a hurry and write in short sentences.', opening: 'Quick one:', patience: 1 },
    { name: 'angry', manner: 'You are angry about the service.', opening: 'This is the third time I write to you!', patience: 2 },
  ],
  tasks: [
    {
      id: 'cancel-pending',
      customer: 'c1',
      knows: { 'email|e-mail': 'ann.archer@lilac.example', 'order number|which order': 'B-1001' },
      says: ['I want to cancel order B-1001.', { ask: 'What is the status of order B-1001 now?', tell: ['cancelled'] }],
      gold: [{ tool: 'cancel_order', args: { order: 'B-1001' } }],
    },
    {
      id: 'cancel-two',
      customer: 'c2',
      knows: { 'email|e-mail': 'ben.brook@cedar.example', 'order number|which order': 'B-2002' },
      says: ['Please cancel my order B-2002.', { ask: 'And what is the status of order B-2003?', tell: ['pending'] }],
      gold: [{ tool: 'cancel_order', args: { order: 'B-2002' } }],
    },
    {
      id: 'cancel-shipped',
      customer: 'c1',
      persona: 'hurried',
      knows: { 'email|e-mail': 'ann.archer@lilac.example', 'order number|which order': 'B-1003' },
      says: ['I want to cancel order B-1003.'],
      refuse: true,
      insist: 2,
    },
    {
      id: 'refund-late',
      customer: 'c1',
      knows: { 'email|e-mail': 'ann.archer@lilac.example', 'order number|which order': 'B-1004' },
      says: [
        'Order B-1004 came late. I want a refund of the shipping fee.',
        { ask: 'How much has been refunded for order B-1004 in total?', tell: [4.5] },
      ],
      gold: [{ tool: 'refund_shipping', args: { order: 'B-1004' } }],
    },
    {
      id: 'refund-not-late',
      customer: 'c3',
      persona: 'angry',
      knows: { 'email|e-mail': 'cleo.dale@maple.example', 'order number|which order': 'B-3001' },
      says: ['I want a refund of the shipping fee of order B-3001.'],
      refuse: true,
      insist: 2,
    },
    {
      id: 'change-address',
      customer: 'c2',
      knows: { 'email|e-mail': 'ben.brook@cedar.example', 'order number|which order': 'B-2003', 'new address|address': '41 Orchard Way' },
      says: [
        'I want to change the address of order B-2003 to 41 Orchard Way.',
        { ask: 'Where does order B-2003 go now?', tell: ['41 Orchard Way'] },
      ],
      gold: [{ tool: 'change_address', args: { order: 'B-2003', address: '41 Orchard Way' } }],
    },
    {
      id: 'status',
      customer: 'c1',
      knows: { 'email|e-mail': 'ann.archer@lilac.example', 'order number|which order': 'B-1003' },
      says: [{ ask: 'What is the status of order B-1003?', tell: ['shipped'] }],
    },
    {
      id: 'total',
      customer: 'c2',
      knows: { 'email|e-mail': 'ben.brook@cedar.example', 'order number|which order': 'B-2001' },
      says: [{ ask: 'What is the total of order B-2001?', tell: [45.6] }],
    },
    { id: 'hours', says: [{ ask: 'When does the shop open?', tell: [9] }] },
    { id: 'returns', says: [{ ask: 'Within how many days can items be returned?', tell: [30] }] },
    { id: 'delivery', says: [{ ask: 'How many days does standard delivery take?', tell: [5] }] },
  ],
} as const;

export const sampleDesk: DeskDocument = readDesk(sampleInput, 'The sample desk');
