/** @file `ludus show persona`: a persona on one screen; without a name, the gallery. */

import { estimate } from '@ludus-agents/agents/internal/mind/budget';
import { defaultUser, expandMacros, gallery, type Persona, renderPersona, steadyLore } from '@ludus-agents/agents/internal/personas/index';
import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { diffLines } from '@ludus-agents/learning/internal/prompts/edits';
import { type CommandRun, exits, type OptionalArguments } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { card } from '../../render/persona.ts';
import { table } from '../../render/table.ts';
import { columnsOf, print, printJson, type Terminal, tableWidth } from '../../terminal.ts';

export const persona: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
  async run({ args, options, terminal }) {
    const name = args[0];
    if (name === undefined) {
      listGallery(terminal, options['json'] === true);
      return exits.fine;
    }
    const { persona } = await resolvePersona(name, terminal);
    if (options['prompt'] === true || options['diff'] !== undefined) {
      const user = (options['user'] as string | undefined) ?? (await readConfigIn(terminal.cwd)).user;
      const other = options['diff'] === undefined ? undefined : (await resolvePersona(options['diff'] as string, terminal)).persona;
      showPrompt(
        personaPrompt(persona, user),
        other === undefined ? undefined : personaPrompt(other, user),
        terminal,
        options['json'] === true,
      );
    } else if (options['json'] === true) printJson(terminal, persona);
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

/** What a model reads about the persona, in the order of the prompt; entries of the lorebook at a depth stand with their depth. */
function personaPrompt(persona: Persona, user: string | undefined): string {
  const names = user === undefined ? {} : { user };
  const sections = renderPersona(persona, { ...names, depthApart: true }).map(({ text }) => text);
  const deep = steadyLore(persona.lore).filter(({ place }) => place === 'depth');
  const notes = deep.map(({ depth, text }) =>
    expandMacros(`(before the last ${depth} messages) ${text}`, { char: persona.nickname || persona.name, user: user ?? defaultUser }),
  );
  return [...sections, ...notes].filter((text) => text.trim() !== '').join('\n\n');
}

/** The prompt of one persona, or what changes from it to that of another. */
function showPrompt(prompt: string, other: string | undefined, terminal: Terminal, json: boolean): void {
  const changes = other === undefined ? undefined : diffLines(prompt, other);
  if (json) printJson(terminal, { prompt, tokens: estimate(prompt), ...(changes === undefined ? {} : { changes }) });
  else if (changes === undefined) print(terminal, ...prompt.split('\n').map(printable), '', `About ${estimate(prompt)} tokens.`);
  else {
    const colours = coloursFor(terminal.stdout, terminal.env);
    const paint = { ' ': colours.faint, '+': colours.green, '-': colours.red } as const;
    print(terminal, ...changes.map(({ sign, text }) => paint[sign](`${sign} ${printable(text)}`)));
  }
}

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
  print(terminal, table([{ title: 'gallery' }, { title: 'name' }, { title: 'the name', flexible: 'cut' }], rows, { colours, columns }));
  if (terminal.stdout.isTTY === true)
    print(terminal, '', colours.faint('Run "ludus show persona NAME" for details, or "ludus chat NAME" to talk.'));
}

function firstLine({ identity, statements }: Persona): string {
  const { occupation } = identity.social;
  const knownText = statements.find(({ visibility, kind }) => visibility === 'public' && kind === 'fact')?.text;
  return [occupation?.title, knownText].filter((part) => part !== undefined).join(' · ');
}
