/** @file `ludus show persona`: a persona on one screen; without a name, the gallery. */

import { gallery, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { card } from '../../render/persona.ts';
import { table } from '../../render/table.ts';
import { columnsOf, print, printJson, type Terminal, tableWidth } from '../../terminal.ts';

export const persona: CommandRun = {
  async run({ args, options, terminal }) {
    const name = args[0];
    if (name === undefined) {
      listGallery(terminal, options['json'] === true);
      return exits.fine;
    }
    const { persona } = await resolvePersona(name, terminal);
    if (options['json'] === true) printJson(terminal, persona);
    else
      print(
        terminal,
        card(persona, {
          colours: coloursFor(terminal.stdout, terminal.env),
          columns: Math.min(92, columnsOf(terminal.stdout)),
          open: options['public'] !== true,
        }),
      );
    return exits.fine;
  },
};

function listGallery(terminal: Terminal, json: boolean): void {
  const people = Object.values(gallery);
  if (json) {
    printJson(
      terminal,
      people.map(({ id, name, kind, tags }) => ({ id, name, kind, tags })),
    );
    return;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const rows = people.map((persona) => [colours.cyan(persona.id), persona.name, printable(firstLine(persona))]);
  const columns = tableWidth(terminal);
  print(terminal, table([{ title: 'gallery' }, { title: 'name' }, { title: 'who it is', flexible: 'cut' }], rows, { colours, columns }));
  if (terminal.stdout.isTTY === true)
    print(terminal, '', colours.faint('ludus show persona NAME tells all of one; ludus chat NAME talks with one.'));
}

function firstLine({ identity, statements }: Persona): string {
  const { occupation } = identity.social;
  const known = statements.find(({ visibility, kind }) => visibility === 'public' && kind === 'fact')?.text;
  return [occupation?.title, known].filter((part) => part !== undefined).join(' · ');
}
