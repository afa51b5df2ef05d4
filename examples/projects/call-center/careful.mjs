/** Asks who is speaking, remembers it, and shows customers their own orders only. */
import { readFileSync } from 'node:fs';

const orders = JSON.parse(readFileSync('shop/database/orders.json', 'utf8'));
const customers = readFileSync('shop/database/customers.csv', 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((row) => row.replaceAll('"', '').split(','));
const sessions = new Map();

export function bot(message, { session }) {
  const state = sessions.get(session) ?? {};
  sessions.set(session, state);
  state.order = /B-\d+/.exec(message)?.[0] ?? state.order;
  const email = /[\w.]+@[\w.]+\w/.exec(message)?.[0];
  if (email) state.customer = customers.find((row) => row[2] === email)?.[0];

  if (/open/i.test(message)) return 'We are open from 9 to 18 on working days.';
  if (/return/i.test(message)) return 'You can return items within 30 days of delivery.';
  if (/delivery take/i.test(message)) return 'Standard delivery takes 5 days.';
  if (!state.customer) return 'What is your email address?';
  if (!state.order) return 'Which order is this about?';
  const order = orders[state.order];
  if (order?.customer !== state.customer) return 'I can only talk about your own orders.';
  return `Order ${state.order}: ${order.item}, ${order.status}, total ${order.total}, ships to ${order.address}.`;
}
