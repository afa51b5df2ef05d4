/** @file `ludus desk tasks observe`: conversations of people as places where a simulated user has to speak or to watch in silence, as a suite. */

import { resolve } from 'node:path';
import { readConversations } from '@ludus-agents/evaluation/internal/conversations';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { speakingTasks } from '@ludus-agents/evaluation/internal/speaking';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { type CommandRun, exits } from '../../../command.ts';
import { coloursFor } from '../../../render/colours.ts';
import { print, printJson } from '../../../terminal.ts';

interface Options {
  readonly limit: number;
  readonly output: string;
  readonly json?: boolean;
}

export const observe: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const all = (await readConversations(args[0]!, terminal.cwd)).flatMap(speakingTasks);
    if (all.length === 0) throw new Fault('input', `${args[0]} has no turn where a user speaks after someone else.`);
    const step = Math.max(1, all.length / options.limit);
    const tasks = Array.from({ length: Math.min(all.length, options.limit) }, (_, i) => all[Math.floor(i * step)]!);
    const silent = tasks.filter(({ source }) => source === '').length;
    const suite: SuiteInput = {
      name: 'observe',
      about: 'Turns from conversations of people. Does a simulated user speak where they did, and only there?',
      seeds: 1,
      nulls: ['scripted:watch', 'scripted:character'],
      scenes: [{ environment: 'next-line', seats: ['character'], tasks: tasks, scale: [0, 1], pass: 1 }],
    };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite)}\n`);
    if (options.json === true) printJson(terminal, { file: options.output, places: tasks.length, silent });
    else
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(tasks.length, 'place')} in ${options.output}; people were silent at ${silent}`,
        ...(silent === 0 ? ['  The user always speaks here, so only the content can be compared, not the timing.'] : []),
      );
    return exits.fine;
  },
};
