/** @file `ludus env dream`: learns an environment from stored episodes, and measures its error on held-out ones. */

import { resolve } from 'node:path';
import { createAgentLoader, standIn } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { errorWords } from '@ludus-agents/environments/internal/dream/error';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { evolveDream } from '@ludus-agents/learning/internal/evolve-dream';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { dream as learnDream } from '../../../library/env.ts';
import { findSeat } from '../../../library/refs.ts';
import { type CommandRun, exits } from '../../command.ts';
import { modelOptions } from '../../model-options.ts';
import { withNotices } from '../../render/version-changes.ts';
import { withinBudget } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly output: string;
  readonly seat?: string;
  readonly run?: string;
  readonly hold: number;
  readonly model?: string;
  readonly samples: number;
  readonly evolve?: string;
  readonly rounds: number;
  readonly games: number;
  readonly seed: number;
  readonly task?: string;
  readonly json?: boolean;
}

export const dream: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    modelOptions(options, terminal.env);
    if (options.evolve !== undefined) return evolve(args[0], options, terminal);
    const { controller, release } = interruptible(terminal);
    try {
      const { seat: wantedSeat, run, hold, model, samples, store } = options;
      const dreamDocument = await learnDream(
        { environment: args[0], seat: wantedSeat, run, hold, model, samples, store, signal: controller.signal },
        terminal,
      );
      writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(dreamDocument, null, 1)}\n`);
      const { error, steps, openings, seat } = dreamDocument;
      if (options.json === true) printJson(terminal, { file: options.output, of: dreamDocument.of, seat, steps: steps.length, error });
      else
        print(
          terminal,
          `${options.output}: ${count(steps.length, 'real step')}, ${count(openings.length, 'beginning')}. ${errorWords(error)}`,
        );
      // A dream with wrong rewards at decisive points teaches wrong behavior.
      if (error.paying > 0.5) {
        terminal.stderr.write(
          `It predicts a wrong reward in ${Math.round(100 * error.paying)}% of the real steps that had one, so agents trained in it learn little.\n`,
        );
        return exits.found;
      }
      return exits.fine;
    } finally {
      release();
    }
  }),
};

/** Alternates between training an agent and its dream, round by round. */
async function evolve(name: string, options: Options, terminal: Terminal): Promise<number> {
  const environment = await resolveEnvironment(name, terminal.cwd, terminal.trust);
  const seats = environment.seats(environment.task({}));
  const seat = findSeat(environment, seats, options.seat);
  const agent = await readSpec(options.evolve ?? '', terminal.cwd, terminal.trust);
  const others = Object.fromEntries(seats.filter((otherSeat) => otherSeat !== seat).map((seat) => [seat, standIn(environment, seat)]));
  const task = options.task === undefined ? {} : jsonFrom(options.task, '--task');
  const { hold, rounds, games, seed } = options;
  return withRunner(terminal, withNotices(terminal, options), async (store, perform) => {
    const { controller, release } = interruptible(terminal);
    try {
      const rows = await evolveDream(
        { name, environment, task, seat, agent, others, hold, rounds, games, seed },
        {
          store,
          perform: (plan) =>
            perform(plan, {
              store,
              environment: (item) => resolveEnvironment(item, terminal.cwd, terminal.trust),
              agent: createAgentLoader(createAgentServices(terminal.cwd, Trust.commandLine, options)),
              signal: controller.signal,
            }),
          write: (dream) => writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(dream, null, 1)}\n`),
          onRound({ round, steps, error, mean, low, high }) {
            if (options.json === true) return;
            const text = `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
            print(
              terminal,
              `Round ${round}: learned from ${count(steps, 'real step')}, ${(100 * error.told).toFixed(1)}% of steps predicted wrongly; real return ${text}.`,
            );
          },
        },
      );
      if (options.json === true) printJson(terminal, { file: options.output, rounds: rows });
      return exits.fine;
    } finally {
      release();
    }
  });
}
