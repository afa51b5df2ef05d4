/** @file What bots are given here: variables of the environment, and functions from files of the user's own. What was not allowed is refused. */

import { resolve } from 'node:path';
import { type AgentSpec, Fault } from '@ludus-agents/kernel/internal/core/index';
import type { BotContext, BotFunction, BotRecords, BotServices } from '../bot/session.ts';
import { checkCode, checkSpec } from './consent.ts';
import { importFile } from './programs.ts';
import type { Trust } from './trust.ts';

export function createBotServices(spec: AgentSpec, cwd: string, trust: Trust): BotServices {
  const place = { cwd, env: process.env };
  checkSpec(spec, trust, place);
  /** A bot is asked for once a conversation: in one agent it stays the program that it was, whatever happens to its file. */
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

/** What a file means as its bot: the one that was asked for, "bot", the default, or its only one. Asked for once a conversation, so a class has one object for each. */
function botIn(exported: Readonly<Record<string, unknown>>, path: string, wanted: string | undefined): BotFunction {
  const functions = Object.entries(exported).filter(([, value]) => typeof value === 'function' || hasReply(value));
  const matches =
    functions.find(([key]) => key === wanted) ??
    (wanted !== undefined ? undefined : (functions.find(([key]) => key === 'bot') ?? functions.find(([key]) => key === 'default'))) ??
    (wanted === undefined && functions.length === 1 ? functions[0] : undefined);
  if (matches === undefined)
    throw new Fault(
      'input',
      `${path} exports no bot${wanted === undefined ? '' : ` "${wanted}"`}: expected a function that takes a message and returns the answer, or a class with such a method "reply".`,
    );
  const bot = isClass(matches[1]) ? new matches[1]() : matches[1];
  if (typeof bot === 'function') return bot as BotFunction;
  if (!hasReply(bot))
    throw new Fault('input', `The class ${matches[0]} of ${path} has no method "reply": expected reply(message, {session, signal}).`);
  const reply: BotFunction = (message, context) => bot.reply(message, context);
  return bot.plant === undefined
    ? reply
    : Object.assign(reply, { plant: (records: BotRecords, context: BotContext) => bot.plant?.(records, context) });
}

function hasReply(value: unknown): value is { reply: BotFunction; plant?: BotFunction['plant'] } {
  return typeof (value as { readonly reply?: unknown } | null | undefined)?.reply === 'function';
}

function isClass(value: unknown): value is new () => unknown {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}
