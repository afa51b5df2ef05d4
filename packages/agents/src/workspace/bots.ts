/** @file The resources of bots: environment variables, and functions from the user's files. Anything not permitted is rejected. */

import { resolve } from 'node:path';
import { type AgentSpec, Fault } from '@ludus-agents/kernel/internal/core/index';
import type { BotContext, BotFunction, BotRecords, BotServices } from '../bot/session.ts';
import { checkCode, checkSpec } from './consent.ts';
import { importFile } from './programs.ts';
import type { Trust } from './trust.ts';

export function createBotServices(spec: AgentSpec, cwd: string, trust: Trust): BotServices {
  const place = { cwd, env: process.env };
  checkSpec(spec, trust, place);
  /** Loaded once per agent: all its conversations use the same program, even if its file changes. */
  const programs = new Map<string, ReturnType<typeof importFile>>();
  return {
    cwd,
    env: (name) => process.env[name],
    async load(file) {
      const [path = '', wanted] = file.split('#', 2);
      const code = checkCode(resolve(cwd, path), trust, place);
      const program = programs.get(code) ?? importFile(code);
      programs.set(code, program);
      return botIn(await program, path, wanted);
    },
  };
}

/**
 * The export of a file that is its bot: the named export, else "bot", else the default. Other names may be mistakes, so they are ignored.
 * Called once per conversation, so each gets its own instance of a class.
 */
function botIn(exported: Readonly<Record<string, unknown>>, path: string, wanted: string | undefined): BotFunction {
  const functions = Object.entries(exported).filter(([, value]) => typeof value === 'function' || hasReply(value));
  const accepted = wanted === undefined ? ['bot', 'default'] : [wanted];
  const matches = accepted.flatMap((name) => functions.filter(([key]) => key === name))[0];
  if (matches === undefined) throw noBot(path, accepted, Object.keys(exported));
  const bot = isClass(matches[1]) ? new matches[1]() : matches[1];
  if (typeof bot === 'function') return bot as BotFunction;
  if (!hasReply(bot))
    throw new Fault('input', `The class ${matches[0]} of ${path} has no method "reply": expected reply(message, {session, signal}).`);
  const reply: BotFunction = (message, context) => bot.reply(message, context);
  return bot.plant === undefined
    ? reply
    : Object.assign(reply, { plant: (records: BotRecords, context: BotContext) => bot.plant?.(records, context) });
}

function noBot(path: string, accepted: readonly string[], exports: readonly string[]): Fault {
  const names = accepted.map((name) => `"${name}"`).join(' or ');
  const isThere = exports.some((name) => accepted.includes(name));
  const listed = isThere ? `The export ${names} of ${path} is not a bot` : `${path} has no export ${names}`;
  const others = exports.length === 0 ? 'nothing' : exports.map((name) => `"${name}"`).join(', ');
  const other = exports[0] === undefined || isThere ? '' : `, or name yours: bot:${path}#${exports[0]}`;
  return new Fault(
    'input',
    `${listed}; the file exports ${others}. Export a function that takes a message and returns the answer, or a class with such a method "reply", as ${names}${other}.`,
    { code: 'E_UNKNOWN_EXPORT', details: { file: path, accepted, exports } },
  );
}

function hasReply(value: unknown): value is { reply: BotFunction; plant?: BotFunction['plant'] } {
  return typeof (value as { readonly reply?: unknown } | null | undefined)?.reply === 'function';
}

function isClass(value: unknown): value is new () => unknown {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
