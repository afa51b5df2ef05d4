/** @file `ludus desk tools`: the tools of a desk from an OpenAPI document or an MCP server, as a file to be looked over. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { tools as readTools } from '../../../library/desk.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { jsonText, print, printJson } from '../../terminal.ts';

interface Options {
  readonly desk?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export const tools: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const deskTools = await readTools({ source: args[0], desk: options.desk }, terminal);
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
