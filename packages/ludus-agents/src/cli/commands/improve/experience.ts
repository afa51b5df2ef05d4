/** @file `ludus improve experience`: adds lessons from stored episodes to an agent: moves by situation, uses of objects, plans by goal. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { experience as addExperience, pack as packEpisodes, takePack } from '../../../library/improvements.ts';
import { type CommandRun, exits } from '../../command.ts';
import { print, printJson } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly agent?: string;
  readonly pack?: string;
  readonly output: string;
  readonly seat?: string;
  readonly run?: string;
  readonly json?: boolean;
}

export const experience: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { agent, seat: wanted, run, store, readOnly, output } = options;
    const write = (content: object) => writeFileAtomicSync(resolve(terminal.cwd, output), `${JSON.stringify(content, null, 1)}\n`);
    const report = (facts: object, summary: string) =>
      options.json === true ? printJson(terminal, { file: output, ...facts }) : print(terminal, `${output}: ${summary}.`);
    if (options.pack !== undefined) {
      if (agent === undefined || args[0] !== undefined)
        throw new Fault('input', `Name the agent that takes ${options.pack} with --agent, and no environment.`, {
          code: 'E_MISSING_OPTION',
        });
      const taught = await takePack(agent, options.pack, terminal);
      write(taught);
      report({ agent: taught.name }, `${taught.name} with the pack ${options.pack}`);
      return exits.fine;
    }
    const [environment] = args;
    if (environment === undefined)
      throw new Fault('input', 'Name the environment whose stored episodes are read, or a pack with --pack FILE.', {
        code: 'E_MISSING_OPTION',
      });
    const stored = { environment, seat: wanted, run, store, readOnly };
    if (agent === undefined) {
      const { entries, ...pack } = await packEpisodes(stored, terminal);
      write({ ...pack, entries });
      report({ entries: entries.length }, `a pack of ${count(entries.length, 'task')}`);
      return exits.fine;
    }
    const { spec, seat, episodes, experience: learned } = await addExperience({ ...stored, agent }, terminal);
    write(spec);
    const counts = {
      episodes,
      actions: learned.actions.length,
      things: Object.keys(learned.affordances).length,
      plans: learned.plans.length,
    };
    report(
      { seat, ...counts },
      `${count(counts.actions, 'right move')}, ${count(counts.things, 'thing')}, ${count(counts.plans, 'plan')} from ${count(counts.episodes, 'episode')}`,
    );
    return exits.fine;
  },
};
