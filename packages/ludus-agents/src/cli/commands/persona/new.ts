/** @file `ludus persona new`: a persona to begin with, from a template, from the gallery, or drafted by a model. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createModel } from '@ludus-agents/agents/internal/models/index';
import { draftPersona, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { renamePersona, template } from '@ludus-agents/agents/internal/personas/templates';
import { pretty, resolvePersona, writeOut } from '@ludus-agents/agents/internal/workspace/personas';
import { withSchema } from '@ludus-agents/agents/internal/workspace/schema-link';
import { count, money } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options {
  readonly like?: string;
  readonly describe?: string;
  readonly model?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export const create: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { persona, note } = await makePersona(args[0], options, terminal);
    const file = options.output ?? `${persona.id}.json`;
    if (options.output === undefined && existsSync(resolve(terminal.cwd, file)))
      throw new Fault('input', `${file} already exists. Choose another file with -o, or delete it first.`);
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

async function makePersona(name: string | undefined, options: Options, terminal: Terminal): Promise<{ persona: Persona; note: string }> {
  const { like, describe, model } = options;
  if (like !== undefined && describe !== undefined)
    throw new Fault('input', '--like and --describe cannot be combined. Remove one of them.');
  if (model !== undefined && describe === undefined)
    throw new Fault('input', '--model is used to draft from --describe. Add --describe "…", or remove --model.');
  if (describe !== undefined) return draftFromWords(name, { describe, model }, terminal);
  if (name === undefined || name.trim() === '')
    throw new Fault('input', 'A persona needs a name, such as "ludus persona new \\"Ann Archer\\"", or a description to draft it from.');
  if (like === undefined) return { persona: template(name), note: '' };
  const { persona } = await resolvePersona(like, terminal);
  return { persona: renamePersona(persona, name), note: `, like ${persona.name}` };
}

async function draftFromWords(
  name: string | undefined,
  { describe, model }: { describe: string; model: string | undefined },
  terminal: Terminal,
) {
  if (model === undefined)
    throw new Fault('input', '--describe needs a model to draft with. Set it with --model; "ludus models" lists the available ones.');
  const { controller, release } = interruptible(terminal);
  try {
    const wanted = name === undefined ? describe : `${describe}\nThe name is ${name}.`;
    const { persona: draft, calls } = await draftPersona(await createModel(model), wanted, { signal: controller.signal });
    const priced = calls.every(({ cost }) => cost !== null);
    const cost = priced ? money(calls.reduce((sum, call) => sum + (call.cost ?? 0), 0)) : 'price unknown';
    // A given name is kept, whatever the model made of it.
    const persona = name === undefined || draft.name === name ? draft : renamePersona(draft, name);
    return { persona, note: `, drafted by ${model} in ${count(calls.length, 'call')} (${cost})` };
  } finally {
    release();
  }
}
