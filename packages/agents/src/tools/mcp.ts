/**
 * @file Servers of the Model Context Protocol as tool sets, over a child process or over HTTP. The client is loaded when the first one is
 * opened.
 */

import { Fault, type Json, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { Tool, Toolbox, ToolResult } from './tool.ts';

/** A command to start, or an address to call. A child process gets only this environment and the basic variables of every program. */
export type McpServer =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export interface McpToolOptions {
  /** The time limit in milliseconds for connecting and for each call. */
  readonly timeout?: number;
}

/** Opens a server; its tools are called NAME__TOOL. Close it after use. */
export async function mcpToolbox(name: string, server: McpServer, { timeout = 30_000 }: McpToolOptions = {}): Promise<Toolbox> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'ludus', version: '0.1.0' });
  try {
    await client.connect(await transportTo(server), { timeout });
    const { tools } = await client.listTools(undefined, { timeout });
    return {
      tools: tools.map(
        (tool): Tool => ({
          spec: { name: `${name}__${tool.name}`, description: tool.description ?? '', parameters: tool.inputSchema as unknown as Json },
          async call(input, signal) {
            const fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {};
            const result = await client.callTool({ name: tool.name, arguments: fields }, { signal, timeout });
            return resultOf(result as unknown as CallResult);
          },
        }),
      ),
      close: () => client.close(),
    };
  } catch (thrown) {
    await client.close().catch(() => undefined);
    throw new Fault('tool', `The MCP server "${name}" could not be opened: ${sentenceOf(thrown)}`, { cause: thrown });
  }
}

async function transportTo(server: McpServer) {
  if ('url' in server) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { ...server.headers } } });
  }
  const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  return new StdioClientTransport({
    command: server.command,
    args: [...(server.args ?? [])],
    env: { ...getDefaultEnvironment(), ...server.env },
    stderr: 'ignore',
    ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
  });
}

interface CallResult {
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
}

/** The text of a result; other content is mentioned by its type. */
function resultOf({ isError, structuredContent, content = [] }: CallResult): ToolResult {
  const parts = content.map((part) => (part.type === 'text' ? (part.text ?? '') : `(${part.type}${part.uri ? ` ${part.uri}` : ''})`));
  const text = parts.length > 0 ? parts.join('\n') : structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  return { ok: isError !== true, text };
}
