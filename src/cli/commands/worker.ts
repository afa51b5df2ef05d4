/** @file `ludus worker`: plays what waits in a store, beside any number of others, until it is told to stop. */

import { count } from '../../company/amounts.ts';
import { handsIn } from '../../company/hands.ts';
import { shortPauses } from '../../company/pauses.ts';
import type { StoreOptions } from '../../company/stores.ts';
import { worldOf } from '../../company/worlds.ts';
import { Fault, printable, sentenceOf } from '../../core/index.ts';
import { openDoor } from '../../fleet/door.ts';
import { paceIn } from '../../fleet/pace.ts';
import { sharing } from '../../fleet/performing.ts';
import { scoreWork } from '../../fleet/scoring.ts';
import { rolloutWork } from '../../fleet/training.ts';
import { version } from '../../fleet/version.ts';
import { Worker } from '../../fleet/worker.ts';
import { type Premises, unsigned } from '../../store/index.ts';
import { amount, type CommandFile, examples, exits, whole, withJson, withStore } from '../command.ts';
import { interruptible, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly concurrency: number;
  readonly worlds?: string;
  readonly models?: string;
  readonly lease: number;
  readonly grace: number;
  readonly metrics?: string;
  readonly patience: number;
  readonly untilEmpty?: boolean;
  readonly json?: boolean;
}

export const worker: CommandFile = {
  declare(command) {
    command
      .option('--concurrency <n>', 'episodes at once', whole('--concurrency', 1, 100_000), 16)
      .option('--worlds <list>', 'only episodes of these worlds')
      .option('--models <list>', 'only episodes whose models are all among these')
      .option('--lease <seconds>', 'how long others wait for a sign of life before they take a job over', amount('--lease'), 30)
      .option('--grace <seconds>', 'how long episodes may go on once it is to stop', amount('--grace'), 30)
      .option('--patience <seconds>', 'how long to wait for a store that is not there yet', amount('--patience'), 60)
      .option('--metrics <[host:]port>', 'where /health and /metrics are (default: nowhere; the host is 127.0.0.1)')
      .option('--until-empty', 'stop when nothing waits any more');
    withJson(withStore(command));
    examples(command, {
      'ludus worker --store postgres://worker@db/ludus': 'play whatever waits, until Ctrl-C or SIGTERM',
      'ludus worker --concurrency 64 --models openai/gpt-5.4-mini': 'one that only calls this model',
      'ludus worker --metrics 9400 --until-empty': 'watched, and gone when the work is done',
    });
    command.addHelpText(
      'after',
      '\nThe address of the store is better set as LUDUS_STORE: what stands on a command line can be read by others.',
    );
  },

  async run({ options: given, terminal }) {
    const options = given as unknown as Options;
    shortPauses(options.concurrency);
    return sharing(await there(terminal, options), options, async (premises, where) => {
      const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
      const untie = onTerminate(() => controller.abort());
      const made = workerOn(premises, options, terminal);
      const door = options.metrics === undefined ? null : await openDoor({ worker: made, premises, ...placeOf(options.metrics) });
      if (options.json !== true)
        terminal.stderr.write(`${made.id} · Ludus ${version} · ${unsigned(where)} · ${count(options.concurrency, 'episode')} at once\n`);
      try {
        await made.run(controller.signal);
      } finally {
        door?.close();
        untie();
        release();
      }
      const { id, finished, failed } = made.note;
      if (options.json === true) printJson(terminal, { worker: id, finished, failed });
      else terminal.stderr.write(`${count(finished, 'job')} finished${failed > 0 ? `, ${failed} failed` : ''}.\n`);
      return exits.fine;
    });
  },
};

function workerOn(premises: Premises, options: Options, terminal: Terminal): Worker {
  const list = (text: string | undefined) => text?.split(',').map((word) => word.trim());
  return new Worker({
    premises,
    environment: (name) => worldOf(name, terminal.cwd, 'folder'),
    hands: handsIn(terminal.cwd, 'folder'),
    concurrency: options.concurrency,
    lease: options.lease * 1000,
    grace: options.grace * 1000,
    worlds: list(options.worlds),
    models: list(options.models),
    pace: paceIn(terminal.env),
    other: { rollout: rolloutWork(premises.store), score: scoreWork(premises.store, terminal.cwd) },
    untilEmpty: options.untilEmpty === true,
    tell: (sentence) => terminal.stderr.write(`${printable(sentence)}\n`),
  });
}

/** Where workers start before their database does, the first of them would all be in vain. */
async function there(terminal: Terminal, options: Options): Promise<Terminal> {
  const until = Date.now() + options.patience * 1000;
  for (;;) {
    try {
      await sharing(terminal, options, async () => {});
      return terminal;
    } catch (thrown) {
      const passing = /nobody listens|did not answer|starting up|terminated|no such host/.test(sentenceOf(thrown));
      if (!passing || Date.now() > until) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Containers are told to stop by SIGTERM. */
function onTerminate(stop: () => void): () => void {
  process.on('SIGTERM', stop);
  return () => process.off('SIGTERM', stop);
}

function placeOf(text: string): { readonly host?: string; readonly port: number } {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new Fault('input', `--metrics takes a port like 9400, or a host and a port like 0.0.0.0:9400, but came as "${text}".`);
  return { port: Number(port), ...(host !== undefined && { host: host.replace(/^\[|\]$/g, '') }) };
}
