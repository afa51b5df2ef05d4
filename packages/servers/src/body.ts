/** @file Reads the JSON body of a request, within the limits that all routes share. */

import { type Json, parseJson } from '@ludus-agents/kernel/internal/core/index';
import type { Context as HonoCall } from 'hono';

/** A JSON body; throws a fault with a message otherwise. */
export async function jsonOf(call: HonoCall): Promise<Json> {
  return parseJson(await call.req.text());
}

/** The same for protocols with their own response to unreadable bodies. */
export async function jsonOrNothing(call: HonoCall): Promise<Json | undefined> {
  return jsonOf(call).catch(() => undefined);
}
