/** @file `ludus desk tools`: the tools of a desk from an OpenAPI document or an MCP server, as a file to be looked over. */

import { resolve } from 'node:path';
import { splitCommand } from '@ludus-agents/agents/internal/bot/command-words';
import { mcpToolbox } from '@ludus-agents/agents/internal/tools/mcp';
import { isOpenApi, toolsFromList, toolsFromOpenApi } from '@ludus-agents/desk/internal/desk-tools';
import { deskTables, readText } from '@ludus-agents/desk/internal/desks';
import type { DeskTool } from '@ludus-agents/desk/internal/environment/document';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Json, printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { jsonText, print, printJson, type Terminal } from '../../terminal.ts';

interface Options {
  readonly desk?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export const tools: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const deskTools = await toolsIn(args[0]!, options, terminal);
    const open = deskTools.filter(({ does }) => does.returns === null).map(({ name }) => name);
    if (options.output !== undefined) writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(deskTools, null, 1)}\n`);
    if (options.json === true)
      printJson(terminal, {
        tools: deskTools.length,
        open,
        ...(options.output === undefined ? { written: deskTools } : { file: options.output }),
      });
    else if (options.output === undefined) terminal.stdout.write(jsonText(deskTools, 1));
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(terminal, `${colours.green('✓')} ${count(deskTools.length, 'tool')} in ${printable(options.output)}`);
      if (open.length > 0)
        print(
          terminal,
          `${colours.yellow('·')} Could not determine what these tools do. Fill in their "does": ${printable(open.join(', '))}`,
        );
    }
    return exits.fine;
  },
};

async function toolsIn(source: string, options: Options, terminal: Terminal): Promise<readonly DeskTool[]> {
  if (!source.startsWith('mcp:')) {
    const document = jsonFrom(readText(resolve(terminal.cwd, source)), source) as Json;
    if (isOpenApi(document)) return toolsFromOpenApi(document, source);
    throw new Fault(
      'input',
      `${source} is not an OpenAPI document: "openapi" and "paths" are missing. For an MCP server, use mcp:COMMAND.`,
    );
  }
  const rest = source.slice(4);
  const [command = '', ...words] = /^https?:/.test(rest) ? [] : splitCommand(rest);
  const box = await mcpToolbox('desk', command === '' ? { url: rest } : { command, args: words, cwd: terminal.cwd });
  try {
    const tables = options.desk === undefined ? [] : deskTables(options.desk, terminal.cwd);
    const listed = box.tools.map(({ spec }) => ({
      name: spec.name.replace(/^desk__/, ''),
      description: spec.description,
      parameters: spec.parameters,
    }));
    return toolsFromList(listed, tables);
  } finally {
    await box.close?.();
  }
}
