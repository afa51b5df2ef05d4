/** @file `ludus desk import`: a domain of τ²-bench, from its folder, as a suite that eval and test play. */

import { basename, resolve } from 'node:path';
import { deskScene } from '@ludus-agents/desk/internal/desks';
import { loadTau2Domain } from '@ludus-agents/desk/internal/tau2-folder';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { print, printJson } from '../../terminal.ts';

interface Options {
  readonly output: string;
  readonly domain?: string;
  readonly split?: string;
  readonly customer: string;
  readonly json?: boolean;
}

export const importDomain: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const domain = options.domain ?? basename(resolve(terminal.cwd, args[0]!));
    const { cases, tasks, missing, reduced } = loadTau2Domain(args[0]!, terminal.cwd, { domain, split: options.split });
    if (cases.length === 0)
      throw new Fault('input', `None of ${count(tasks, 'task')} in ${args[0]} could be imported: ${Object.keys(missing).join(', ')}.`);
    const suite: SuiteInput = {
      name: `tau2-${domain}`,
      about: `The tasks of τ²'s ${domain} desk: the end state must match the one reached by the gold calls, and all required facts must be told.`,
      seeds: 1,
      nulls: ['scripted:do-nothing', 'scripted:always-refuse'],
      scenes: [deskScene(domain, cases, options.customer)],
    };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite)}\n`);
    if (options.json === true) printJson(terminal, { file: options.output, tasks, taken: cases.length, missing, reduced });
    else {
      const lines = (title: string, counts: Readonly<Record<string, number>>) =>
        Object.entries(counts).map(([why, much]) => `  ${title}: ${why} (${much})`);
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${cases.length} of ${count(tasks, 'task')} in ${options.output}; the customer is ${options.customer}`,
        ...lines('not taken', missing),
        ...lines('not as in the release', reduced),
      );
    }
    return exits.fine;
  },
};
