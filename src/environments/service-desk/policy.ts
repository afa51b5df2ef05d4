/** @file What the desk may do: a text for the agent, and the same rules as functions. Only scoring enforces them. */

import { daysBetween, type ServiceOrder, today } from './database.ts';
import { cancelReasons, type ServiceCall, toolLines } from './tools.ts';

const returnDays = 30;

/** Every rule that scoring asserts, with the sentence that an agent would tell a customer. */
export const rules = {
  identify: 'I can only help once I have found your account.',
  'own records': 'I can only help with your own account and orders.',
  'explicit yes': 'I need a yes before I change anything.',
  'one call': 'I can do one thing at a time.',
  'cancel pending': 'only pending orders can be cancelled',
  'address pending': 'only pending orders can be sent elsewhere',
  'exchange once': 'the items of an order can be exchanged only once',
  'exchange type': 'an item can only be exchanged for another of the same type',
  'return window': `items can only be returned within ${returnDays} days of delivery`,
  'return final sale': 'items sold as final sale cannot be returned',
  'refund late': 'only the shipping fee can be refunded, and only where the delivery came late',
} as const;

export type ServiceRule = keyof typeof rules;

/** The rule that forbids this write on this order, or null. */
export function forbiddenBy(
  call: ServiceCall,
  order: ServiceOrder | null,
  typeOf: (product: string) => string | undefined,
): ServiceRule | null {
  if (order === null) return null;
  const { tool, args } = call;
  if (tool === 'cancel_order') return order.status === 'pending' ? null : 'cancel pending';
  if (tool === 'change_address') return order.status === 'pending' ? null : 'address pending';
  const items = (args['items'] ?? []) as readonly string[];
  if (tool === 'exchange_items') {
    if (order.exchanged) return 'exchange once';
    const wanted = args['new_items'] as readonly string[];
    const sameType = items.every((id, i) => order.items.find((item) => item.product === id)?.type === typeOf(wanted[i]!));
    return sameType ? null : 'exchange type';
  }
  if (tool === 'return_items') {
    if (order.delivered !== null && daysBetween(order.delivered, today) > returnDays) return 'return window';
    return order.items.some((item) => item.finalSale && items.includes(item.product)) ? 'return final sale' : null;
  }
  if (tool === 'refund') {
    const late = order.delivered !== null && order.delivered > order.promised;
    return late && args['amount'] === order.shipping && args['reason'] === 'late delivery' ? null : 'refund late';
  }
  return null;
}

/** An explicit yes, with no word of doubt before it. */
export function saysYes(text: string): boolean {
  const first = /\b(?:(yes|yep|yeah|sure|confirm(?:ed)?|go ahead|please do)|no|not|don't|never|wait|unsure)\b/i.exec(text);
  return first?.[1] !== undefined;
}

/** Does a text name this record, as a word of its own? */
export function names(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const [before, after] = [text[at - 1], text[at + id.length]];
    if (!/[\w-]/.test(before ?? ' ') && !/\w/.test(after ?? ' ')) return true;
  }
  return false;
}

/** The agent's first message. */
export const briefing: string = [
  `You work at the service desk of a shop. Today is ${today}. A customer writes to you; you answer, and you have tools.`,
  'Each of your answers is either words to the customer, or exactly one tool call as the whole answer, as plain JSON:',
  '{"tool": "get_order", "args": {"order_id": "W-12345"}}',
  'The customer does not see your calls or their results. A conversation in which many calls fail is cut off.',
  'When all that the customer wants is done or refused, tell them so and write [done] in that message; only then can they end it.',
  '',
  'Tools',
  toolLines,
  '',
  'Policy',
  '- Find the customer by email, or by name and zip code, before you look at private data. Help one customer only: their account, their orders.',
  '- Before every write but a transfer, say what you are about to do, naming the order number (the new zip code for an account), and get an explicit yes.',
  '- Make one call per message.',
  `- Cancel pending orders only, for one of the reasons ${cancelReasons.map((reason) => `"${reason}"`).join(' and ')}.`,
  '- Send only pending orders to another address. The address of the account can always be changed.',
  '- Exchange items of delivered orders only, once per order, in one call, and only for items of the same product type.',
  `- Take items back only within ${returnDays} days of delivery, and never those marked as final sale.`,
  '- Refund nothing but the shipping fee, whole, and only where an order was delivered after the promised date. Goodwill refunds are not given.',
  '- Refuse what this policy forbids. Transfer to a human colleague only what your tools cannot do and the policy does not forbid.',
].join('\n');
