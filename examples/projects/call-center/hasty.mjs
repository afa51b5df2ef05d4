/** Looks up any order for anybody. */
import { readFileSync } from 'node:fs';

const orders = JSON.parse(readFileSync('shop/database/orders.json', 'utf8'));

export function bot(message) {
  if (/open/i.test(message)) return 'We are open from 9 to 18 on working days.';
  if (/return/i.test(message)) return 'You can return items within 30 days of delivery.';
  const order = orders[/B-\d+/.exec(message)?.[0]];
  return order ? `It is ${order.status} and ships to ${order.address}.` : 'Which order is this about?';
}
