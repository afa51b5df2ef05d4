/** @file `ludus new KIND NAME`: creates a working file with its test. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { create as createFiles } from '../../library/new.ts';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { withinBudget } from '../spending.ts';
import { interruptible, print, printJson } from '../terminal.ts';
import { nameCommands, typedName } from '../typed-name.ts';

interface Options {
  readonly from?: string;
  readonly model?: string;
  readonly on?: string;
  readonly cases?: boolean;
  readonly json?: boolean;
}

export const create: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const [kind, second, third] = args as [string, string, string | undefined];
    const { json, ...options } = input as Options;
    const isTrainer = kind === 'trainer' && options.from === undefined;
    if (!isTrainer && options.from === undefined && third !== undefined)
      throw new Fault('input', `"ludus new ${kind}" takes one name. Remove "${third}".`);
    const named = isTrainer ? { library: second, name: third ?? '' } : { name: second };
    const { controller, release } = options.from === undefined ? { controller: undefined, release() {} } : interruptible(terminal);
    const { files, next, written } = await createFiles({ ...options, kind, ...named, signal: controller?.signal }, terminal).finally(
      release,
    );
    if (json === true) printJson(terminal, { files, ...written });
    else if (written !== undefined) print(terminal, `${files.join(', ')}: ${passed[kind as keyof typeof passed]}`);
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(terminal, ...files.map((path) => `${colours.green('✓')} ${path}`), '');
      const steps = Object.entries(next).map(([line, does]) => [nameCommands(line, typedName(terminal)), does] as const);
      const longest = Math.max(...steps.map(([line]) => line.length));
      print(terminal, ...steps.map(([line, does]) => `${colours.cyan(line.padEnd(longest))}   ${does}`));
    }
    return exits.fine;
  }),
};

/** The checks of a document before it was written. */
const passed = {
  agent: 'an agent that finished three test episodes.',
  environment: 'a story that follows the environment contract and can be won; "ludus play" plays it.',
  plan: 'a plan whose agents finished test episodes; "ludus run" runs it.',
} as const;
