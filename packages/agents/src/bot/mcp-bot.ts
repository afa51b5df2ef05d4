/** @file A bot that is a tool of an MCP server: each message is a call of the tool, and the text of the result is the answer. */

import { Fault, isFault, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { variablesOf } from './child.ts';
import { filledHeaders } from './headers.ts';
import { fill } from './http-bot.ts';
import { type BotLink, type BotServices, type BotSession, textIn, toolCallsIn } from './session.ts';
import type { BotSettings } from './settings.ts';

export function mcpBot(name: string, settings: BotSettings, services: BotServices): BotLink {
  const connect = async (signal: AbortSignal, hooks: string | undefined) => {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const client = new Client({ name: 'ludus', version: '0.1.0' });
    const [command = '', ...args] = settings.command;
    if (settings.url !== '') {
      const headers = filledHeaders(name, settings.headers, services);
      await client.connect(new StreamableHTTPClientTransport(new URL(settings.url), { requestInit: { headers, redirect: 'error' } }), {
        signal,
      });
    } else {
      const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
      const env = { ...variablesOf(settings.env, services), ...(hooks === undefined ? {} : { LUDUS_HOOKS: hooks }) };
      await client.connect(new StdioClientTransport({ command, args, env, cwd: services.cwd, stderr: 'ignore' }), { signal });
    }
    const { tools } = await client.listTools(undefined, { signal });
    const matchingTool =
      settings.tool === '' ? (tools.length === 1 ? tools[0] : undefined) : tools.find((tool) => tool.name === settings.tool);
    if (matchingTool !== undefined)
      return { client, tool: matchingTool.name, takes: Object.keys(matchingTool.inputSchema.properties ?? {}) };
    await client.close();
    const names = tools.map((tool) => tool.name).join(', ') || 'none';
    throw new Fault('agent', `The bot ${name}: set "tool" to the MCP tool that takes messages. The server has ${names}.`, {
      code: 'E_BOT_FAILED',
    });
  };
  return {
    name: settings.url || settings.command.join(' '),
    async open(session, signal, hooks): Promise<BotSession> {
      const { client, tool, takes } = await connect(signal, hooks).catch((thrown: unknown) => {
        if (signal.aborted) throw signal.reason;
        throw isFault(thrown)
          ? thrown
          : new Fault('agent', `The bot ${name} could not be reached over MCP: ${sentenceOf(thrown)}`, { code: 'E_BOT_FAILED' });
      });
      const history: Json[] = [];
      return {
        async send(message, until) {
          const userMessage: Json = { role: 'user', content: message };
          const values = { message, session, turn: history.length / 2, history: [...history, userMessage] };
          const filled = settings.request === undefined ? argumentsFor(takes, message, session) : fill(settings.request, values);
          const result = await client
            .callTool({ name: tool, arguments: (isObject(filled) ? filled : {}) as Record<string, unknown> }, { signal: until })
            .catch((thrown: unknown) => {
              if (until.aborted) throw until.reason;
              throw new Fault('agent', `The bot ${name} failed: ${sentenceOf(thrown)}`, { code: 'E_BOT_FAILED' });
            });
          const input = result as unknown as { readonly isError?: boolean; readonly content?: Json; readonly structuredContent?: Json };
          const text = textIn(input.structuredContent) ?? textIn(input.content);
          if (input.isError === true || text === undefined)
            throw new Fault('agent', `The bot ${name} failed: ${(text ?? 'its tool returned no text').slice(0, 200)}`, {
              code: 'E_BOT_FAILED',
            });
          history.push(userMessage, { role: 'assistant', content: text });
          const toolCalls = toolCallsIn(input.structuredContent);
          return { text, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
        },
        close: () => client.close().catch(() => undefined),
      };
    },
  };
}

/** The message under the tool's name for it: one of the usual names, else the first parameter. */
function argumentsFor(takes: readonly string[], message: string, session: string): JsonObject {
  const find = (...names: readonly string[]) => takes.find((item) => names.includes(item.toLowerCase()));
  const text = find('message', 'text', 'input', 'prompt', 'query', 'question') ?? takes[0] ?? 'message';
  const at = find('session', 'sessionid', 'session_id', 'conversation', 'conversation_id', 'thread_id');
  return { [text]: message, ...(at === undefined ? {} : { [at]: session }) };
}
