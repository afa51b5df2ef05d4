/** @file `ludus show persona`: a persona on one screen; without a name, the gallery. */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { type ShownPersona, showPersona } from '../../../library/show.ts';
import { type CommandRun, exits, type OptionalArguments } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { card } from '../../render/persona.ts';
import { table } from '../../render/table.ts';
import { columnsOf, print, printJson, type Terminal, tableWidth } from '../../terminal.ts';

interface Options {
  readonly prompt?: boolean;
  readonly diff?: string;
  readonly user?: string;
  readonly public?: boolean;
  readonly json?: boolean;
}

export const persona: CommandRun<Options, OptionalArguments> = {
  async run({ args, options, terminal }) {
    const { prompt, diff, user, json } = options;
    const view = await showPersona({ persona: args[0], prompt, diff, user }, terminal);
    if (json === true) printJson(terminal, dataOf(view));
    else if (view.kind === 'gallery') listGallery(view.personas, terminal);
    else if (view.kind === 'prompt') print(terminal, ...promptLines(view, terminal));
    else
      print(
        terminal,
        card(view.persona, {
          colours: coloursFor(terminal.stdout, terminal.env),
          columns: Math.min(92, columnsOf(terminal.stdout)),
          open: options.public !== true,
        }),
      );
    return exits.fine;
  },
};

function dataOf(view: ShownPersona): unknown {
  if (view.kind === 'persona') return view.persona;
  if (view.kind === 'gallery') return view.personas.map(({ id, name, kind, tags }) => ({ id, name, kind, tags }));
  const { kind: _, ...data } = view;
  return data;
}

/** The prompt of one persona, or its differences from another's. */
function promptLines({ prompt, tokens, changes }: Extract<ShownPersona, { kind: 'prompt' }>, terminal: Terminal): readonly string[] {
  if (changes === undefined) return [...prompt.split('\n').map(printable), '', `About ${tokens} tokens.`];
  const colours = coloursFor(terminal.stdout, terminal.env);
  const paint = { ' ': colours.faint, '+': colours.green, '-': colours.red } as const;
  return changes.map(({ sign, text }) => paint[sign](`${sign} ${printable(text)}`));
}

function listGallery(people: readonly Persona[], terminal: Terminal): void {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const rows = people.map((persona) => [colours.cyan(persona.id), persona.name, printable(firstLine(persona))]);
  const columns = tableWidth(terminal);
  print(terminal, table([{ title: 'gallery' }, { title: 'name' }, { title: 'the name', flexible: 'cut' }], rows, { colours, columns }));
  if (terminal.stdout.isTTY === true)
    print(terminal, '', colours.faint('Run "ludus show persona NAME" for details, or "ludus chat NAME" to talk.'));
}

function firstLine({ identity, statements }: Persona): string {
  const { occupation } = identity.social;
  const knownText = statements.find(({ visibility, kind }) => visibility === 'public' && kind === 'fact')?.text;
  return [occupation?.title, knownText].filter((part) => part !== undefined).join(' · ');
}
