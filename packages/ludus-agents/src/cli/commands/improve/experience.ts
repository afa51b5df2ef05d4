/** @file `ludus improve experience`: what kept episodes show, put into an agent: right moves by situation, what things are good for, plans by goal. */

import { resolve } from 'node:path';
import { isLanguageKind } from '@ludus-agents/agents/internal/agent-kind';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { recordsOf } from '@ludus-agents/evaluation/internal/stored-run';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, nameOf } from '@ludus-agents/kernel/internal/core/index';
import { experienceFrom } from '@ludus-agents/learning/internal/experience';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { seatIn } from '../../cast.ts';
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
    const environment = await resolveEnvironment(args[0]!, terminal.cwd, terminal.trust);
    const spec = await readSpec(options.agent, terminal.cwd, terminal.trust);
    if (!isLanguageKind(spec.kind))
      throw new Fault('input', `Experience needs a language agent, but ${spec.name} is of the kind "${spec.kind}".`);
    const seats = environment.seats(environment.task({}));
    const seat = options.seat === undefined ? seats[0]! : seatIn(options.seat, { environment: nameOf(environment), seats });
    const logs = await withExistingStore(terminal, options, async (store) => {
      const run = options.run === undefined ? {} : { run: (await loadRun(store, options.run)).id };
      const matches = [];
      for await (const record of recordsOf(store, run))
        if (record.environment === environment.id) matches.push(await store.events(record.id));
      return matches;
    });
    const newExperience = experienceFrom(logs, seat, environment.id);
    const taught = { ...spec, settings: { ...spec.settings, experience: newExperience } };
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(taught, null, 1)}\n`);
    const counts = {
      episodes: logs.length,
      actions: newExperience.actions.length,
      things: Object.keys(newExperience.affordances).length,
      plans: newExperience.plans.length,
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
