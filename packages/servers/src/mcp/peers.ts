/** @file A2A agents as tools for MCP clients: one tool for each agent, with continuing conversations. */

import { randomUUID } from 'node:crypto';
import type { BotLink, BotSession } from '@ludus-agents/agents/internal/bot/session';
import { sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import type { Caller } from '../access.ts';

/** The maximum number of open conversations; the longest idle one is closed for a new one. */
const mostConversations = 64;

/** Agents by name, and the clients' conversations with them. */
export class A2aPeers {
  readonly #links: Readonly<Record<string, BotLink>>;
  readonly #conversations = new Map<string, BotSession>();

  constructor(links: Readonly<Record<string, BotLink>>) {
    this.#links = links;
  }

  /** Each agent is a tool `ask_NAME`: it sends a message over A2A and returns the answer with the name of the conversation. */
  register(server: McpServer, caller: Caller): void {
    for (const [name, link] of Object.entries(this.#links)) {
      const inputSchema = fromJsonSchema<{ readonly message: string; readonly conversation?: string }>({
        type: 'object',
        properties: {
          message: { type: 'string', description: 'what to say to the agent' },
          conversation: { type: 'string', description: 'a name; the same name continues the conversation, none begins a new one' },
        },
        required: ['message'],
        additionalProperties: false,
      });
      const description = `Sends a message to the agent ${name} over A2A and returns its answer.`;
      server.registerTool(`ask_${name}`, { description, inputSchema }, async ({ message, conversation = randomUUID() }, { mcpReq }) => {
        try {
          const session = await this.#open(`${caller.id}/${name}/${conversation}`, link, mcpReq.signal);
          const { text } = await session.send(message, mcpReq.signal);
          // Agents read the texts only, so one of them names the conversation.
          const content = [text, `(conversation: ${conversation})`].map((part) => ({ type: 'text' as const, text: part }));
          return { content, structuredContent: { text, conversation } };
        } catch (thrown) {
          return { content: [{ type: 'text' as const, text: sentenceOf(thrown) }], isError: true };
        }
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#conversations.values()].map((session) => session.close()));
    this.#conversations.clear();
  }

  async #open(key: string, link: BotLink, signal: AbortSignal): Promise<BotSession> {
    const session = this.#conversations.get(key) ?? (await link.open(key, signal));
    this.#conversations.delete(key);
    this.#conversations.set(key, session);
    const [oldest] = this.#conversations;
    if (this.#conversations.size > mostConversations && oldest !== undefined) {
      this.#conversations.delete(oldest[0]);
      await oldest[1].close();
    }
    return session;
  }
}
