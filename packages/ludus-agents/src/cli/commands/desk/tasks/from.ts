/** @file `ludus desk tasks from`: the tasks of a run as a suite of their own, so that what failed once is played again. */

import { resolve } from 'node:path';
import { suiteFromRun, type TaskRate } from '@ludus-agents/desk/internal/failed-tasks';
import { tasksFromImported } from '@ludus-agents/desk/internal/imported-tasks';
import { suiteBehind } from '@ludus-agents/evaluation/internal/suites';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable, type Store } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
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

export const from: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    return withExistingStore(terminal, options, async (store) => {
      const typed = args[0]!;
      const run = await loadRun(store, typed);
      const [any] = await store.episodes({ run: run.id, limit: 1 });
      if (any?.environment.startsWith('relay@') && options.rate !== undefined)
        throw new Fault('input', '--rate needs tasks with several attempts, but imported conversations have one. Remove it.');
      if (any?.environment.startsWith('relay@')) return writeImported(store, run.id, options, terminal);
      const knownSuite = await suiteBehind(run.id, options.suite, terminal.cwd, terminal.trust);
      const { failed = false, rate, agent } = options;
      const { suite, tasks, rates } = await suiteFromRun(store, { run: run.id, failed, rate, agent, known: knownSuite });
      if (suite === null) {
        const why =
          rate !== undefined
            ? `No task of ${run.id} was passed that often`
            : failed
              ? `Nothing failed in ${run.id}`
              : `${run.id} has no tasks that were scored`;
        if (options.json === true) printJson(terminal, { run: run.id, tasks: 0, rates });
        else print(terminal, `${why}, so there is nothing to write.`);
        return exits.fine;
      }
      const text = `${JSON.stringify(suite, null, 1)}\n`;
      if (options.output === undefined) {
        terminal.stdout.write(text);
        return exits.fine;
      }
      writeFileAtomicSync(resolve(terminal.cwd, options.output), text);
      if (options.json === true) printJson(terminal, { run: run.id, tasks, file: options.output, rates });
      else
        print(
          terminal,
          `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(tasks, 'task')} of ${run.id} in ${options.output}; ludus eval ${options.output} --agents … plays them.`,
          ...(rate === undefined ? [] : rates.map(rateLine)),
        );
      return exits.fine;
    });
  },
};

function rateLine({ scene, task, passed, tries, interval: [low, high] }: TaskRate): string {
  return `  ${passed} of ${tries} passed (95%: ${low.toFixed(2)} to ${high.toFixed(2)})  ${printable(`${scene} ${JSON.stringify(task)}`.slice(0, 100))}`;
}

/** Conversations of a running bot: what the customer said, without personal data, to be said again. */
async function writeImported(store: Store, run: string, options: Options, terminal: Terminal): Promise<number> {
  const redact = (typeof options.redact === 'string' ? options.redact : '').split(',').flatMap((word) => word.trim() || []);
  const { suite, tasks, clusters, redacted, unjudged } = await tasksFromImported(store, { run, failed: options.failed === true, redact });
  const unknown =
    unjudged === 0
      ? ''
      : ` ${count(unjudged, 'conversation')} ${unjudged === 1 ? 'has' : 'have'} no verdict, reward or error that says whether it failed; "ludus score ${run} --scorers fault-rudeness,fault-loop,fault-breakdown" looks for faults.`;
  if (suite === null) {
    if (options.json === true) printJson(terminal, { run, tasks, unjudged });
    else print(terminal, `Nothing to write from ${run}.${unknown}`);
    return exits.fine;
  }
  const text = `${JSON.stringify(suite, null, 1)}\n`;
  if (options.output === undefined) {
    terminal.stdout.write(text);
    return exits.fine;
  }
  writeFileAtomicSync(resolve(terminal.cwd, options.output), text);
  if (options.json === true) printJson(terminal, { run, tasks, clusters, redacted, unjudged, file: options.output });
  else
    print(
      terminal,
      `✓ ${count(tasks, 'conversation')} of ${run} in ${options.output}, ${count(redacted, 'value')} taken out.${options.failed === true ? unknown : ''}`,
      ...(clusters.length === 1 ? [] : clusters.map(({ name, tasks: much }) => `  ${printable(name)} (${much})`)),
    );
  return exits.fine;
}
