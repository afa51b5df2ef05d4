/**
 * @file Observes what a bot does: calls that reach the listener of this process, and its records, read from a state URL before the
 * conversation and after each answer. Without hooks only its messages are known.
 */

import { equal, Fault, isFault, type Json, type JsonObject, parseJson, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { filledHeaders } from './headers.ts';
import { HookListener } from './hook-listener.ts';
import { addressOf } from './http-bot.ts';
import type { BotAnswer, BotLink, BotServices } from './session.ts';
import type { BotSettings } from './settings.ts';

const mostBytes = 16 * 2 ** 20;

export function withHooks(name: string, link: BotLink, settings: BotSettings, services: BotServices): BotLink {
  const { port, state, mcp, plant } = settings.hooks;
  if (port === null && state === null && plant === null) return link;
  let listening: Promise<HookListener> | undefined;
  return {
    name: link.name,
    ...(link.reach === undefined ? {} : { reach: link.reach }),
    async open(session, signal, _hooks, records) {
      listening ??= port === null ? undefined : HookListener.open(port, mcp);
      const listener = await listening;
      const read = () => (state === null ? Promise.resolve(null) : readState(name, { url: addressOf(state, session), settings, services }));
      const hooks = listener?.begin(session);
      const opened = await link.open(session, signal, hooks, records);
      const plants = records !== undefined && plant !== null;
      if (plants) await plantRecords(name, { url: addressOf(plant, session), settings, services }, { session, records });
      const before = await read();
      return {
        takesRecords: plants || opened.takesRecords === true,
        async send(message, until): Promise<BotAnswer> {
          const answer = await opened.send(message, until);
          const after = await read();
          const toolCalls = [...(answer.toolCalls ?? []), ...(listener?.take(session) ?? [])];
          return {
            ...answer,
            // With a listener, no call means that nothing was called.
            ...(listener === undefined && toolCalls.length === 0 ? {} : { toolCalls }),
            ...(before === null || after === null ? {} : { changes: changesBetween(before, after) }),
          };
        },
        async close() {
          await opened.close();
          listener?.end(session);
        },
      };
    },
  };
}

/** Stores records in the bot before the conversation begins. */
async function plantRecords(name: string, { url, settings, services }: StateAt, body: unknown): Promise<void> {
  const signal = AbortSignal.timeout(settings.seconds * 1000);
  const headers = { 'content-type': 'application/json', ...filledHeaders(name, settings.headers, services) };
  try {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), redirect: 'error', signal });
    await response.body?.cancel();
    if (!response.ok) throw new Fault('agent', `Records cannot be planted in the bot ${name}: ${url} answered ${response.status}.`);
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    throw new Fault('agent', `Records cannot be planted in the bot ${name}: ${sentenceOf(thrown)}.`);
  }
}

type Tables = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

interface StateAt {
  readonly url: string;
  readonly settings: BotSettings;
  readonly services: BotServices;
}

async function readState(name: string, { url, settings, services }: StateAt): Promise<Tables> {
  const signal = AbortSignal.timeout(settings.seconds * 1000);
  try {
    const headers = { accept: 'application/json', ...filledHeaders(name, settings.headers, services) };
    const response = await fetch(url, { headers, redirect: 'error', signal });
    const text = await response.text();
    if (!response.ok)
      throw new Fault('agent', `The state of the bot ${name} cannot be read: ${url} answered ${response.status}.`, {
        code: 'E_UNREADABLE_FILE',
      });
    if (text.length > mostBytes)
      throw new Fault('agent', `The state of the bot ${name} has more than ${mostBytes} characters.`, { code: 'E_TOO_LARGE' });
    return tablesOf(name, parseJson(text) as Json);
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
    throw new Fault('agent', `The state of the bot ${name} cannot be read: ${sentenceOf(cause)}.`, { code: 'E_UNREADABLE_FILE' });
  }
}

/** Tables by name and records by id; in a list of records, each contains an "id". */
function tablesOf(name: string, value: Json): Tables {
  const wrong = (what: string) =>
    new Fault('agent', `The state of the bot ${name} must be tables of records, such as {"orders": {"17": {…}}}, but ${what}.`);
  if (!isObject(value)) throw wrong(`is ${JSON.stringify(value).slice(0, 60)}`);
  return Object.fromEntries(
    Object.entries(value).map(([table, rows]) => {
      const pairs = Array.isArray(rows)
        ? (rows as readonly Json[]).map((row) => [isObject(row) ? String(row['id'] ?? '') : '', row] as const)
        : isObject(rows)
          ? Object.entries(rows)
          : [];
      if (!Array.isArray(rows) && !isObject(rows)) throw wrong(`${table} is none`);
      for (const [id, row] of pairs) if (id === '' || !isObject(row)) throw wrong(`${table} has a record without an id`);
      return [table, Object.fromEntries(pairs) as Readonly<Record<string, JsonObject>>];
    }),
  );
}

/** Records that have changed: their new fields, or null if they are gone. */
export function changesBetween(before: Tables, after: Tables): JsonObject {
  const changes: Record<string, Json> = {};
  for (const table of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[table] ?? {}, after[table] ?? {}];
    for (const id of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const [old, now] = [was[id], is[id]];
      if (equal(old ?? null, now ?? null)) continue;
      changes[`${table}/${id}`] =
        now === undefined
          ? null
          : Object.fromEntries(Object.entries(now).filter(([key, value]) => key !== 'id' && !equal(old?.[key] ?? null, value)));
    }
  }
  return changes;
}
