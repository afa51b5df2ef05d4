/** @file `ludus persona new`: creates a persona from a template, from the gallery, or drafted by a model. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pretty, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { count, money } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { create as createPersona, type NewPersona } from '../../../library/persona.ts';
import { type CommandRun, exits, type OptionalArguments } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson } from '../../terminal.ts';

interface Options {
  readonly like?: string;
  readonly describe?: string;
  readonly model?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export const create: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { like, describe, model } = options;
    const { controller, release } = interruptible(terminal);
    const request = { name: args[0], like, describe, model, signal: controller.signal };
    const created = await createPersona(request, terminal).finally(release);
    const { persona } = created;
    const note = created.like === undefined ? draftNote(created, model) : `, like ${created.like}`;
    const file = options.output ?? `${persona.id}.json`;
    if (options.output === undefined && existsSync(resolve(terminal.cwd, file)))
      throw new Fault('input', `${file} already exists. Choose another file with -o, or delete it first.`, { code: 'E_ALREADY_EXISTS' });
    writeOut(file, pretty(withSchema(persona, 'persona', dirname(resolve(terminal.cwd, file)))), terminal.cwd);
    if (options.json === true) printJson(terminal, { file, id: persona.id, name: persona.name, hash: persona.hash });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(terminal, `${colours.green('✓')} ${file}${note}`, '');
      print(terminal, `${colours.cyan(`ludus show persona ./${file}`)}      see it`);
      print(terminal, `${colours.cyan(`ludus persona check ./${file}`)}     check it after a change`);
      print(terminal, `${colours.cyan(`ludus chat ./${file}`)}              talk with it`);
    }
    return exits.fine;
  }),
};

function draftNote({ calls }: NewPersona, model: string | undefined): string {
  if (calls.length === 0) return '';
  const cost = calls.every((call) => call.cost !== null) ? money(calls.reduce((sum, call) => sum + (call.cost ?? 0), 0)) : 'price unknown';
  return `, drafted by ${model} in ${count(calls.length, 'call')} (${cost})`;
}
