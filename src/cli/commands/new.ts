/** @file `ludus new environment NAME`: a small world of your own that plays and passes its check, to change from there. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../core/index.ts';
import { type CommandFile, examples, exits, withJson } from '../command.ts';
import { inkFor } from '../ink.ts';
import { worldTest, worldText } from '../template.ts';
import { print, printJson } from '../terminal.ts';

export const create: CommandFile = {
  declare(command) {
    command.argument('<what>', 'environment').argument('<name>', 'small letters, digits and dashes, like stick-game');
    withJson(command);
    examples(command, {
      'ludus new environment stick-game': 'writes stick-game.ts and stick-game.test.ts here',
      'ludus check ./stick-game.ts': 'then hold it against the rules of all worlds',
      'ludus play ./stick-game.ts': 'and play it',
    });
  },

  async run({ args, options, terminal }) {
    const [what, name] = args as [string, string];
    if (what !== 'environment')
      throw new Fault('input', `"ludus new" makes an environment, but was asked for "${what}"; write "ludus new environment NAME".`);
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 60)
      throw new Fault('input', `A world's name is written in small letters, digits and dashes, like stick-game, but came as "${name}".`);
    const files = { [`${name}.ts`]: worldText(name), [`${name}.test.ts`]: worldTest(name) };
    for (const file of Object.keys(files))
      if (existsSync(join(terminal.cwd, file))) throw new Fault('input', `${file} is there already; choose another name, or move it away.`);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(terminal.cwd, file), text, { flag: 'wx' });
    if (options['json'] === true) printJson(terminal, { files: Object.keys(files) });
    else {
      const ink = inkFor(terminal.stdout, terminal.env);
      print(terminal, ...Object.keys(files).map((file) => `${ink.green('✓')} ${file}`), '');
      print(terminal, `${ink.cyan(`ludus check ./${name}.ts`)}   hold it against the rules of all worlds`);
      print(terminal, `${ink.cyan(`ludus play ./${name}.ts`)}    sit down and play it`);
    }
    return exits.fine;
  },
};
