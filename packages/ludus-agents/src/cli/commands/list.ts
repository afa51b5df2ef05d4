/** @file `ludus list`: the entries of every kind, and stored runs and episodes. */

import { nameOfTask } from '@ludus-agents/desk/internal/gate';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { type EpisodeRecord, printable, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { kinds } from '@ludus-agents/servers/internal/kinds';
import { brief, type StoreOptions } from '@ludus-agents/store/internal/stores';
import { type Listed, type ListedCounts, type ListedEnvironment, type ListedRun, list as listAll, most } from '../../library/list.ts';
import { type CommandRun, exits, type OptionalArguments } from '../command.ts';
import { type Colours, coloursFor } from '../render/colours.ts';
import { tintAmount } from '../render/episode.ts';
import { type Column, table } from '../render/table.ts';
import { print, printJson, tableWidth } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly json?: boolean;
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly status?: EpisodeRecord['status'];
  readonly limit?: number;
}

export const list: CommandRun<Options, OptionalArguments> = {
  async run({ args, options, terminal }) {
    const { json, ...filters } = options;
    const listed = await listAll({ ...filters, what: args[0] }, terminal);
    const { damaged } = listed;
    if (damaged > 0)
      terminal.stderr.write(
        `${count(damaged, 'record')} cannot be read and ${damaged === 1 ? 'is' : 'are'} not listed. Run "ludus doctor" to see why.\n`,
      );
    const colours = coloursFor(terminal.stdout, terminal.env);
    if (listed.kind === 'counts') {
      if (json === true) printJson(terminal, listed.counts);
      else print(terminal, countsTable(listed.counts, colours));
      return exits.fine;
    }
    if (json === true) {
      printJson(terminal, listed.entries);
      return exits.fine;
    }
    const { columns, rows, empty, more } = tableOf(listed, colours);
    if (rows.length === 0) print(terminal, empty);
    else print(terminal, table(columns, rows, { colours, columns: tableWidth(terminal) }));
    if (terminal.stdout.isTTY === true && more !== undefined) print(terminal, '', colours.faint(more));
    return exits.fine;
  },
};

function countsTable(counts: ListedCounts, colours: Colours): string {
  const about: Readonly<Record<keyof ListedCounts, string>> = {
    environments: 'games, conversations, and tasks to play',
    agents: 'kinds of players',
    models: 'kinds of models behind them',
    runs: 'experiments, evaluations, and trainings in this store',
    episodes: 'saved games and conversations',
  };
  const rows = Object.entries(counts).map(([name, amount]) => [
    colours.cyan(name),
    amount > most ? `${formatGrouped(most)}+` : formatGrouped(amount),
    about[name as keyof ListedCounts],
  ]);
  return table([{ title: 'list' }, { title: 'number', align: 'right' }, { title: '' }], rows, { colours });
}

/** A list for terminal output. */
interface Listing {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  readonly empty: string;
  /** A suggestion for the next command. */
  readonly more?: string;
}

function tableOf(listed: Exclude<Listed, { readonly kind: 'counts' }>, colours: Colours): Listing {
  if (listed.kind === 'environments') return environmentTable(listed.entries, colours);
  if (listed.kind === 'sandboxes') return sandboxTable(listed.entries, colours);
  if (listed.kind === 'runs') return runTable(listed.entries);
  if (listed.kind === 'episodes') return episodeTable(listed.entries, colours);
  const kind = kinds.find(({ name }) => name === listed.name);
  return {
    columns: [{ title: kind?.one ?? 'kind' }, { title: 'description', flexible: 'cut' }],
    rows: listed.entries.map(({ name, about }) => [colours.cyan(printable(name)), printable(about)]),
    empty: `No ${listed.name}.`,
    more: kind === undefined ? 'ludus list KIND lists the objects of one kind.' : `ludus show ${kind.one} NAME explains one.`,
  };
}

function environmentTable(entries: readonly ListedEnvironment[], colours: Colours): Listing {
  return {
    columns: [{ title: 'environment' }, { title: 'group' }, { title: 'seats' }, { title: 'description', flexible: 'cut' }],
    rows: entries.map(({ name, group, seats, about }) => [colours.cyan(name), group, seatList(seats), about]),
    empty: 'No environments.',
    more: 'Run "ludus show NAME" to see one in detail.',
  };
}

function seatList(seats: readonly Seat[]): string {
  const names = seats.join(', ');
  return names.length <= 16 ? names : `${seats.length} seats`;
}

/** Each is tested on this machine, so users do not rely on isolation that does not work. */
function sandboxTable(entries: Extract<Listed, { readonly kind: 'sandboxes' }>['entries'], colours: Colours): Listing {
  const rows = entries.map(({ backend, ok, holds, why = '' }) => {
    const current = Object.entries(holds).flatMap(([name, holding]) => (holding ? [name] : []));
    return [colours.cyan(backend), ok ? 'yes' : 'no', current.join(', ') || 'nothing', why];
  });
  const columns = [
    { title: 'sandbox' },
    { title: 'works here' },
    { title: 'restricts', flexible: 'wrap' as const },
    { title: 'details', flexible: 'cut' as const },
  ];
  return { columns, rows, empty: 'No sandboxes.' };
}

function runTable(entries: readonly ListedRun[]): Listing {
  return {
    columns: [
      { title: 'run', flexible: 'wrap' },
      { title: 'ended', align: 'right' },
      { title: 'of', align: 'right' },
      { title: '' },
      { title: 'environments', flexible: 'cut' },
    ],
    rows: entries.map(({ id, environments: played, planned, ended, updates }) => {
      const [done, all, what] =
        updates === undefined ? [ended, planned, planned === 0 ? '' : 'episodes'] : [updates.made, updates.planned ?? 0, 'updates'];
      const counts = what === '' ? ['', ''] : [formatGrouped(done), all === 0 ? '' : formatGrouped(all)];
      return [printable(id), ...counts, what, played.join(', ')];
    }),
    empty: 'No runs yet. Create one with "ludus run PLAN".',
  };
}

function episodeTable(entries: readonly EpisodeRecord[], colours: Colours): Listing {
  const tasks = entries.map(({ task }) => nameOfTask(task) ?? '');
  const isNamed = tasks.some((name) => name !== '');
  return {
    columns: [
      { title: 'episode' },
      { title: 'environment', flexible: 'cut' },
      ...(isNamed ? [{ title: 'task', flexible: 'cut' } as const] : []),
      { title: 'seed', align: 'right' },
      { title: 'turns', align: 'right' },
      { title: 'end' },
      { title: 'returns', flexible: 'cut' },
    ],
    rows: entries.map((row, i) => [
      colours.cyan(brief(row.id)),
      printable(row.environment),
      ...(isNamed ? [printable(tasks[i] ?? '')] : []),
      String(row.seed),
      String(row.turns),
      row.status === 'error' ? colours.red(row.status) : row.status === 'over' ? row.status : colours.yellow(row.status),
      Object.entries(row.cast)
        .map(([seat, name]) =>
          `${printable(`${seat} ${name}`)} ${row.returns === null ? '' : tintAmount(colours, row.returns[seat] ?? 0)}`.trim(),
        )
        .join(', '),
    ]),
    empty: 'No such episodes yet. Create some with "ludus play" or "ludus run".',
  };
}
