/** @file `ludus check`: does a world keep the rules that all worlds keep? */

import { count } from '../../company/amounts.ts';
import { worldOf } from '../../company/worlds.ts';
import { printable } from '../../core/index.ts';
import { check as checkEnvironment, type Problem, rules } from '../../engine/check.ts';
import { type CommandFile, examples, exits, withJson } from '../command.ts';
import { type Ink, inkFor } from '../ink.ts';
import { columnsOf, print, printJson } from '../terminal.ts';
import { wrap } from '../width.ts';

export const check: CommandFile = {
  declare(command) {
    command.argument('<environment>', 'a built-in world, or a file that exports one');
    withJson(command);
    examples(command, {
      'ludus check kuhn-poker': 'a built-in world',
      'ludus check ./my-world.ts': 'your own',
      'ludus check ./my-world.ts --json': '{"problems":[]} and exit code 0 when all is well',
    });
  },

  async run({ args, options, terminal }) {
    const environment = await worldOf(args[0] as string, terminal.cwd);
    const problems = await checkEnvironment(environment);
    const ink = inkFor(terminal.stdout, terminal.env);
    const columns = Math.min(100, columnsOf(terminal.stdout));
    if (options['json'] === true) printJson(terminal, { problems });
    else if (problems.length === 0)
      print(terminal, `${ink.green('✓')} ${ink.bold(environment.id)} keeps all ${rules.length} rules of a world.`);
    else {
      print(terminal, `${ink.red('✗')} ${ink.bold(environment.id)} has ${count(problems.length, 'problem')}.`);
      for (const problem of problems) print(terminal, '', told(problem, ink, columns));
    }
    return problems.length === 0 ? exits.fine : exits.found;
  },
};

/** The rule, what was found, and where to look. */
function told({ rule, message, task, seed }: Problem, ink: Ink, columns: number): string {
  const says = rules.find(({ id }) => id === rule)?.says ?? '';
  const lines = [`${ink.yellow(rule)} ${says}`, ...wrap(printable(message), columns - 4)];
  if (seed !== undefined) lines.push(ink.faint(`task ${printable(JSON.stringify(task ?? {}))}, seed ${seed}`));
  return lines.map((line, i) => (i === 0 ? `  ${line}` : `    ${line}`)).join('\n');
}
