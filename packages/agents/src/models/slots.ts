/**
 * @file Which waiting call goes next to a server that keeps few prompts: the one that begins most like a prompt it has.
 *
 * A server with one slot reads a prompt only from where it differs from the last one. Calls in the order in which they come alternate between
 * agents and episodes, and every prompt is read from its start. So a conversation goes on while it has something to say, then calls of the
 * same agent come, then others; nobody is passed over more often than a bound.
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

/** The prompts in a server's cache, as far as our requests tell. */
export class Slots {
  readonly #slots: Slot[];
  #clock = 0;

  constructor(count: number) {
    this.#slots = Array.from({ length: count }, () => ({ reading: '', isBusy: false, used: 0 }));
  }

  /** The index of the call to send now, with the slot it takes; null where no slot is free. */
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

/** How many characters two texts have in common from their start. */
function sharedStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let low = 0;
  // Halving finds it by comparisons of whole pieces, which are fast.
  for (let high = most; low < high; ) {
    const middle = (low + high + 1) >> 1;
    if (a.startsWith(b.slice(low, middle), low)) low = middle;
    else high = middle - 1;
  }
  return low;
}
