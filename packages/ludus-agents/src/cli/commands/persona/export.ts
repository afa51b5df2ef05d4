/** @file `ludus persona export`: writes a persona in another program's format, and lists what is lost. */

import { dirname, resolve } from 'node:path';
import type { ExportFormat, Persona } from '@ludus-agents/agents/internal/personas/index';
import { pretty, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { exportFile as exportPersona } from '../../../library/persona.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { jsonText, printJson, type Terminal } from '../../terminal.ts';

interface Options {
  readonly to: ExportFormat;
  readonly output?: string;
  readonly image?: string;
  readonly json?: boolean;
}

export const exportCommand: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const format = options.to;
    checkEnding(options);
    const { content: exported, persona, lost } = await exportPersona({ persona: args[0], to: format, image: options.image }, terminal);
    const folder = dirname(resolve(terminal.cwd, options.output ?? '-'));
    const written = format === 'persona' ? withSchema(exported as Persona, 'persona', folder) : exported;
    const binary = written instanceof Uint8Array;
    if (options.output !== undefined) writeOut(options.output, binary ? written : pretty(written), terminal.cwd);
    else if (binary)
      throw new Fault('input', `The format ${format} is not text. Choose a file with -o, such as -o ${persona.id}.${format}.`);
    if (options.output === undefined) terminal.stdout.write(jsonText(written, options.json === true ? undefined : 2));
    else if (options.json === true) printJson(terminal, { file: options.output, format, lost });
    if (options.json !== true) terminal.stderr.write(formatLosses(options, lost, terminal));
    return exits.fine;
  },
};

/** No program would read a JSON card in a file with an image extension. */
function checkEnding({ to, output = '' }: Options): void {
  const ending = (['png', 'charx'] as const).find((item) => output.toLowerCase().endsWith(`.${item}`));
  if (ending !== undefined && ending !== to)
    throw new Fault('input', `${output} does not match --to ${to}. Use --to ${ending}, or another file extension.`);
}

function formatLosses({ output, to }: Options, lost: readonly string[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stderr, terminal.env);
  const done = output === undefined ? '' : `${colours.green('✓')} ${output}\n`;
  if (lost.length === 0) return done;
  const named = lost.slice(0, 4).join(', ');
  const fields = `${named}${lost.length > 4 ? ` and ${lost.length - 4} more` : ''}`;
  return `${done}${colours.yellow(`${count(lost.length, 'field')} would be lost or changed in ${to}: ${fields}.`)}\n`;
}
