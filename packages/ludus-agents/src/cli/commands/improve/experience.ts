/** @file `ludus improve experience`: what kept episodes show, put into an agent: right moves by situation, what things are good for, plans by goal. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { experience as addExperience } from '../../../library/improvements.ts';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly agent: string;
  readonly output: string;
  readonly seat?: string;
  readonly run?: string;
  readonly json?: boolean;
}

export const experience: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { agent, seat: wanted, run, store, readOnly } = options;
    const {
      spec,
      seat,
      episodes,
      experience: learned,
    } = await addExperience({ environment: args[0], agent, seat: wanted, run, store, readOnly }, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(spec, null, 1)}\n`);
    const counts = {
      episodes,
      actions: learned.actions.length,
      things: Object.keys(learned.affordances).length,
      plans: learned.plans.length,
    };
    if (options.json === true) printJson(terminal, { file: options.output, seat, ...counts });
    else
      print(
        terminal,
        `${options.output}: ${count(counts.actions, 'right move')}, ${count(counts.things, 'thing')}, ${count(counts.plans, 'plan')} from ${count(counts.episodes, 'episode')}.`,
      );
    return exits.fine;
  },
};
