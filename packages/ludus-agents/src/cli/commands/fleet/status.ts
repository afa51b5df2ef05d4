/** @file `ludus fleet status`: workers, their jobs, speed, cost, and the estimated end of the work. */

import { duration, formatGrouped, knownMoney, priceWords } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { type FleetView, fleetView, type RunView, type SeenWorker } from '@ludus-agents/servers/internal/fleet/fleet-status';
import { withSharedStore } from '@ludus-agents/servers/internal/fleet/with-runner';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../../command.ts';
import { type Colours, coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { columnsOf, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly dead?: boolean;
  readonly json?: boolean;
}

export const fleet: CommandRun = {
  async run({ options: input, terminal }) {
    const options = input as Options;
    return withSharedStore(terminal, options, async (sharedStore) => {
      if (options.dead === true) {
        const dead = await sharedStore.jobs.dead();
        if (options.json === true) printJson(terminal, dead);
        else print(terminal, ...(dead.length === 0 ? ['No failed jobs.'] : [deadTable(dead, terminal)]));
        return dead.length > 0 ? exits.found : exits.fine;
      }
      const view = await fleetView(sharedStore);
      if (options.json === true) printJson(terminal, view);
      else print(terminal, formatFleet(view, terminal));
      return exits.fine;
    });
  },
};

function formatFleet({ workers, runs, unserved, waiting, leased }: FleetView, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  if (workers.length === 0 && runs.length === 0) return 'No workers and no queued jobs.';
  const parts = [
    workers.length === 0 ? 'No worker has been seen in the last hour.' : workerTable(workers, terminal, colours),
    '',
    runs.length === 0 ? 'No jobs.' : runTable(runs, terminal, colours),
  ];
  const living = workers.some(({ state, lost }) => state === 'working' && !lost);
  if (waiting > 0 && leased === 0 && !living)
    parts.push('', colours.yellow('Jobs are queued, but no worker is running. Start one with "ludus fleet worker".'));
  else if (unserved.length > 0) parts.push('', colours.yellow(`Jobs need Ludus ${unserved.join(', ')}, but no worker has this version.`));
  return parts.join('\n');
}

function workerTable(workers: readonly SeenWorker[], terminal: Terminal, colours: Colours): string {
  const columns: Column[] = [
    { title: 'worker', flexible: 'cut' },
    { title: 'state' },
    { title: 'running', align: 'right' },
    { title: 'finished', align: 'right' },
    { title: 'failed', align: 'right' },
    { title: 'seen', align: 'right' },
  ];
  const rows = workers.map(({ id, state, lost, running, concurrency, finished, failed, silent }) => [
    printable(id),
    lost ? colours.red('lost') : state === 'gone' ? colours.faint('gone') : state,
    state === 'gone' ? '' : `${running}/${concurrency}`,
    formatGrouped(finished),
    failed === 0 ? '' : colours.red(formatGrouped(failed)),
    `${duration(silent / 1000)} ago`,
  ]);
  return table(columns, rows, { colours, columns: columnsOf(terminal.stdout) });
}

function runTable(runs: readonly RunView[], terminal: Terminal, colours: Colours): string {
  const columns: Column[] = [
    { title: 'run', flexible: 'cut' },
    ...['waiting', 'held', 'done', 'dead', '/s', 'left', 'spent'].map((title): Column => ({ title, align: 'right' })),
    { title: '' },
  ];
  const rows = runs.map(({ run, waiting, leased, done, dead, failed, perSecond, eta, spent, stopped }) => [
    printable(run),
    ...[waiting, leased, done].map(formatGrouped),
    dead === 0 ? '' : colours.red(formatGrouped(dead)),
    perSecond === 0 ? '' : perSecond.toFixed(perSecond < 10 ? 1 : 0),
    eta === null ? '' : duration(eta),
    spent.calls === 0 ? '' : priceWords(knownMoney(spent)),
    [stopped === null ? '' : colours.yellow(`${stopped} spent`), failed === 0 ? '' : colours.red(`${formatGrouped(failed)} failed`)]
      .join(' ')
      .trim(),
  ]);
  return table(columns, rows, { colours, columns: columnsOf(terminal.stdout) });
}

function deadTable(
  dead: readonly { readonly id: string; readonly run: string; readonly attempts: number; readonly reason: string }[],
  terminal: Terminal,
): string {
  const columns: Column[] = [{ title: 'job' }, { title: 'run' }, { title: 'tries', align: 'right' }, { title: 'why', flexible: 'wrap' }];
  const rows = dead.map(({ id, run, attempts, reason }) => [printable(id), printable(run), String(attempts), printable(reason)]);
  return table(columns, rows, { colours: coloursFor(terminal.stdout, terminal.env), columns: columnsOf(terminal.stdout) });
}
