/** @file `ludus persona import`: converts a card, agent, or profile of another program to a persona/1 document. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { soundsSecret } from '@ludus-agents/agents/internal/personas/exchange/loose';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { portraitFile, pretty, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { importFile as importPersona } from '../../../library/persona.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { jsonText, printJson } from '../../terminal.ts';

export const importCommand: CommandRun = {
  async run({ args, options, terminal }) {
    const file = options['output'] as string | undefined;
    if (file !== undefined && options['force'] !== true && existsSync(resolve(terminal.cwd, file)))
      throw new Fault('input', `${file} already exists. Choose another file with -o, or overwrite it with --force.`, {
        code: 'E_ALREADY_EXISTS',
      });
    const { persona, format, original, assets } = await importPersona({ from: args[0] }, terminal);
    const { id, name, hash, statements, secrets } = persona;
    const portrait = file === undefined || original === undefined ? undefined : portraitFile(file);
    const notes = notesOn(persona, file === undefined ? 0 : (assets?.size ?? 0));
    if (file !== undefined) writeOut(file, pretty(withSchema(persona, 'persona', dirname(resolve(terminal.cwd, file)))), terminal.cwd);
    if (portrait !== undefined) writeOut(portrait, original!, terminal.cwd);
    if (options['json'] === true)
      printJson(terminal, file === undefined ? persona : { file, format, id, name, hash, portrait, secrets: secrets.length, notes });
    else {
      if (file === undefined) terminal.stdout.write(jsonText(persona, 2));
      const colours = coloursFor(terminal.stderr, terminal.env);
      const where = file === undefined ? '' : `, written to ${file}`;
      const hidden = secrets.length === 0 ? '' : ` and ${count(secrets.length, 'secret')}`;
      const picture = portrait === undefined ? '' : ` The portrait is in ${portrait}; "persona export --to png" uses it.`;
      terminal.stderr.write(
        `${colours.green('✓')} ${printable(name)}, read as ${format} with ${count(statements.length, 'statement')}${hidden}${where}.${picture}\n`,
      );
      for (const note of notes) terminal.stderr.write(`${colours.yellow(printable(note))}\n`);
    }
    return exits.fine;
  },
};

/** Notes on an import: lines that sound secret and are not, and files that a document cannot contain. */
function notesOn({ statements }: Persona, assets: number): readonly string[] {
  return [
    ...statements
      .filter(({ text, visibility }) => visibility !== 'self' && soundsSecret(text))
      .map(({ id, text }) => `${id} sounds like a secret, but is public: "${text}". To hide it, start its line with "Secret:".`),
    ...(assets === 0
      ? []
      : [`${count(assets, 'file')} of the archive cannot be in a document; export from the archive itself to keep them.`]),
  ];
}
