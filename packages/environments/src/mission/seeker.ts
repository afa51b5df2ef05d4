/** @file The mission's own player: it acts by what the seat is shown now, and guesses where that is not enough. */

import type { Script } from '@ludus-agents/kernel/internal/core/index';
import { chainIn, linksIn, moveOn, routeIn } from './reading.ts';

export const seeker: Script = ({ view, ask, rng }) => {
  const texts = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const chain = chainIn(texts, linksIn(texts));
  if (chain?.isWhole === true) return { text: `[${chain.places.at(-1)}]` };
  const route = chain === null ? routeIn({ view }, []) : null;
  return { text: route === null || route.order.length === 0 ? rng.pick(ask.choices ?? ['[a]']) : moveOn(route) };
};
