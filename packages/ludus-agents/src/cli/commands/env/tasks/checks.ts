/** @file `ludus env tasks checks`: measures the error rates of checks of written tasks, on planted bad tasks. */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import type { CheckFigures } from '@ludus-agents/learning/internal/curricula/proposers/planted';
import { checks as measureChecks } from '../../../../library/env-tasks.ts';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { table } from '../../../render/table.ts';
import { print, printJson } from '../../../terminal.ts';

interface Options {
  readonly checks: string;
  readonly tasks?: string;
  readonly documents?: string;
  readonly count: string;
  readonly seed: string;
  readonly json?: boolean;
}

export const checks: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as unknown as Options;
    const { tasks, documents } = options;
    const [count, seed] = [wholeOf(options.count, '--count'), wholeOf(options.seed, '--seed')];
    const names = options.checks.split(',').map((name) => name.trim());
    const request = { environment: args[0], checks: names, tasks, documents, count, seed };
    const { environment, checks: figures } = await measureChecks(request, terminal);
    if (options.json === true) printJson(terminal, { environment, seed, checks: figures });
    else {
      const cells = figures.map((figure) => [figure.check, ...rates(figure)]);
      const columns = [{ title: 'check' }, { title: 'bad tasks passed' }, { title: 'good tasks refused' }, { title: 'what passed' }];
      print(terminal, table(columns, cells, { colours: coloursFor(terminal.stdout, terminal.env) }));
    }
    return exits.fine;
  },
};

function rates({ good, bad, falsePositives, falseNegatives, passed }: CheckFigures): readonly string[] {
  const share = (part: number, whole: number) =>
    whole === 0 ? 'none planted' : `${part} of ${whole} (${((100 * part) / whole).toFixed(0)}%)`;
  const flaws = Object.entries(passed).map(([flaw, times]) => `${flaw} ${times}`);
  return [share(falsePositives, bad), share(falseNegatives, good), flaws.join(', ')];
}

function wholeOf(text: string, option: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Fault('input', `${option}: expected a positive integer, got ${JSON.stringify(text)}.`);
  return value;
}
