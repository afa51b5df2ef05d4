/** @file `ludus tasks programs`: repair tasks in the public format of SWE-style benchmarks, as a suite of `programs`. */

import { dirname, resolve } from 'node:path';
import { count } from '../../../core/format.ts';
import { Fault, printable } from '../../../core/index.ts';
import { writeFileAtomicSync } from '../../../files/atomic-file.ts';
import type { SuiteInput } from '../../../scoring/suites/index.ts';
import { readRepairTasks } from '../../../workspace/repair-tasks.ts';
import { type CommandFile, examples, exits, withJson } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

interface Options {
  readonly repositories?: string;
  readonly output: string;
  readonly json?: boolean;
}

export const programs: CommandFile = {
  declare(command) {
    command
      .argument('<file>', 'instances as JSON lines: instance_id, problem_statement, patch, test_patch, FAIL_TO_PASS, PASS_TO_PASS')
      .option(
        '--repositories <folder>',
        'where each instance has its repository, in a folder named by its instance_id (default: beside the file)',
      )
      .requiredOption('-o, --output <file>', 'where to write the suite');
    withJson(command);
    examples(command, {
      'ludus tasks programs instances.jsonl -o repairs.json': 'repositories are in folders beside the file',
      'ludus eval repairs.json --agents random,llm:MODEL': 'then it is a suite like any other',
    });
  },

  async run({ args, options: given, terminal }) {
    const options = given as unknown as Options;
    const file = resolve(terminal.cwd, args[0]!);
    const folder = options.repositories === undefined ? dirname(file) : resolve(terminal.cwd, options.repositories);
    const { tasks, down } = await readRepairTasks(file, folder);
    if (tasks.length === 0) throw new Fault('input', `No instance of ${args[0]} fits: ${down[0]?.why ?? 'there is none in it'}`);
    const suite: SuiteInput = {
      name: 'repairs',
      about: 'Repositories of your own with a bug: paid 1 when the named tests pass.',
      nulls: ['random'],
      // Tasks in Python have a second seat, which runs the tests.
      scenes: [
        { environment: 'programs', seats: ['fixer'], others: { '*': 'tester' }, tasks: tasks.map(({ task }) => task), also: ['form'] },
      ],
    };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite, null, 1)}\n`);
    const proved = tasks.filter((one) => one.proved).length;
    if (options.json === true) printJson(terminal, { file: options.output, tasks: tasks.length, proved, down });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(tasks.length, 'task')} in ${options.output}, ${proved} proved by the patch that came with it; ${down.length} left out`,
        ...down.slice(0, 10).map(({ id, why }) => `  ${colours.yellow('·')} ${printable(id)}: ${printable(why)}`),
        ...(down.length > 10 ? [`  and ${down.length - 10} more; --json tells all`] : []),
      );
    }
    return exits.fine;
  },
};
