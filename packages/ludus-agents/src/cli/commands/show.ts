/** @file `ludus show`: an episode as a transcript, a run as its results, an environment as what can be played in it. */

import { castable } from '@ludus-agents/agents/internal/kinds';
import { isPath, resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { environmentKind } from '@ludus-agents/agents/internal/workspace/kinds';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { currentTally, earlierText } from '@ludus-agents/agents/internal/workspace/versions';
import { environmentNames } from '@ludus-agents/environments/internal/built-in';
import { changedSinceText } from '@ludus-agents/evaluation/internal/changed-since';
import { resultsOf } from '@ludus-agents/evaluation/internal/results';
import {
  type AnyEnvironment,
  Fault,
  nameOf,
  printable,
  type RunRecord,
  type Store,
  schemaOf,
  toSeen,
} from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { describeEntry, rangeOf } from '@ludus-agents/servers/internal/describe';
import { kindOf, kinds } from '@ludus-agents/servers/internal/kinds';
import { findEpisode, findRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { seatIn } from '../cast.ts';
import { type CommandCall, type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { scene } from '../render/episode.ts';
import { endedText, resultsTable } from '../render/results.ts';
import { type Column, table } from '../render/table.ts';
import { clip, wrap } from '../render/width.ts';
import { columnsOf, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly seat?: string;
  readonly events?: boolean;
  readonly json?: boolean;
}

export const show: CommandRun = {
  async run(call) {
    const { terminal } = call;
    const typed = call.args[0];
    const options = call.options as Options;
    const name = call.args[1];
    if (name !== undefined) return showOne(typed, name, call);
    if (isPath(typed) || environmentNames().includes(typed.split('@', 1)[0]!)) {
      showEnvironment(await resolveEnvironment(typed, terminal.cwd, terminal.trust), call);
      return exits.fine;
    }
    return withExistingStore(terminal, options, async (store) => {
      const run = (await store.find(typed, 1)).length === 0 ? await findRun(store, typed) : null;
      if (run === null) await showEpisode(store, typed, call);
      else await showRun(store, run, call);
      return exits.fine;
    });
  },
};

/** One of a kind: what it is, what can be set, and how it is used. */
async function showOne(word: string, name: string, call: CommandCall): Promise<number> {
  const { terminal, options } = call;
  const kind = kindOf(word);
  if (kind === null) {
    const knownNames = kinds.map(({ one }) => one);
    throw new Fault('input', `Unknown kind "${word}".${didYouMean(word, knownNames)} Run "ludus list kinds" to see all.`);
  }
  if (kind.name === environmentKind.name) {
    showEnvironment(await resolveEnvironment(name, terminal.cwd, terminal.trust), call);
    return exits.fine;
  }
  const description = await describeEntry(kind, name, terminal.cwd, terminal.trust);
  if (options['json'] === true) {
    printJson(terminal, description);
    return exits.fine;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = columnsOf(terminal.stdout);
  print(
    terminal,
    `${colours.bold(printable(description.name))} ${colours.faint(`· ${description.kind}`)}`,
    ...wrap(printable(description.about), Math.min(100, columns)),
    '',
  );
  const facts = Object.entries(description.facts).map(([label, text]) => [colours.faint(label), printable(text)]);
  if (facts.length > 0)
    print(terminal, table([{ title: '' }, { title: '', flexible: 'wrap' }], facts, { colours, columns }).trimStart(), '');
  const rows = description.settings.map((setting) => [
    colours.cyan(setting.name),
    clip(setting.otherwise, 24),
    clip(setting.range, 30),
    printable(setting.about),
  ]);
  const titles: readonly Column[] = [
    { title: 'setting' },
    { title: 'default' },
    { title: 'range' },
    { title: 'what it does', flexible: 'wrap' },
  ];
  // Settings of recipes have no words of their own.
  const shown = description.settings.every(({ about }) => about === '') ? 3 : 4;
  const cut = rows.map((row) => row.slice(0, shown));
  if (rows.length > 0) print(terminal, table(titles.slice(0, shown), cut, { colours, columns }), '');
  print(terminal, colours.faint(description.example));
  return exits.fine;
}

async function showEpisode(store: Store, typed: string, { options: input, terminal }: CommandCall): Promise<void> {
  const options = input as Options;
  const record = await findEpisode(store, typed);
  const events = await store.events(record.id);
  const start = events[0];
  if (start?.kind !== 'start') throw new Fault('store', `The log of ${record.id} has no start event. The store is damaged.`);
  const seat = options.seat === undefined ? undefined : seatIn(options.seat, { environment: record.environment, seats: start.seats });
  if (options.json === true || options.events === true) {
    const log = seat === undefined ? events : events.flatMap((event) => toSeen(event, seat) ?? []);
    if (options.json === true) printJson(terminal, { ...record, log });
    else for (const event of log) printJson(terminal, event);
    return;
  }
  // The rules are wanted for their defaults only; a log can be read without them.
  const knobs = await resolveEnvironment(record.environment, terminal.cwd, Trust.storedData).then(
    (environment) => environment.knobs,
    () => undefined,
  );
  const view = scene({
    colours: coloursFor(terminal.stdout, terminal.env),
    columns: columnsOf(terminal.stdout),
    numbers: true,
    seat,
    knobs,
  });
  for (const [index, event] of events.entries()) terminal.stdout.write(view.show(event, index));
  if (record.status === 'running') print(terminal, '', 'No end is stored yet: it is still running, or was cut off.');
}

async function showRun(store: Store, run: RunRecord, { options, terminal }: CommandCall): Promise<void> {
  const results = await resultsOf(run, { store, cwd: terminal.cwd, trust: terminal.trust });
  const saved = await changedSinceText(store, run, terminal.cwd);
  if (options['json'] === true) {
    printJson(terminal, { run, ...results, saved });
    return;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const { tallies, earlier } = await currentTally(store, run.id);
  const ended = tallies.reduce((sum, { status, count: episodes }) => sum + (status === 'running' ? 0 : episodes), 0);
  const progress = endedText({ ended, planned: run.episodes, tasks: results.standings.tasks });
  print(terminal, `${colours.bold(printable(run.id))} ${colours.faint(`· ${progress}`)}`, '');
  print(
    terminal,
    resultsTable(results, terminal),
    ...(earlier > 0 ? ['', earlierText(earlier)] : []),
    ...(saved === null ? [] : ['', printable(saved)]),
  );
}

function showEnvironment(environment: AnyEnvironment, { options, terminal }: CommandCall): void {
  const { about, knobs } = environment;
  const seats = environment.seats(environment.task(about.tasks[0] ?? {}));
  if (options['json'] === true) {
    printJson(terminal, { id: environment.id, about, seats, task: schemaOf(knobs), agents: castable(environment) });
    return;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = columnsOf(terminal.stdout);
  print(terminal, colours.bold(environment.id), ...wrap(about.summary, Math.min(100, columns)), '');
  print(terminal, `${colours.faint('seats ')}  ${seats.map((seat, i) => colours.seat(seat, i)).join(', ')}`);
  print(terminal, ...wrapEntry('agents', castable(environment).join(', '), terminal), '');
  const rows = Object.entries(knobs).map(([name, knob]) => [
    colours.cyan(name),
    clip(JSON.stringify(knob.otherwise), 20),
    clip(rangeOf(knob), 30),
    knob.about,
  ]);
  const titles: readonly Column[] = [
    { title: 'task' },
    { title: 'default' },
    { title: 'range' },
    { title: 'what it does', flexible: 'wrap' },
  ];
  if (rows.length > 0) print(terminal, table(titles, rows, { colours, columns }), '');
  print(terminal, colours.faint(`ludus play ${nameOf(environment)}`));
}

function wrapEntry(label: string, text: string, terminal: Terminal): string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  return wrap(text, Math.min(92, columnsOf(terminal.stdout) - 8)).map((line, i) => `${colours.faint(i === 0 ? label : '      ')}  ${line}`);
}
