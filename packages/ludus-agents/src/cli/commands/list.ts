/** @file `ludus list`: the entries of every kind, and stored runs and episodes. */

import { agentKinds } from '@ludus-agents/agents/internal/kinds';
import { modelKinds } from '@ludus-agents/agents/internal/models/index';
import { sandboxReport } from '@ludus-agents/agents/internal/sandbox/sandbox';
import { findEnvironmentId, resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { environmentKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { sandboxSettings } from '@ludus-agents/agents/internal/workspace/tools';
import { environmentGroup, environmentNames } from '@ludus-agents/environments/internal/built-in';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import {
  type AnyEnvironment,
  type EpisodeRecord,
  Fault,
  type Kind,
  type KindLine,
  printable,
  type Seat,
  type Store,
} from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { listKind, ownNames } from '@ludus-agents/servers/internal/describe';
import { kinds } from '@ludus-agents/servers/internal/kinds';
import { brief, checkAgentPlayed, loadRun, type StoreOptions, storeExists, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits, type OptionalArguments } from '../command.ts';
import type { otherLists } from '../declarations/list.ts';
import { coloursFor } from '../render/colours.ts';
import { tintAmount } from '../render/episode.ts';
import { type Column, table } from '../render/table.ts';
import { print, printJson, type Terminal, tableWidth } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly json?: boolean;
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly status?: EpisodeRecord['status'];
  readonly limit?: number;
}

/** What a list shows to people, and what it gives to machines. */
interface Listing {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  readonly data: readonly unknown[];
  readonly empty: string;
  /** Where to look next. */
  readonly more?: string;
}

type Lister = (terminal: Terminal, options: Options) => Promise<Listing>;

/** Every kind by its name; environments show their seats besides. */
const lists: Readonly<Record<string, Lister>> = {
  ...Object.fromEntries(kinds.map((kind) => [kind.name, (terminal: Terminal) => linesOf(terminal, kind)])),
  ...({ environments, kinds: allKinds, sandboxes, runs, episodes } satisfies Record<(typeof otherLists)[number] | 'environments', Lister>),
};

export const list: CommandRun<Readonly<Record<string, unknown>>, OptionalArguments> = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const what = args[0];
    if (what === undefined) return overview(terminal, options);
    const knownKeys = Object.keys(lists);
    const name = knownKeys.find((item) => item === what || item === `${what}s`);
    if (name === undefined)
      throw new Fault(
        'input',
        `Unknown kind "${what}". You can list kinds, runs, episodes, and every kind that "ludus list kinds" shows.${didYouMean(what, knownKeys)}`,
      );
    const listing = await lists[name]!(terminal, options);
    const colours = coloursFor(terminal.stdout, terminal.env);
    if (options.json === true) printJson(terminal, listing.data);
    else if (listing.rows.length === 0) print(terminal, listing.empty);
    else print(terminal, table(listing.columns, listing.rows, { colours, columns: tableWidth(terminal) }));
    if (options.json !== true && terminal.stdout.isTTY === true && listing.more !== undefined)
      print(terminal, '', colours.faint(listing.more));
    return exits.fine;
  },
};

/** Counting is for people: beyond this many, the exact number of episodes does not matter. */
const many = 10_000;

async function overview(terminal: Terminal, options: Options): Promise<number> {
  const saved = (await fromStore(terminal, options, async (store) => ({
    runs: (await store.runs()).length,
    episodes: (await store.find('', many + 1)).length,
  }))) ?? { runs: 0, episodes: 0 };
  const counts = { environments: environmentNames().length, agents: agentKinds.length, models: modelKinds.length, ...saved };
  if (options.json === true) {
    printJson(terminal, counts);
    return exits.fine;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const about: Readonly<Record<keyof typeof counts, string>> = {
    environments: 'environments to play in',
    agents: 'kinds of players',
    models: 'kinds of models behind them',
    runs: 'plans that were played here',
    episodes: 'saved games',
  };
  const rows = Object.entries(counts).map(([name, amount]) => [
    colours.cyan(name),
    amount > many ? `${formatGrouped(many)}+` : formatGrouped(amount),
    about[name as keyof typeof counts],
  ]);
  print(terminal, table([{ title: 'list' }, { title: 'there are', align: 'right' }, { title: '' }], rows, { colours }));
  return exits.fine;
}

async function environments(terminal: Terminal): Promise<Listing> {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const listed: { readonly name: string; readonly environment: AnyEnvironment }[] = [];
  for (const name of new Set([...(await ownNames(environmentKind, terminal.cwd)), ...environmentNames()]))
    listed.push({ name, environment: await resolveEnvironment(name, terminal.cwd, terminal.trust) });
  const seatsOf = (environment: AnyEnvironment) => environment.seats(environment.task(environment.about.tasks[0] ?? {}));
  return {
    columns: [{ title: 'environment' }, { title: 'group' }, { title: 'seats' }, { title: 'description', flexible: 'cut' }],
    rows: listed.map(({ name, environment }) => [
      colours.cyan(name),
      environmentGroup(name) ?? '',
      seatList(seatsOf(environment)),
      firstSentence(environment.about.summary),
    ]),
    data: listed.map(({ name, environment }) => ({
      id: environment.id,
      name,
      group: environmentGroup(name),
      about: firstSentence(environment.about.summary),
      seats: seatsOf(environment),
      scripts: Object.keys(environment.scripts ?? {}),
      summary: environment.about.summary,
    })),
    empty: 'No environments.',
    more: 'Run "ludus show NAME" to see one in detail.',
  };
}

function seatList(seats: readonly Seat[]): string {
  const names = seats.join(', ');
  return names.length <= 16 ? names : `${seats.length} seats`;
}

function firstSentence(text: string): string {
  return text.match(linear(/^.*?[.!?](?=\s|$)/s))?.[0] ?? text;
}

async function linesOf(terminal: Terminal, kind: Kind): Promise<Listing> {
  const lines = await listKind(kind, terminal.cwd);
  return { ...listing(terminal, kind.one, lines), empty: `No ${kind.name}.`, more: `ludus show ${kind.one} NAME explains one.` };
}

async function allKinds(terminal: Terminal): Promise<Listing> {
  const lines = kinds.map(({ name, about }) => ({ name, about }));
  return { ...listing(terminal, 'kind', lines), empty: '', more: 'ludus list KIND shows all of one.' };
}

function listing(terminal: Terminal, title: string, lines: readonly KindLine[]): Pick<Listing, 'columns' | 'rows' | 'data'> {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const rows = lines.map(({ name, about }) => [colours.cyan(printable(name)), printable(about)]);
  return { columns: [{ title }, { title: 'description', flexible: 'cut' }], rows, data: lines };
}

/** Each is tried on this machine, so that no one relies on isolation that does not work. */
async function sandboxes(terminal: Terminal): Promise<Listing> {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const data = await sandboxReport(sandboxSettings());
  const rows = data.map(({ backend, ok, holds, why = '' }) => {
    const current = Object.entries(holds).flatMap(([name, holding]) => (holding ? [name] : []));
    return [colours.cyan(backend), ok ? 'yes' : 'no', current.join(', ') || 'nothing', why];
  });
  const columns = [
    { title: 'sandbox' },
    { title: 'works here' },
    { title: 'holds', flexible: 'wrap' as const },
    { title: 'what to know', flexible: 'cut' as const },
  ];
  return { columns, rows, data, empty: 'No sandboxes.' };
}

/** A run as it is listed: how many of its episodes have ended, and of a training how far it has come. */
interface RunLine {
  readonly id: string;
  readonly environments: readonly string[];
  readonly planned: number;
  readonly ended: number;
  readonly updates?: { readonly made: number; readonly planned: number | null };
}

/** From the last figures of a training; it has none before the first are noted. */
async function updatesOf(store: Store, run: string): Promise<NonNullable<RunLine['updates']>> {
  const { metrics = 0 } = await store.journals(run);
  const [last] = (metrics === 0 ? [] : await store.notes(run, 'metrics', metrics - 1)) as { update?: number; updates?: number }[];
  return { made: last?.update ?? 0, planned: last?.updates ?? null };
}

async function runs(terminal: Terminal, options: Options): Promise<Listing> {
  const runLines =
    (await fromStore(terminal, options, async (store) => {
      const out: RunLine[] = [];
      for (const { id, plan, work, episodes: planned } of await store.runs()) {
        const ended = [...(await store.statuses(id)).values()].filter((status) => status !== 'running').length;
        // Probes, scenes and conversations belong to a run that plans one episode and goes on with every other.
        const of = Math.max(planned, ended);
        const learned = work?.kind === 'train' ? { updates: await updatesOf(store, id) } : {};
        out.push({
          id,
          environments: [...new Set(plan.environments.map((otherEnvironment) => otherEnvironment.environment))],
          planned: of,
          ended,
          ...learned,
        });
      }
      return out;
    })) ?? [];
  return {
    columns: [
      { title: 'run', flexible: 'wrap' },
      { title: 'ended', align: 'right' },
      { title: 'of', align: 'right' },
      { title: '' },
      { title: 'environments', flexible: 'cut' },
    ],
    rows: runLines.map(({ id, environments: played, planned, ended, updates }) => {
      const [done, all, what] =
        updates === undefined ? [ended, planned, planned === 0 ? '' : 'episodes'] : [updates.made, updates.planned ?? 0, 'updates'];
      const counts = what === '' ? ['', ''] : [formatGrouped(done), all === 0 ? '' : formatGrouped(all)];
      return [printable(id), ...counts, what, played.join(', ')];
    }),
    data: runLines,
    empty: 'No runs yet. Create one with "ludus run PLAN".',
  };
}

async function episodes(terminal: Terminal, options: Options): Promise<Listing> {
  const { agent, status, limit = 20 } = options;
  const environment =
    options.environment === undefined ? undefined : await findEnvironmentId(options.environment, terminal.cwd, terminal.trust);
  const episodeRecords =
    (await fromStore(terminal, options, async (store) => {
      const run = options.run === undefined ? undefined : await loadRun(store, options.run);
      if (agent !== undefined) await checkAgentPlayed(store, agent);
      return store.episodes({
        limit,
        ...(run === undefined ? {} : { run: run.id }),
        ...(environment === undefined ? {} : { environment }),
        ...(agent === undefined ? {} : { agent }),
        ...(status === undefined ? {} : { status }),
      });
    })) ?? [];
  const colours = coloursFor(terminal.stdout, terminal.env);
  return {
    columns: [
      { title: 'episode' },
      { title: 'environment', flexible: 'cut' },
      { title: 'seed', align: 'right' },
      { title: 'turns', align: 'right' },
      { title: 'end' },
      { title: 'returns', flexible: 'cut' },
    ],
    rows: episodeRecords.map((row) => [
      colours.cyan(brief(row.id)),
      printable(row.environment),
      String(row.seed),
      String(row.turns),
      row.status === 'error' ? colours.red(row.status) : row.status === 'over' ? row.status : colours.yellow(row.status),
      Object.entries(row.cast)
        .map(([seat, name]) =>
          `${printable(`${seat} ${name}`)} ${row.returns === null ? '' : tintAmount(colours, row.returns[seat] ?? 0)}`.trim(),
        )
        .join(', '),
    ]),
    data: episodeRecords,
    empty: 'No such episodes yet. Create some with "ludus play" or "ludus run".',
  };
}

/** What a store has; null where the default one does not exist yet, which is no mistake for a list. */
async function fromStore<T>(terminal: Terminal, options: Options, ask: Parameters<typeof withExistingStore<T>>[2]): Promise<T | null> {
  const named = options.store !== undefined || (terminal.env['LUDUS_STORE'] ?? '') !== '';
  if (!named && !storeExists(terminal, options)) return null;
  return withExistingStore(terminal, options, async (store) => {
    const found = await ask(store);
    const damaged = store.unreadable?.size ?? 0;
    if (damaged > 0)
      terminal.stderr.write(
        `${count(damaged, 'record')} cannot be read and ${damaged === 1 ? 'is' : 'are'} not listed. Run "ludus doctor" to see why.\n`,
      );
    return found;
  });
}
