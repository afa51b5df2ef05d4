/** @file `ludus persona import`: a card, an agent or a profile of another program becomes a persona/1 document. */

import { dirname, resolve } from 'node:path';
import { pretty, resolvePersona, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { jsonText, printJson } from '../../terminal.ts';

export const importCommand: CommandRun = {
  async run({ args, options, terminal }) {
    const { persona, format } = await resolvePersona(args[0]!, terminal);
    const file = options['output'] as string | undefined;
    const { id, name, hash, statements } = persona;
    if (file !== undefined) writeOut(file, pretty(withSchema(persona, 'persona', dirname(resolve(terminal.cwd, file)))), terminal.cwd);
    if (options['json'] === true) printJson(terminal, file === undefined ? persona : { file, format, id, name, hash });
    else {
      if (file === undefined) terminal.stdout.write(jsonText(persona, 2));
      const colours = coloursFor(terminal.stderr, terminal.env);
      const where = file === undefined ? '' : `, written to ${file}`;
      terminal.stderr.write(`${colours.green('✓')} ${printable(name)}, read as ${format} with ${statements.length} statements${where}.\n`);
    }
    return exits.fine;
  },
};
