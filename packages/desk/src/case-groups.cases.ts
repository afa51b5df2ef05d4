/** @file The clean bot of the sample desk, and a twin that has no answer for one who begins in anger. */

import { clean as shopBot } from '../../../benchmarks/_faulty-bots.ts';

export const clean = shopBot;

const angry = new Set<string>();

export function failsAngry(message: string, context: { readonly session: string }): unknown {
  if (message.includes('third time')) angry.add(context.session);
  return angry.has(context.session) ? 'Hm.' : shopBot(message, context);
}
