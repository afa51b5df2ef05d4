/** @file `ludus desk tasks`: generates cases from runs, desks, and recorded conversations, as suites for eval and test. */

import { resolve } from 'node:path';
import type { TaskRate } from '@ludus-agents/desk/internal/failed-tasks';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { make as makeTasks, observe as observeTasks, type TasksFromRun, from as tasksFrom } from '../../../library/desk-tasks.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface FromOptions extends StoreOptions {
  readonly failed?: boolean;
  readonly rate?: readonly [number, number];
  readonly output?: string;
  readonly agent?: string;
  readonly suite?: string;
  readonly redact?: string | true;
  readonly json?: boolean;
}

/** `ludus desk tasks from`: turns the tasks of a run into a suite, so failed tasks are played again. */
export const from: CommandRun<FromOptions> = {
  async run({ args, options, terminal }) {
    const { failed, rate, agent, suite: named, redact, store } = options;
    const redactedWords = (typeof redact === 'string' ? redact : '').split(',').flatMap((word) => word.trim() || []);
    const tasks = await tasksFrom({ run: args[0], failed, rate, agent, suite: named, redact: redactedWords, store }, terminal);
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

function nothingText(tasks: TasksFromRun, { rate, failed }: FromOptions): string {
  const { run } = tasks;
  if (tasks.imported) return `Nothing to write from ${run}.${unjudgedText(tasks)}`;
  const failure = failed === true ? `No failures in ${run}` : `${run} has no tasks that were scored`;
  return `${rate === undefined ? failure : `No task of ${run} has a pass rate in this range`}, so there is nothing to write.`;
}

function writtenLines(
  tasks: TasksFromRun,
  { output, rate, failed }: FromOptions & { readonly output: string },
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
    `${mark} ${count(tasks.tasks, 'conversation')} of ${run} in ${output}, ${count(redacted, 'value')} removed.${failed === true ? unjudgedText(tasks) : ''}`,
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

interface MakeOptions {
  readonly kinds?: string;
  readonly each: number;
  readonly seed: number;
  readonly output: string;
  readonly model?: string;
  readonly reviewer?: string;
  readonly rounds: number;
  readonly safeData?: string;
  readonly json?: boolean;
}

export const make: CommandRun<MakeOptions> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const { each, seed, model, reviewer, rounds, safeData, output } = options;
    const needless = reviewer === undefined ? (safeData === undefined ? null : '--safe-data') : '--reviewer';
    if (model === undefined && needless !== null) throw new Fault('input', `${needless} needs --model, because a model writes the texts.`);
    const { controller, release } = interruptible(terminal);
    const kinds = options.kinds?.split(',').map((kind) => kind.trim());
    const request = { desk: args[0], kinds, each, seed, model, reviewer, rounds, signal: controller.signal };
    const { suite, counts: result, lessons, kept, down, calls, rewritten, unread } = await makeTasks(request, terminal).finally(release);
    if (safeData !== undefined)
      writeFileAtomicSync(resolve(terminal.cwd, safeData), lessons.map((lesson) => `${JSON.stringify(lesson)}\n`).join(''));
    writeFileAtomicSync(resolve(terminal.cwd, output), `${JSON.stringify(suite, null, 1)}\n`);
    if (options.json === true)
      printJson(terminal, {
        file: output,
        cases: kept.length,
        made: result,
        down,
        ...(model === undefined ? {} : { calls, rewritten, unread, safe: lessons.length }),
      });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${count(kept.length, 'case')} in ${output}: ${Object.entries(result)
          .map(([probe, much]) => `${printable(probe)} ${much}`)
          .join(', ')}`,
        ...(model === undefined ? [] : [`  ${count(calls, 'call')} to models; ${rewritten} of the cases needed a correction first.`]),
        ...(unread === 0 ? [] : [`  ${colours.yellow('·')} ${count(unread, 'vote')} of the reviewer could not be read and did not count.`]),
        ...(safeData === undefined ? [] : [`  ${count(lessons.length, 'safe answer')} in ${printable(safeData)}`]),
        ...down
          .slice(0, 5)
          .map(({ id, stage, why }) => `  ${colours.yellow('·')} rejected by ${stage}: ${printable(id)}: ${printable(why)}`),
        ...(down.length > 5 ? [`  and ${down.length - 5} more; use --json to see all`] : []),
      );
    }
    return exits.fine;
  }),
};

interface ObserveOptions {
  readonly limit: number;
  readonly output: string;
  readonly json?: boolean;
}

/**
 * `ludus desk tasks observe`: turns human conversations into points where a simulated user must speak or watch silently, as a suite.
 */
export const observe: CommandRun<ObserveOptions> = {
  async run({ args, options, terminal }) {
    const { suite, places, silent } = await observeTasks({ conversations: args[0], limit: options.limit }, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite)}\n`);
    if (options.json === true) printJson(terminal, { file: options.output, places, silent });
    else
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(places, 'place')} in ${options.output}; people were silent at ${silent}`,
        ...(silent === 0 ? ['  The user always speaks here, so only the content can be compared, not the timing.'] : []),
      );
    return exits.fine;
  },
};
