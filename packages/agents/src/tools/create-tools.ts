/** @file The tool set of a process: MCP servers and the sandbox by name. Each is opened on first use, and all are closed together. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { calculatorTool } from './calculator.ts';
import { type McpServer, mcpToolbox } from './mcp.ts';
import { type SandboxSettings, sandboxTool } from './sandbox.ts';
import type { Toolbox, ToolSet } from './tool.ts';

export interface ToolsOptions {
  /** Servers by name, configured by the user who runs the episode: a spec can name them, but never bring its own command. */
  readonly servers?: Readonly<Record<string, McpServer>>;
  readonly sandbox?: SandboxSettings;
  readonly roles?: ToolSet['roles'];
}

/** Tools of agents: MCP servers by name, the sandbox, and a calculator. Each is opened on first use. */
export function createTools(options: ToolsOptions = {}): ToolSet & { readonly names: readonly string[]; close(): Promise<void> } {
  const { servers = {}, sandbox, roles } = options;
  const names = ['sandbox', 'calculator', ...Object.keys(servers)];
  const opened = new PromiseCache<Toolbox>();
  async function box(name: string): Promise<Toolbox> {
    if (Object.hasOwn(servers, name)) return mcpToolbox(name, servers[name]!);
    if (name === 'calculator') return { tools: [calculatorTool()], close: async () => undefined };
    if (name === 'sandbox') return { tools: [sandboxTool(sandbox)], close: async () => undefined };
    throw new Fault('input', `Unknown toolbox "${name}". Available: ${names.join(', ')}.${didYouMean(name, names)}`, {
      code: 'E_UNKNOWN_NAME',
    });
  }
  return {
    ...(roles === undefined ? {} : { roles }),
    names,
    open: (name) => opened.get(name, () => box(name)),
    async close() {
      const boxes = await Promise.allSettled(opened.take());
      await Promise.allSettled(boxes.map((box) => (box.status === 'fulfilled' ? box.value.close() : undefined)));
    },
  };
}
