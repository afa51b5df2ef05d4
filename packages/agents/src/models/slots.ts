/**
 * @file Selects the next waiting call for a server that caches few prompts: the one whose beginning is most similar to a cached prompt.
 *
 * A server with one slot reads a prompt only from where it differs from the last one. Calls in order of arrival would alternate between
 * agents and episodes, and every prompt would be read from its start. So a conversation continues first, then come calls of the same agent,
 * then others; no call is passed over more often than a limit.
 */

import type { Prompt } from '@ludus-agents/kernel/internal/core/index';

/** How often a call may be passed over by later ones. */
export const mostPassed = 200;

/** A prompt as one text, in the order in which a server reads it. */
export function readingOf({ messages, tools = [] }: Prompt): string {
  const described = tools.length === 0 ? '' : `${JSON.stringify(tools)}\n`;
  return (
    described +
    messages.map(({ role, content, toolCalls }) => `${role}\n${content}\n${toolCalls ? JSON.stringify(toolCalls) : ''}`).join('')
  );
}

interface Slot {
  reading: string;
  isBusy: boolean;
  used: number;
}

interface WaitingCall {
  readonly reading: string;
  passed: number;
}

/** The prompts in a server's cache, inferred from our requests. */
export class Slots {
  readonly #slots: Slot[];
  #clock = 0;

  constructor(count: number) {
    this.#slots = Array.from({ length: count }, () => ({ reading: '', isBusy: false, used: 0 }));
  }

  /** The index of the call to send now, with its slot; null if no slot is free. */
  next(waiting: readonly WaitingCall[]): { readonly index: number; readonly slot: Slot } | null {
    const free = this.#slots.filter(({ isBusy }) => !isBusy).sort((a, b) => a.used - b.used);
    if (free.length === 0 || waiting.length === 0) return null;
    const isOverdue = waiting[0]!.passed >= mostPassed;
    let best = { index: 0, slot: free[0]!, shared: -1 };
    for (const [index, { reading }] of (isOverdue ? waiting.slice(0, 1) : waiting).entries())
      for (const slot of free) {
        const shared = sharedStart(reading, slot.reading);
        if (shared > best.shared) best = { index, slot, shared };
      }
    for (const earlier of waiting.slice(0, best.index)) earlier.passed++;
    return best;
  }

  take(slot: Slot, reading: string): void {
    Object.assign(slot, { reading, isBusy: true, used: ++this.#clock });
  }

  free(slot: Slot): void {
    slot.isBusy = false;
  }
}

export type { Slot };

/** The number of characters that two texts share at their start. */
function sharedStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let low = 0;
  // Binary search by comparisons of whole pieces, which are fast.
  for (let high = most; low < high; ) {
    const middle = (low + high + 1) >> 1;
    if (a.startsWith(b.slice(low, middle), low)) low = middle;
    else high = middle - 1;
  }
  return low;
}
