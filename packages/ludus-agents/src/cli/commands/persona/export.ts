/** @file `ludus persona export`: writes a persona in another program's format, and lists what is lost. */

import { dirname, resolve } from 'node:path';
import { type ExportFormat, exportPersona, type Imported, losses, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { pretty, readBytes, resolvePersona, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
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
    const imported = await resolvePersona(args[0]!, terminal);
    const exported = exportPersona(imported.persona, format, await belongings(imported, options, terminal));
    const folder = dirname(resolve(terminal.cwd, options.output ?? '-'));
    const written = format === 'persona' ? withSchema(exported as Persona, 'persona', folder) : exported;
    const binary = written instanceof Uint8Array;
    if (options.output !== undefined) writeOut(options.output, binary ? written : pretty(written), terminal.cwd);
    else if (binary)
      throw new Fault('input', `The format ${format} is not text. Choose a file with -o, such as -o ${imported.persona.id}.${format}.`);
    const lost = losses(imported.persona, format);
    if (options.output === undefined) terminal.stdout.write(jsonText(written, options.json === true ? undefined : 2));
    else if (options.json === true) printJson(terminal, { file: options.output, format, lost });
    if (options.json !== true) terminal.stderr.write(formatLosses(options, lost, terminal));
    return exits.fine;
  },
};

/** A card as JSON in a file that is called a picture would be read by nobody. */
function checkEnding({ to, output = '' }: Options): void {
  const ending = (['png', 'charx'] as const).find((item) => output.toLowerCase().endsWith(`.${item}`));
  if (ending !== undefined && ending !== to)
    throw new Fault('input', `${output} does not match --to ${to}. Use --to ${ending}, or another file extension.`);
}

/** The picture and the files that came with a card go out with it again. */
async function belongings({ original, assets }: Imported, options: Options, terminal: Terminal) {
  const picture = options.image === undefined ? original : await readBytes(options.image, terminal);
  return { ...(picture === undefined ? {} : { image: picture }), ...(assets === undefined ? {} : { assets }) };
}

function formatLosses({ output, to }: Options, lost: readonly string[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stderr, terminal.env);
  const done = output === undefined ? '' : `${colours.green('✓')} ${output}\n`;
  if (lost.length === 0) return done;
  const named = lost.slice(0, 4).join(', ');
  const fields = `${named}${lost.length > 4 ? ` and ${lost.length - 4} more` : ''}`;
  return `${done}${colours.yellow(`${count(lost.length, 'field')} would not come back from ${to} as ${lost.length === 1 ? 'it is' : 'they are'}: ${fields}.`)}\n`;
}
