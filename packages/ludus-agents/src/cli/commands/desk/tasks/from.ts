/** @file `ludus desk tasks from`: the tasks of a run as a suite of their own, so that what failed once is played again. */

import { resolve } from 'node:path';
import type { TaskRate } from '@ludus-agents/desk/internal/failed-tasks';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type TasksFromRun, from as tasksFrom } from '../../../../library/desk-tasks.ts';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { print, printJson, type Terminal } from '../../../terminal.ts';

interface Options extends StoreOptions {
  readonly failed?: boolean;
  readonly rate?: readonly [number, number];
  readonly output?: string;
  readonly agent?: string;
  readonly suite?: string;
  readonly redact?: string | true;
  readonly json?: boolean;
}

export const from: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { failed, rate, agent, suite: named, redact, store } = options;
    const words = (typeof redact === 'string' ? redact : '').split(',').flatMap((word) => word.trim() || []);
    const tasks = await tasksFrom({ run: args[0], failed, rate, agent, suite: named, redact: words, store }, terminal);
    const { suite, run } = tasks;
    if (suite === null) {
      const { imported, suite: _, ...counts } = tasks;
      if (options.json === true) printJson(terminal, imported ? { run, tasks: tasks.tasks, unjudged: tasks.unjudged } : counts);
      else print(terminal, nothingText(tasks, options));
      return exits.fine;
    }
    const text = `${JSON.stringify(suite, null, 1)}\n`;
    if (options.output === undefined) {
      terminal.stdout.write(text);
      return exits.fine;
    }
    writeFileAtomicSync(resolve(terminal.cwd, options.output), text);
    if (options.json === true) {
      const { imported: _, suite: __, ...counts } = tasks;
      printJson(terminal, { ...counts, file: options.output });
    } else print(terminal, ...writtenLines(tasks, { ...options, output: options.output }, terminal));
    return exits.fine;
  },
};

function nothingText(tasks: TasksFromRun, { rate, failed }: Options): string {
  const { run } = tasks;
  if (tasks.imported) return `Nothing to write from ${run}.${unjudgedText(tasks)}`;
  const failure = failed === true ? `Nothing failed in ${run}` : `${run} has no tasks that were scored`;
  return `${rate === undefined ? failure : `No task of ${run} was passed that often`}, so there is nothing to write.`;
}

function writtenLines(
  tasks: TasksFromRun,
  { output, rate, failed }: Options & { readonly output: string },
  terminal: Terminal,
): readonly string[] {
  const { run } = tasks;
  const mark = coloursFor(terminal.stdout, terminal.env).green('✓');
  if (!tasks.imported)
    return [
      `${mark} ${count(tasks.tasks, 'task')} of ${run} in ${output}; ludus eval ${output} --agents … plays them.`,
      ...(rate === undefined ? [] : tasks.rates.map(rateLine)),
    ];
  const { clusters, redacted } = tasks;
  return [
    `${mark} ${count(tasks.tasks, 'conversation')} of ${run} in ${output}, ${count(redacted, 'value')} taken out.${failed === true ? unjudgedText(tasks) : ''}`,
    ...(clusters.length === 1 ? [] : clusters.map(({ name, tasks: much }) => `  ${printable(name)} (${much})`)),
  ];
}

function unjudgedText({ run, unjudged }: Extract<TasksFromRun, { readonly imported: true }>): string {
  if (unjudged === 0) return '';
  return ` ${count(unjudged, 'conversation')} ${unjudged === 1 ? 'has' : 'have'} no verdict, reward or error that says whether it failed; "ludus score ${run} --scorers fault-rudeness,fault-loop,fault-breakdown" looks for faults.`;
}

function rateLine({ scene, task, passed, tries, interval: [low, high] }: TaskRate): string {
  return `  ${passed} of ${tries} passed (95%: ${low.toFixed(2)} to ${high.toFixed(2)})  ${printable(`${scene} ${JSON.stringify(task)}`.slice(0, 100))}`;
}
