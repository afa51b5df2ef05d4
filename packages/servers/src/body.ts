/** @file Reads the JSON body of a request, within the bounds that all routes share. */

import { type Json, parseJson } from '@ludus-agents/kernel/internal/core/index';
import type { Context as HonoCall } from 'hono';

/** A body that is JSON; a fault with a sentence for everything else. */
export async function jsonOf(call: HonoCall): Promise<Json> {
  return parseJson(await call.req.text());
}

/** The same for protocols that have their own answer for what cannot be read. */
export async function jsonOrNothing(call: HonoCall): Promise<Json | undefined> {
  return jsonOf(call).catch(() => undefined);
}
