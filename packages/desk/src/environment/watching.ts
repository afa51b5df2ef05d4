/** @file A customer who sees the desk's actions: whether an action was requested, and whether the customer only watches. */

import { equal, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { DeskCall, DeskCase } from './document.ts';

/** An action of the desk, as its customer sees it. */
export type DeskAct = DeskCall & { readonly writes: boolean };

/** Changes the records with a call that is not a gold call; lookups have no effect. */
export function isUnasked({ tool, args, writes }: DeskAct, { gold }: DeskCase): boolean {
  return writes && !gold.some((call) => call.tool === tool && equal(call.args, args));
}

export function isWatching(text: string): boolean {
  return /^\s*\[watch\]\s*$/i.test(text);
}

/** The action in the data of a message; null if there is none. */
export function actIn(data: Json | undefined): DeskAct | null {
  const act: Json | undefined = isObject(data) ? data['act'] : undefined;
  if (!isObject(act)) return null;
  return { tool: String(act['tool']), args: act['args'] as JsonObject, writes: act['writes'] === true };
}
