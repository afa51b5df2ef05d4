/** @file `ludus env tasks checks`: how often checks of written tasks err, on bad tasks planted among good ones. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import {
  type CheckFigures,
  measureChecks,
  type PlantedTask,
  plantTasks,
} from '@ludus-agents/learning/internal/curricula/proposers/planted';
import { seatingOf } from '@ludus-agents/learning/internal/training/seating';
import { checksBy } from '@ludus-agents/learning/internal/training/task-checks';
import { readDocumentFolder } from '@ludus-agents/store/internal/document-folder';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
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
    const { cwd, trust } = terminal;
    const environment = await resolveEnvironment(args[0]!, cwd, trust);
    const base =
      options.documents === undefined ? {} : { documents: readDocumentFolder(resolve(cwd, options.documents)).documents as Json };
    const [count, seed] = [wholeOf(options.count, '--count'), wholeOf(options.seed, '--seed')];
    const planted =
      options.tasks === undefined
        ? plantTasks(environment, { base, count, seed })
        : labeledTasks(resolve(cwd, options.tasks), options.tasks).map(({ task, flaw }) => ({
            task: environment.task(task) as Json,
            flaw,
          }));
    const training = { environment: args[0]!, task: planted[0]?.task ?? {} };
    const { mine, others } = await seatingOf({ training } as Parameters<typeof seatingOf>[0], environment, cwd, trust);
    const names = options.checks.split(',').map((name) => name.trim());
    const list = await checksBy(names, { environment, seat: mine[0]!, others, cwd, trust });
    const figures = await measureChecks(list, planted);
    if (options.json === true) printJson(terminal, { environment: environment.id, seed, checks: figures } as unknown as Json);
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

function labeledTasks(file: string, name: string): readonly PlantedTask[] {
  let value: Json;
  try {
    value = jsonFrom(readFileSync(file, 'utf8'), name);
  } catch (thrown) {
    throw new Fault('input', `${name} cannot be read: ${reasonOf(thrown)}.`);
  }
  const list = (Array.isArray(value) ? value : []) as unknown as readonly { readonly task?: Json; readonly good?: Json }[];
  if (list.length === 0 || list.some((item) => item?.task === undefined || typeof item.good !== 'boolean'))
    throw new Fault('input', `${name}: expected a list of labeled tasks such as [{"task": {"goal": 3}, "good": true}].`);
  return list.map(({ task, good }) => ({ task: task!, flaw: good === true ? null : 'labeled bad' }));
}
