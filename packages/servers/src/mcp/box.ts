/** @file Functions that an agent wrote, tested and kept, as tools for clients of the Model Context Protocol. They run in the sandbox. */

import { type KeptTool, useTool } from '@ludus-agents/agents/internal/tools/kept-tools';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';

/** Each function is a tool of its name that takes its arguments as a list, and shows the tests that it passed. */
export function boxTools(server: McpServer, box: readonly KeptTool[]): void {
  for (const tool of box) {
    const visible = tool.tests
      .slice(0, 3)
      .map(({ args, result }) => `${tool.name}(${args.map((arg) => JSON.stringify(arg)).join(', ')}) is ${JSON.stringify(result)}`);
    const inputSchema = fromJsonSchema<{ readonly args?: readonly Json[] }>({
      type: 'object',
      properties: { args: { type: 'array', description: 'the arguments, in their order' } },
      additionalProperties: false,
    });
    const description = `A function that an agent wrote and tested. ${visible.join('; ')}.`;
    server.registerTool(tool.name, { description, inputSchema }, async ({ args = [] }) => {
      const { ok, text } = await useTool(tool, args);
      return { content: [{ type: 'text' as const, text }], ...(ok ? {} : { isError: true }) };
    });
  }
}
